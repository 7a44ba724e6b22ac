//! What a PDF is made of, and the reader of its syntax.

/// How deep arrays and dictionaries may stand in each other. Real files stay below ten.
const MAX_DEPTH: usize = 64;
/// Values in one object. A table of widths of a large font has some ten thousand.
const MAX_VALUES: usize = 1 << 20;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Object {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Name(Box<str>),
    Str(Vec<u8>),
    Array(Vec<Object>),
    Dict(Dict),
    Stream(Stream),
    Ref(u32),
}

/// Entries in the order of the file. Dictionaries are small, so that a search from the front beats a map.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Dict(Vec<(Box<str>, Object)>);

/// A stream's bytes are not copied out of the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stream {
    pub(super) dict: Dict,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The object it is, which its key is made of if the file is encrypted.
    pub(super) id: (u32, u16),
}

impl Dict {
    pub(super) const EMPTY: Dict = Dict(Vec::new());

    pub(super) fn get(&self, key: &str) -> &Object {
        self.0.iter().find(|(name, _)| &**name == key).map_or(&Object::Null, |(_, value)| value)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Object> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    pub(super) fn insert(&mut self, key: &str, value: Object) {
        self.0.push((key.into(), value));
    }

    /// Puts an entry before one of the same name, which it hides.
    pub(super) fn insert_first(&mut self, key: &str, value: Object) {
        self.0.insert(0, (key.into(), value));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Object {
    pub(super) fn int(&self) -> Option<i64> {
        match self {
            Object::Int(number) => Some(*number),
            // A cast of a float saturates.
            Object::Real(number) => Some(*number as i64),
            _ => None,
        }
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Object::Int(number) => Some(*number as f64),
            Object::Real(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Object::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Object::Str(bytes) => Some(bytes),
            _ => None,
        }
    }

    pub(super) fn array(&self) -> &[Object] {
        match self {
            Object::Array(items) => items,
            _ => &[],
        }
    }

    /// The dictionary of a dictionary or of a stream.
    pub(super) fn dict(&self) -> Option<&Dict> {
        match self {
            Object::Dict(dict) => Some(dict),
            Object::Stream(stream) => Some(&stream.dict),
            _ => None,
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Object::Null)
    }
}

#[derive(Debug, PartialEq)]
pub(super) enum Token<'a> {
    Value(Object),
    ArrayStart,
    ArrayEnd,
    DictStart,
    DictEnd,
    /// `obj`, `R`, an operator of a page.
    Word(&'a [u8]),
    End,
}

pub(super) struct Lexer<'a> {
    pub(super) data: &'a [u8],
    pub(super) pos: usize,
    values: usize,
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0c | 0)
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !is_delimiter(byte)
}

impl<'a> Lexer<'a> {
    pub(super) fn new(data: &'a [u8], pos: usize) -> Self {
        Lexer { data, pos: pos.min(data.len()), values: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.data.get(self.pos).copied()
    }

    pub(super) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                while self.peek().is_some_and(|byte| byte != b'\n' && byte != b'\r') {
                    self.pos += 1;
                }
            } else if is_space(byte) {
                self.pos += 1;
            } else {
                return;
            }
        }
    }

    pub(super) fn token(&mut self) -> Token<'a> {
        self.skip_space();
        let Some(byte) = self.peek() else { return Token::End };
        let second = self.data.get(self.pos + 1).copied();
        match byte {
            b'[' => self.take(1, Token::ArrayStart),
            b']' => self.take(1, Token::ArrayEnd),
            b'<' if second == Some(b'<') => self.take(2, Token::DictStart),
            b'>' if second == Some(b'>') => self.take(2, Token::DictEnd),
            b'/' => Token::Value(self.name()),
            b'(' => Token::Value(self.string()),
            b'<' => Token::Value(self.hex_string()),
            b'+' | b'-' | b'.' | b'0'..=b'9' => self.number(),
            _ if is_delimiter(byte) => {
                self.pos += 1;
                Token::Word(&self.data[self.pos - 1..self.pos])
            }
            _ => self.word(),
        }
    }

    fn take(&mut self, bytes: usize, token: Token<'a>) -> Token<'a> {
        self.pos += bytes;
        token
    }

    fn word(&mut self) -> Token<'a> {
        let start = self.pos;
        while self.peek().is_some_and(is_regular) {
            self.pos += 1;
        }
        match &self.data[start..self.pos] {
            b"true" => Token::Value(Object::Bool(true)),
            b"false" => Token::Value(Object::Bool(false)),
            b"null" => Token::Value(Object::Null),
            word => Token::Word(word),
        }
    }

    fn name(&mut self) -> Object {
        self.pos += 1;
        let mut name = Vec::new();
        while let Some(byte) = self.peek().filter(|&byte| is_regular(byte)) {
            self.pos += 1;
            let hex = self.data.get(self.pos..self.pos + 2).and_then(|pair| Some(hex(pair[0])? << 4 | hex(pair[1])?));
            match (byte, hex) {
                (b'#', Some(code)) => {
                    name.push(code);
                    self.pos += 2;
                }
                _ => name.push(byte),
            }
        }
        Object::Name(String::from_utf8_lossy(&name).into())
    }

    fn number(&mut self) -> Token<'a> {
        let start = self.pos;
        while self.peek().is_some_and(is_regular) {
            self.pos += 1;
        }
        let word = &self.data[start..self.pos];
        let digits = word.iter().skip_while(|byte| matches!(byte, b'+' | b'-'));
        let negative = word.first() == Some(&b'-');
        let (mut whole, mut fraction, mut scale, mut dot) = (0f64, 0f64, 1f64, false);
        for &byte in digits {
            match byte {
                b'0'..=b'9' if dot => {
                    // More digits than a float holds change nothing.
                    if scale > 1e-15 {
                        scale /= 10.0;
                        fraction += f64::from(byte - b'0') * scale;
                    }
                }
                b'0'..=b'9' => whole = (whole * 10.0 + f64::from(byte - b'0')).min(1e300),
                b'.' if !dot => dot = true,
                // A minus inside of a number is written by broken programs: what follows it is left out, as others do.
                b'-' => break,
                _ if byte.is_ascii_alphabetic() => {
                    // An operator right after a number, as in `0 0 1 rg0 g`, is a word of its own.
                    self.pos = start + word.iter().position(u8::is_ascii_alphabetic).unwrap_or(word.len());
                    if self.pos == start {
                        return self.word();
                    }
                    break;
                }
                _ => break,
            }
        }
        if whole > 9e15 {
            // Adding up digit by digit is exact only as long as every step is a whole number of a float.
            let digits = word.iter().skip_while(|byte| !byte.is_ascii_digit()).take_while(|byte| byte.is_ascii_digit());
            let digits: String = digits.take(310).map(|&byte| char::from(byte)).collect();
            whole = digits.parse::<f64>().map_or(whole, |whole| whole.min(1e300));
        }
        let value = if negative { -(whole + fraction) } else { whole + fraction };
        Token::Value(if dot || whole > 9e15 { Object::Real(value) } else { Object::Int(value as i64) })
    }

    fn string(&mut self) -> Object {
        self.pos += 1;
        let mut out = Vec::new();
        let mut depth = 1;
        while let Some(byte) = self.peek() {
            self.pos += 1;
            match byte {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                b'\\' => {
                    self.escape(&mut out);
                    continue;
                }
                _ => {}
            }
            out.push(byte);
        }
        Object::Str(out)
    }

    fn escape(&mut self, out: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.pos += 1;
        match byte {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'\r' => {
                if self.peek() == Some(b'\n') {
                    self.pos += 1;
                }
            }
            b'\n' => {}
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.pos += 1;
                }
                out.push(code as u8);
            }
            other => out.push(other),
        }
    }

    fn hex_string(&mut self) -> Object {
        self.pos += 1;
        let mut out = Vec::new();
        let mut half = None;
        while let Some(byte) = self.peek() {
            self.pos += 1;
            if byte == b'>' {
                break;
            }
            let Some(digit) = hex(byte) else { continue };
            half = match half {
                None => Some(digit),
                Some(first) => {
                    out.push(first << 4 | digit);
                    None
                }
            };
        }
        out.extend(half.map(|first| first << 4));
        Object::Str(out)
    }

    /// One value with all that stands in it. A broken one is what could be read of it.
    pub(super) fn object(&mut self) -> Object {
        self.values = 0;
        let token = self.token();
        self.value(token, 0).unwrap_or(Object::Null)
    }

    /// The value that a token starts; nothing if it starts none.
    pub(super) fn value(&mut self, token: Token<'a>, depth: usize) -> Option<Object> {
        self.values += 1;
        if depth > MAX_DEPTH || self.values > MAX_VALUES {
            return None;
        }
        match token {
            Token::Value(Object::Int(number)) => Some(self.reference(number).unwrap_or(Object::Int(number))),
            Token::Value(value) => Some(value),
            Token::ArrayStart => {
                let mut items = Vec::new();
                loop {
                    match self.token() {
                        Token::ArrayEnd | Token::End => return Some(Object::Array(items)),
                        // A word that ends an object says that the bracket was forgotten.
                        Token::Word(b"endobj" | b"stream") => return Some(Object::Array(items)),
                        Token::Word(_) | Token::DictEnd => {}
                        token => items.push(self.value(token, depth + 1)?),
                    }
                }
            }
            Token::DictStart => {
                let mut dict = Dict::default();
                loop {
                    let key = match self.token() {
                        Token::Value(Object::Name(key)) => key,
                        Token::DictEnd | Token::End => return Some(Object::Dict(dict)),
                        Token::Word(b"endobj" | b"stream") => return Some(Object::Dict(dict)),
                        _ => continue,
                    };
                    match self.token() {
                        Token::DictEnd | Token::End => return Some(Object::Dict(dict)),
                        token => {
                            let value = self.value(token, depth + 1)?;
                            dict.0.push((key, value));
                        }
                    }
                }
            }
            Token::Word(_) => Some(Object::Null),
            _ => None,
        }
    }

    /// `12 0 R`, whose first number was just read.
    fn reference(&mut self, number: i64) -> Option<Object> {
        let number = u32::try_from(number).ok()?;
        let mut at = self.pos;
        let skip = |at: &mut usize| {
            let start = *at;
            while self.data.get(*at).copied().is_some_and(is_space) {
                *at += 1;
            }
            *at > start
        };
        if !skip(&mut at) {
            return None;
        }
        let digits = self.data[at..].iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
        at += digits;
        if digits == 0 || !skip(&mut at) || self.data.get(at) != Some(&b'R') {
            return None;
        }
        if self.data.get(at + 1).copied().is_some_and(is_regular) {
            return None;
        }
        self.pos = at + 1;
        Some(Object::Ref(number))
    }
}

