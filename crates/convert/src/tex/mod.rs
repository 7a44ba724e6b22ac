//! LaTeX: headings, lists, code, tables and text; what only says how a page looks is left out.
//!
//! TeX can't be read without running it. This reader knows the commands that authors use and keeps the text of the
//! arguments of all others. It goes over the source once and never back, so that its time grows with the text.

mod commands;
mod environments;
mod scan;

use std::collections::HashMap;

use crate::{ConvertError, Format, Limits, emit, place};
use environments::Environment;
use scan::Source;

pub(crate) fn detect(path: &str, bytes: &[u8]) -> Option<Format> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let head = &bytes[..bytes.len().min(4096)];
    let has = |mark: &str| head.windows(mark.len()).any(|window| window == mark.as_bytes());
    match extension {
        "tex" | "ltx" | "latex" => (!head.contains(&0)).then_some(Format::Tex),
        "" => (has("\\documentclass") && has("\\begin{document}")).then_some(Format::Tex),
        _ => None,
    }
}

/// What a closing brace ends.
enum Group {
    Plain,
    /// Text that a mark encloses.
    Marked(&'static str),
    Heading {
        level: usize,
        start: usize,
    },
    Link {
        address: String,
        start: usize,
    },
}

const MOST_TAKEN_BACK: usize = 4;

struct Reader<'a> {
    source: Source<'a>,
    text: String,
    groups: Vec<Group>,
    /// How many open groups are headings and links, whose text is taken back when they close.
    taken_back: usize,
    environments: Vec<Environment>,
    /// Commands that the document defines to stand for a text.
    own: HashMap<&'a str, &'a str>,
    titled: bool,
    limits: &'a Limits,
}

pub(crate) fn convert(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    let decoded = emit::decode(bytes, "LaTeX")?;
    let source: &str = &decoded;
    let (preamble, body) = parts(source);
    let mut reader = Reader {
        source: Source::new(preamble),
        text: String::new(),
        groups: Vec::new(),
        taken_back: 0,
        environments: Vec::new(),
        own: HashMap::new(),
        titled: false,
        limits,
    };
    reader.preamble();
    reader.source = Source::new(body);
    reader.read();
    reader.close();
    emit::finish(reader.text, limits)
}

/// What comes before a document, and the document. A chapter may show how documents begin and end, which is no beginning of its own.
fn parts(source: &str) -> (&str, &str) {
    const BEGIN: &str = "\\begin{document}";
    let Some((preamble, body)) = source.split_once(BEGIN) else { return ("", source) };
    let is_preamble = (preamble.contains("\\documentclass") || preamble.contains("\\documentstyle"))
        && !["\\chapter{", "\\section{", "\\begin{verbatim", "\\begin{lstlisting"]
            .iter()
            .any(|text| preamble.contains(text));
    if !is_preamble {
        return ("", source);
    }
    (preamble, body.rfind("\\end{document}").map_or(body, |end| &body[..end]))
}

impl<'a> Reader<'a> {
    /// Takes the title and the texts that commands stand for from what comes before the document.
    fn preamble(&mut self) {
        while let Some(found) = self.source.until(&['\\', '%']) {
            let _ = found;
            if self.source.take('%') {
                self.source.skip_line();
                continue;
            }
            self.source.skip(1);
            match self.source.word() {
                "title" => {
                    self.source.skip_optional();
                    if let Some(title) = self.source.group() {
                        self.write_title(title);
                    }
                }
                "newcommand" | "renewcommand" | "providecommand" | "def" => self.define(),
                _ => {}
            }
        }
    }

    /// The title is read as text of its own.
    fn write_title(&mut self, title: &'a str) {
        let rest = std::mem::replace(&mut self.source, Source::new(title));
        let before = std::mem::take(&mut self.text);
        let groups = (std::mem::take(&mut self.groups), std::mem::take(&mut self.taken_back));
        self.read();
        (self.groups, self.taken_back) = groups;
        self.source = rest;
        let title = std::mem::replace(&mut self.text, before);
        if !self.titled && !title.trim().is_empty() {
            emit::heading(&mut self.text, 1, &title);
            self.titled = true;
        }
    }

    /// Remembers a command that stands for plain text; any other definition is skipped.
    fn define(&mut self) {
        self.source.take('*');
        let name = match self.source.group() {
            Some(name) => name.trim().trim_start_matches('\\'),
            None if self.source.take('\\') => self.source.word(),
            None => return,
        };
        let takes_arguments = self.source.skip_optional() || self.source.starts_with("#");
        if !self.source.starts_with("{") && takes_arguments {
            self.source.until(&['{', '\n']);
        }
        let Some(body) = self.source.group() else { return };
        if !takes_arguments && !name.is_empty() && body.len() < 200 && !body.contains(['\\', '#', '{', '$', '%']) {
            self.own.insert(name, body);
        }
    }

