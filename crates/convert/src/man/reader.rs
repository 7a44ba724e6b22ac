//! Roff as a stream of text lines and macro calls.
//!
//! What pages do to the language is followed as far as it decides which text is shown: conditions, strings, registers and
//! macros of a page's own. Expansion is bounded in depth and in bytes, so that a page can't grow without end.

use std::borrow::Cow;
use std::collections::HashMap;

/// How deep macros and strings may call one another.
const DEEPEST: usize = 16;

/// No line is expanded beyond this.
const LONGEST_LINE: usize = 64 * 1024;

/// Strings that pages get from the macro set or from `pod2man`, as a reader would type them.
const STRINGS: [(&str, &str); 20] = [
    ("--", "--"),
    ("-", "-"),
    ("PI", "pi"),
    ("L\"", "\""),
    ("R\"", "\""),
    ("C`", ""),
    ("C'", ""),
    ("Aq", "'"),
    ("aq", "'"),
    ("dq", "\""),
    ("lq", "\""),
    ("rq", "\""),
    ("q", "\""),
    ("Lq", "\""),
    ("Rq", "\""),
    ("R", "®"),
    ("Tm", "™"),
    ("Ba", "|"),
    ("Am", "&"),
    ("S", ""),
];

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    Text(String),
    Call(Call),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub name: String,
    /// The arguments as they stand, escapes and all.
    pub args: Vec<String>,
}

struct Ahead {
    line: String,
    depth: usize,
    conditions: usize,
}

