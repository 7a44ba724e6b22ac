use ai_assist_identity::Sha256;
use ai_assist_pack::{Ledger, TransparencyRecord};
use serde::Serialize;

use super::snapshot::word;
use crate::commands::prelude::*;

/// A record without its lists, which can have thousands of lines.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    number: u64,
    created_at: String,
    source_root: String,
    provider: Option<String>,
    #[serde(rename = "type")]
    pack_type: String,
    files_included: usize,
    files_excluded: usize,
    content_bytes: u64,
    content_tokens: Option<usize>,
    redactions: usize,
    allowed: usize,
    pack_bytes: u64,
    pack_hash: Sha256,
    record_hash: Sha256,
}

impl Line {
    fn new(number: u64, record: &TransparencyRecord) -> Line {
        let info = &record.context_pack_info;
        Line {
            number,
            created_at: record.created_at.clone(),
            source_root: record.source_root.clone(),
            provider: record.provider.clone(),
            pack_type: word(&info.pack_type),
            files_included: info.files_included,
            files_excluded: info.files_excluded,
            content_bytes: info.content_bytes,
            content_tokens: info.content_tokens,
            redactions: record.redactions.values().sum(),
            allowed: record.allowed.len(),
            pack_bytes: record.pack_bytes,
            pack_hash: record.pack_hash,
            record_hash: record.record_hash,
        }
    }
}

pub(crate) fn list(context: &Context, limit: Option<usize>) -> Result<Outcome> {
    let ledger = context.receipts()?;
    let most = ledger.len()?;
    let first = limit.map_or(1, |limit| (most + 1).saturating_sub(limit as u64).max(1));
    let mut lines = Vec::new();
    for number in first..=most {
        lines.push(Line::new(number, &ledger.read(number)?));
    }
    let outcome = if lines.is_empty() { Outcome::Partial } else { Outcome::Done };
    if context.terminal.json {
        context.terminal.json(&json!({ "receipts": lines }))?;
        return Ok(outcome);
    }
    if lines.is_empty() {
        context.terminal.note("Nothing was packed yet. Pack a project: ai-assist pack --output pack.json")?;
        return Ok(outcome);
    }
    let rows = lines.into_iter().map(|line| {
        vec![
            line.number.to_string(),
            line.created_at,
            line.pack_type,
            line.files_included.to_string(),
            line.content_tokens.map_or(String::new(), |tokens| tokens.to_string()),
            line.redactions.to_string(),
            line.source_root,
        ]
    });
    context.terminal.table(&["No.", "Time", "Type", "Files", "Tokens", "Redacted", "Project"], rows.collect())?;
    Ok(outcome)
}

pub(crate) fn show(context: &Context, number: &str) -> Result<Outcome> {
    let ledger = context.receipts()?;
    let number = match number {
        "last" => ledger.len()?,
        text => text.parse().with_context(|| format!("{text} is no number of a receipt"))?,
    };
    match ledger.len()? {
        0 => bail!("nothing was packed yet, so there is no receipt"),
        most if number == 0 || number > most => bail!("there is no receipt {number}; the last one is {most}"),
        _ => {}
    }
    let record = ledger.read(number)?;
    if context.terminal.json {
        context.terminal.json(&record)?;
    } else {
        context.terminal.write(&record.to_yaml()?)?;
    }
    Ok(Outcome::Done)
}

pub(crate) fn verify(context: &Context, pack: Option<&Path>) -> Result<Outcome> {
    let ledger = context.receipts()?;
    let verified = ledger.verify()?;
    let sent = pack.map(|pack| look_up(context, &ledger, pack)).transpose()?;
    let outcome = if matches!(sent, Some((_, None))) { Outcome::Partial } else { Outcome::Done };
    if context.terminal.json {
        let pack = sent.map(|(hash, found)| {
            json!({ "hash": hash, "receipt": found.map(|(number, record)| Line::new(number, &record)) })
        });
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
