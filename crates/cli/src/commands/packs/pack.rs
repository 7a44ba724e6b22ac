use std::io::IsTerminal;

use ai_assist_app::Chosen;
use ai_assist_base::json::word;
use ai_assist_pack::types::{ContextPack, ExcludedFile, FullPack, PackConstraints, TruncationConfig};
use ai_assist_pack::{
    Format, Made, PackRequest, Page, ScanOptions, Share, Stage, TokenCounter, TransparencyRecord, Written, folders,
    html, known_providers, largest, page_files, render_to, shares, split,
};

use ai_assist_text::TOKENIZER;

use super::chosen::{chosen, inside};
use super::snapshot::exclusions;
use super::written::{Draft, part_name, receipt_name, write_whole};
use crate::args::{Amount, OnSecretValue, PackProject};
use crate::commands::prelude::*;
use crate::terminal::table_text;

/// More parts than this are not written unasked: somebody has to send each of them.
const MANY_PARTS: usize = 20;

/// More parts than this are summed up.
const FEW_PARTS: usize = 3;

/// A pack as it leaves, with the record of it.
struct Sent {
    /// Where it was written; nothing for standard output.
    file: Option<PathBuf>,
    receipt: Option<PathBuf>,
    number: u64,
    written: Written,
}

/// The bytes of a pack as they are written, all parts together, and their tokens, if they were counted.
#[derive(Debug, Clone, Copy)]
struct Size {
    bytes: u64,
    tokens: Option<usize>,
}

impl Size {
    fn of(pack: &ContextPack, format: Format, counter: Option<&TokenCounter>) -> Result<Size> {
        let mut bytes = Counted(0);
        let tokens = render_to(pack, format, &mut bytes, counter)?;
        Ok(Size { bytes: bytes.0, tokens })
    }

    fn sum(sent: &[Sent]) -> Size {
        let tokens = sent.iter().map(|sent| sent.written.tokens).sum();
        Size { bytes: sent.iter().map(|sent| sent.written.bytes).sum(), tokens }
    }
}

/// Keeps nothing of what is written but its length.
struct Counted(u64);

impl std::io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub(crate) fn run(context: &Context, args: &PackProject) -> Result<Outcome> {
    let format = format(context, args)?;
    let mut chosen = chosen(context, &args.which)?;
    chosen.choice.exclude.extend(own_files(context, args, &chosen.choice.root));
    let request = request(context, args, &chosen, format)?;
    let caches = context.caches();
    let made = {
        let spinner = Spinner::new(context.terminal, "looking at the files");
        let progress = |stage| match stage {
            Stage::Scanning(done) => spinner.say(|| format!("{done} files")),
            Stage::Surveying => spinner.say(|| "reading the code".to_owned()),
            Stage::Building => spinner.say(|| "putting the pack together".to_owned()),
        };
        chosen.pack(&request, &caches, &cancel(), &progress)?
    };
    for warning in &made.warnings {
        context.terminal.warn(one_line(warning))?;
    }
    let counter = (!args.no_tokens).then_some(&caches.tokens);
    let shares = shares(&made.pack, counter);
    // Nobody reads half a megabyte of JSON on a terminal.
    let shown_only = args.output.is_none() && !context.terminal.json && std::io::stdout().is_terminal();
    let (sent, excluded) = if shown_only {
        (Vec::new(), made.snapshot.project.excluded_files.clone())
    } else {
        send(context, args, &request, &made, counter)?
    };
    let size = match sent.as_slice() {
        [] => Size::of(&made.pack, format, counter)?,
        sent => Size::sum(sent),
    };
    if let Some(file) = &args.html {
        let files = page_files(&made.pack, &made.snapshot, &shares, &excluded);
        let title = &made.pack.manifest().project_name;
        let page =
            html(&Page { title, pack: &made.pack, snapshot: &made.snapshot, files: &files, tokens: size.tokens });
        write_whole(&context.place(file), page.as_bytes())?;
    }
    if let Err(error) = caches.save() {
        context.terminal.warn(format!("what was counted and parsed can't be kept for the next time: {error}"))?;
    }
    let report = Report { args, made: &made, shares: &shares, excluded: &excluded, sent: &sent, size, format };
    report.print(context)?;
    let empty = made.pack.metadata().files_included == 0 && matches!(made.pack, ContextPack::Full(_));
    Ok(if empty { Outcome::Partial } else { Outcome::Done })
}