pub(super) struct Reader<'a> {
    source: std::str::Lines<'a>,
    /// Lines that come before the rest of the source, the next one last.
    ahead: Vec<Ahead>,
    /// How many macros the line at hand comes from.
    depth: usize,
    /// How many conditions stood before it on its line.
    conditions: usize,
    macros: HashMap<String, Vec<String>>,
    aliases: HashMap<String, String>,
    pub(super) strings: HashMap<String, String>,
    pub(super) registers: HashMap<String, i64>,
    /// The outcomes of `.ie` whose `.el` has not come yet.
    outcomes: Vec<bool>,
    /// Bytes that expansion may still make.
    budget: usize,
    /// Whether the macro set knows a name; a page's own definition of it is not needed then.
    known: fn(&str) -> bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a str, known: fn(&str) -> bool) -> Reader<'a> {
        Reader {
            source: source.lines(),
            ahead: Vec::new(),
            depth: 0,
            conditions: 0,
            macros: HashMap::new(),
            aliases: HashMap::new(),
            strings: STRINGS.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
            registers: HashMap::from([(".g".to_owned(), 1)]),
            outcomes: Vec::new(),
            budget: (1 << 20) + source.len() * 2,
            known,
        }
    }

    /// A line of the input as it stands.
    fn raw_line(&mut self) -> Option<Cow<'a, str>> {
        if let Some(ahead) = self.ahead.pop() {
            (self.depth, self.conditions) = (ahead.depth, ahead.conditions);
            return Some(ahead.line.into());
        }
        (self.depth, self.conditions) = (0, 0);
        self.source.next().map(Cow::Borrowed)
    }

    /// A line with those that it goes on in.
    fn line(&mut self) -> Option<Cow<'a, str>> {
        let mut line = self.raw_line()?;
        // A brace that opens a block ends its line as well as a line end would.
        while ends_in_escape(&line) && !line.ends_with("\\{\\") && line.len() < LONGEST_LINE {
            let mut joined = line.into_owned();
            joined.pop();
            let Some(next) = self.raw_line() else { return Some(joined.into()) };
            joined.push_str(&next);
            line = joined.into();
        }
        Some(line)
    }

    /// The next raw line of a table or of another block that is read as it stands.
    pub(super) fn block_line(&mut self) -> Option<Cow<'a, str>> {
        self.line()
    }

    pub(super) fn next(&mut self) -> Option<Item> {
        loop {
            let line = self.line()?;
            let Some(control) = line.strip_prefix(['.', '\'']) else {
                let hides = line.starts_with("\\\"") || line.starts_with("\\#");
                if hides {
                    continue;
                }
                return Some(Item::Text(line.into_owned()));
            };
            let control = control.trim_start();
            if let Some(call) = self.control(control) {
                return Some(Item::Call(call));
            }
        }
    }

    /// Does what a request of the language asks for, or gives the call to those who know the macros.
    fn control(&mut self, control: &str) -> Option<Call> {
        if control.is_empty() || control.starts_with(['\\', '.', '\'']) {
            return None;
        }
        let end = control.find([' ', '\t', '\\']).unwrap_or(control.len());
        let (name, rest) = control.split_at(end);
        let rest = rest.trim_start_matches([' ', '\t']);
        let name = self.aliases.get(name).map_or(name, String::as_str).to_owned();
        match name.as_str() {
            "de" | "de1" | "dei" | "am" | "am1" => self.define(rest, name.starts_with("de")),
            "ig" => drop(self.block(rest)),
            "if" => self.condition(rest, false),
            "ie" => self.condition(rest, true),
            "el" => {
                let holds = self.outcomes.pop().is_some_and(|outcome| !outcome);
                self.branch(rest, holds);
            }
            "while" => self.branch(condition_end(rest), false),
            "ds" | "ds1" | "as" => self.set_string(rest, name == "as"),
            "nr" => self.set_register(rest),
            "als" => {
                if let Some((new, old)) = rest.split_once(' ') {
                    self.aliases.insert(new.to_owned(), old.trim().to_owned());
                }
            }
            _ if !(self.known)(&name) && self.macros.contains_key(&name) => self.expand(&name, rest),
            _ => return Some(Call { args: arguments(rest), name }),
        }
        None
    }

    fn define(&mut self, rest: &str, replaces: bool) {
        let mut words = rest.split_whitespace();
        let name = words.next().unwrap_or_default().to_owned();
        let body = self.block(words.next().unwrap_or_default());
        if replaces {
            self.macros.insert(name, body);
        }
    }

    /// The lines up to `.END`, or up to `..`.
    fn block(&mut self, end: &str) -> Vec<String> {
        let end = end.split_whitespace().next().filter(|end| !end.starts_with("\\\"")).unwrap_or(".");
        let mut body = Vec::new();
        while let Some(line) = self.raw_line() {
            if let Some(name) = line.strip_prefix(['.', '\''])
                && name.trim() == end
            {
                break;
            }
            body.push(line.into_owned());
        }
        body
    }

    fn condition(&mut self, rest: &str, remembers: bool) {
        let (holds, then) = self.holds(rest);
        if remembers && self.outcomes.len() < 64 {
            self.outcomes.push(holds);
        }
        self.branch(then, holds);
    }

    /// Goes on with what a condition guards, or skips it with its braces.
    fn branch(&mut self, then: &str, holds: bool) {
        let then = then.trim_start();
        if holds {
            let then = then.strip_prefix("\\{").unwrap_or(then).trim_start();
            if !then.is_empty() && then != "\\" && !then.starts_with("\\}") && self.conditions < DEEPEST {
                let conditions = self.conditions + 1;
                self.ahead.push(Ahead { line: then.to_owned(), depth: self.depth, conditions });
            }
            return;
        }
        let mut open = braces(then);
        while open > 0 {
            let Some(line) = self.raw_line() else { break };
            open += braces(&line);
        }
    }

    fn holds<'t>(&self, condition: &'t str) -> (bool, &'t str) {
        let mut rest = condition.trim_start();
        let mut negated = false;
        while let Some(after) = rest.strip_prefix('!') {
            (negated, rest) = (!negated, after.trim_start());
        }
        let Some(first) = rest.chars().next() else { return (false, "") };
        let after = &rest[first.len_utf8()..];
        let word_end = |text: &str| text.find([' ', '\t']).unwrap_or(text.len());
        let (holds, then) = match first {
            'n' | 'o' => (true, after),
            't' | 'e' | 'v' => (false, after),
            'd' | 'r' | 'c' | 'F' | 'S' | 'm' => {
                let (name, then) = after.trim_start().split_at(word_end(after.trim_start()));
                let known = match first {
                    'd' => self.macros.contains_key(name) || self.strings.contains_key(name) || (self.known)(name),
                    'r' => self.registers.contains_key(name),
                    _ => first == 'c',
                };
                (known, then)
            }
            '\\' | '(' | '-' | '+' | '0'..='9' => {
                let end = expression_end(rest);
                (self.number(&rest[..end]) > 0, &rest[end..])
            }
            delimiter => {
                let mut parts = after.splitn(3, delimiter);
                let (left, right) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                (left == right, parts.next().unwrap_or_default())
            }
        };
        (holds != negated, then)
    }

    /// The value of an expression, its operators taken from left to right as roff does.
    fn number(&self, expression: &str) -> i64 {
        let mut value = 0_i64;
        let mut operator = '+';
        let mut rest = expression;
        while let Some(first) = rest.chars().next() {
            let mut taken = first.len_utf8();
            let operand = match first {
                '0'..='9' => {
                    taken = rest.bytes().take_while(u8::is_ascii_digit).count();
                    rest[..taken].parse().ok()
                }
                '\\' if rest[1..].starts_with('n') => {
                    let (name, length) = name_of(&rest[2..]);
                    taken = 2 + length;
                    Some(self.registers.get(name).copied().unwrap_or(0))
                }
                _ => None,
            };
            match (operand, first) {
                (Some(operand), _) => value = apply(value, operator, operand),
                (None, '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '&' | ':') => operator = first,
                _ => {}
            }
            rest = &rest[taken..];
        }
        value
    }

    fn set_string(&mut self, rest: &str, appends: bool) {
        let end = rest.find([' ', '\t']).unwrap_or(rest.len());
        let (name, value) = rest.split_at(end);
        if STRINGS.iter().any(|(known, _)| *known == name) {
            return;
        }
        let value = value.trim_start_matches([' ', '\t']);
        let value = value.strip_prefix('"').unwrap_or(value);
        let slot = self.strings.entry(name.to_owned()).or_default();
        if !appends {
            slot.clear();
        }
        if slot.len() + value.len() < LONGEST_LINE {
            slot.push_str(value);
        }
    }

    fn set_register(&mut self, rest: &str) {
        let mut words = rest.split_whitespace();
        if let (Some(name), Some(value)) = (words.next(), words.next()) {
            let before = self.registers.get(name).copied().unwrap_or(0);
            let number = self.number(value);
            let number = if value.starts_with('+') { before.saturating_add(number) } else { number };
            self.registers.insert(name.to_owned(), number);
        }
    }

    /// Puts the lines of a page's own macro before what follows.
    fn expand(&mut self, name: &str, rest: &str) {
        if self.depth >= DEEPEST {
            return;
        }
        let args = arguments(rest);
        let depth = self.depth + 1;
        let Some(body) = self.macros.get(name) else { return };
        let mut lines = Vec::with_capacity(body.len());
        for line in body {
            let line = substituted(line, &args);
            let Some(left) = self.budget.checked_sub(line.len() + 16) else { return };
            self.budget = left;
            lines.push(Ahead { line, depth, conditions: 0 });
        }
        self.ahead.extend(lines.into_iter().rev());
    }

    /// The value of a string, unless what pages may expand is used up.
    pub(super) fn string(&mut self, name: &str) -> Option<String> {
        let value = self.strings.get(name)?;
        self.budget = self.budget.checked_sub(value.len() + 1)?;
        Some(value.clone())
    }
}

