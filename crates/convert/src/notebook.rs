//! Jupyter notebooks, formats 3 and 4: the cells in their order, outputs as short text, images left out.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::{ConvertError, Format, Limits, emit, place};

/// As much of one output as is kept.
const OUTPUT_LINES: usize = 20;
const OUTPUT_BYTES: usize = 2000;

/// How far from either end of a file the marks of a notebook are looked for: its format stands at the end.
const PROBE: usize = 4096;

/// Cell magics that say that a cell is in another language than the notebook.
const MAGICS: [(&str, &str); 9] = [
    ("%%bash", "bash"),
    ("%%sh", "sh"),
    ("%%html", "html"),
    ("%%javascript", "javascript"),
    ("%%js", "javascript"),
    ("%%latex", "latex"),
    ("%%markdown", "markdown"),
    ("%%sql", "sql"),
    ("%%writefile", ""),
];

pub(crate) fn detect(path: &str, bytes: &[u8]) -> Option<Format> {
    if path.len() > 6 && path[path.floor_char_boundary(path.len() - 6)..].eq_ignore_ascii_case(".ipynb") {
        return Some(Format::Notebook);
    }
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return None;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(PROBE)]);
    let tail = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(PROBE)..]);
    let has = |key: &str| head.contains(key) || tail.contains(key);
    (has("\"nbformat\"") && (has("\"cells\"") || has("\"worksheets\""))).then_some(Format::Notebook)
}