/// The format that was asked for, by name or by the name of the output.
fn format(context: &Context, args: &PackProject) -> Result<Format> {
    let by_name =
        args.output.as_ref().and_then(|file| file.extension()).and_then(|extension| match extension.to_str()? {
            "json" => Some(Format::Json),
            "msgpack" | "mpk" | "mp" => Some(Format::MessagePack),
            "md" | "markdown" => Some(Format::Markdown),
            "xml" => Some(Format::Xml),
            _ => None,
        });
    let format = args.format.or(by_name).unwrap_or(Format::Json);
    if context.terminal.json && args.output.is_none() && format != Format::Json {
        bail!("--json prints the pack itself unless --output says where to put it, and {} is no JSON", format.name());
    }
    Ok(format)
}

/// Globs for what this very command writes, so that a second run does not pack what the first one wrote.
fn own_files(context: &Context, args: &PackProject, root: &Path) -> Vec<String> {
    let mut files: Vec<PathBuf> = [&args.output, &args.receipt, &args.html].into_iter().flatten().cloned().collect();
    files.extend(args.output.iter().map(|file| receipt_name(file)));
    let mut globs: Vec<String> = Vec::new();
    for file in files {
        let Ok(path) = inside(root, &context.place(&file)) else { continue };
        globs.push(escaped(path.as_str()));
        if args.split.is_some() {
            // Any number of parts from a run before.
            let marked = part_name(Path::new(path.as_str()), 0, 1);
            let text = marked.to_string_lossy();
            let at = text.rfind(".0").unwrap_or(text.len());
            globs.push(format!("{}.[0-9]*{}", escaped(&text[..at]), escaped(text.get(at + 2..).unwrap_or_default())));
        }
    }
    // A glob without a slash counts in every folder; these are meant where they are.
    globs.into_iter().map(|glob| format!("./{glob}")).collect()
}

fn escaped(path: &str) -> String {
    let mut glob = String::with_capacity(path.len());
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '!' | '\\' | ',') {
            glob.push('\\');
        }
        glob.push(c);
    }
    glob
}

fn request(context: &Context, args: &PackProject, chosen: &Chosen, format: Format) -> Result<PackRequest> {
    let mut provider_limits = known_providers();
    for (name, limit) in context.settings.provider_limits() {
        provider_limits.insert(name, serde_json::from_value(limit).context("pack.providerLimits")?);
    }
    if let Some(name) = args.provider.as_ref().filter(|name| !provider_limits.contains_key(*name)) {
        let known: Vec<&str> = provider_limits.keys().map(String::as_str).collect();
        bail!(
            "no limit is known for the provider {name}; known are {}; set pack.providerLimits for others",
            known.join(", ")
        );
    }
    // A budget of tokens, or parts, take the place of the limits that nobody has set by hand.
    let open = args.max_tokens.is_some() || args.split.is_some();
    let unless_set = |amount: Option<Amount>, default: usize| match amount {
        Some(amount) => amount.most(),
        None if open => usize::MAX,
        None => default,
    };
    let defaults = (PackConstraints::default(), TruncationConfig::default());
    let max_total_bytes = unless_set(args.max_content_bytes, defaults.1.max_total_bytes);
    let max_files = unless_set(args.max_files, defaults.0.max_files);
    // With a budget of tokens one file may have about a quarter of them.
    let max_file_bytes = defaults.1.max_file_bytes.max(args.max_tokens.unwrap_or(0));
    let max_file_bytes = args.max_file_bytes.map_or(max_file_bytes, Amount::most);
    let mut scan = ScanOptions { on_decode_error: args.which.on_decode_error, ..ScanOptions::default() };
    scan.key_files.max_content_per_file_bytes =
        scan.key_files.max_content_per_file_bytes.max(if args.max_file_bytes.is_some() { max_file_bytes } else { 0 });
    Ok(PackRequest {
        choice: chosen.choice.clone(),
        stop_at_secrets: args.which.on_secret == OnSecretValue::Fail,
        wanted: args.pack_type,
        constraints: PackConstraints {
            max_content_bytes: max_total_bytes as u64,
            max_files,
            prefer_summary: args.prefer_summary,
            // Without a provider nobody's limit counts.
            provider_limits: if args.provider.is_some() { provider_limits } else { Default::default() },
            provider: args.provider.clone(),
        },
        truncation: TruncationConfig {
            max_file_bytes,
            max_total_bytes,
            preserve_head_lines: args.preserve_head_lines,
            preserve_tail_lines: args.preserve_tail_lines,
            truncation_marker: args
                .truncation_marker
                .as_ref()
                .map_or(defaults.1.truncation_marker, |marker| format!("\n{marker}\n")),
        },
        max_files: args.max_files.map(Amount::most),
        max_tokens: args.max_tokens,
        format,
        count_tokens: !args.no_tokens,
        reproducible: args.reproducible,
        scan,
    })
}

