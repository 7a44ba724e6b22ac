//! HTML by a tolerant scan for tags: headings make sections, block tags make breaks. One pass, no tree: pages are seldom
//! well formed, and a missing end tag must not change more than its own surroundings.

use std::ops::Range;

use ai_assist_base::Rounds;

use crate::ChunkKind;
use ai_assist_syntax::structure::{Section, Structure, Style};

/// How far a quoted attribute value may go before its quote is taken for a stray one.
const LONGEST_VALUE: usize = 4096;

/// As much of a heading's text as is looked at.
const LONGEST_NAME: usize = 400;

/// Elements whose content is not markup.
const RAW: &[&str] = &["script", "style", "textarea", "template", "noscript", "svg", "math"];

/// Tags to cut before, best first.
const BREAKS: &[&[&str]] = &[
    &["article", "section", "main", "nav", "aside", "header", "footer", "body", "hr"],
    &["p", "div", "ul", "ol", "dl", "table", "pre", "blockquote", "figure", "form", "details"],
    &["li", "dt", "tr", "summary", "fieldset", "option"],
    &["dd", "td", "th", "br"],
];

/// Text being gathered for a name.
struct Gathered {
    /// The heading's section, or the page's title.
    section: Option<usize>,
    text: String,
}

struct Scanner<'a> {
    text: &'a str,
    found: Structure,
    gathered: Option<Gathered>,
    /// How many `pre` are open: no cuts in there.
    verbatim: bool,
    fresh: bool,
}

pub(crate) fn scan(text: &str) -> Structure {
    let found = Structure::new(Style::Prose, ChunkKind::Text);
    let mut scanner = Scanner { text, found, gathered: None, verbatim: false, fresh: true };
    let mut at = 0;
    let mut rounds = Rounds::default();
    while let Some(offset) = text[at..].find('<').filter(|_| !rounds.stopped()) {
        let open = at + offset;
        scanner.words(at..open);
        at = scanner.markup(open);
    }
    scanner.words(at..text.len());
    scanner.finish();
    scanner.found
}

impl Scanner<'_> {
    /// Looks at what starts with the `<` at `open`; gives back where to go on.
    fn markup(&mut self, open: usize) -> usize {
        let rest = &self.text[open..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            // A comment that is never closed hides the rest, as it does in a browser.
            return comment.find("-->").map_or(self.text.len(), |end| open + 4 + end + 3);
        }
        let closing = rest.starts_with("</");
        let from = open + if closing { 2 } else { 1 };
        let length = self.text.as_bytes()[from..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if length == 0 || !self.text.as_bytes()[from].is_ascii_alphabetic() {
            self.words(open..open + 1);
            return open + 1;
        }
        // No known tag has a longer name, and folding the case of a longer one would be work for nothing.
        let name = self.text[from..from + length.min(16)].to_ascii_lowercase();
        let end = self.end_of_tag(from + length);
        if closing {
            self.end_tag(&name);
            return end;
        }
        self.start_tag(&name, open, end);
        let raw = RAW.contains(&name.as_str()) && !self.text[..end].ends_with("/>");
        if raw { self.end_of_raw(&name, end) } else { end }
    }

    fn start_tag(&mut self, name: &str, open: usize, end: usize) {
        if let Some(level) = heading_level(name) {
            self.finish();
            self.gathered = Some(Gathered { section: Some(self.found.sections.len()), text: String::new() });
            self.found.sections.push(Section::named(open, end, level, "", ChunkKind::Section));
            self.fresh = true;
            self.verbatim = false;
            return;
        }
        if name == "title" && self.found.title.is_none() && self.found.sections.is_empty() {
            self.gathered = Some(Gathered { section: None, text: String::new() });
            return;
        }
        if let Some(rank) = BREAKS.iter().position(|names| names.contains(&name)) {
            if rank == 1 {
                // A block in a heading means that the heading was not closed.
                self.finish();
            }
            if !self.fresh && !self.verbatim {
                self.found.cut(open, u8::try_from(rank).unwrap_or(u8::MAX));
            }
            self.verbatim |= name == "pre";
        }
    }

    fn end_tag(&mut self, name: &str) {
        if heading_level(name).is_some() || name == "title" {
            self.finish();
        }
        if name == "pre" {
            self.verbatim = false;
        }
    }

    fn words(&mut self, range: Range<usize>) {
        let text = &self.text[range];
        if let Some(gathered) = &mut self.gathered {
            if gathered.text.len() < LONGEST_NAME {
                gathered.text.push_str(ai_assist_text::head(text, LONGEST_NAME));
            }
        } else if self.fresh && !text.trim_ascii_start().is_empty() {
            self.fresh = false;
        }
    }

    fn finish(&mut self) {
        let Some(gathered) = self.gathered.take() else { return };
        let name = decoded(&gathered.text);
        match gathered.section {
            // Pages mark the link to a heading with a pilcrow.
            Some(section) => {
                let name = name.trim_end_matches(['¶', '#', ' ']);
                self.found.sections[section].name = Some(ai_assist_text::head(name, 200).to_owned());
            }
            None => self.found.title = Some(name).filter(|name| !name.is_empty()),
        }
    }

    /// The end of a tag, quoted values skipped.
    fn end_of_tag(&self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'>' => return at + 1,
                // A tag in a tag: the first one was not closed.
                b'<' => return at,
                b'"' | b'\'' => {
                    // A quote that fails to close has no other of its kind near, so this looks at no byte often.
                    let value = &bytes[at + 1..bytes.len().min(at + 1 + LONGEST_VALUE)];
                    at += value.iter().position(|&other| other == byte).map_or(0, |length| length + 1);
                }
                _ => {}
            }
            at += 1;
        }
        bytes.len()
    }

    /// The start of the end tag of an element whose content is not markup.
    fn end_of_raw(&self, name: &str, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while let Some(offset) = self.text[at..].find("</") {
            let end = at + offset;
            let found = bytes.get(end + 2..end + 2 + name.len());
            if found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes())) {
                return end;
            }
            at = end + 2;
        }
        bytes.len()
    }
}

fn heading_level(name: &str) -> Option<usize> {
    match name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(usize::from(level - b'0')),
        _ => None,
    }
}

/// Text with the common entities decoded, on one line.
fn decoded(text: &str) -> String {
    let mut out = text.to_owned();
    // `&amp;` last, or `&amp;lt;` would be decoded twice.
    for (entity, character) in [
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&para;", "¶"),
        ("&amp;", "&"),
    ] {
        if out.contains(entity) {
            out = out.replace(entity, character);
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}
