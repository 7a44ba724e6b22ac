//! The macros of `man`.

use super::escape::{Font, Fonts, Inline, plain, read};
use super::reader::{Call, Item, Reader};
use super::table;
use super::writer::Writer;
use crate::{Limits, place};

/// Requests and macros that show nothing.
const SILENT: &[&str] = &[
    "IX", "Id", "PD", "DT", "ad", "na", "ne", "hy", "nh", "in", "ti", "ta", "ll", "pl", "ps", "vs", "ls", "lt", "tr",
    "bp", "br1", "cc", "c2", "ec", "eo", "fp", "fam", "ftr", "fspecial", "char", "rchar", "fchar", "schar", "cflags",
    "hw", "hc", "hym", "hys", "hcode", "hla", "hlm", "hpf", "hpfa", "lf", "mk", "rt", "nm", "nn", "nx", "rd", "rm",
    "rn", "rr", "rnn", "sv", "os", "ns", "rs", "ss", "sty", "tm", "tm1", "tmc", "uf", "ul", "cu", "warn", "wh", "ch",
    "dt", "it", "itc", "di", "da", "box", "boxa", "ev", "evc", "ex", "ab", "af", "aln", "asciify", "backtrace", "bd",
    "break", "continue", "brp", "chop", "close", "color", "composite", "defcolor", "device", "do", "em", "fcolor",
    "gcolor", "fl", "kern", "length", "linetabs", "lg", "mc", "mso", "msoquiet", "nroff", "troff", "open", "opena",
    "output", "pc", "pev", "pi", "pm", "pn", "pnr", "pso", "psbb", "ptr", "return", "shc", "shift", "sizes", "soquiet",
    "special", "spreadwarn", "stringdown", "stringup", "substring", "sy", "tc", "ti", "tkf", "tl", "trf", "trin",
    "trnt", "unformat", "vpt", "vpf", "warnscale", "write", "writec", "writem", "UC", "AT", "bk", "VS", "VE", "AS",
    "BS", "BE", "HS", "SE1", "Tm", "LO", "zZ", "zY", "ie1", "po", "cp", "cflags", "blm", "lsm", "class", "pso", "}1",
    "DA", "PM",
];

const MACROS: &[&str] = &[
    "TH", "SH", "SS", "PP", "P", "LP", "Sp", "sp", "br", "TP", "TQ", "IP", "HP", "RS", "RE", "B", "I", "SM", "SB",
    "BI", "BR", "IB", "IR", "RB", "RI", "CW", "nf", "fi", "EX", "EE", "Vb", "Ve", "DS", "DE", "CS", "CE", "UR", "UE",
    "MT", "ME", "MR", "SY", "YS", "OP", "TS", "so", "ft", "EQ", "EN", "PS", "PE", "ce", "rj",
];

pub(super) fn is_known(name: &str) -> bool {
    // Pages of Tcl have an `.OP` and a `.SY` of their own; what they define is what they mean.
    (MACROS.contains(&name) && name != "OP" && name != "SY") || SILENT.contains(&name)
}

/// What the next line of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaits {
    Text,
    Heading(usize),
    Tag { another: bool },
    InFont(Font),
}

struct Page<'a> {
    reader: Reader<'a>,
    writer: Writer,
    fonts: Fonts,
    awaits: Awaits,
    /// Name and section, as `.TH` has them.
    title: Option<(String, String)>,
    in_name: bool,
    /// What the section NAME says, from which the title takes its spelling.
    named: String,
    /// The address of an open link, and the text gathered for it.
    link: Option<(String, String)>,
    /// What a paragraph says so far, as long as it may turn out to be the tag of an entry.
    opening: Option<String>,
}

/// A longer opening is a sentence.
const LONGEST_TAG: usize = 120;

pub(super) fn convert(source: &str, limits: &Limits) -> String {
    let mut page = Page {
        reader: Reader::new(source, is_known),
        writer: Writer::new(limits),
        fonts: Fonts::default(),
        awaits: Awaits::Text,
        title: None,
        in_name: false,
        named: String::new(),
        link: None,
        opening: None,
    };
    while !page.writer.is_full()
        && let Some(item) = page.reader.next()
    {
        match item {
            Item::Text(line) => page.line(&line),
            Item::Call(call) => page.call(&call),
        }
    }
    page.close_link("");
    let body = page.writer.finish();
    titled(page.title, &page.named, &body)
}

/// A page under its title, spelled as the page itself spells it.
pub(super) fn titled(title: Option<(String, String)>, named: &str, body: &str) -> String {
    let Some((name, section)) = title.filter(|(name, _)| !name.trim().is_empty()) else { return body.to_owned() };
    let mut words = named.split([',', ' ', '\n']).map(|word| word.trim_matches(['*', '`', '\\']));
    let spelled = words.find(|word| word.eq_ignore_ascii_case(&name)).map(str::to_owned);
    let name = spelled.unwrap_or(name);
    let section = if section.is_empty() { String::new() } else { format!("({section})") };
    format!("# {}\n\n{}", place::escape(&format!("{name}{section}")), body.trim_start_matches('\n'))
}

