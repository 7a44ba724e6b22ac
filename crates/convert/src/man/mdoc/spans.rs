//! What stands within a line of `mdoc`: macros that follow one another, their brackets and their spacing.

use crate::man::escape::{Font, Inline, plain};
use crate::man::reader::Reader;

/// Macros that enclose the rest of their line, and what they enclose it in.
const ENCLOSING: [(&str, &str, &str); 12] = [
    ("Op", "[", "]"),
    ("Aq", "<", ">"),
    ("Bq", "[", "]"),
    ("Brq", "{", "}"),
    ("Pq", "(", ")"),
    ("Sq", "'", "'"),
    ("Dq", "\"", "\""),
    ("Qq", "\"", "\""),
    ("Ql", "'", "'"),
    ("En", "", ""),
    ("D1", "", ""),
    ("Qo1", "", ""),
];

/// Macros that open and close an enclosure by themselves.
const EXPLICIT: [(&str, &str, bool); 20] = [
    ("Oo", "[", true),
    ("Oc", "]", false),
    ("Ao", "<", true),
    ("Ac", ">", false),
    ("Bo", "[", true),
    ("Bc", "]", false),
    ("Bro", "{", true),
    ("Brc", "}", false),
    ("Po", "(", true),
    ("Pc", ")", false),
    ("So", "'", true),
    ("Sc", "'", false),
    ("Do", "\"", true),
    ("Dc", "\"", false),
    ("Qo", "\"", true),
    ("Qc", "\"", false),
    ("Eo", "", true),
    ("Ec", "", false),
    ("Xo", "", false),
    ("Xc", "", false),
];

/// Macros that print a name of their own before their arguments.
const SYSTEMS: [(&str, &str); 8] = [
    ("Bx", "BSD"),
    ("Bsx", "BSD/OS"),
    ("Fx", "FreeBSD"),
    ("Nx", "NetBSD"),
    ("Ox", "OpenBSD"),
    ("Dx", "DragonFly"),
    ("Ux", "UNIX"),
    ("At", "AT&T UNIX"),
];

/// Macros that only style their arguments, or join them.
const OTHERS: [&str; 39] = [
    "Fl", "Ar", "Nm", "Xr", "Fn", "Fo", "Fc", "Cm", "Ic", "Li", "Ev", "Va", "Dv", "Er", "Pa", "Em", "Sy", "No", "Tn",
    "Vt", "Ft", "Fa", "Ad", "An", "In", "Fd", "Lb", "St", "Ns", "Ap", "Pf", "Sm", "Ta", "Lk", "Mt", "Ex", "Rv", "Ms",
    "Fr",
];

pub(super) fn is_macro(name: &str) -> bool {
    ENCLOSING.iter().any(|(known, _, _)| *known == name)
        || EXPLICIT.iter().any(|(known, _, _)| *known == name)
        || SYSTEMS.iter().any(|(known, _)| *known == name)
        || OTHERS.contains(&name)
}

fn closes(word: &str) -> bool {
    matches!(word, "." | "," | ";" | ":" | "?" | "!" | ")" | "]")
}

fn opens(word: &str) -> bool {
    matches!(word, "(" | "[")
}

/// What lines share: the page's name, and whether words are joined.
#[derive(Debug, Default)]
pub(super) struct Spans {
    name: String,
    pub in_synopsis: bool,
    /// Whether `Sm off` is in force.
    joined: bool,
    tight: bool,
    /// The arguments of a function between `Fo` and `Fc`.
    function: Option<usize>,
}

struct Line {
    inline: Inline,
    /// Whether the next word follows without a space.
    tight: bool,
}

impl Line {
    fn word(&mut self, font: Font, word: &str, joined: bool) {
        if word.is_empty() {
            return;
        }
        let begins = self.inline.runs.is_empty();
        if !begins && !self.tight && !closes(word) && !joined {
            self.inline.push(Font::Roman, " ");
        }
        self.inline.push(font, word);
        self.tight = opens(word);
    }
}

impl Spans {
    /// Whether a line is joined to the one before it.
    pub(super) fn joins(&self, name: &str, args: &[String]) -> bool {
        let closing = EXPLICIT.iter().any(|&(known, text, opens)| known == name && !opens && !text.is_empty());
        closing
            || name == "Ns"
            || name == "Ap"
            || name == "Fc"
            || (name == "No" && args.first().is_some_and(|arg| closes(arg)))
    }

    /// Whether what follows the last line is joined to it.
    pub(super) fn tight_after(&self) -> bool {
        self.tight
    }

    pub(super) fn reset(&mut self) {
        self.tight = false;
    }

    pub(super) fn plain(&mut self, name: &str, args: &[String], reader: &mut Reader<'_>) -> String {
        let text = self.read(name, args, reader).plain();
        self.tight = false;
        text
    }

    /// The columns of a line, cut at `Ta` and at tabs.
    pub(super) fn cells(&mut self, name: &str, args: &[String], reader: &mut Reader<'_>) -> Vec<String> {
        let mut cells = Vec::new();
        for (index, part) in args.split(|arg| arg == "Ta").enumerate() {
            // A macro goes on to the end of its column only.
            let text = self.plain(if index == 0 { name } else { "No" }, part, reader);
            cells.extend(text.split('\t').map(|cell| cell.trim().to_owned()));
        }
        cells
    }

