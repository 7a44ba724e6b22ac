//! The parts of a message: headers, kinds, encodings, boundaries.

use std::borrow::Cow;

use super::words;

/// A header's lower-case name and its value as it stands, folded lines joined.
pub(super) type Header = (String, String);

/// Headers that are read of one part.
const MOST_HEADERS: usize = 2000;

pub(super) struct Part<'a> {
    pub headers: Vec<Header>,
    content: &'a [u8],
}

pub(super) enum Body<'a> {
    Text(String),
    Html(String),
    Message(Cow<'a, [u8]>),
    Alternatives(Vec<Part<'a>>),
    Parts(Vec<Part<'a>>),
    /// The name of something that is no text.
    Attached(String),
}

/// Whether text starts with a header.
pub(super) fn is_header(bytes: &[u8]) -> bool {
    let name = bytes.iter().take(80).take_while(|byte| byte.is_ascii_graphic() && **byte != b':').count();
    name > 0 && bytes.get(name) == Some(&b':')
}

/// The headers of a part, and where its content starts.
pub(super) fn headers(bytes: &[u8]) -> (Vec<Header>, usize) {
    let mut headers: Vec<Header> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| at + length + 1);
        let line = &bytes[at..end];
        if line.trim_ascii().is_empty() {
            return (headers, end);
        }
        let goes_on = line.starts_with(b" ") || line.starts_with(b"\t");
        if goes_on && let Some((_, value)) = headers.last_mut() {
            value.push(' ');
            value.push_str(words::raw(line.trim_ascii()).as_ref());
        } else if is_header(line) {
            let colon = line.iter().position(|&byte| byte == b':').unwrap_or(0);
            let name = String::from_utf8_lossy(&line[..colon]).to_ascii_lowercase();
            let value = words::raw(line[colon + 1..].trim_ascii()).into_owned();
            if headers.len() < MOST_HEADERS {
                headers.push((name, value));
            }
        } else if line.starts_with(b"From ") || line.starts_with(b">From ") {
            // The line that parts the messages of a mailbox, left among headers by what forwarded the message.
        } else {
            // Something else than a header ends them, and belongs to the content.
            return (headers, at);
        }
        at = end;
    }
    (headers, bytes.len())
}

impl<'a> Part<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Part<'a> {
        let (headers, start) = headers(bytes);
        Part { headers, content: &bytes[start..] }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A header with its encoded words decoded.
    pub(super) fn decoded(&self, name: &str) -> Option<String> {
        self.header(name).map(words::decoded)
    }

    /// The kind of content, lower case, without its parameters.
    pub(super) fn kind(&self) -> String {
        let kind = self.header("content-type").unwrap_or("text/plain");
        let kind = kind.split(';').next().unwrap_or(kind).trim().to_ascii_lowercase();
        // A kind that is none means text, as the standard has it.
        if kind.contains('/') { kind } else { "text/plain".to_owned() }
    }

    pub(super) fn is_readable(&self) -> bool {
        let kind = self.kind();
        (kind.starts_with("text/") || kind.starts_with("multipart/")) && !self.is_blank()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.content.trim_ascii().is_empty()
    }

    fn name(&self) -> Option<String> {
        let of = |header: &str, key: &str| self.header(header).and_then(|value| words::parameter(value, key));
        of("content-disposition", "filename").or_else(|| of("content-type", "name"))
    }

    pub(super) fn body(&self) -> Body<'a> {
        let kind = self.kind();
        let disposition = self.header("content-disposition").unwrap_or_default().trim().to_ascii_lowercase();
        if let Some(inner) = kind.strip_prefix("multipart/") {
            let boundary = self.header("content-type").and_then(|value| words::parameter(value, "boundary"));
            let parts = boundary.filter(|boundary| !boundary.is_empty()).map(|boundary| self.parts(&boundary));
            return match parts {
                Some(parts) if inner == "alternative" => Body::Alternatives(parts),
                Some(parts) => Body::Parts(parts),
                None => Body::Text(self.text()),
            };
        }
        if kind == "message/rfc822" {
            return Body::Message(self.bytes());
        }
        let is_text = kind.starts_with("text/") || kind == "message/delivery-status";
        if disposition.starts_with("attachment") || !is_text {
            let name = self.name().map_or_else(|| "unnamed".to_owned(), |name| name.replace(['`', '\n'], "'"));
            return Body::Attached(format!("`{name}` ({kind})"));
        }
        if kind == "text/html" { Body::Html(self.text()) } else { Body::Text(self.text()) }
    }

    /// The content between the lines that name the boundary.
    fn parts(&self, boundary: &str) -> Vec<Part<'a>> {
        let mark = format!("--{boundary}");
        let mut parts = Vec::new();
        let mut start: Option<usize> = None;
        let mut at = 0;
        for line in self.content.split_inclusive(|&byte| byte == b'\n') {
            let end = at + line.len();
            if let Some(after) = line.strip_prefix(mark.as_bytes()) {
                let after = after.trim_ascii();
                if after.is_empty() || after.starts_with(b"--") {
                    if let Some(from) = start {
                        parts.push(Part::read(&self.content[from..at]));
                    }
                    start = after.is_empty().then_some(end);
                    if parts.len() > super::MOST_PARTS {
                        return parts;
                    }
                }
            }
            at = end;
        }
        // A message that breaks off has a last part all the same.
        if let Some(from) = start {
            parts.push(Part::read(&self.content[from..]));
        }
        parts
    }

    /// The content without its encoding for transfer.
    fn bytes(&self) -> Cow<'a, [u8]> {
        let encoding = self.header("content-transfer-encoding").unwrap_or_default().trim().to_ascii_lowercase();
        match encoding.as_str() {
            "quoted-printable" => words::quoted_printable(self.content).into(),
            "base64" => words::base64(self.content).into(),
            _ => self.content.into(),
        }
    }

    fn text(&self) -> String {
        let charset = self.header("content-type").and_then(|value| words::parameter(value, "charset"));
        words::in_charset(&self.bytes(), charset.as_deref().unwrap_or_default())
    }
}