/// The text that a macro for fonts shows, for places that take only text.
pub(super) fn text_of_call(call: &Call, reader: &mut Reader<'_>) -> Option<String> {
    let inline = fonts_of(call, reader)?;
    Some(inline.plain())
}

/// What a macro for fonts shows.
fn fonts_of(call: &Call, reader: &mut Reader<'_>) -> Option<Inline> {
    let font = |letter: u8| match letter {
        b'B' => Font::Bold,
        b'I' => Font::Italic,
        _ => Font::Roman,
    };
    let mut inline = Inline::default();
    match call.name.as_str() {
        "B" | "I" | "SM" | "SB" | "R" | "CW" | "PN" | "ZN" | "hN" | "C" => {
            let font = if call.name == "SB" { Font::Bold } else { font(call.name.as_bytes()[0]) };
            push_all(&mut inline, font, &call.args, reader);
        }
        "BI" | "BR" | "IB" | "IR" | "RB" | "RI" => {
            for (index, arg) in call.args.iter().enumerate() {
                let text = plain(arg, reader);
                inline.push(font(call.name.as_bytes()[index % 2]), &text);
            }
        }
        "MR" => {
            let mut args = call.args.iter().map(|arg| plain(arg, reader));
            let (name, section) = (args.next().unwrap_or_default(), args.next().unwrap_or_default());
            let section = if section.is_empty() { section } else { format!("({section})") };
            inline.push(Font::Roman, &format!("{name}{section}{}", args.next().unwrap_or_default()));
        }
        _ => return None,
    }
    let ends = |arg: &String| arg.ends_with("\\c");
    inline.goes_on = call.args.last().is_some_and(ends);
    Some(inline)
}

fn push_all(inline: &mut Inline, font: Font, args: &[String], reader: &mut Reader<'_>) {
    let words: Vec<String> = args.iter().map(|arg| plain(arg, reader)).collect();
    inline.push(font, &words.join(" "));
}

