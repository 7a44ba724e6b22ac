//! What HTML of ours may consist of. Whatever a document or a name brings, no other tag or attribute may come of it.

/// Tags that templates and the renderer of Markdown write.
const TAGS: &[&str] = &[
    "a", "article", "aside", "blockquote", "body", "br", "button", "circle", "code", "dd", "details", "dialog", "div",
    "dl", "dt", "em", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "input",
    "kbd", "label", "li", "link", "main", "mark", "meta", "nav", "noscript", "ol", "option", "p", "path", "pre",
    "progress", "rect", "s", "script", "section", "select", "span", "strong", "summary", "sup", "svg", "table",
    "tbody", "td", "text", "th", "thead", "time", "title", "tr", "ul",
];

const ATTRIBUTES: &[&str] = &[
    "action", "aria-current", "aria-hidden", "aria-label", "aria-labelledby", "aria-live", "autocapitalize",
    "autocomplete", "charset", "class", "content", "cx", "cy", "d", "data-copy", "data-job", "data-live",
    "data-project", "data-reload", "data-submit", "data-theme", "datetime", "for", "height", "href", "http-equiv",
    "id", "lang", "max", "method", "name", "placeholder", "preserveaspectratio", "r", "rel", "role", "rx", "selected",
    "spellcheck", "src", "start", "tabindex", "title", "type", "value", "viewbox", "width", "x", "y",
];

/// A start tag: its name and its attributes, as a browser would read them.
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
}

impl Tag {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The start tags of a page. A `<` before a letter begins one, as in a browser.
pub(crate) fn tags(html: &str) -> Vec<Tag> {
    let bytes = html.as_bytes();
    let mut tags = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'<' || !bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) {
            at += 1;
            continue;
        }
        at += 1;
        let start = at;
        while at < bytes.len() && !b" \t\n/>".contains(&bytes[at]) {
            at += 1;
        }
        let mut tag = Tag { name: html[start..at].to_lowercase(), attributes: Vec::new() };
        while at < bytes.len() && bytes[at] != b'>' {
            if b" \t\n/".contains(&bytes[at]) {
                at += 1;
                continue;
            }
            let start = at;
            while at < bytes.len() && !b" \t\n/>=".contains(&bytes[at]) {
                at += 1;
            }
            let name = html[start..at].to_lowercase();
            let mut value = String::new();
            if bytes.get(at) == Some(&b'=') {
                let quote = bytes[at + 1];
                assert_eq!(quote, b'"', "an attribute without quotes: {}", &html[start..]);
                let end = at + 2 + html[at + 2..].find('"').unwrap();
                value = html[at + 2..end].to_owned();
                at = end + 1;
            }
            tag.attributes.push((name, value));
        }
        tags.push(tag);
    }
    tags
}

/// Checks a page, and gives the addresses that it leads to.
#[track_caller]
pub(crate) fn check(address: &str, html: &str) -> Vec<String> {
    let mut led_to = Vec::new();
    let mut scripts = 0;
    for tag in tags(html) {
        assert!(TAGS.contains(&tag.name.as_str()), "{address} has a <{}>", tag.name);
        for (name, value) in &tag.attributes {
            assert!(ATTRIBUTES.contains(&name.as_str()), "{address}: <{}> has {name}=\"{value}\"", tag.name);
        }
        if tag.name == "script" {
            scripts += 1;
            assert_eq!(tag.get("src"), Some("/assets/page.js"), "{address}");
        } else {
            assert_eq!(tag.get("src"), None, "{address}");
        }
        for target in [tag.get("href"), tag.get("action")].into_iter().flatten().filter(|target| !target.is_empty()) {
            let is_own = target.starts_with('#') || target.starts_with('/') && !target.starts_with("//");
            let is_web = target.starts_with("https://") || target.starts_with("http://");
            assert!(is_own || tag.name == "a" && is_web, "{address} leads to {target}");
            if tag.name == "a" && target.starts_with('/') {
                led_to.push(target.replace("&amp;", "&").replace("&#38;", "&"));
            }
        }
    }
    assert!(scripts <= 1, "{address} has {scripts} scripts");
    led_to
}
