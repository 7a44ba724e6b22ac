//! What a page says to a crawler: its links, and what to do with it.
//!
//! No tree is built. Tags are read one after the other, whatever stands around them, in time linear in the page.

/// What a page says about itself and others. URLs are as they are written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PageLinks {
    pub(super) links: Vec<String>,
    pub(super) base: Option<String>,
    pub(super) canonical: Option<String>,
    /// Where a page leads that is only a redirect.
    pub(super) refresh: Option<String>,
    pub(super) noindex: bool,
    pub(super) nofollow: bool,
}

/// A page that sends its reader elsewhere after more seconds than this is a page of its own.
const LONGEST_REFRESH: u32 = 10;

/// Links of one page beyond so many are not followed.
const MOST_LINKS: usize = 10_000;

/// Elements whose content is no markup.
const RAW: [&[u8]; 6] = [b"script", b"style", b"textarea", b"title", b"xmp", b"iframe"];

pub(super) fn scan(page: &[u8]) -> PageLinks {
    let mut found = PageLinks::default();
    let mut at = 0;
    while let Some(open) = find(page, at, b'<') {
        let rest = &page[open..];
        if rest.starts_with(b"<!--") {
            match find_text(page, open + 4, b"-->") {
                Some(end) => at = end + 3,
                None => break,
            }
            continue;
        }
        let name_end = rest[1..].iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len() - 1) + 1;
        let name = rest[1..name_end].to_ascii_lowercase();
        if name.is_empty() {
            at = open + 1;
            continue;
        }
        let (attributes, end) = attributes(page, open + name_end);
        at = end;
        found.take(&name, &attributes);
        if RAW.contains(&name.as_slice()) {
            match end_tag(page, at, &name) {
                Some(end) => at = end,
                None => break,
            }
        }
    }
    found
}

fn find(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    Some(from + bytes.get(from..)?.iter().position(|&b| b == wanted)?)
}

fn find_text(bytes: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    Some(from + bytes.get(from..)?.windows(wanted.len()).position(|window| window == wanted)?)
}

/// Where `</name` begins.
fn end_tag(page: &[u8], from: usize, name: &[u8]) -> Option<usize> {
    let mut at = from;
    while let Some(open) = find(page, at, b'<') {
        let rest = &page[open + 1..];
        let is_it =
            rest.first() == Some(&b'/') && rest.get(1..=name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name));
        if is_it {
            return Some(open);
        }
        at = open + 1;
    }
    None
}

type Attributes = Vec<(Vec<u8>, String)>;

/// The attributes of a tag, and where the tag ends.
fn attributes(page: &[u8], from: usize) -> (Attributes, usize) {
    let mut found = Attributes::new();
    let mut at = from;
    loop {
        while page.get(at).is_some_and(|b| b.is_ascii_whitespace() || *b == b'/') {
            at += 1;
        }
        match page.get(at) {
            None => return (found, at),
            Some(b'>') => return (found, at + 1),
            Some(_) => {}
        }
        let start = at;
        // A name has at least one character, whatever it is, so that this comes to an end.
        at += 1;
        while page.get(at).is_some_and(|b| !b.is_ascii_whitespace() && !matches!(b, b'=' | b'>' | b'/')) {
            at += 1;
        }
        let name = page[start..at].to_ascii_lowercase();
        while page.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        if page.get(at) != Some(&b'=') {
            found.push((name, String::new()));
            continue;
        }
        at += 1;
        while page.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        let value = match page.get(at) {
            Some(&quote @ (b'"' | b'\'')) => {
                let end = find(page, at + 1, quote).unwrap_or(page.len());
                let value = &page[at + 1..end];
                at = (end + 1).min(page.len());
                value
            }
            _ => {
                let start = at;
                while page.get(at).is_some_and(|b| !b.is_ascii_whitespace() && *b != b'>') {
                    at += 1;
                }
                &page[start..at]
            }
        };
        found.push((name, unescape(&String::from_utf8_lossy(value))));
    }
}

impl PageLinks {
    fn take(&mut self, name: &[u8], attributes: &Attributes) {
        let get = |key: &[u8]| attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.trim());
        let rel =
            |word: &str| get(b"rel").is_some_and(|rel| rel.split_whitespace().any(|it| it.eq_ignore_ascii_case(word)));
        match name {
            b"a" | b"area" => {
                if let Some(href) = get(b"href").filter(|href| !href.is_empty() && !rel("nofollow")) {
                    self.push(href);
                }
            }
            b"link" => {
                let Some(href) = get(b"href").filter(|href| !href.is_empty()) else { return };
                if rel("canonical") {
                    self.canonical.get_or_insert_with(|| href.to_owned());
                }
                if rel("next") || rel("prev") {
                    self.push(href);
                }
            }
            b"base" => {
                if let Some(href) = get(b"href").filter(|href| !href.is_empty()) {
                    self.base.get_or_insert_with(|| href.to_owned());
                }
            }
            b"meta" => self.meta(get(b"name"), get(b"http-equiv"), get(b"content").unwrap_or_default()),
            _ => {}
        }
    }

    fn push(&mut self, href: &str) {
        if self.links.len() < MOST_LINKS {
            self.links.push(href.to_owned());
        }
    }

    fn meta(&mut self, name: Option<&str>, http_equiv: Option<&str>, content: &str) {
        if name.is_some_and(|name| name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case("ai-assist")) {
            self.robots(content);
        }
        if http_equiv.is_some_and(|it| it.eq_ignore_ascii_case("refresh"))
            && let Some((seconds, target)) = content.split_once([';', ','])
            && seconds.trim().parse::<f32>().is_ok_and(|seconds| seconds <= LONGEST_REFRESH as f32)
        {
            let target = target.trim();
            let has_key = target.get(..3).is_some_and(|key| key.eq_ignore_ascii_case("url"));
            let target = if has_key { target[3..].trim_start().strip_prefix('=').unwrap_or_default() } else { target };
            let target = target.trim().trim_matches(['"', '\'']);
            if !target.is_empty() {
                self.refresh.get_or_insert_with(|| target.to_owned());
            }
        }
    }

    /// Takes directives for crawlers, of a page or of a header.
    pub(super) fn robots(&mut self, content: &str) {
        for word in content.split(',') {
            // In a header, a directive may be for one crawler only.
            let (agent, word) = word.split_once(':').map_or((None, word), |(agent, word)| (Some(agent.trim()), word));
            if agent.is_some_and(|agent| !agent.eq_ignore_ascii_case("ai-assist")) {
                continue;
            }
            match word.trim().to_ascii_lowercase().as_str() {
                "noindex" => self.noindex = true,
                "nofollow" => self.nofollow = true,
                "none" => (self.noindex, self.nofollow) = (true, true),
                _ => {}
            }
        }
    }
}

