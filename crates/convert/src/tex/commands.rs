//! Commands: what each stands for.

use super::{Group, Reader};
use crate::man::glyphs::accented;
use crate::{emit, place};

/// Commands that stand for a text.
const TEXTS: &[(&str, &str)] = &[
    ("LaTeX", "LaTeX"),
    ("TeX", "TeX"),
    ("LaTeXe", "LaTeX2e"),
    ("BibTeX", "BibTeX"),
    ("XeTeX", "XeTeX"),
    ("ldots", "…"),
    ("dots", "…"),
    ("textellipsis", "…"),
    ("textbackslash", "\\"),
    ("textasciitilde", "~"),
    ("textasciicircum", "^"),
    ("textbar", "|"),
    ("textless", "<"),
    ("textgreater", ">"),
    ("textquotesingle", "'"),
    ("textunderscore", "_"),
    ("textendash", "–"),
    ("textemdash", "—"),
    ("textbullet", "•"),
    ("textregistered", "®"),
    ("texttrademark", "™"),
    ("textdegree", "°"),
    ("degree", "°"),
    ("copyright", "©"),
    ("pounds", "£"),
    ("euro", "€"),
    ("S", "§"),
    ("P", "¶"),
    ("dag", "†"),
    ("ss", "ß"),
    ("ae", "æ"),
    ("AE", "Æ"),
    ("oe", "œ"),
    ("OE", "Œ"),
    ("o", "ø"),
    ("O", "Ø"),
    ("aa", "å"),
    ("AA", "Å"),
    ("l", "ł"),
    ("L", "Ł"),
    ("i", "i"),
    ("j", "j"),
    ("quad", " "),
    ("qquad", " "),
    ("space", " "),
    ("hfill", " "),
    ("lbrace", "{"),
    ("rbrace", "}"),
    ("slash", "/"),
    ("today", ""),
];

/// Commands whose first arguments are no text, and how many those are.
const SKIPPED: &[(&str, usize)] = &[
    ("label", 1),
    ("vspace", 1),
    ("hspace", 1),
    ("vskip", 0),
    ("setlength", 2),
    ("addtolength", 2),
    ("usepackage", 1),
    ("RequirePackage", 1),
    ("documentclass", 1),
    ("documentstyle", 1),
    ("bibliographystyle", 1),
    ("pagestyle", 1),
    ("thispagestyle", 1),
    ("pagenumbering", 1),
    ("setcounter", 2),
    ("addtocounter", 2),
    ("stepcounter", 1),
    ("includeonly", 1),
    ("hypersetup", 1),
    ("index", 1),
    ("definecolor", 3),
    ("color", 1),
    ("textcolor", 1),
    ("colorbox", 1),
    ("fcolorbox", 2),
    ("fontsize", 2),
    ("fontfamily", 1),
    ("geometry", 1),
    ("newtheorem", 2),
    ("DeclareMathOperator", 2),
    ("newenvironment", 3),
    ("renewenvironment", 3),
    ("lstset", 1),
    ("lstdefinestyle", 2),
    ("tikzset", 1),
    ("usetikzlibrary", 1),
    ("raisebox", 1),
    ("rule", 2),
    ("phantom", 1),
    ("hphantom", 1),
    ("vphantom", 1),
    ("resizebox", 2),
    ("scalebox", 1),
    ("parbox", 1),
    ("multicolumn", 2),
    ("multirow", 2),
    ("cline", 1),
    ("cmidrule", 1),
    ("graphicspath", 1),
    ("newlength", 1),
    ("newcounter", 1),
    ("addcontentsline", 3),
    ("markboth", 2),
    ("markright", 1),
    ("hyphenation", 1),
    ("input@path", 1),
    ("setminted", 1),
    ("usemintedstyle", 1),
    ("captionsetup", 1),
    ("nocite", 1),
    ("renewcommand", 2),
    ("newif", 0),
    ("let", 0),
    ("enlargethispage", 1),
    ("linespread", 1),
    ("titleformat", 5),
    ("DeclareUnicodeCharacter", 2),
    ("ensuremath", 0),
    ("author", 1),
    ("date", 1),
    ("affil", 1),
    ("rotatebox", 1),
    ("minipage", 1),
    ("pdfbookmark", 2),
    ("hypertarget", 1),
    ("hyperlink", 1),
    ("theoremstyle", 1),
    ("sisetup", 1),
];