fn apply(value: i64, operator: char, operand: i64) -> i64 {
    match operator {
        '+' => value.saturating_add(operand),
        '-' => value.saturating_sub(operand),
        '*' => value.saturating_mul(operand),
        '/' => value.checked_div(operand).unwrap_or(0),
        '%' => value.checked_rem(operand).unwrap_or(0),
        '<' => i64::from(value < operand),
        '>' => i64::from(value > operand),
        '=' => i64::from(value == operand),
        '&' => i64::from(value > 0 && operand > 0),
        _ => i64::from(value > 0 || operand > 0),
    }
}

/// Whether a line goes on in the next: it ends in an escape character that is not itself escaped.
fn ends_in_escape(line: &str) -> bool {
    line.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

/// How many braces a line opens more than it closes.
fn braces(line: &str) -> isize {
    let bytes = line.as_bytes();
    let (mut at, mut open) = (0, 0);
    while at + 1 < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match bytes[at + 1] {
            b'{' => open += 1,
            b'}' => open -= 1,
            b'"' => break,
            _ => {}
        }
        at += 2;
    }
    open
}

fn expression_end(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' if !text[..at].ends_with("\\n") => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b' ' | b'\t' if depth == 0 => return at,
            b'\\' if text[at + 1..].starts_with('{') => return at,
            _ => {}
        }
    }
    text.len()
}

fn condition_end(text: &str) -> &str {
    text.find("\\{").map_or("", |at| &text[at..])
}

/// The name after `\*`, `\n` or `\f`, and how many bytes it takes: `x`, `(xx` or `[xxx]`.
pub(super) fn name_of(text: &str) -> (&str, usize) {
    let Some(first) = text.chars().next() else { return ("", 0) };
    match first {
        '(' => {
            let end = text.char_indices().nth(3).map_or(text.len(), |(at, _)| at);
            (&text[1..end], end)
        }
        '[' => match text.find(']') {
            Some(end) => (&text[1..end], end + 1),
            None => ("", text.len()),
        },
        '+' | '-' if text.len() > 1 => {
            let (name, length) = name_of_plain(&text[1..]);
            (name, length + 1)
        }
        _ => (&text[..first.len_utf8()], first.len_utf8()),
    }
}

