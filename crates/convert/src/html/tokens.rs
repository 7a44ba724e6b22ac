//! Cuts a page into tags and text.
//!
//! Follows the tokenizer of the HTML standard where it matters to text. A tokenizer of its own, because the ready ones check
//! every attribute of a tag against all before it, which a tag of a hundred thousand attributes makes quadratic; this one
//! looks at each byte once, copies nothing, and keeps only attributes that someone asks for.

use std::borrow::Cow;

use super::entities;

/// The attributes that are kept; all others are dropped while reading.
const KEPT: [&str; 31] = [
    "alt", "alttext", "aria-hidden", "aria-label", "charset", "class", "colspan", "content", "data-lang",
    "data-language", "data-line-number", "data-title", "encoding", "full-path", "hidden", "href", "http-equiv", "id",
    "idref", "itemprop", "lang", "media-type", "name", "open", "properties", "property", "role", "rowspan", "start",
    "style", "type",
];

#[derive(Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// As it stands in the page, with references.
    Text(&'a str),
    /// Of a CDATA section, in which nothing is a reference.
    Verbatim(&'a str),
    Open(Tag<'a>),
    Close(Cow<'a, str>),
}

#[derive(Debug, PartialEq)]
pub(crate) struct Tag<'a> {
    /// In lower case.
    pub(crate) name: Cow<'a, str>,
    pub(crate) attributes: Attributes<'a>,
    pub(crate) self_closing: bool,
}

/// Some attributes of a tag; the first of two with one name counts. Most tags have none, so that these take the place of a pointer.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Attributes<'a>(Option<Box<Kept<'a>>>);

#[derive(Debug, Default, PartialEq)]
struct Kept<'a>(Vec<(&'static str, &'a str)>);

impl<'a> Attributes<'a> {
    fn kept(&self) -> &[(&'static str, &'a str)] {
        self.0.as_ref().map_or(&[], |kept| &kept.0)
    }

    pub(crate) fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        debug_assert!(KEPT.contains(&name), "{name} is not among the attributes that are kept");
        self.kept().iter().find(|(known, _)| *known == name).map(|&(_, value)| entities::decode(value))
    }

    fn keep(&mut self, name: &str, value: &'a str) {
        let known = KEPT.iter().find(|known| known.eq_ignore_ascii_case(name));
        if let Some(known) = known
            && !self.kept().iter().any(|(name, _)| name == known)
        {
            self.0.get_or_insert_default().0.push((known, value));
        }
    }
}

pub(crate) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// Whether the page is XML, in which CDATA sections are text.
    xml: bool,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str, xml: bool) -> Self {
        Tokens { text, at: 0, xml }
    }

    /// What stands before the end tag of an element that holds no tags, as `script`. The end tag is passed over.
    pub(crate) fn raw_text(&mut self, name: &str) -> &'a str {
        let rest = &self.text[self.at..];
        let mut from = 0;
        while let Some(at) = rest[from..].find("</").map(|at| from + at) {
            let after = &rest.as_bytes()[at + 2..];
            let is_name = after.get(..name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes()));
            if is_name && after.get(name.len()).is_none_or(|next| matches!(next, b'>' | b'/') || is_space(*next)) {
                let end = rest[at..].find('>').map_or(rest.len(), |end| at + end + 1);
                self.at += end;
                return &rest[..at];
            }
            from = at + 2;
        }
        self.at = self.text.len();
        rest
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Moves behind the next occurrence of a mark, or to the end; gives what was passed over.
    fn skip_past(&mut self, mark: &str) -> &'a str {
        let rest = &self.text[self.at..];
        let (skipped, len) = rest.find(mark).map_or((rest, rest.len()), |at| (&rest[..at], at + mark.len()));
        self.at += len;
        skipped
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let len = rest.bytes().position(|byte| !wanted(byte)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn name(&mut self) -> Cow<'a, str> {
        let name = self.skip_while(|byte| !is_space(byte) && byte != b'>' && byte != b'/');
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) { name.to_ascii_lowercase().into() } else { name.into() }
    }

    /// The rest of a start tag, or nothing if the page ends in it.
    fn tag(&mut self) -> Option<Tag<'a>> {
        let mut tag = Tag { name: self.name(), attributes: Attributes::default(), self_closing: false };
        loop {
            self.skip_while(is_space);
            match self.byte(0)? {
                b'>' => {
                    self.at += 1;
                    return Some(tag);
                }
                b'/' => {
                    self.at += 1;
                    tag.self_closing = self.byte(0) == Some(b'>');
                }
                _ => {
                    let (name, value) = self.attribute()?;
                    tag.attributes.keep(name, value);
                }
            }
        }
    }

    fn attribute(&mut self) -> Option<(&'a str, &'a str)> {
        // A name may begin with `=`, so that every turn moves on.
        let start = self.at;
        self.at += self.text[start..].chars().next().map_or(1, char::len_utf8);
        self.skip_while(|byte| !is_space(byte) && !matches!(byte, b'>' | b'/' | b'='));
        let name = &self.text[start..self.at];
        self.skip_while(is_space);
        if self.byte(0) != Some(b'=') {
            return Some((name, ""));
        }
        self.at += 1;
        self.skip_while(is_space);
        let value = match self.byte(0)? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                self.skip_past(if quote == b'"' { "\"" } else { "'" })
            }
            _ => self.skip_while(|byte| !is_space(byte) && byte != b'>'),
        };
        Some((name, value))
    }

    /// A comment, a declaration or an instruction; only a CDATA section is text.
    fn markup(&mut self) -> Option<Token<'a>> {
        let rest = &self.text[self.at..];
        if rest.starts_with("<!-->") || rest.starts_with("<!--->") {
            self.skip_past(">");
        } else if rest.starts_with("<!--") {
            self.at += 4;
            self.skip_past("-->");
        } else if self.xml && rest.starts_with("<![CDATA[") {
            self.at += 9;
            return Some(Token::Verbatim(self.skip_past("]]>")));
        } else if self.xml && rest.find(['>', '[']).is_some_and(|at| rest[at..].starts_with('[')) {
            // The declarations of a document type. Entities defined there are not expanded.
            self.skip_past("]");
            self.skip_past(">");
        } else {
            self.skip_past(">");
        }
        None
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let start = self.at;
            if self.byte(0)? != b'<' {
                let rest = &self.text[start..];
                let len = rest.find('<').unwrap_or(rest.len());
                self.at += len;
                return Some(Token::Text(&rest[..len]));
            }
            match (self.byte(1), self.byte(2)) {
                (Some(b'/'), Some(next)) if next.is_ascii_alphabetic() => {
                    self.at += 2;
                    let name = self.name();
                    self.skip_past(">");
                    return Some(Token::Close(name));
                }
                (Some(next), _) if next.is_ascii_alphabetic() => {
                    self.at += 1;
                    match self.tag() {
                        Some(tag) => return Some(Token::Open(tag)),
                        None => self.at = self.text.len(),
                    }
                }
                (Some(b'!' | b'?' | b'/'), _) => {
                    if let Some(token) = self.markup() {
                        return Some(token);
                    }
                }
                _ => {
                    self.at += 1;
                    return Some(Token::Text(&self.text[start..self.at]));
                }
            }
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, xml: bool) -> String {
        let show = |token| match token {
            Token::Text(text) => format!("'{text}'"),
            Token::Verbatim(text) => format!("!{text}!"),
            Token::Close(name) => format!("</{name}>"),
            Token::Open(tag) => {
                let attributes: String =
                    tag.attributes.kept().iter().map(|(name, value)| format!(" {name}={value}")).collect();
                format!("<{}{attributes}{}>", tag.name, if tag.self_closing { "/" } else { "" })
            }
        };
        Tokens::new(text, xml).map(show).collect()
    }

    #[test]
    fn pages_are_cut_as_browsers_do() {
        let cases = [
            ("a<B Class=x ID='y z' nope=1>c</B >", "'a'<b class=x id=y z>'c'</b>"),
            ("<br/><img alt=\"a>b\"/>", "<br/><img alt=a>b/>"),
            ("a < b <3 x", "'a ''<'' b ''<''3 x'"),
            ("<!doctype html><!-- <p> --><p>", "<p>"),
            ("<!--><p><!---><q>", "<p><q>"),
            ("<?php echo 1 ?><p></ x><q>", "<p><q>"),
            ("<p hidden =  id = 'a'>", "<p hidden=id>"),
            ("<p class=a class=b / id=c>", "<p class=a id=c>"),
            ("<p =x é=1 id=é>", "<p id=é>"),
            ("<p id=\"never closed><q>", ""),
            ("<![CDATA[<p>]]>", "']]>'"),
        ];
        for (text, tokens) in cases {
            assert_eq!(shown(text, false), tokens, "{text}");
        }
        assert_eq!(shown("<![CDATA[<p>&amp;]]>", true), "!<p>&amp;!");
        assert_eq!(shown("<!DOCTYPE lolz [<!ENTITY a \"b>c\">]><p/>", true), "<p/>");
    }

    #[test]
    fn the_text_of_a_script_ends_at_its_own_end_tag() {
        let mut tokens = Tokens::new("if (a</b) '</scripts>'</SCRIPT >after", false);
        assert_eq!(tokens.raw_text("script"), "if (a</b) '</scripts>'");
        assert_eq!(tokens.next(), Some(Token::Text("after")));
        assert_eq!(tokens.next(), None);
    }
}
