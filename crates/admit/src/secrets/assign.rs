//! Reading what is assigned to a name, in whatever language it is written.
//!
//! Configuration and code write the same thing in many ways: `a = "v"`, `a: v`, `a := "v"`, `"a" => "v"`,
//! `define('A', 'v')`, `<a>v</a>`, `<x key="a" value="v"/>`, `--a v`, `let a: &str = "v"`. One reader for all of them is
//! shorter than a pattern for each. It looks at a bounded number of bytes, so that calling it at every keyword of a text
//! stays linear.

use std::ops::Range;

use super::filters::is_random;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Quoted,
    /// Bare, at the end of a line that starts with the name: a setting rather than code.
    Setting,
    /// Bare, anywhere else.
    Bare,
    Markup,
    /// After an option of a command, or a blank.
    Spaced,
    /// Numbers between brackets, one for each byte.
    Bytes,
}

#[derive(Debug)]
pub(super) struct Assignment<'t> {
    pub(super) name: &'t [u8],
    /// Where the value stands, from its first to its last byte, with what joins the parts of a string.
    pub(super) span: Range<usize>,
    pub(super) value: Vec<u8>,
    pub(super) style: Style,
    /// Whether the name is compared with the value, not set to it.
    pub(super) compared: bool,
    /// Of a value behind a blank: whether the line starts with the name.
    pub(super) leads: bool,
}

const NAME: usize = 64;
const BLANKS: usize = 48;
const VALUE: usize = 512;
const PARTS: usize = 8;

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Where the next field of a form starts in a value: `v&name=w`.
fn next_field(value: &[u8]) -> Option<usize> {
    let fields = |&at: &usize| {
        let name = value[at + 1..].iter().take_while(|b| is_name(**b)).count();
        value[at] == b'&' && name > 1 && value.get(at + 1 + name) == Some(&b'=')
    };
    (1..value.len()).find(fields)
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// The whole name around a keyword.
pub(super) fn name_around(text: &[u8], keyword: Range<usize>) -> Range<usize> {
    let before = text[..keyword.start].iter().rev().take(NAME).take_while(|b| is_name(**b)).count();
    let behind = text[keyword.end..].iter().take(NAME).take_while(|b| is_name(**b)).count();
    // The `n` of an escaped break is no part of a name: `"a=b\nPASSWORD=c"`.
    let mut start = keyword.start - before;
    if start > 0 && text[start - 1] == b'\\' && matches!(text[start], b'n' | b'r' | b't') && start < keyword.start {
        start += 1;
    }
    start..keyword.end + behind
}

/// A byte as code writes it: `0x3b`, `59`, `59u8`.
fn byte_of(number: &[u8]) -> Option<u8> {
    let number = std::str::from_utf8(number).ok()?;
    let number = number.strip_suffix("u8").unwrap_or(number);
    match number.strip_prefix("0x").or_else(|| number.strip_prefix("0X")) {
        Some(hex) => u8::from_str_radix(hex, 16).ok(),
        None => number.parse().ok(),
    }
}

/// What is assigned to a name, if anything is.
pub(super) fn read(text: &[u8], name: Range<usize>) -> Option<Assignment<'_>> {
    let mut reader = Reader { text, name: name.clone(), at: name.end, quoted_name: false, compared: false };
    let (span, value, style) = reader.read()?;
    let (compared, leads) = (reader.compared, style == Style::Spaced && reader.is_setting());
    (!value.is_empty()).then(|| Assignment { name: &text[name], span, value, style, compared, leads })
}

struct Reader<'t> {
    text: &'t [u8],
    name: Range<usize>,
    at: usize,
    quoted_name: bool,
    compared: bool,
}

type Value = (Range<usize>, Vec<u8>, Style);