fn name_of_plain(text: &str) -> (&str, usize) {
    if text.starts_with(['+', '-']) { (&text[..1], 1) } else { name_of(text) }
}

/// The arguments of a call: words, or texts between quotes in which a doubled quote is one.
pub(super) fn arguments(text: &str) -> Vec<String> {
    let mut args = Vec::new();
    let mut arg = String::new();
    let (mut started, mut quoted) = (false, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                // The rest is a comment.
                Some('"') => break,
                Some(next) => {
                    arg.extend(['\\', next]);
                    started = true;
                }
                None => {}
            },
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                arg.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if !started => (started, quoted) = (true, true),
            ' ' | '\t' if !quoted => {
                if started {
                    args.push(std::mem::take(&mut arg));
                    started = false;
                }
            }
            other => {
                arg.push(other);
                started = true;
            }
        }
    }
    if started {
        args.push(arg);
    }
    args
}

/// A line of a macro's body with the arguments of a call in it.
fn substituted(line: &str, args: &[String]) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // One level of escaping is used up by the definition.
        let escape = rest.strip_prefix("\\\\").or_else(|| rest.strip_prefix("\\E")).unwrap_or(&rest[1..]);
        if let Some(after) = escape.strip_prefix('$') {
            let (name, length) = name_of(after);
            match name.parse::<usize>() {
                Ok(number) => out.push_str(number.checked_sub(1).and_then(|n| args.get(n)).map_or("", |arg| arg)),
                Err(_) if name == "*" => out.push_str(&args.join(" ")),
                Err(_) if name == "@" => {
                    let quoted: Vec<String> =
                        args.iter().map(|arg| format!("\"{}\"", arg.replace('"', "\"\""))).collect();
                    out.push_str(&quoted.join(" "));
                }
                Err(_) => {}
            }
            rest = &after[length..];
        } else if let Some(after) = escape.strip_prefix("n(.$").or_else(|| escape.strip_prefix("n[.$]")) {
            out.push_str(&args.len().to_string());
            rest = after;
        } else if rest.starts_with("\\\\") {
            out.push('\\');
            rest = &rest[2..];
            // What is escaped twice is read when the line is.
            if let Some(next) = rest.chars().next().filter(|&next| next != '\\') {
                out.push(next);
                rest = &rest[next.len_utf8()..];
            }
        } else {
            let next = rest[1..].chars().next();
            out.push('\\');
            out.extend(next);
            rest = &rest[1 + next.map_or(0, char::len_utf8)..];
        }
        if out.len() > LONGEST_LINE {
            return out;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(source: &str) -> Vec<String> {
        let mut reader = Reader::new(source, |name| name == "B");
        let mut items = Vec::new();
        while let Some(item) = reader.next() {
            items.push(match item {
                Item::Text(text) => text,
                Item::Call(call) => format!("{}<{}>", call.name, call.args.join(",")),
            });
        }
        items
    }

    #[test]
    fn roff_becomes_text_and_calls() {
        for (source, expected) in [
            ("a\n.B \"b c\" d \\\" note\n'br\n", &["a", "B<b c,d>", "br<>"][..]),
            (".\\\" note\n'\\\" t\n\\\" note\n...\n.\nb", &["b"]),
            ("one\\\ntwo", &["onetwo"]),
            (".if t .B t\n.if n .B n\n.ie t a\n.el b", &["B<n>", "b"]),
            (".if t \\{\\\n.B x\n.if n \\{\n.B y\n.\\}\n.\\}\nz", &["z"]),
            (".ie n \\{\\\nin\n.\\}\n.el \\{\\\nout\n.\\}\nz", &["in", "z"]),
            (".de X\n.B \\\\$1\n\\\\$2 of \\\\n(.$\n..\n.X a \"b c\"\n", &["B<a>", "b c of 2"]),
            (".de B\nmine\n..\n.B x", &["B<x>"]),
            (".ig\nhidden\n..\n.ig END\nhidden\n..\n.END\nz", &["z"]),
            (".ig \\\" note\nhidden\n..\nz", &["z"]),
            (".nr F 1\n.if \\nF>0 yes\n.if !\\nF no\n.if \\n(.g two", &["yes", "two"]),
            (".if 'a'a' same\n.if 'a'b' other", &["same"]),
            (".de X\n.X\n.X\n..\n.X\nend", &["end"]),
            (".B \"say \"\"it\"\"\" x\\ y", &["B<say \"it\",x\\ y>"]),
        ] {
            assert_eq!(items(source), expected, "{source}");
        }
    }
}