    pub(super) fn read(&mut self, name: &str, args: &[String], reader: &mut Reader<'_>) -> Inline {
        let mut line = Line { inline: Inline::default(), tight: false };
        // Brackets close before the punctuation that ends a line.
        let trailing = args.iter().rev().take_while(|arg| closes(arg)).count();
        let (words, punctuation) = args.split_at(args.len() - trailing);
        let mut closers: Vec<&'static str> = Vec::new();
        let mut current = name.to_owned();
        let mut rest = words;
        loop {
            let end = rest.iter().position(|word| is_macro(word)).unwrap_or(rest.len());
            let (own, after) = rest.split_at(end);
            let next = after.first().map(String::as_str);
            self.span(&mut line, &current, own, next, &mut closers, reader);
            let Some(next) = next else { break };
            current = next.to_owned();
            rest = &after[1..];
        }
        for closer in closers.iter().rev() {
            line.inline.push(Font::Roman, closer);
            line.tight = false;
        }
        for word in punctuation {
            line.inline.push(Font::Roman, word);
            line.tight = false;
        }
        self.tight = line.tight || self.joined;
        line.inline
    }

    /// One macro with its own arguments.
    fn span(
        &mut self,
        line: &mut Line,
        name: &str,
        args: &[String],
        next: Option<&str>,
        closers: &mut Vec<&'static str>,
        reader: &mut Reader<'_>,
    ) {
        let words: Vec<String> = args.iter().map(|arg| plain(arg, reader)).collect();
        let joined = self.joined;
        if let Some((_, open, close)) = ENCLOSING.iter().find(|(known, _, _)| *known == name) {
            line.word(Font::Roman, open, joined);
            line.tight = true;
            closers.push(close);
            words.iter().for_each(|word| line.word(Font::Roman, word, joined));
            return;
        }
        if let Some((_, mark, opening)) = EXPLICIT.iter().find(|(known, _, _)| *known == name) {
            line.tight |= !opening && !mark.is_empty();
            line.word(Font::Roman, mark, joined);
            line.tight = *opening;
            words.iter().for_each(|word| line.word(Font::Roman, word, joined));
            return;
        }
        if let Some((_, system)) = SYSTEMS.iter().find(|(known, _)| *known == name) {
            line.word(Font::Roman, system, joined);
            words.iter().for_each(|word| line.word(Font::Roman, word, joined));
            return;
        }
        match name {
            "Fl" => flags(line, &words, next, joined),
            "Ar" if words.iter().all(|word| closes(word)) => {
                line.word(Font::Italic, "file ...", joined);
                words.iter().for_each(|word| line.word(Font::Roman, word, joined));
            }
            "Nm" => self.page_name(line, &words),
            "Xr" => {
                let mut words = words.iter();
                let (page, section) = (words.next().map_or("", String::as_str), words.next().map(String::as_str));
                let section = section.map_or(String::new(), |section| format!("({section})"));
                line.word(Font::Roman, &format!("{page}{section}"), joined);
                words.for_each(|word| line.word(Font::Roman, word, joined));
            }
            "Fn" => function(line, &words, joined, self.in_synopsis),
            "Fo" => {
                line.word(Font::Bold, &words.join(" "), joined);
                line.inline.push(Font::Roman, "(");
                line.tight = true;
                self.function = Some(0);
            }
            "Fc" => {
                let end = if self.in_synopsis { ");" } else { ")" };
                line.inline.push(Font::Roman, end);
                self.function = None;
                words.iter().for_each(|word| line.word(Font::Roman, word, joined));
            }
            "Fa" => self.parameters(line, &words),
            "Ns" => {
                line.tight = true;
                if let Some((first, rest)) = words.split_first() {
                    line.word(Font::Roman, first, joined);
                    rest.iter().for_each(|word| line.word(Font::Roman, word, joined));
                }
            }
            "Ap" => {
                line.inline.push(Font::Roman, "'");
                line.tight = true;
                words.iter().for_each(|word| line.word(Font::Roman, word, joined));
            }
            "Pf" => {
                if let Some((first, rest)) = words.split_first() {
                    line.word(Font::Roman, first, joined);
                    line.tight = true;
                    rest.iter().for_each(|word| line.word(Font::Roman, word, joined));
                    line.tight |= rest.is_empty();
                }
            }
            "Sm" => self.joined = words.first().is_some_and(|word| word == "off"),
            "In" => line.word(Font::Bold, &format!("#include <{}>", words.join(" ")), joined),
            "Lb" => line.word(Font::Roman, &format!("library {}", words.join(" ")), joined),
            "St" => words.iter().for_each(|word| line.word(Font::Roman, standard(word), joined)),
            "Lk" => link(line, &words, joined),
            "Mt" => words.iter().for_each(|word| line.word(Font::Roman, word, joined)),
            "Ex" | "Rv" => self.exit(line, name, &words),
            "An" if words.first().is_some_and(|word| word.starts_with('-')) => {}
            _ => {
                let font = match name {
                    "Cm" | "Ic" | "Sy" | "Fd" | "Ms" => Font::Bold,
                    "Ar" | "Em" | "Pa" | "Va" | "Ft" | "Vt" => Font::Italic,
                    _ => Font::Roman,
                };
                for word in &words {
                    line.word(if closes(word) { Font::Roman } else { font }, word, joined);
                }
            }
        }
    }