/// Records and writes the pack, or each of its parts. The record comes first: what leaves is never without one.
fn send(
    context: &Context,
    args: &PackProject,
    request: &PackRequest,
    made: &Made,
    counter: Option<&TokenCounter>,
) -> Result<(Vec<Sent>, Vec<ExcludedFile>)> {
    let parts = match (args.split, &made.pack, counter) {
        (Some(max_tokens), ContextPack::Full(pack), Some(counter)) => {
            split(pack, request.format, max_tokens, &request.truncation, counter)?
        }
        (Some(_), ContextPack::Summary(_), _) => bail!("a summary is not split; ask for --type full"),
        _ => Vec::new(),
    };
    if parts.len() > MANY_PARTS && !args.yes {
        confirm(context, parts.len())?;
    }
    let packs: Vec<ContextPack> = parts.into_iter().map(FullPack::into).collect();
    let packs: Vec<&ContextPack> = if packs.is_empty() { vec![&made.pack] } else { packs.iter().collect() };
    let mut sent = Vec::with_capacity(packs.len());
    let mut excluded = Vec::new();
    for (at, pack) in packs.iter().enumerate() {
        let place = |file: &Path| {
            let file = context.place(file);
            if args.split.is_some() { part_name(&file, at + 1, packs.len()) } else { file }
        };
        let file = args.output.as_deref().map(place);
        let receipt = args.receipt.as_deref().map(place).or_else(|| file.as_deref().map(receipt_name));
        let mut draft = Draft::of(file.as_deref())?;
        let tokens = render_to(pack, request.format, &mut draft, counter)?;
        let (hash, bytes) = draft.seal();
        let written_pack = Written { hash, bytes, tokens };
        let (number, record) = context.record_pack(made, pack, written_pack, args.provider.as_deref())?;
        if let Some(receipt) = &receipt {
            write_whole(receipt, written(&record, receipt)?.as_bytes())?;
        }
        draft.publish()?;
        excluded = record.excluded;
        sent.push(Sent { file, receipt, number, written: written_pack });
    }
    Ok((sent, excluded))
}

/// Asks whether so many parts are meant; where nobody can answer, says how to go on.
fn confirm(context: &Context, parts: usize) -> Result<()> {
    let others = "raise --split, or send less with --max-tokens or --include";
    if !context.terminal.can_ask() {
        bail!("that would be {parts} parts, each with a receipt; add --yes to write them, {others}");
    }
    match context.terminal.confirms(&format!("Write {parts} parts, each with a receipt?"))? {
        true => Ok(()),
        false => bail!("nothing was written; {others}"),
    }
}

fn written(record: &TransparencyRecord, file: &Path) -> Result<String> {
    let json = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    Ok(if json { record.to_json()? + "\n" } else { record.to_yaml()? })
}

/// What is said about a pack once it is made.
struct Report<'a> {
    args: &'a PackProject,
    made: &'a Made,
    shares: &'a [Share],
    excluded: &'a [ExcludedFile],
    sent: &'a [Sent],
    size: Size,
    format: Format,
}