impl Reader<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(b'\n')
    }

    fn starts_with(&self, what: &[u8]) -> bool {
        self.text.get(self.at..self.at + what.len()).is_some_and(|t| t.eq_ignore_ascii_case(what))
    }

    fn skip(&mut self, most: usize, is: impl Fn(u8) -> bool) -> usize {
        let count = self.text[self.at..].iter().take(most).take_while(|b| is(**b)).count();
        self.at += count;
        count
    }

    fn read(&mut self) -> Option<Value> {
        for _ in 0..4 {
            match self.byte(0) {
                b'\\' if is_quote(self.byte(1)) => self.at += 2,
                b'"' | b'\'' | b'`' => self.at += 1,
                b']' => {
                    self.at += 1;
                    continue;
                }
                _ => break,
            }
            self.quoted_name = true;
        }
        // The size of an array: `key[16] = {1, 2}`.
        if self.byte(0) == b'[' && !self.quoted_name {
            let size = self.text[self.at + 1..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
            self.at += size + 1;
            if self.byte(0) != b']' {
                return None;
            }
            self.at += 1;
        }
        let blanks = self.skip(BLANKS, is_blank);
        match (self.byte(0), self.byte(1)) {
            (b'=', b'~') | (b':', b':') => None,
            // A part of an id such as `arn:aws:secret:name`.
            (b':', _) if self.text[..self.name.start].ends_with(b":") => None,
            (b'=', next) => {
                self.compared = next == b'=';
                self.skip(3, |b| matches!(b, b'=' | b'>'));
                self.after_operator(b'=')
            }
            (b':', _) => {
                self.skip(2, |b| matches!(b, b':' | b'='));
                self.annotation();
                self.after_operator(b':')
            }
            (b'|', b'|') | (b'?', b'?' | b'=') | (b'!', b'=') => {
                self.compared = self.byte(0) == b'!';
                self.skip(3, |b| matches!(b, b'|' | b'?' | b'=' | b'!'));
                self.skip(BLANKS, is_blank);
                self.quoted()
            }
            (b',', _) if self.quoted_name && self.is_argument() => self.pair().or_else(|| {
                self.at += 1;
                self.skip(BLANKS, |b| is_blank(b) || b == b'\n');
                self.quoted()
            }),
            (b'(', _) if blanks == 0 && !self.quoted_name && self.sets() => {
                self.at += 1;
                self.quoted()
            }
            (b'>', _) if self.quoted_name || self.opens_element() => self.element(),
            (b'{', _) if self.quoted_name => self.default_of_variable(),
            // `std::string secret{"v"}`.
            (b'{', quote) if is_quote(quote) => {
                self.at += 1;
                self.quoted()
            }
            (b'{', _) => self.property(),
            (b'<', b'/') => self.next_element(),
            (b'\n' | b'\r', _) => self.pair(),
            _ if blanks > 0 && self.opens_element() => self.attributes(),
            _ if blanks > 0 => self.spaced(),
            _ => None,
        }
    }

    /// Whether a call gives a value to its name, rather than asking for one: `setPassword("v")`, `.password("v")`.
    fn sets(&self) -> bool {
        let name = self.text[self.name.clone()].to_ascii_lowercase();
        let last = name.rsplit(|&b| b == b'.').next().unwrap_or_default();
        let verbs: [&[u8]; 4] = [b"set", b"with", b"add", b"use"];
        let plain: [&[u8]; 8] =
            [b"password", b"passwd", b"pwd", b"secret", b"token", b"apikey", b"api_key", b"passphrase"];
        verbs.iter().any(|verb| last.starts_with(verb)) || plain.contains(&last)
    }

    /// Whether a quoted name is the first of several arguments. In a list, what follows is just the next of them.
    fn is_argument(&self) -> bool {
        let before = self.text[..self.name.start].iter().rev().take(4);
        let opens = before.copied().find(|&b| !is_quote(b) && !is_blank(b) && b != b'\\');
        matches!(opens, Some(b'(' | b'{')) || self.pair_follows()
    }

    fn pair_follows(&self) -> bool {
        let rest = &self.text[self.at..self.text.len().min(self.at + BLANKS)];
        let rest: Vec<u8> = rest.iter().copied().filter(|b| !b.is_ascii_whitespace()).take(8).collect();
        rest.starts_with(b",\"value") || rest.starts_with(b",'value")
    }

    /// `Password { get; set; } = "v"`.
    fn property(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..self.text.len().min(self.at + BLANKS)];
        let close = rest.iter().position(|&b| b == b'}')?;
        if !rest.starts_with(b"{ get") && !rest.starts_with(b"{get") {
            return None;
        }
        self.at += close + 1;
        self.equals_quoted()
    }

    /// `= "v"`.
    fn equals_quoted(&mut self) -> Option<Value> {
        self.skip(BLANKS, is_blank);
        if self.byte(0) != b'=' {
            return None;
        }
        self.at += 1;
        self.skip(BLANKS, is_blank);
        self.quoted()
    }

    fn opens_element(&self) -> bool {
        let before = &self.text[..self.name.start];
        before.last() == Some(&b'<') || before.ends_with(b":") && before.iter().rev().take(16).any(|&b| b == b'<')
    }

    /// Steps over a type between a `:` and a `=`: `let secret: &'static str = "v"`.
    fn annotation(&mut self) {
        let start = self.at;
        self.skip(BLANKS, is_blank);
        // A quote starts a value, though one inside a type may be that of a lifetime.
        if is_quote(self.byte(0)) {
            self.at = start;
            return;
        }
        let named = self.at;
        let array = self.skip(2, |b| matches!(b, b'&' | b'[')) > 0 && self.text[self.at - 1] == b'[';
        if array && let Some(close) = self.text[self.at..].iter().take(24).position(|&b| b == b']') {
            self.at += close;
        }
        let typed = (self.at - named) + self.skip(32, |b| b.is_ascii_alphanumeric() || b"_&'<>[]?*.".contains(&b));
        // What is filled up with `=` has digits among its letters; a type has a width at its end at most.
        if !array && is_random(&self.text[named..self.at]) {
            self.at = start;
            return;
        }
        self.skip(1, is_blank);
        // The second word of a type such as `&'static str`.
        self.skip(16, |b| b.is_ascii_alphanumeric() || b"_<>[]".contains(&b));
        self.skip(BLANKS, is_blank);
        // At the end of a line, or before what ends a value, `=` fills up base64.
        let filler = matches!(self.byte(1), b'=' | b'>' | b'\n' | b'\r' | b',' | b';' | b'}' | b')' | b']' | b'&');
        if typed > 0 && self.byte(0) == b'=' && !filler {
            self.at += 1;
        } else {
            self.at = start;
        }
    }

    fn after_operator(&mut self, operator: u8) -> Option<Value> {
        self.skip(BLANKS, is_blank);
        if matches!(self.byte(0), b'\n' | b'\r') {
            self.skip(BLANKS, |b| b.is_ascii_whitespace());
            return self.quoted();
        }
        if operator == b':' && matches!(self.byte(0), b'|' | b'>') {
            return self.block();
        }
        let start = self.at;
        self.quoted().or_else(|| self.bytes(start)).or_else(|| self.bare(operator))
    }

    /// `[0x3b, 0x7e]`, `{59, 126}`, `new byte[] {(byte)0x3b}`, `bytes([59, 126])`.
    fn bytes(&mut self, start: usize) -> Option<Value> {
        const LEAD: usize = 40;
        const LONGEST: usize = 1024;
        self.at = start;
        let lead = self.skip(LEAD, |b| b.is_ascii_alphabetic() || b"_ .:!&*[](){}8".contains(&b));
        self.at = start;
        // A cast in front of the first number belongs to it.
        let lead = &self.text[start..start + lead];
        let lead = lead.strip_suffix(b"(byte)").unwrap_or(lead);
        let opened = lead.iter().rposition(|b| matches!(b, b'[' | b'{' | b'('))?;
        let base = start + opened + 1;
        let rest = &self.text[base..self.text.len().min(base + LONGEST)];
        let (mut values, mut first, mut end, mut at) = (Vec::new(), 0, 0, 0);
        let blanks = |at: usize| rest[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        loop {
            at += blanks(at);
            if values.is_empty() {
                first = at;
            }
            if rest[at..].starts_with(b"(byte)") {
                at += b"(byte)".len();
                at += blanks(at);
            }
            let number = rest[at..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
            let Some(byte) = byte_of(&rest[at..at + number]) else { break };
            values.push(byte);
            at += number;
            end = at;
            at += blanks(at);
            if rest.get(at) != Some(&b',') {
                break;
            }
            at += 1;
        }
        (values.len() > 1).then(|| (base + first..base + end, values, Style::Bytes))
    }

    /// A block of YAML: `a: |` and the value on the lines below. One with a blank in a line is a text.
    fn block(&mut self) -> Option<Value> {
        self.skip(3, |b| matches!(b, b'|' | b'>' | b'+' | b'-') || b.is_ascii_digit());
        self.skip(BLANKS, is_blank);
        let (mut value, mut span, mut least) = (Vec::new(), None, 1);
        let limit = self.at + VALUE;
        while self.skip(2, |b| matches!(b, b'\r' | b'\n')) > 0 && self.at < limit {
            let indent = self.skip(BLANKS, is_blank);
            if indent < least {
                break;
            }
            let start = self.at;
            if self.skip(VALUE, |b| !b.is_ascii_whitespace()) == 0 {
                break;
            }
            if !matches!(self.byte(0), b'\r' | b'\n') {
                return None;
            }
            value.extend_from_slice(&self.text[start..self.at]);
            span = Some(span.map_or(start..self.at, |s: Range<usize>| s.start..self.at));
            least = indent;
        }
        span.map(|span| (span, value, Style::Setting))
    }

    /// A string in quotes, with the strings joined to it.
    fn quoted(&mut self) -> Option<Value> {
        let grouped = self.group();
        self.wrapper();
        let mut value = Vec::new();
        let mut span: Option<Range<usize>> = None;
        for _ in 0..PARTS {
            let Some(part) = self.string() else { break };
            value.extend_from_slice(&self.text[part.clone()]);
            span = Some(span.map_or(part.clone(), |s| s.start..part.end));
            let joined = self.at;
            self.skip(BLANKS, |b| b.is_ascii_whitespace() || matches!(b, b'+' | b'.' | b'\\' | b'&'));
            if joined == self.at || !is_quote(self.byte(0)) || !grouped && !self.joins(joined) {
                self.at = joined;
                break;
            }
        }
        span.map(|span| (span, value, Style::Quoted))
    }

    /// Whether what stands between two strings makes them one. Two lines of a list don't.
    fn joins(&self, from: usize) -> bool {
        let between = &self.text[from..self.at];
        between.iter().any(|b| matches!(b, b'+' | b'.' | b'\\' | b'&'))
    }

    /// Steps into parentheses, in which strings need nothing between them to be one.
    fn group(&mut self) -> bool {
        let start = self.at;
        if self.byte(0) == b'(' {
            self.at += 1;
            self.skip(BLANKS, |b| b.is_ascii_whitespace());
            if is_quote(self.byte(0)) {
                return true;
            }
        }
        self.at = start;
        false
    }

    /// Steps over what makes a string of a literal: `b"v"`, `String::from("v")`.
    fn wrapper(&mut self) {
        const WRAPPERS: [&[u8]; 9] = [
            b"String::from(", b"new String(", b"Some(", b"SecretString::from(", b"SecretString::new(", b"Secret::new(",
            b"Buffer.from(", b"SecretStr(", b"str(",
        ];
        if let Some(wrapper) = WRAPPERS.iter().find(|w| self.starts_with(w)) {
            self.at += wrapper.len();
        }
        let prefix = self.text[self.at..].iter().take(2).take_while(|b| b"bBrRuUfFL@$(".contains(b)).count();
        if prefix > 0 && is_quote(self.byte(prefix)) {
            self.at += prefix;
        }
    }

    /// The inside of one string literal on one line.
    fn string(&mut self) -> Option<Range<usize>> {
        let escaped = self.byte(0) == b'\\';
        let quote = self.byte(usize::from(escaped));
        if !is_quote(quote) {
            return None;
        }
        let open = 1 + usize::from(escaped);
        let triple = !escaped && self.byte(1) == quote && self.byte(2) == quote;
        let start = self.at + if triple { 3 } else { open };
        let rest = &self.text[start.min(self.text.len())..];
        let mut at = 0;
        while at < rest.len().min(VALUE) {
            match rest[at] {
                b'\n' | b'\r' => return None,
                b'\\' if escaped && rest.get(at + 1) == Some(&quote) => break,
                b'\\' => at += 2,
                byte if byte == quote => break,
                _ => at += 1,
            }
        }
        if at >= rest.len().min(VALUE) {
            return None;
        }
        self.at = start + at + if triple { 3 } else { open };
        self.at = self.at.min(self.text.len());
        Some(start..start + at)
    }

    fn bare(&mut self, operator: u8) -> Option<Value> {
        let setting = self.is_setting();
        let stops = |b: u8| {
            b.is_ascii_whitespace()
                || is_quote(b)
                || matches!(b, b'<' | b'>')
                || !setting && matches!(b, b';' | b',' | b'&' | b'|' | b')' | b']' | b'}')
        };
        let start = self.at;
        let length = self.skip(VALUE, |b| !stops(b));
        // A quote inside is code, as in `get("a")`, unless it ends what one before the name began; so is a longer line
        // than any value.
        let closes = self.name.start.checked_sub(1).is_some_and(|before| self.text[before] == self.byte(0));
        if length == VALUE || is_quote(self.byte(0)) && operator != b'&' && self.byte(0) != b'`' && setting && !closes {
            return None;
        }
        let value = &self.text[start..self.at];
        let kept =
            value.len() - value.iter().rev().take_while(|b| matches!(b, b',' | b';' | b')' | b'}' | b']')).count();
        // `a=1&b=2` is a form: the next field is one of its own.
        let kept = next_field(&value[..kept]).unwrap_or(kept);
        // What a line break is written as in a string is no part of a value.
        let kept = value[..kept].windows(2).position(|w| matches!(w, b"\\n" | b"\\r")).unwrap_or(kept);
        let style = if setting { Style::Setting } else { Style::Bare };
        Some((start..start + kept, value[..kept].to_vec(), style))
    }

    /// Whether the line starts with the name, as in a file of settings.
    fn is_setting(&self) -> bool {
        let before = self.text[..self.name.start].iter().rev().take(BLANKS).take_while(|b| !matches!(b, b'\n' | b'\r'));
        let mut line: Vec<u8> = before.copied().collect();
        line.reverse();
        let line = line.trim_ascii();
        let leads: [&[u8]; 14] =
            [b"", b"export", b"-", b"ENV", b"ARG", b"set", b"setx", b"#", b"- -e", b"-e", b"\"", b"- \"", b"'", b"- '"];
        line.len() < BLANKS && leads.contains(&line)
    }

    /// `<a encoding="x">v</a>`, or the `value` of an element that is named so.
    fn attributes(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..self.text.len().min(self.at + NAME)];
        let close = rest.iter().position(|b| matches!(b, b'>' | b'\n'))?;
        if let Some(found) = self.pair() {
            return Some(found);
        }
        self.at += close;
        (self.byte(0) == b'>').then(|| self.element())?
    }

    /// `<a>v</a>`.
    fn element(&mut self) -> Option<Value> {
        self.at += 1;
        self.skip(BLANKS, is_blank);
        if self.starts_with(b"<![CDATA[") {
            self.at += 9;
        }
        let start = self.at;
        let length = self.skip(VALUE, |b| !matches!(b, b'<' | b'\n' | b'\r' | b']'));
        let value = self.text[start..start + length].trim_ascii_end();
        (self.byte(0) != b'\n' && self.byte(0) != b'\r')
            .then(|| (start..start + value.len(), value.to_vec(), Style::Markup))
    }

    /// `<key>a</key> <string>v</string>` of a property list, `<name>a</name> <value>v</value>`.
    fn next_element(&mut self) -> Option<Value> {
        let before = &self.text[..self.name.start];
        if !before.ends_with(b"<key>") && !before.ends_with(b"<name>") {
            return None;
        }
        self.skip(NAME, |b| b != b'>');
        self.at = (self.at + 1).min(self.text.len());
        self.skip(BLANKS, |b| b.is_ascii_whitespace());
        if self.byte(0) != b'<' {
            return None;
        }
        self.skip(NAME, |b| !matches!(b, b'>' | b'\n'));
        (self.byte(0) == b'>').then(|| self.element())?
    }

    /// The `value` that follows a `name`: `name: A` and `value: v` on the next line, `key="A" value="v"`.
    fn pair(&mut self) -> Option<Value> {
        let start = self.at;
        self.skip(BLANKS, |b| b.is_ascii_whitespace() || matches!(b, b',' | b'"' | b'\'' | b'\\'));
        for word in [&b"value"[..], b"defaultvalue", b"default", b"content"] {
            if self.starts_with(word) {
                let word_start = self.at;
                self.at += word.len();
                self.skip(2, |b| is_quote(b) || b == b'\\');
                self.skip(BLANKS, is_blank);
                if self.byte(0) == b'=' || self.byte(0) == b':' && word != b"content" {
                    let operator = self.byte(0);
                    self.at += 1;
                    self.name.start = word_start;
                    return self.after_operator(operator);
                }
            }
        }
        self.at = start;
        None
    }

    /// `variable "a" { default = "v" }`.
    fn default_of_variable(&mut self) -> Option<Value> {
        let block = &self.text[self.at..self.text.len().min(self.at + 240)];
        let block = &block[..block.iter().position(|&b| b == b'}').unwrap_or(block.len())];
        let default = block.windows(7).position(|w| w == b"default")?;
        self.at += default + 7;
        self.equals_quoted()
    }

    /// `--password v`, `#define PASSWORD "v"`, `password string = "v"`.
    fn spaced(&mut self) -> Option<Value> {
        if let Some(found) = self.pair() {
            return Some(found);
        }
        if is_quote(self.byte(0)) || self.byte(0) == b'\\' {
            return self.quoted().map(|(span, value, _)| (span, value, Style::Spaced));
        }
        let start = self.at;
        if self.skip(32, |b| b.is_ascii_alphanumeric() || b"*[]<>".contains(&b)) > 0
            && self.skip(BLANKS, is_blank) > 0
            && self.byte(0) == b'='
            && self.byte(1) != b'='
        {
            self.at += 1;
            self.skip(BLANKS, is_blank);
            return self.quoted();
        }
        self.at = start;
        let option = self.text[self.name.clone()].starts_with(b"-");
        // `ENV A v`.
        let define = self.text[..self.name.start].trim_ascii_end().ends_with(b"ENV");
        let (span, value, _) = if option || define { self.bare(b' ')? } else { return None };
        Some((span, value, Style::Spaced))
    }
}

#[cfg(test)]
#[path = "assign_tests.rs"]
mod tests;
