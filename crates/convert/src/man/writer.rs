//! Markdown for a manual page: paragraphs, lists of entries, code, headings.

use crate::{Limits, emit, place};

use super::escape::Inline;

/// A filled line is not begun anew before this many bytes; source lines are not broken.
const FILLED: usize = 80;

/// What nests deeper stands as deep as this.
const DEEPEST: usize = 12;

pub(super) struct Writer {
    text: String,
    /// The paragraph that is being filled.
    paragraph: String,
    /// Whether the next text joins the last word.
    joined: bool,
    /// The indent of what stands in the open item of each level; nothing where no item is open.
    levels: Vec<usize>,
    /// Levels that were opened beyond what is followed.
    beyond: usize,
    /// Lines of code, while lines are not filled.
    code: Option<String>,
    /// Whether the last thing written is an item's tag.
    pub after_tag: bool,
    /// Whether fonts are marked: a synopsis is clearer without.
    pub marks: bool,
    max_text: usize,
}

impl Writer {
    pub(super) fn new(limits: &Limits) -> Writer {
        Writer {
            text: String::new(),
            paragraph: String::new(),
            joined: false,
            levels: vec![0],
            beyond: 0,
            code: None,
            after_tag: false,
            marks: true,
            max_text: limits.max_text,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        let code = self.code.as_ref().map_or(0, String::len);
        self.text.len() + self.paragraph.len() + code > self.max_text
    }

    pub(super) fn is_code(&self) -> bool {
        self.code.is_some()
    }

    /// Adds a line of text: to the code if there is one open, else to the paragraph.
    pub(super) fn text(&mut self, inline: &Inline) {
        if let Some(code) = &mut self.code {
            code.push_str(&inline.plain());
            code.push_str(if inline.goes_on { "" } else { "\n" });
            return;
        }
        let text = if self.marks { inline.marked() } else { inline.plain() };
        // A line that begins with a space begins anew.
        if text.starts_with([' ', '\t']) && !self.joined {
            self.line_break();
        }
        self.add(text.trim_start_matches(['\t', ' ']));
        self.joined = inline.goes_on;
    }

    /// Adds words to the paragraph.
    pub(super) fn add(&mut self, words: &str) {
        if let Some(code) = &mut self.code {
            code.push_str(words);
            code.push('\n');
            return;
        }
        if words.is_empty() {
            return;
        }
        if !self.joined && !self.paragraph.is_empty() && !self.paragraph.ends_with('\n') {
            let line = self.paragraph.len() - self.paragraph.rfind('\n').map_or(0, |at| at + 1);
            self.paragraph.push(if line < FILLED { ' ' } else { '\n' });
        }
        self.paragraph.push_str(words);
        self.joined = false;
    }

    /// What is added next joins the last word.
    pub(super) fn join(&mut self) {
        self.joined = true;
    }

    pub(super) fn line_break(&mut self) {
        if self.code.is_none() && !self.paragraph.is_empty() && !self.paragraph.ends_with('\n') {
            self.paragraph.push('\n');
        }
    }

    /// An empty line: the paragraph is over, the item it stands in is not.
    pub(super) fn space(&mut self) {
        match &mut self.code {
            Some(code) if !code.is_empty() && !code.ends_with("\n\n") => code.push('\n'),
            Some(_) => {}
            None => self.flush(),
        }
    }

    /// A new paragraph outside of the items of its level.
    pub(super) fn paragraph(&mut self) {
        if self.is_code() {
            self.space();
        }
        self.flush();
        if let Some(level) = self.levels.last_mut() {
            *level = 0;
        }
    }

    fn indent(&self) -> usize {
        self.levels.iter().sum()
    }

    /// Writes what was gathered.
    pub(super) fn flush(&mut self) {
        self.joined = false;
        if let Some(code) = &mut self.code
            && !code.is_empty()
        {
            let code = std::mem::take(code);
            self.write_code("", &code);
        }
        if self.paragraph.trim().is_empty() {
            self.paragraph.clear();
            return;
        }
        let paragraph = std::mem::take(&mut self.paragraph);
        let after_bullet = self.text.ends_with(' ');
        if !after_bullet {
            self.begin();
        }
        let indent = " ".repeat(self.indent());
        for (index, line) in place::escape(&paragraph).lines().filter(|line| !line.trim().is_empty()).enumerate() {
            if index > 0 || !after_bullet {
                self.text.push_str(&indent);
            }
            self.text.push_str(&guarded(line.trim_start()));
            self.text.push('\n');
        }
    }

    /// Goes on to a new block, or to a new line under an item's tag.
    fn begin(&mut self) {
        if self.after_tag || self.text.ends_with(' ') {
            emit::line(&mut self.text);
        } else {
            emit::block(&mut self.text);
        }
        self.after_tag = false;
    }

    pub(super) fn write_code(&mut self, language: &str, code: &str) {
        let mut fenced = String::new();
        emit::fence(&mut fenced, language, code);
        if fenced.is_empty() {
            return;
        }
        self.begin();
        let indent = " ".repeat(self.indent());
        for line in fenced.lines() {
            if !line.is_empty() {
                self.text.push_str(&indent);
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
    }

    pub(super) fn table(&mut self, rows: &[Vec<String>]) {
        self.flush();
        self.after_tag = false;
        emit::table(&mut self.text, rows);
    }

    pub(super) fn heading(&mut self, level: usize, name: &str) {
        self.close_code();
        self.flush();
        self.after_tag = false;
        (self.levels, self.beyond) = (vec![0], 0);
        emit::heading(&mut self.text, level, name);
    }

    pub(super) fn open_code(&mut self) {
        if self.code.is_none() {
            self.flush();
            self.code = Some(String::new());
        }
    }

    pub(super) fn close_code(&mut self) {
        self.flush();
        self.code = None;
    }

    /// Starts an item; without a tag it is one with a bullet or a number.
    pub(super) fn item(&mut self, tag: &str) {
        self.flush();
        let tag = tag.split_whitespace().collect::<Vec<_>>().join(" ");
        let outer: usize = self.levels[..self.levels.len() - 1].iter().sum();
        let number = tag.trim_end_matches(['.', ')']).trim_start_matches('(');
        let is_number = tag.len() > number.len() && number.len() <= 3 && number.parse::<u16>().is_ok();
        let is_bullet = matches!(tag.as_str(), "•" | "*" | "-" | "o" | "+" | "·" | "○" | "—" | "–" | "");
        let marker = if is_number { format!("{number}. ") } else { "- ".to_owned() };
        if let Some(level) = self.levels.last_mut() {
            *level = marker.len();
        }
        // Entries with no text between them form a list without empty lines.
        if self.after_tag || self.text.ends_with(' ') {
            emit::line(&mut self.text);
        } else {
            emit::block(&mut self.text);
        }
        self.text.push_str(&" ".repeat(outer));
        self.text.push_str(&marker);
        self.after_tag = !is_number && !is_bullet;
        if self.after_tag {
            self.text.push_str(&code_span(&tag));
            self.text.push('\n');
        }
    }

    /// Starts an item with the paragraph that is being filled as its tag.
    pub(super) fn turn_into_item(&mut self, tag: &str) {
        self.paragraph.clear();
        self.item(tag);
    }

    /// One more tag of the item that was just started.
    pub(super) fn another_tag(&mut self, tag: &str) {
        if !self.after_tag || !self.paragraph.is_empty() {
            self.item(tag);
            return;
        }
        self.text.truncate(self.text.trim_end().len());
        self.text.push_str(", ");
        self.text.push_str(&code_span(&tag.split_whitespace().collect::<Vec<_>>().join(" ")));
        self.text.push('\n');
    }

    pub(super) fn open_level(&mut self) {
        self.flush();
        if self.levels.len() < DEEPEST {
            self.levels.push(0);
        } else {
            self.beyond += 1;
        }
    }

    pub(super) fn close_level(&mut self) {
        self.flush();
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if self.levels.len() > 1 {
            self.levels.pop();
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.close_code();
        self.text
    }
}

fn code_span(tag: &str) -> String {
    let tag = place::escape(tag);
    if tag.contains('`') { format!("`` {tag} ``") } else { format!("`{tag}`") }
}

/// A line of a paragraph whose first character is not taken for a mark of Markdown.
fn guarded(line: &str) -> String {
    let line = line.trim_end();
    if [">", "- ", "+ ", "* ", "|"].iter().any(|mark| line.starts_with(mark)) {
        format!("\\{line}")
    } else {
        emit::guarded(line).into_owned()
    }
}