impl Report<'_> {
    fn print(&self, context: &Context) -> Result<()> {
        let Report { args, made, shares, excluded, sent, .. } = *self;
        let to_stdout = sent.iter().any(|sent| sent.file.is_none());
        if context.terminal.json {
            return if to_stdout { Ok(()) } else { self.print_json(context) };
        }
        if context.terminal.quiet {
            return Ok(());
        }
        // Where the pack itself goes to standard output, what is said about it can't.
        let say = |text: String| if to_stdout { context.terminal.note(text) } else { context.terminal.say(text) };
        for line in self.headline() {
            say(line)?;
        }
        let table = |header: &[&str], rows: Vec<Vec<String>>| {
            if rows.is_empty() { Ok(()) } else { say(format!("\n{}", table_text(header, rows, !to_stdout))) }
        };
        let total: u64 = shares.iter().map(Share::weight).sum();
        let unit = if args.no_tokens { "Bytes" } else { "Tokens" };
        let row = |share: Share| {
            let percent = share.weight() as f64 * 100.0 / total.max(1) as f64;
            vec![share.path.clone(), share.weight().to_string(), format!("{percent:.1} %")]
        };
        table(&["Largest files", unit, "Share"], largest(shares, args.top).into_iter().map(row).collect())?;
        table(&["Largest folders", unit, "Share"], largest(&folders(shares), args.top).into_iter().map(row).collect())?;
        // In a summary no text is sent, so that is no reason to name.
        let reasons = match &made.pack {
            ContextPack::Full(_) => &made.pack.metadata().exclusions_by_reason,
            ContextPack::Summary(_) => &made.snapshot.exclusions_by_reason,
        };
        table(&["Left out", "Files", "Such as"], exclusions(reasons, excluded))?;
        let redacted = &made.pack.metadata().redactions;
        table(
            &["Taken out", "Values"],
            redacted.iter().map(|(rule, count)| vec![rule.clone(), count.to_string()]).collect(),
        )?;
        if args.redactions {
            let places = made.redacted_at();
            table(&["Taken out of", "Lines", "Rule"], places.iter().map(redaction_row).collect())?;
        }
        if sent.is_empty() {
            say("\nNothing was written: a pack is too long for a terminal. Add --output FILE, or send it on with a pipe."
            .to_owned())?;
        }
        match sent {
            [first, .., last] if sent.len() > FEW_PARTS && !context.terminal.verbose => {
                let name = |sent: &Sent| sent.file.as_ref().map_or(String::new(), |file| file.display().to_string());
                say(format!(
                    "\nWrote {} parts, {} to {} ({}), receipts {}-{} beside them",
                    sent.len(),
                    name(first),
                    name(last),
                    indicatif::HumanBytes(self.size.bytes),
                    first.number,
                    last.number
                ))?;
            }
            _ => {
                for Sent { file, receipt, number, written } in sent {
                    if let Some(file) = file {
                        let bytes = indicatif::HumanBytes(written.bytes);
                        say(format!("\nWrote {} ({bytes}), receipt {number}", file.display()))?;
                    }
                    if let Some(receipt) = receipt {
                        say(format!("Wrote {}", receipt.display()))?;
                    }
                }
            }
        }
        if let Some(file) = &args.html {
            say(format!("Wrote {}", context.place(file).display()))?;
        }
        Ok(())
    }

    /// What the pack is, in a few lines.
    fn headline(&self) -> Vec<String> {
        let Report { made, size, .. } = *self;
        let metadata = made.pack.metadata();
        let shown = if self.format == Format::MessagePack { " as JSON" } else { "" };
        let tokens = size.tokens.map_or(String::new(), |tokens| format!(", {tokens} tokens{shown} ({TOKENIZER})"));
        let bytes = indicatif::HumanBytes(size.bytes);
        let name = one_line(&made.pack.manifest().project_name);
        let mut lines = vec![match &made.pack {
            ContextPack::Full(_) => format!(
                "{name}: full pack of {} of {}, {bytes}{tokens}",
                metadata.files_included,
                count(metadata.total_files_scanned, "file")
            ),
            ContextPack::Summary(_) => {
                format!("{name}: summary of {}, {bytes}{tokens}", count(metadata.total_files_scanned, "file"))
            }
        }];
        lines.push(format!("  {}", metadata.selection_reason));
        if let (ContextPack::Summary(_), ai_assist_pack::types::PackType::Summary) =
            (&made.pack, made.selected.pack_type)
            && !made.selected.asked
        {
            lines.push("  For the text of what matters most: --max-tokens N; for all of it: --type full --max-content-bytes none --max-files none.".to_owned());
        }
        if metadata.truncated_files > 0 {
            lines.push(format!("  {} cut short", count(metadata.truncated_files, "file")));
        }
        if metadata.files_left_out_for_size > 0 {
            let outlined = match metadata.files_outlined {
                0 => String::new(),
                number => format!(", {number} of them with an outline"),
            };
            lines.push(format!("  {} did not fit{outlined}", count(metadata.files_left_out_for_size, "file")));
        }
        lines
    }

    fn print_json(&self, context: &Context) -> Result<()> {
        let Report { args, made, shares, sent, size, format, .. } = *self;
        let metadata = made.pack.metadata();
        let outputs: Vec<_> = sent
        .iter()
        .map(|sent| json!({ "path": sent.file.as_ref().map(|file| file.display().to_string()), "receipt": sent.receipt.as_ref().map(|file| file.display().to_string()), "number": sent.number, "hash": sent.written.hash, "bytes": sent.written.bytes, "tokens": sent.written.tokens }))
        .collect();
        context.terminal.json(&json!({
        "project": made.pack.manifest().project_name, "root": made.snapshot.project.root_path,
        "type": word(&metadata.pack_type), "reason": metadata.selection_reason, "format": format.name(),
        "bytes": size.bytes, "tokens": size.tokens, "outputs": outputs, "html": args.html.as_ref().map(|file| context.place(file).display().to_string()), "metadata": metadata,
        "largestFiles": largest(shares, args.top), "largestFolders": largest(&folders(shares), args.top),
        "redactions": made.redacted_at(), "warnings": made.warnings,
    }))
    }
}