const HEADINGS: [(&str, usize); 8] = [
    ("part", 1),
    ("chapter", 1),
    ("section", 2),
    ("subsection", 3),
    ("subsubsection", 4),
    ("paragraph", 5),
    ("subparagraph", 6),
    ("frametitle", 3),
];

const MARKS: [(&str, &str); 12] = [
    ("emph", "*"),
    ("textit", "*"),
    ("textsl", "*"),
    ("textbf", "**"),
    ("strong", "**"),
    ("texttt", "`"),
    ("code", "`"),
    ("file", "`"),
    ("command", "`"),
    ("lstinline", "`"),
    ("verb", "`"),
    ("mintinline", "`"),
];

impl<'a> Reader<'a> {
    /// Reads a command whose backslash was taken.
    pub(super) fn command(&mut self) {
        let name = self.source.word();
        if name.is_empty() {
            self.symbol();
            return;
        }
        self.source.take('*');
        let found =
            |table: &[(&'static str, &'static str)]| table.iter().find(|(known, _)| *known == name).map(|&(_, it)| it);
        if let Some(&(_, level)) = HEADINGS.iter().find(|(known, _)| *known == name) {
            self.heading(level);
        } else if let Some(mark) = found(&MARKS) {
            self.marked(name, mark);
        } else if let Some(text) = found(TEXTS) {
            self.push(text);
            self.after_word();
        } else if let Some(&(_, skipped)) = SKIPPED.iter().find(|(known, _)| *known == name) {
            self.source.skip_optional();
            for _ in 0..skipped {
                self.source.group();
                self.source.skip_optional();
            }
        } else if let Some(&text) = self.own.get(name) {
            self.push(text);
            self.after_word();
        } else {
            self.named(name);
        }
    }

    /// `\LaTeX{}` and `\LaTeX\ ` are written so that a space is kept; one that was forgotten is kept too.
    fn after_word(&mut self) {
        if self.source.starts_with("{}") {
            self.source.skip(2);
        }
    }

    fn named(&mut self, name: &'a str) {
        match name {
            "begin" => {
                let name = self.source.group().unwrap_or_default();
                self.open_environment(name);
            }
            "end" => {
                let name = self.source.group().unwrap_or_default();
                self.end_environment(name);
            }
            "item" => self.item(),
            "bibitem" => {
                self.source.skip_optional();
                let key = self.source.group().unwrap_or_default();
                emit::block(&mut self.text);
                self.push(&format!("- [{key}] "));
            }
            "title" => {
                self.source.skip_optional();
                if let Some(title) = self.source.group() {
                    self.write_title(title);
                }
            }
            "newcommand" | "providecommand" | "def" => self.define(),
            "href" => {
                self.source.skip_optional();
                let address = unescaped(self.source.group().unwrap_or_default());
                self.source.skip_blanks();
                if self.source.take('{') {
                    self.open_taken_back(Group::Link { address, start: self.text.len() });
                }
            }
            "url" | "nolinkurl" => {
                let address = unescaped(self.source.group().unwrap_or_default());
                self.push("<");
                self.text.push_str(&place::escape(&address));
                self.text.push('>');
            }
            "footnote" | "footnotetext" | "thanks" => {
                self.source.skip_optional();
                self.open_argument(" (", ")");
            }
            "caption" => {
                self.source.skip_optional();
                self.block();
                self.open_argument("", "\n");
            }
            "input" | "include" | "subfile" | "lstinputlisting" | "verbatiminput" | "includegraphics"
            | "bibliography" => {
                self.source.skip_optional();
                let file = self.source.group().unwrap_or_default().trim();
                if !file.is_empty() {
                    let mark = if name == "includegraphics" { "!" } else { "" };
                    self.push(&format!("{mark}[{file}]({file})"));
                }
            }
            "maketitle" | "tableofcontents" | "newpage" | "clearpage" | "par" | "bigskip" | "medskip" | "smallskip" => {
                self.block();
            }
            "newline" | "linebreak" | "tabularnewline" => self.line_break(),
            _ if name.contains("cite") || name.ends_with("ref") || name.ends_with("Ref") => self.reference(),
            // The words of a command nobody here knows are the author's words.
            _ => {
                self.source.skip_optional();
            }
        }
    }