#[derive(Deserialize)]
struct Notebook {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    cells: Vec<Cell>,
    /// Format 3 has its cells in sheets.
    #[serde(default)]
    worksheets: Vec<Worksheet>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metadata {
    kernelspec: Option<Kernel>,
    language_info: Option<LanguageInfo>,
    title: Option<Lines>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Kernel {
    language: Option<Lines>,
    name: Option<Lines>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct LanguageInfo {
    name: Option<Lines>,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Cell {
    cell_type: String,
    source: Lines,
    /// The source of code in format 3.
    input: Lines,
    language: Option<Lines>,
    /// Headings are cells of their own in format 3.
    level: Option<usize>,
    outputs: Vec<Output>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Output {
    output_type: String,
    name: Lines,
    /// Format 3 says here what format 4 says in `name`.
    stream: Lines,
    text: Lines,
    data: Data,
    ename: Lines,
    evalue: Lines,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Data {
    #[serde(rename = "text/plain")]
    plain: Lines,
    #[serde(rename = "text/markdown")]
    markdown: Lines,
}

/// A text, or its lines; what is neither counts as none.
#[derive(Deserialize)]
#[serde(untagged)]
enum Lines {
    One(String),
    Many(Vec<String>),
    Other(IgnoredAny),
}

impl Default for Lines {
    fn default() -> Self {
        Lines::Other(IgnoredAny)
    }
}

impl Lines {
    fn text(&self) -> Cow<'_, str> {
        match self {
            Lines::One(text) => text.into(),
            Lines::Many(lines) => lines.concat().into(),
            Lines::Other(_) => "".into(),
        }
    }

    fn is_blank(&self) -> bool {
        self.text().trim().is_empty()
    }
}

pub(crate) fn convert(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    let json = emit::decode(bytes, "Jupyter notebook")?;
    let notebook: Notebook = serde_json::from_str(&json)
        .map_err(|error| ConvertError::Malformed { format: "Jupyter notebook", detail: error.to_string() })?;
    let language = notebook.language();
    let mut text = String::new();
    if let Some(title) = &notebook.metadata.title {
        emit::heading(&mut text, 1, &title.text());
    }
    let cells = notebook.cells.iter().chain(notebook.worksheets.iter().flat_map(|sheet| &sheet.cells));
    for (index, cell) in cells.enumerate() {
        if text.len() > limits.max_text {
            break;
        }
        write_cell(&mut text, cell, index + 1, &language);
    }
    emit::finish(text, limits)
}

impl Notebook {
    fn language(&self) -> String {
        let info = self.metadata.language_info.as_ref().and_then(|info| info.name.as_ref());
        let kernel = self.metadata.kernelspec.as_ref();
        let named = info.or_else(|| kernel.and_then(|kernel| kernel.language.as_ref()));
        if let Some(language) = named.filter(|language| !language.is_blank()) {
            return language.text().to_lowercase();
        }
        // Kernels are named after their language and its version: `python3`, `julia-1.9`.
        let name = kernel.and_then(|kernel| kernel.name.as_ref()).map(|name| name.text().to_lowercase());
        let name = name.unwrap_or_default();
        let letters = name.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        if matches!(letters, "python" | "julia" | "ruby" | "scala") { letters.to_owned() } else { String::new() }
    }
}

fn write_cell(text: &mut String, cell: &Cell, number: usize, language: &str) {
    let source = if cell.source.is_blank() { cell.input.text() } else { cell.source.text() };
    let has_source = !source.trim().is_empty();
    if !has_source && cell.outputs.is_empty() {
        return;
    }
    emit::block(text);
    place::write(text, "cell", &number.to_string());
    match cell.cell_type.as_str() {
        "code" => {
            let own = cell.language.as_ref().map(|own| own.text().to_lowercase());
            let language = own.as_deref().filter(|own| !own.is_empty()).unwrap_or(language);
            emit::fence(text, magic(&source).unwrap_or(language), &source);
            cell.outputs.iter().for_each(|output| write_output(text, output));
        }
        "heading" => emit::heading(text, cell.level.unwrap_or(1), &source),
        "raw" if !source.trim_start().starts_with("---") => emit::fence(text, "", &source),
        "raw" => emit::fence(text, "yaml", &source),
        _ => {
            emit::block(text);
            text.push_str(&place::escape(&without_embedded_images(&source)));
            emit::line(text);
        }
    }
}

fn magic(source: &str) -> Option<&'static str> {
    let word = source.trim_start().strip_prefix("%%")?.split_whitespace().next()?;
    MAGICS.iter().find(|(magic, _)| magic.strip_prefix("%%") == Some(word)).map(|&(_, language)| language)
}

fn write_output(text: &mut String, output: &Output) {
    let shown = match output.output_type.as_str() {
        "stream" if output.name.text() == "stderr" || output.stream.text() == "stderr" => return,
        "error" | "pyerr" => format!("{}: {}", output.ename.text(), output.evalue.text()),
        "stream" => output.text.text().into_owned(),
        _ => {
            let plain = if output.data.plain.is_blank() { &output.text } else { &output.data.plain };
            // `<Figure size 640x480 with 1 Axes>` says only that something was left out.
            let plain = plain.text();
            let is_object =
                plain.trim().starts_with('<') && plain.trim().ends_with('>') && !plain.trim().contains('\n');
            if is_object || plain.trim().is_empty() { output.data.markdown.text().into_owned() } else { plain.into() }
        }
    };
    let shown = shortened(&without_controls(&shown));
    if !shown.trim().is_empty() {
        emit::block(text);
        text.push_str("Output:\n");
        emit::fence(text, "text", &shown);
    }
}

/// The first lines of an output, and a note if that is not all.
fn shortened(text: &str) -> String {
    let text = text.trim_matches('\n');
    let end = text.match_indices('\n').nth(OUTPUT_LINES - 1).map_or(text.len(), |(at, _)| at);
    let end = text.floor_char_boundary(end.min(OUTPUT_BYTES));
    let mut short = text[..end].to_owned();
    if end < text.trim_end().len() {
        short.push_str("\n…");
    }
    short
}

/// A text without the codes that colour a terminal, and with only the last state of lines that are drawn over.
fn without_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut line = 0;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => match characters.next() {
                Some('[') => while characters.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
                Some(']') => while characters.next().is_some_and(|c| c != '\u{7}' && c != '\u{1b}') {},
                _ => {}
            },
            '\r' if characters.peek().is_some_and(|&next| next != '\n') => out.truncate(line),
            '\n' => {
                out.push('\n');
                line = out.len();
            }
            '\t' => out.push('\t'),
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
    out
}

/// Markdown without the bytes of images that stand in its links.
fn without_embedded_images(source: &str) -> Cow<'_, str> {
    const MARK: &str = ";base64,";
    if !source.contains(MARK) {
        return source.into();
    }
    let mut out = String::new();
    let mut rest = source;
    while let Some(at) = rest.find(MARK) {
        let (before, after) = rest.split_at(at + MARK.len());
        out.push_str(before);
        let data = |c: char| c.is_ascii_alphanumeric() || "+/=\n\r".contains(c);
        rest = after.trim_start_matches(data);
    }
    out.push_str(rest);
    out.into()
}

#[cfg(test)]
#[path = "notebook_tests.rs"]
mod tests;