    fn page_name(&mut self, line: &mut Line, words: &[String]) {
        let own = words.first().filter(|word| !closes(word));
        if let Some(name) = own
            && self.name.is_empty()
        {
            self.name.clone_from(name);
        }
        if own.is_none() {
            let name = self.name.clone();
            line.word(Font::Bold, &name, self.joined);
        }
        for word in words {
            line.word(if closes(word) { Font::Roman } else { Font::Bold }, word, self.joined);
        }
    }

    fn parameters(&mut self, line: &mut Line, words: &[String]) {
        for word in words {
            if let Some(count) = &mut self.function
                && !closes(word)
            {
                if *count > 0 {
                    line.inline.push(Font::Roman, ", ");
                }
                *count += 1;
                line.inline.push(Font::Italic, word);
                line.tight = true;
            } else {
                line.word(if closes(word) { Font::Roman } else { Font::Italic }, word, self.joined);
            }
        }
    }

    /// The sentences that `.Ex -std` and `.Rv -std` stand for.
    fn exit(&self, line: &mut Line, name: &str, words: &[String]) {
        let named: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "-std").collect();
        let subject = if named.is_empty() { self.name.clone() } else { named.join(", ") };
        let sentence = if name == "Ex" {
            format!("The {subject} utility exits 0 on success, and >0 if an error occurs.")
        } else {
            format!(
                "The {subject}() function returns the value 0 if successful; otherwise the value -1 is returned and the \
                 global variable errno is set to indicate the error."
            )
        };
        line.word(Font::Roman, &sentence, false);
    }
}

fn flags(line: &mut Line, words: &[String], next: Option<&str>, joined: bool) {
    if words.is_empty() || words.first().is_some_and(|word| closes(word)) {
        line.word(Font::Bold, "-", joined);
        // `Fl Fl long` is `--long`.
        line.tight = next == Some("Fl") || next == Some("Cm") || next == Some("Ns") || next == Some("Ar");
    }
    for word in words {
        if closes(word) || opens(word) || word == "|" {
            line.word(Font::Roman, word, joined);
        } else {
            line.word(Font::Bold, &format!("-{word}"), joined);
        }
    }
}

fn function(line: &mut Line, words: &[String], joined: bool, ends: bool) {
    let Some((name, args)) = words.split_first() else { return };
    let closing = args.iter().rev().take_while(|word| closes(word)).count();
    let (args, after) = args.split_at(args.len() - closing);
    line.word(Font::Roman, &format!("{name}({}){}", args.join(", "), if ends { ";" } else { "" }), joined);
    after.iter().for_each(|word| line.word(Font::Roman, word, joined));
}

fn link(line: &mut Line, words: &[String], joined: bool) {
    let Some((address, text)) = words.split_first() else { return };
    let closing = text.iter().rev().take_while(|word| closes(word)).count();
    let (text, after) = text.split_at(text.len() - closing);
    let linked = if text.is_empty() { format!("<{address}>") } else { format!("[{}]({address})", text.join(" ")) };
    line.word(Font::Roman, &linked, joined);
    after.iter().for_each(|word| line.word(Font::Roman, word, joined));
}

fn standard(name: &str) -> &str {
    match name {
        "-ansiC" => "ANSI X3.159-1989 (\"ANSI C89\")",
        "-ansiC-99" | "-isoC-99" => "ISO/IEC 9899:1999 (\"ISO C99\")",
        "-isoC" => "ISO/IEC 9899:1990 (\"ISO C90\")",
        "-isoC-2011" => "ISO/IEC 9899:2011 (\"ISO C11\")",
        "-p1003.1" => "IEEE Std 1003.1 (\"POSIX.1\")",
        "-p1003.1-88" => "IEEE Std 1003.1-1988 (\"POSIX.1\")",
        "-p1003.1-90" => "IEEE Std 1003.1-1990 (\"POSIX.1\")",
        "-p1003.1-96" => "ISO/IEC 9945-1:1996 (\"POSIX.1\")",
        "-p1003.1-2001" => "IEEE Std 1003.1-2001 (\"POSIX.1\")",
        "-p1003.1-2004" => "IEEE Std 1003.1-2004 (\"POSIX.1\")",
        "-p1003.1-2008" => "IEEE Std 1003.1-2008 (\"POSIX.1\")",
        "-p1003.2" => "IEEE Std 1003.2 (\"POSIX.2\")",
        "-p1003.2-92" => "IEEE Std 1003.2-1992 (\"POSIX.2\")",
        "-susv2" => "Version 2 of the Single UNIX Specification",
        "-susv3" => "Version 3 of the Single UNIX Specification",
        "-susv4" => "Version 4 of the Single UNIX Specification",
        other => other,
    }
}