pub(super) fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Object {
        Lexer::new(text.as_bytes(), 0).object()
    }

    #[test]
    fn values_are_read_as_the_standard_writes_them() {
        let name = |name: &str| Object::Name(name.into());
        let cases = [
            ("42", Object::Int(42)),
            ("-.5", Object::Real(-0.5)),
            ("12 0 R", Object::Ref(12)),
            ("12 0 Rx", Object::Int(12)),
            ("/A#20B", name("A B")),
            (
                r"(a\(b\051\\(n)\n\
c)",
                Object::Str(b"a(b)\\(n)\nc".to_vec()),
            ),
            ("<48 656C6>", Object::Str(b"Hel`".to_vec())),
            ("99999999999999999999999999", Object::Real(99999999999999999999999999.0)),
            ("[1 2 0 R /X]", Object::Array(vec![Object::Int(1), Object::Ref(2), name("X")])),
            ("% note\r\ntrue", Object::Bool(true)),
        ];
        for (text, value) in cases {
            assert_eq!(read(text), value, "{text}");
        }
        assert_eq!(
            read("<</A 1/B<</C(x)>>>>").dict().unwrap().get("B").dict().unwrap().get("C").bytes(),
            Some(&b"x"[..])
        );
    }

    #[test]
    fn nesting_and_length_have_an_end() {
        assert_eq!(read(&"[".repeat(100_000)), Object::Null);
        assert_eq!(read(&"<</A ".repeat(100_000)), Object::Null);
        assert_eq!(read(&format!("[{}", "0 ".repeat(2_000_000))), Object::Null);
    }
}
