//! The Markdown of an office document, block by block.

use crate::{emit, place};

#[derive(PartialEq)]
enum Last {
    Other,
    Item,
    Note,
}

pub(super) struct Blocks {
    text: String,
    last: Last,
    /// Lines of code that stand one after the other are one block.
    code: Vec<String>,
    /// Whether the document has said its own title, of which all that follows is a part.
    titled: bool,
}

impl Blocks {
    pub(super) fn new() -> Blocks {
        Blocks { text: String::new(), last: Last::Other, code: Vec::new(), titled: false }
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn place(&mut self, unit: &str, label: &str) {
        self.end_code();
        emit::line(&mut self.text);
        place::write(&mut self.text, unit, label);
        self.last = Last::Other;
    }

    /// A heading. Level 0 is the title of the document.
    pub(super) fn heading(&mut self, level: usize, text: &str) {
        self.end_code();
        emit::heading(&mut self.text, level + usize::from(self.titled && level > 0), text);
        self.titled |= level == 0;
        self.last = Last::Other;
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        self.end_code();
        emit::block(&mut self.text);
        // A paragraph of the original must not become a heading here.
        if text.starts_with('#') {
            self.text.push('\\');
        }
        self.text.push_str(&place::escape(text));
        self.text.push('\n');
        self.last = Last::Other;
    }

    pub(super) fn item(&mut self, depth: usize, mark: &str, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        self.end_code();
        if self.last == Last::Item {
            emit::line(&mut self.text);
        } else {
            emit::block(&mut self.text);
        }
        let indent = "  ".repeat(depth.min(8));
        let lines = place::escape(text).lines().collect::<Vec<_>>().join(&format!("\n{indent}  "));
        self.text.push_str(&format!("{indent}{mark} {lines}\n"));
        self.last = Last::Item;
    }

    pub(super) fn code(&mut self, line: &str) {
        self.code.push(line.trim_end().to_owned());
    }

    pub(super) fn table(&mut self, mut rows: Vec<Vec<String>>) {
        rows.retain(|row| row.iter().any(|cell| !cell.trim().is_empty()));
        self.end_code();
        emit::table(&mut self.text, &rows);
        self.last = Last::Other;
    }

    pub(super) fn note(&mut self, id: &str, text: &str) {
        self.end_code();
        if self.last == Last::Note {
            emit::line(&mut self.text);
        } else {
            emit::block(&mut self.text);
        }
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.text.push_str(&format!("[^{id}]: {}\n", place::escape(&text)));
        self.last = Last::Note;
    }

    /// Adds blocks that were made apart.
    pub(super) fn append(&mut self, other: Blocks) {
        let other = other.finish();
        if !other.trim().is_empty() {
            self.end_code();
            emit::block(&mut self.text);
            self.text.push_str(other.trim());
            self.text.push('\n');
            self.last = Last::Other;
        }
    }

    fn end_code(&mut self) {
        let code = std::mem::take(&mut self.code);
        if code.iter().any(|line| !line.is_empty()) {
            emit::fence(&mut self.text, "", &code.join("\n"));
            self.last = Last::Other;
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.end_code();
        self.text
    }
}

/// `[text](target)`, where that says more than the text alone.
pub(super) fn link(text: &str, target: &str) -> String {
    let shown = text.trim();
    let is_local = target.starts_with('#') || target.is_empty();
    if shown.is_empty() || is_local || shown == target || target.contains(char::is_whitespace) {
        return text.to_owned();
    }
    format!("[{}]({target})", shown.replace(['[', ']'], ""))
}

/// Names of styles that are used for code.
pub(super) fn is_code_style(name: &str) -> bool {
    let name = name.to_lowercase();
    ["code", "preformatted", "verbatim", "source", "macro", "listing", "terminal"]
        .iter()
        .any(|word| name.contains(word))
        && !name.contains("caption")
}