impl Page<'_> {
    fn line(&mut self, raw: &str) {
        if raw.trim().is_empty() {
            if self.awaits == Awaits::Text {
                self.writer.space();
            }
            return;
        }
        // DocBook draws a bullet beside the indent instead of asking for one.
        if raw.starts_with("\\h'-")
            && let Some(end) = raw.find("\\h'+")
        {
            let tag = plain(&raw[..end], &mut self.reader);
            self.writer.item(&tag);
            let after =
                raw[end..].find("'").and_then(|open| raw[end + open + 1..].find('\'').map(|at| end + open + 2 + at));
            let rest = after.map_or("", |at| &raw[at..]);
            if !rest.is_empty() && !rest.starts_with("\\c") {
                self.line(rest);
            }
            return;
        }
        if let Awaits::InFont(font) = self.awaits {
            self.awaits = Awaits::Text;
            let text = plain(raw, &mut self.reader);
            let mut inline = Inline::default();
            inline.push(font, &text);
            self.show(&inline);
            return;
        }
        let inline = read(raw, &mut self.reader, &mut self.fonts);
        self.show(&inline);
    }

    /// Puts a line that was read where it is awaited.
    fn show(&mut self, inline: &Inline) {
        match std::mem::replace(&mut self.awaits, Awaits::Text) {
            Awaits::Heading(level) => self.heading(level, &inline.plain()),
            Awaits::Tag { another: false } => self.writer.item(&inline.plain()),
            Awaits::Tag { another: true } => self.writer.another_tag(&inline.plain()),
            Awaits::Text | Awaits::InFont(_) => {
                if let Some((_, text)) = &mut self.link {
                    text.push(' ');
                    text.push_str(&inline.plain());
                    return;
                }
                if self.in_name && self.named.len() < 400 {
                    self.named.push_str(&inline.plain());
                    self.named.push(' ');
                }
                if let Some(opening) = &mut self.opening {
                    opening.push_str(&inline.plain());
                    opening.push_str(if inline.goes_on { "" } else { " " });
                }
                self.writer.text(inline);
            }
        }
    }

    /// DocBook and AsciiDoc write an entry as a short paragraph and an indented part after it.
    fn open_level(&mut self, opening: Option<&str>) {
        let tag = opening.map_or("", str::trim);
        let is_tag = !tag.is_empty() && tag.len() <= LONGEST_TAG && !tag.ends_with(['.', ':', ';', '!', '?', ',']);
        if is_tag && !self.writer.is_code() {
            self.writer.turn_into_item(tag);
        }
        self.writer.open_level();
    }

    fn heading(&mut self, level: usize, name: &str) {
        self.fonts = Fonts::default();
        let upper = name.trim().to_uppercase();
        self.in_name = level == 2 && upper == "NAME" && self.title.is_some() && self.named.is_empty();
        self.writer.marks = upper != "SYNOPSIS";
        // What a page is about stands right under its title.
        self.writer.heading(level, if self.in_name { "" } else { name });
    }

    fn call(&mut self, call: &Call) {
        let name = call.name.as_str();
        if let Some(inline) = fonts_of(call, &mut self.reader) {
            if call.args.is_empty() {
                let font = if name.starts_with('I') { Font::Italic } else { Font::Bold };
                if self.awaits == Awaits::Text {
                    self.awaits = Awaits::InFont(font);
                }
            } else {
                self.show(&inline);
            }
            return;
        }
        let opening = self.opening.take();
        match name {
            "TH" => self.set_title(call),
            "SH" | "SS" | "Sh" | "Ss" => {
                let level = if name.eq_ignore_ascii_case("SH") { 2 } else { 3 };
                match self.all(call) {
                    title if title.trim().is_empty() => self.awaits = Awaits::Heading(level),
                    title => {
                        self.awaits = Awaits::Text;
                        self.heading(level, &title);
                    }
                }
            }
            "PP" | "P" | "LP" | "HP" => self.paragraph(),
            "sp" | "Sp" => {
                self.writer.space();
                self.opening = Some(String::new());
            }
            "br" => self.writer.line_break(),
            "TP" => {
                self.fonts = Fonts::default();
                self.awaits = Awaits::Tag { another: false };
            }
            "TQ" => self.awaits = Awaits::Tag { another: true },
            "IP" => self.indented(call),
            "RS" => self.open_level(opening.as_deref()),
            "RE" => self.writer.close_level(),
            "nf" | "EX" | "Vb" | "DS" | "CS" => self.writer.open_code(),
            "fi" | "EE" | "Ve" | "DE" | "CE" => self.writer.close_code(),
            "ft" => self.fonts.set(call.args.first().map_or("P", String::as_str)),
            "UR" | "MT" => {
                self.close_link("");
                self.link = Some((self.all(call), String::new()));
            }
            "UE" | "ME" => {
                let trail = self.all(call);
                self.close_link(&trail);
            }
            "OP" => {
                let option = self.all(call);
                self.writer.add(&format!("[{option}]"));
            }
            "SY" => {
                self.writer.line_break();
                let command = self.all(call);
                self.writer.add(&command);
            }
            "YS" => self.writer.line_break(),
            "TS" => {
                let rows = table::read(&mut self.reader);
                self.writer.table(&rows);
            }
            "so" => {
                if let Some(target) = call.args.first() {
                    let target = plain(target, &mut self.reader);
                    let page = target.rsplit('/').next().unwrap_or(&target).to_owned();
                    self.writer.add(&format!("See [{page}]({target})."));
                }
            }
            "PS" => while self.reader.block_line().is_some_and(|line| !line.starts_with(".PE")) {},
            "EQ" | "EN" | "ce" | "rj" => {}
            _ if SILENT.contains(&name) => {}
            // A macro nobody here knows: its words are the page's words.
            _ => {
                let mut inline = Inline::default();
                push_all(&mut inline, Font::Roman, &call.args, &mut self.reader);
                if !inline.runs.is_empty() {
                    self.show(&inline);
                }
            }
        }
    }

    fn all(&mut self, call: &Call) -> String {
        let words: Vec<String> = call.args.iter().map(|arg| plain(arg, &mut self.reader)).collect();
        words.join(" ")
    }

    fn set_title(&mut self, call: &Call) {
        let mut args = call.args.iter().map(|arg| plain(arg, &mut self.reader));
        let title = (args.next().unwrap_or_default(), args.next().unwrap_or_default());
        if self.title.is_none() {
            self.title = Some(title);
        }
    }

    fn paragraph(&mut self) {
        self.fonts = Fonts::default();
        self.awaits = Awaits::Text;
        self.writer.paragraph();
        self.opening = Some(String::new());
    }

    fn indented(&mut self, call: &Call) {
        self.fonts = Fonts::default();
        self.awaits = Awaits::Text;
        match call.args.first().map(|tag| plain(tag, &mut self.reader)) {
            Some(tag) if !tag.trim().is_empty() => self.writer.item(&tag),
            _ if self.writer.is_code() => self.writer.space(),
            _ => self.writer.flush(),
        }
    }

    fn close_link(&mut self, trail: &str) {
        let Some((address, text)) = self.link.take() else { return };
        let text = text.trim();
        let linked = match text {
            "" => format!("<{address}>{trail}"),
            _ if self.writer.is_code() => format!("{text} <{address}>{trail}"),
            _ => format!("[{text}]({address}){trail}"),
        };
        self.writer.add(&linked);
    }
}
