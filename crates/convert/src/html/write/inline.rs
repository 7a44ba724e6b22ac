//! The text of a paragraph while it is put together.

/// Text in which runs of white space are one space, and what was opened can be closed.
#[derive(Default)]
pub(crate) struct Inline {
    text: String,
    /// Whether white space was seen behind the text; written when more text comes.
    space: bool,
}

impl Inline {
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn space(&mut self) {
        self.space = true;
    }

    pub(crate) fn push(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                // Characters that only guide line breaks, or stand for an icon.
                '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | 'ⓘ' => {}
                c if c.is_whitespace() => self.space = true,
                c => {
                    self.write_space();
                    self.text.push(c);
                }
            }
        }
    }

    /// Writes text as it is.
    pub(crate) fn push_verbatim(&mut self, text: &str) {
        if !text.is_empty() {
            self.write_space();
            self.text.push_str(text);
        }
    }

    pub(crate) fn line_break(&mut self) {
        self.space = false;
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Where text that is pushed next will stand.
    pub(crate) fn mark(&mut self) -> usize {
        self.write_space();
        self.text.len()
    }

    /// Puts marks around what was written since a position, if that is more than white space.
    pub(crate) fn wrap(&mut self, from: usize, before: &str, after: &str) {
        if self.text[from..].trim().is_empty() || self.text[from..].contains('\n') {
            return;
        }
        self.text.insert_str(from, before);
        self.text.push_str(after);
    }

    pub(crate) fn since(&self, from: usize) -> &str {
        &self.text[from..]
    }

    pub(crate) fn take(&mut self) -> String {
        self.space = false;
        let mut text = std::mem::take(&mut self.text);
        text.truncate(text.trim_end().len());
        text
    }

    fn write_space(&mut self) {
        if std::mem::take(&mut self.space) && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push(' ');
        }
    }
}

/// A paragraph that Markdown reads as nothing else.
pub(crate) fn escape_start(paragraph: &str) -> String {
    let lines = paragraph.lines().map(|line| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = &line[digits..];
        let item = |marks: [&str; 2]| marks.iter().any(|mark| rest.starts_with(mark));
        let structural = if digits == 0 {
            line.starts_with(['#', '>']) || line.starts_with("```") || line.starts_with("~~~") || item(["- ", "+ "])
        } else {
            item([". ", ") "])
        };
        match structural {
            true if digits == 0 => format!("\\{line}"),
            true => format!("{}\\{rest}", &line[..digits]),
            false => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Inline code, whatever stands in it.
pub(crate) fn code(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return text;
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    if longest == 0 {
        return format!("`{text}`");
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence} {text} {fence}")
}