    fn read(&mut self) {
        while let Some(text) = self.source.until(&['\\', '{', '}', '%', '$', '&', '~', '`', '\'', '-', '\n', '<']) {
            self.push(text);
            let Some(mark) = self.source.next() else { break };
            if self.text.len() > self.limits.max_text {
                break;
            }
            match mark {
                '\\' => self.command(),
                '{' => self.groups.push(Group::Plain),
                '}' => self.close_group(),
                '%' => {
                    self.source.skip_line();
                    self.source.skip_blanks();
                }
                '$' => self.math(),
                '&' if self.in_table() => self.end_cell(),
                '~' => self.push(" "),
                '`' | '\'' if self.source.take(mark) => self.push("\""),
                '-' if self.source.starts_with("--") => {
                    self.source.skip(2);
                    self.push("—");
                }
                '-' if self.source.take('-') => self.push("–"),
                '\n' => self.line_end(),
                other => self.push(other.encode_utf8(&mut [0; 4])),
            }
        }
        let rest = self.source.rest();
        self.push(rest);
    }

    /// Adds text to the line; what stands in a list is indented by it.
    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let begins = self.text.is_empty() || self.text.ends_with('\n');
        let text = if begins { text.trim_start_matches([' ', '\t']) } else { text };
        if begins && !text.is_empty() {
            let indent = self.indent();
            self.text.push_str(&" ".repeat(indent));
            if text.starts_with(['#', '<']) {
                self.text.push('\\');
            }
        }
        // Two pieces may form what looks like a place only together.
        if self.text.ends_with('<') && text.starts_with("!--") {
            self.text.push(' ');
        }
        self.text.push_str(&place::escape(text));
    }

    fn line_end(&mut self) {
        self.source.skip_blanks();
        if self.source.starts_with("\n") || self.source.starts_with("\r") {
            while self.source.take('\n') || self.source.take('\r') {
                self.source.skip_blanks();
            }
            self.block();
        } else if !self.text.is_empty() && !self.text.ends_with('\n') && !self.text.ends_with("- ") {
            self.text.push('\n');
        }
    }

    /// Goes on to a new block, unless a cell is being read, which has none.
    fn block(&mut self) {
        if self.in_table() {
            self.push(" ");
        } else if !self.text.ends_with("- ") && !self.text.ends_with(". ") {
            emit::block(&mut self.text);
        }
    }

    /// Opens a heading or a link. In more than a few others it is plain text: each would copy all that is in it once more.
    fn open_taken_back(&mut self, group: Group) {
        let is_deep = self.taken_back >= MOST_TAKEN_BACK;
        self.taken_back += usize::from(!is_deep);
        self.groups.push(if is_deep { Group::Plain } else { group });
    }

    fn close_group(&mut self) {
        match self.groups.pop() {
            None | Some(Group::Plain) => {}
            Some(Group::Marked(mark)) => self.text.push_str(mark),
            Some(Group::Heading { level, start }) => {
                self.taken_back -= 1;
                let name = self.split_off(start);
                emit::heading(&mut self.text, level, &name);
            }
            Some(Group::Link { address, start }) => {
                self.taken_back -= 1;
                let text = self.split_off(start);
                self.text.push_str(&place::escape(&format!("[{}]({address})", text.trim())));
            }
        }
    }

    /// The text written since an offset, taken back. Braces may close in another cell than they opened in.
    fn split_off(&mut self, start: usize) -> String {
        let start = self.text.floor_char_boundary(start.min(self.text.len()));
        self.text.split_off(start)
    }

    /// Mathematics stay as they are.
    fn math(&mut self) {
        let double = self.source.take('$');
        let end = if double { "$$" } else { "$" };
        let (formula, closed) = self.source.until_text(end);
        let formula = place::escape(formula.trim());
        if double {
            emit::block(&mut self.text);
            self.text.push_str(&format!("$${formula}$$\n"));
        } else {
            self.push("$");
            self.text.push_str(&formula);
            self.text.push_str(if closed { "$" } else { "" });
        }
    }

    fn close(&mut self) {
        while !self.groups.is_empty() {
            self.close_group();
        }
        while !self.environments.is_empty() {
            self.close_environment();
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