    fn heading(&mut self, level: usize) {
        self.source.skip_optional();
        self.source.skip_blanks();
        if self.source.take('{') {
            self.block();
            self.open_taken_back(Group::Heading { level, start: self.text.len() });
        }
    }

    fn reference(&mut self) {
        self.source.skip_optional();
        if let Some(keys) = self.source.group() {
            let keys: Vec<&str> = keys.split(',').map(str::trim).collect();
            self.push(&format!("[{}]", keys.join(", ")));
        }
    }

    /// Text between marks: an argument in braces, or for code whatever its delimiters enclose.
    fn marked(&mut self, name: &str, mark: &'static str) {
        self.source.skip_optional();
        if name == "mintinline" {
            self.source.group();
        }
        if matches!(name, "verb" | "lstinline" | "mintinline") && !self.source.starts_with("{") {
            if let Some(delimiter) = self.source.next() {
                let (code, _) = self.source.until_text(delimiter.encode_utf8(&mut [0; 4]));
                self.push(&format!("`{}`", code.replace('\n', " ")));
            }
            return;
        }
        self.source.skip_blanks();
        if self.source.take('{') {
            // A mark in a heading would only be taken out again.
            let marks = !self
                .groups
                .iter()
                .rev()
                .take(8)
                .any(|group| matches!(group, Group::Heading { .. } | Group::Marked(_)));
            if marks {
                self.push(mark);
            }
            self.groups.push(if marks { Group::Marked(mark) } else { Group::Plain });
        }
    }

    fn open_argument(&mut self, open: &str, close: &'static str) {
        self.source.skip_blanks();
        if self.source.take('{') {
            self.push(open);
            self.groups.push(Group::Marked(close));
        }
    }

    /// A command of one character that is no letter.
    fn symbol(&mut self) {
        let Some(symbol) = self.source.next() else { return };
        match symbol {
            '\\' => {
                self.source.take('*');
                self.source.optional();
                self.line_break();
            }
            '(' | '[' => self.formula(symbol),
            '\'' | '`' | '^' | '"' | '~' | '=' | '.' => self.accent(symbol),
            '-' | '/' | '!' | '@' | ')' | ']' => {}
            ',' | ';' | ':' | ' ' | '>' | '\n' => self.push(" "),
            other => self.push(other.encode_utf8(&mut [0; 4])),
        }
    }

    fn line_break(&mut self) {
        if self.in_table() {
            self.end_row();
        } else if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn formula(&mut self, open: char) {
        let (formula, closed) = self.source.until_text(if open == '(' { "\\)" } else { "\\]" });
        let formula = place::escape(formula.trim());
        if open == '(' {
            self.push("$");
            self.text.push_str(&formula);
            self.text.push_str(if closed { "$" } else { "" });
        } else {
            emit::block(&mut self.text);
            self.text.push_str(&format!("$${formula}$$\n"));
        }
    }

    fn accent(&mut self, mark: char) {
        let mark = if mark == '"' { ':' } else { mark };
        let letter = if self.source.starts_with("{") {
            let group = self.source.group().unwrap_or_default();
            group.trim_start_matches('\\').chars().next()
        } else {
            self.source.skip_blanks();
            self.source.take('\\');
            self.source.next()
        };
        if let Some(letter) = letter {
            let letter = accented(mark, letter).unwrap_or(letter);
            self.push(letter.encode_utf8(&mut [0; 4]));
        }
    }
}

/// An address as it is written in a document, without the backslashes that TeX asks for.
fn unescaped(address: &str) -> String {
    let address = address.trim().replace(['\n', ' ', '<', '>'], "");
    ["%", "#", "_", "&", "~"].iter().fold(address, |address, mark| address.replace(&format!("\\{mark}"), mark))
}
