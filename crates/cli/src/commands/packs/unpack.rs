use std::io::Read;

use ai_assist_base::platform;
use ai_assist_identity::{DocPath, Sha256};
use ai_assist_pack::types::ContextPack;
use ai_assist_pack::{Format, check, deserialize};

use crate::commands::prelude::*;
use ai_assist_base::json::word;

pub(crate) fn run(context: &Context, file: &Path, into: Option<&Path>) -> Result<Outcome> {
    let bytes = read(context, file)?;
    let format = format_of(&bytes);
    let pack = deserialize(&bytes, format).with_context(|| format!("{} can't be unpacked", file.display()))?;
    let findings = check(&pack);
    let receipt = context.receipts()?.find_pack(&Sha256::of(&bytes))?.map(|(number, _)| number);
    let texts = texts(&pack);
    if let Some(folder) = into {
        write_into(&context.place(folder), &texts)?;
    }
    if context.terminal.json {
        let files: Vec<_> = texts
            .iter()
            .map(|text| json!({ "path": text.path, "bytes": text.content.len(), "truncated": text.truncated, "key": text.key }))
            .collect();
        context.terminal.json(&json!({
            "format": word_of(format), "hash": Sha256::of(&bytes), "bytes": bytes.len(), "ok": findings.is_empty(),
            "findings": findings, "receipt": receipt, "manifest": pack.manifest(), "metadata": pack.metadata(),
            "files": files,
        }))?;
    } else {
        say(context, &pack, &texts, format, receipt)?;
        for finding in &findings {
            context.terminal.say(format!("✗ {}", one_line(finding)))?;
        }
    }
    Ok(if findings.is_empty() { Outcome::Done } else { Outcome::Partial })
}

fn read(context: &Context, file: &Path) -> Result<Vec<u8>> {
    if file == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("standard input can't be read")?;
        return Ok(bytes);
    }
    let file = context.place(file);
    std::fs::read(&file).with_context(|| format!("{} can't be read", file.display()))
}

/// JSON opens with a brace, Markdown and XML with a mark of their own, and MessagePack with a byte that is no text.
fn format_of(bytes: &[u8]) -> Format {
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => Format::Json,
        Some(b'#') => Format::Markdown,
        Some(b'<') => Format::Xml,
        Some(byte) if byte.is_ascii() => Format::Json,
        _ => Format::MessagePack,
    }
}

fn word_of(format: Format) -> &'static str {
    match format {
        Format::Json => "json",
        Format::MessagePack => "msgpack",
        Format::Markdown => "markdown",
        Format::Xml => "xml",
    }
}

struct Text<'a> {
    path: &'a str,
    content: &'a str,
    truncated: bool,
    executable: bool,
    key: bool,
}

fn texts(pack: &ContextPack) -> Vec<Text<'_>> {
    let ContextPack::Full(pack) = pack else { return Vec::new() };
    let keys = pack.key_files.iter().map(|file| Text {
        path: &file.path,
        content: &file.content,
        truncated: file.truncated,
        executable: file.executable,
        key: true,
    });
    let contents = pack.contents.iter().map(|file| Text {
        path: &file.path,
        content: &file.content,
        truncated: file.truncated,
        executable: file.executable,
        key: false,
    });
    let mut texts: Vec<Text<'_>> = keys.chain(contents).collect();
    texts.sort_by(|a, b| a.path.cmp(b.path));
    texts
}

fn say(context: &Context, pack: &ContextPack, texts: &[Text<'_>], format: Format, receipt: Option<u64>) -> Result<()> {
    let metadata = pack.metadata();
    let part = metadata.part.map_or(String::new(), |part| format!(", part {} of {}", part.number, part.of));
    context.terminal.say(format!(
        "{}: {} pack in {}{part}",
        one_line(&pack.manifest().project_name),
        word(&metadata.pack_type),
        format.name()
    ))?;
    if let Some(created_at) = &metadata.created_at {
        context.terminal.say(format!("  made {} of {}", one_line(created_at), one_line(&metadata.source_root)))?;
    }
    let seen = count(metadata.total_files_scanned, "file");
    context
        .terminal
        .say(format!("  {seen} seen, {} included, {} left out", metadata.files_included, metadata.files_excluded))?;
    if let Some(number) = receipt {
        context.terminal.say(format!("  receipt {number} on this machine is of this pack"))?;
    }
    if context.terminal.quiet || texts.is_empty() {
        return Ok(());
    }
    let rows = texts.iter().map(|text| {
        let note = match (text.key, text.truncated) {
            (true, true) => "key, truncated",
            (true, false) => "key",
            (false, true) => "truncated",
            (false, false) => "",
        };
        vec![text.path.to_owned(), text.content.len().to_string(), note.to_owned()]
    });
    context.terminal.table(&["File", "Bytes", ""], rows.collect())
}

/// Writes the texts below a folder of their own: no path of a pack is trusted, and nothing that is there is touched.
fn write_into(folder: &Path, texts: &[Text<'_>]) -> Result<()> {
    if folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()) || folder.is_file() {
        bail!("{} is there already; name a folder that is not, or an empty one", folder.display());
    }
    let paths = texts
        .iter()
        .map(|text| DocPath::parse(text.path).with_context(|| format!("{:?} can't be written", text.path)))
        .collect::<Result<Vec<DocPath>>>()?;
    for (text, path) in texts.iter().zip(paths) {
        let place = folder.join(path.to_path_buf());
        let failed = || format!("{} can't be written", place.display());
        if text.path.split('/').any(|name| platform::is_refused_name(name.as_bytes())) {
            bail!("{}: Windows takes a name in it for something else", failed());
        }
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent).with_context(failed)?;
        }
        // A new file only: two names of a pack may be one on this file system.
        let mut file = platform::new_file(&place, text.executable).with_context(failed)?;
        std::io::Write::write_all(&mut file, text.content.as_bytes()).with_context(failed)?;
    }
    Ok(())
}
