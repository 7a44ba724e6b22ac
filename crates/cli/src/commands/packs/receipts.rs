use ai_assist_identity::Sha256;
use ai_assist_pack::{Ledger, TransparencyRecord};

use crate::commands::prelude::*;
use ai_assist_base::json::word;

/// A record without its lists, which can have thousands of lines.
fn line(number: u64, record: &TransparencyRecord) -> Value {
    let info = &record.context_pack_info;
    json!({
        "number": number, "createdAt": record.created_at, "sourceRoot": record.source_root, "provider": record.provider,
        "type": info.pack_type, "filesIncluded": info.files_included, "filesExcluded": info.files_excluded,
        "contentBytes": info.content_bytes, "contentTokens": info.content_tokens,
        "packTokens": record.pack_tokens,
        "redactions": record.redactions.values().sum::<usize>(), "allowed": record.allowed.len(),
        "packBytes": record.pack_bytes, "packHash": record.pack_hash, "recordHash": record.record_hash,
    })
}

pub(crate) fn list(context: &Context, limit: Option<usize>) -> Result<Outcome> {
    let ledger = context.receipts()?;
    let most = ledger.count()?;
    let first = limit.map_or(1, |limit| (most + 1).saturating_sub(limit as u64).max(1));
    let records = (first..=most).map(|number| Ok((number, ledger.read(number)?))).collect::<Result<Vec<_>>>()?;
    let outcome = if records.is_empty() { Outcome::Partial } else { Outcome::Done };
    if context.terminal.json {
        let lines: Vec<Value> = records.iter().map(|(number, record)| line(*number, record)).collect();
        context.terminal.json(&json!({ "receipts": lines }))?;
        return Ok(outcome);
    }
    if records.is_empty() {
        context.terminal.note("Nothing was packed yet. Pack a project: ai-assist pack --output pack.json")?;
        return Ok(outcome);
    }
    let rows = records.into_iter().map(|(number, record)| {
        let info = record.context_pack_info;
        // Records of older versions have only the tokens of the texts.
        let tokens = record.pack_tokens.or(info.content_tokens).map_or(String::new(), |tokens| tokens.to_string());
        let redacted: usize = record.redactions.values().sum();
        let (files, redacted) = (info.files_included.to_string(), redacted.to_string());
        vec![number.to_string(), record.created_at, word(&info.pack_type), files, tokens, redacted, record.source_root]
    });
    context.terminal.table(&["No.", "Time", "Type", "Files", "Tokens", "Redacted", "Project"], rows.collect())?;
    Ok(outcome)
}

pub(crate) fn show(context: &Context, number: &str) -> Result<Outcome> {
    let ledger = context.receipts()?;
    let number = match number {
        "last" => ledger.count()?,
        text => text.parse().with_context(|| format!("{text} is no number of a receipt"))?,
    };
    match ledger.count()? {
        0 => bail!("nothing was packed yet, so there is no receipt"),
        most if number == 0 || number > most => bail!("there is no receipt {number}; the last one is {most}"),
        _ => {}
    }
    let record = ledger.read(number)?;
    context.terminal.show(|| &record, || context.terminal.write(&record.to_yaml()?))
}

pub(crate) fn verify(context: &Context, pack: Option<&Path>) -> Result<Outcome> {
    let ledger = context.receipts()?;
    let verified = ledger.verify()?;
    let sent = pack.map(|pack| look_up(context, &ledger, pack)).transpose()?;
    let outcome = if matches!(sent, Some((_, None))) { Outcome::Partial } else { Outcome::Done };
    if context.terminal.json {
        let pack = sent.map(
            |(hash, found)| json!({ "hash": hash, "receipt": found.map(|(number, record)| line(number, &record)) }),
        );
        context.terminal.json(&json!({
            "ok": true, "receipts": verified.records, "last": verified.last,
            "firstAt": verified.first_at, "lastAt": verified.last_at, "pack": pack,
        }))?;
        return Ok(outcome);
    }
    match (&verified.first_at, &verified.last_at) {
        (Some(first), Some(last)) => {
            let records = count(usize::try_from(verified.records).unwrap_or(usize::MAX), "receipt");
            context.terminal.say(format!("✓ {records} from {first} to {last}, none changed, missing or moved"))?;
        }
        _ => context.terminal.say("✓ no receipts yet")?,
    }
    match sent {
        Some((_, Some((number, record)))) => {
            context.terminal.say(format!(
                "✓ this pack is receipt {number}, made {} of {}",
                record.created_at, record.source_root
            ))?;
        }
        Some((hash, None)) => context.terminal.say(format!("✗ no receipt is of this pack ({hash})"))?,
        None => {}
    }
    Ok(outcome)
}

type Sent = (Sha256, Option<(u64, TransparencyRecord)>);

fn look_up(context: &Context, ledger: &Ledger, pack: &Path) -> Result<Sent> {
    let file = context.place(pack);
    let bytes = std::fs::read(&file).with_context(|| format!("{} can't be read", file.display()))?;
    let hash = Sha256::of(&bytes);
    Ok((hash, ledger.find_pack(&hash)?))
}