/// The few character references that stand in URLs.
pub(super) fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(10).position(|b| b == b';');
        match end.and_then(|end| Some((reference(&rest[1..end])?, end))) {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn reference(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

/// Whether bytes begin as a page does. Many servers answer every question with one.
pub(super) fn looks_like_html(bytes: &[u8]) -> bool {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let head = start.get(..start.len().min(256)).unwrap_or_default().to_ascii_lowercase();
    [&b"<!doctype html"[..], b"<html", b"<head", b"<body", b"<!--", b"<script", b"<meta"]
        .iter()
        .any(|it| head.starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_in_whatever_is_written() {
        let page = r#"<!doctype html><html><head>
            <base href="/guide/"><link rel="alternate stylesheet" href=no.css><LINK REL=Canonical HREF='/c?a=1&amp;b=2'>
            <link rel="next" href="next.html"><meta name="ROBOTS" content="noindex, max-snippet:0">
            <script>document.write('<a href="scripted">x</a>')</script><style>a[href="x"]{}</style>
            <title><a href="title"></title></head>
            <!-- <a href="comment"> --><a class=x href=bare>1</a><A HREF = "spaced" >2</A><a href='quo"ted'>3</a>
            <a name=x>4</a><area href="area" /><a rel="nofollow noopener" href="paid">5</a><a/href="slash">6</a><a href>7</a>
            <a title="a > b" href="gt">8</a><a href="&#x2f;enc&#47;x">9</a> 1 < 2 <a href="last""#;
        let found = scan(page.as_bytes());
        let links = ["next.html", "bare", "spaced", "quo\"ted", "area", "slash", "gt", "/enc/x", "last"];
        assert_eq!(found.links, links);
        assert_eq!((found.base.as_deref(), found.canonical.as_deref()), (Some("/guide/"), Some("/c?a=1&b=2")));
        assert!(found.noindex && !found.nofollow && found.refresh.is_none());
    }

    #[test]
    fn directives_are_read_where_they_are_for_us() {
        for (content, noindex, nofollow) in [
            ("none", true, true),
            ("NOFOLLOW", false, true),
            ("googlebot: noindex, nofollow", false, true),
            ("ai-assist: noindex", true, false),
            ("index, follow", false, false),
        ] {
            let mut found = PageLinks::default();
            found.robots(content);
            assert_eq!((found.noindex, found.nofollow), (noindex, nofollow), "{content}");
        }
    }

    #[test]
    fn a_page_that_only_redirects_says_where() {
        for (content, expected) in [
            ("0; url=new.html", Some("new.html")),
            ("0;URL='../x'", Some("../x")),
            ("5, /y", Some("/y")),
            ("0", None),
            ("3600; url=again", None),
            ("0; url=", None),
        ] {
            let page = format!("<meta http-equiv=\"Refresh\" content=\"{content}\">");
            assert_eq!(scan(page.as_bytes()).refresh.as_deref(), expected, "{content}");
        }
    }

    #[test]
    fn hostile_pages_take_linear_time() {
        let started = std::time::Instant::now();
        for piece in ["<", "<a ", "<!--", "<a href=\"", "<script>", "</", "<a href='x'", "&", "<meta content="] {
            scan(piece.repeat(4_000_000 / piece.len()).as_bytes());
        }
        scan(format!("<a href=\"{}\">", "&".repeat(2_000_000)).as_bytes());
        assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(page in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            scan(&page);
            looks_like_html(&page);
        }

        #[test]
        fn no_text_panics(text in "[<>a-c/='\"& !#x;é-]{0,80}") {
            scan(text.as_bytes());
            unescape(&text);
        }

        #[test]
        fn every_link_is_found(names in proptest::collection::vec("[a-z]{1,8}", 0..20)) {
            let page: String = names.iter().map(|name| format!("<p>x<a id=1 href=\"{name}.html\">{name}</a>")).collect();
            let expected: Vec<String> = names.iter().map(|name| format!("{name}.html")).collect();
            proptest::prop_assert_eq!(scan(page.as_bytes()).links, expected);
        }
    }
}
