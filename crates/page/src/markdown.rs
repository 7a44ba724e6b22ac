//! Markdown as HTML, by an allow-list.
//!
//! Only what is written out below comes through: raw HTML is shown as the text it is, links lead to the web or to documents beside
//! this one, and pictures are named, not loaded.

use std::fmt::Write as _;
use std::ops::Range;

use ai_assist_text::{Language, LineMap, LineRange};
use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::links::Place;
use crate::shown::{escape_into, escaped};
use crate::source;

pub(crate) struct Document<'d> {
    pub(crate) text: &'d str,
    pub(crate) project: &'d str,
    pub(crate) place: &'d Place,
    /// Lines that somebody was led to.
    pub(crate) wanted: Option<LineRange>,
}

struct Writer<'d> {
    document: &'d Document<'d>,
    lines: LineMap,
    out: String,
    /// Code of a fenced block so far, and its language.
    code: Option<(String, Option<Language>)>,
    /// What a picture is called, while it is read.
    picture: Option<String>,
    alignments: Vec<Alignment>,
    column: usize,
    in_head: bool,
    is_led: bool,
}

pub(crate) fn render(document: &Document<'_>) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut writer = Writer {
        document,
        lines: LineMap::new(document.text),
        out: String::with_capacity(document.text.len() * 2),
        code: None,
        picture: None,
        alignments: Vec::new(),
        column: 0,
        in_head: false,
        is_led: false,
    };
    for (event, bytes) in Parser::new_ext(document.text, options).into_offset_iter() {
        writer.event(event, bytes);
    }
    writer.out
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>, bytes: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, bytes),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => {
                self.out.push_str("<code>");
                self.text(&code);
                self.out.push_str("</code>");
            }
            // A comment says nothing to a reader, but for the places that a converter has written.
            Event::Html(html) | Event::InlineHtml(html) => self.raw(&html),
            Event::InlineMath(math) | Event::DisplayMath(math) => self.text(&math),
            Event::FootnoteReference(name) => {
                let _ = write!(self.out, "<sup>[{}]</sup>", escaped(&name));
            }
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(done) => self.out.push_str(if done { "☑ " } else { "☐ " }),
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((code, _)) = &mut self.code {
            code.push_str(text);
        } else if let Some(picture) = &mut self.picture {
            picture.push_str(text);
        } else {
            escape_into(&mut self.out, text);
        }
    }

    fn raw(&mut self, html: &str) {
        let html = html.trim();
        match html.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")) {
            Some(place) if place.trim().len() < 60 => {
                let _ = write!(self.out, "<p class=\"place\">{}</p>", escaped(place.trim()));
            }
            Some(_) => {}
            None if is_layout(html) => {}
            None => {
                let _ = write!(self.out, "<code class=\"raw\">{}</code>", escaped(html));
            }
        }
    }

    /// Opens a block with the line it is on, so that an address may lead to it.
    fn block(&mut self, name: &str, bytes: &Range<usize>) {
        let line = self.lines.line_of(bytes.start);
        let last = self.lines.line_of(bytes.end.saturating_sub(1).max(bytes.start));
        let is_wanted = self.document.wanted.is_some_and(|wanted| line <= wanted.end && wanted.start <= last);
        let (mut id, mut class) = (format!("L{line}"), "");
        if is_wanted {
            class = " class=\"wanted\"";
            if !std::mem::replace(&mut self.is_led, true) {
                id = "hit".to_owned();
            }
        }
        let _ = write!(self.out, "<{name} id=\"{id}\"{class}>");
    }

    fn start(&mut self, tag: Tag<'_>, bytes: Range<usize>) {
        match tag {
            Tag::Paragraph => self.block("p", &bytes),
            Tag::Heading { level, .. } => self.block(heading(level), &bytes),
            Tag::BlockQuote(_) => self.out.push_str("<blockquote>"),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{']).next().and_then(|word| word.parse().ok())
                    }
                    CodeBlockKind::Indented => None,
                };
                self.block("pre tabindex=\"0\"", &bytes);
                self.code = Some((String::new(), language));
            }
            Tag::List(None) => self.out.push_str("<ul>"),
            Tag::List(Some(first)) => {
                let _ = write!(self.out, "<ol start=\"{first}\">");
            }
            Tag::Item => self.out.push_str("<li>"),
            Tag::Table(alignments) => {
                self.alignments = alignments;
                self.out.push_str("<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>");
            }
            Tag::TableHead => {
                (self.column, self.in_head) = (0, true);
                self.out.push_str("<thead><tr>");
            }
            Tag::TableRow => {
                self.column = 0;
                self.out.push_str("<tr>");
            }
            Tag::TableCell => {
                let class = match self.alignments.get(self.column) {
                    Some(Alignment::Right) => " class=\"num\"",
                    _ => "",
                };
                self.column += 1;
                let _ = write!(self.out, "<{}{class}>", if self.in_head { "th" } else { "td" });
            }
            Tag::Emphasis => self.out.push_str("<em>"),
            Tag::Strong => self.out.push_str("<strong>"),
            Tag::Strikethrough => self.out.push_str("<s>"),
            Tag::Link { dest_url, .. } => match self.target(&dest_url) {
                Some(Target::Own(address)) => {
                    let _ = write!(self.out, "<a href=\"{}\">", escaped(&address));
                }
                Some(Target::Web(address)) => {
                    let _ = write!(
                        self.out,
                        "<a class=\"out\" rel=\"noreferrer noopener nofollow\" href=\"{}\">",
                        escaped(&address)
                    );
                }
                // An `a` without an address leads nowhere; the end tag is the same for all.
                None => self.out.push_str("<a>"),
            },
            Tag::Image { .. } => self.picture = Some(String::new()),
            Tag::FootnoteDefinition(name) => {
                let _ = write!(self.out, "<div class=\"footnote\">[{}] ", escaped(&name));
            }
            Tag::MetadataBlock(_) => self.code = Some((String::new(), Some(Language::YAML))),
            Tag::DefinitionList => self.out.push_str("<dl>"),
            Tag::DefinitionListTitle => self.out.push_str("<dt>"),
            Tag::DefinitionListDefinition => self.out.push_str("<dd>"),
            Tag::HtmlBlock | Tag::Superscript | Tag::Subscript => {}
            #[allow(unreachable_patterns, reason = "a later version may know more, and that is shown as text")]
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.out.push_str("</p>"),
            TagEnd::Heading(level) => {
                let _ = write!(self.out, "</{}>", heading(level));
            }
            TagEnd::BlockQuote(_) => self.out.push_str("</blockquote>"),
            TagEnd::CodeBlock => {
                self.code();
                self.out.push_str("</pre>");
            }
            TagEnd::MetadataBlock(_) => {
                self.out.push_str("<details class=\"meta\"><summary>Front matter</summary><pre>");
                self.code();
                self.out.push_str("</pre></details>");
            }
            TagEnd::List(false) => self.out.push_str("</ul>"),
            TagEnd::List(true) => self.out.push_str("</ol>"),
            TagEnd::Item => self.out.push_str("</li>"),
            TagEnd::Table => self.out.push_str("</tbody></table></div>"),
            TagEnd::TableHead => {
                self.in_head = false;
                self.out.push_str("</tr></thead><tbody>");
            }
            TagEnd::TableRow => self.out.push_str("</tr>"),
            TagEnd::TableCell => self.out.push_str(if self.in_head { "</th>" } else { "</td>" }),
            TagEnd::Emphasis => self.out.push_str("</em>"),
            TagEnd::Strong => self.out.push_str("</strong>"),
            TagEnd::Strikethrough => self.out.push_str("</s>"),
            TagEnd::Link => self.out.push_str("</a>"),
            TagEnd::Image => {
                let alt = self.picture.take().unwrap_or_default();
                let name = if alt.is_empty() { "picture" } else { &alt };
                let _ = write!(self.out, "<span class=\"picture\">{}</span>", escaped(name));
            }
            TagEnd::FootnoteDefinition => self.out.push_str("</div>"),
            TagEnd::DefinitionList => self.out.push_str("</dl>"),
            TagEnd::DefinitionListTitle => self.out.push_str("</dt>"),
            TagEnd::DefinitionListDefinition => self.out.push_str("</dd>"),
            TagEnd::HtmlBlock | TagEnd::Superscript | TagEnd::Subscript => {}
            #[allow(unreachable_patterns, reason = "a later version may know more, and that is shown as text")]
            _ => {}
        }
    }

    fn code(&mut self) {
        let Some((code, language)) = self.code.take() else { return };
        let tokens = language.map(|language| ai_assist_syntax::tokens(&code, language)).unwrap_or_default();
        let _ = write!(self.out, "<code>{}</code>", source::lines(&code, &tokens, &[], &|_| None).join("\n"));
    }

    fn target(&self, url: &str) -> Option<Target> {
        let url = url.trim();
        if let Some(anchor) = url.strip_prefix('#') {
            return self.anchor(anchor).map(|line| Target::Own(format!("#{line}")));
        }
        if ["http://", "https://"]
            .iter()
            .any(|scheme| url.get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme)))
        {
            return Some(Target::Web(url.to_owned()));
        }
        // Whatever else has a scheme, and what leads to another host, is not followed.
        if url.starts_with("//") || url.split(['/', '?', '#']).next().is_none_or(|first| first.contains(':')) {
            return None;
        }
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let path = resolved(self.document.place.path(), path)?;
        Some(Target::Own(self.document.place.beside(&path).address(self.document.project)))
    }

    /// The block that the anchor of a heading means, as tools make anchors: the words in lower case with dashes between them.
    fn anchor(&self, anchor: &str) -> Option<String> {
        let wanted = slug(anchor);
        let entries = ai_assist_chunk::outline(self.document.text, Language::MARKDOWN);
        let entry = entries.iter().find(|entry| slug(&entry.name) == wanted)?;
        Some(format!("L{}", entry.lines.start))
    }
}

enum Target {
    Own(String),
    Web(String),
}

fn slug(heading: &str) -> String {
    let words = heading.to_lowercase();
    words
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// A path from where a document is; nothing for what lies outside.
fn resolved(document: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = match link.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => document.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect()),
    };
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let decoded = percent_decoded(&parts.join("/"));
    (!decoded.is_empty() && !decoded.split('/').any(|part| part == "..")).then_some(decoded)
}

fn percent_decoded(path: &str) -> String {
    // A plus sign is itself in a path.
    let text = path.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    url::form_urlencoded::parse(text.as_bytes()).next().map_or(String::new(), |(name, _)| name.into_owned())
}

/// Tags that only place what they hold: leaving them out loses nothing.
fn is_layout(html: &str) -> bool {
    let name = html.trim_start_matches(['<', '/']);
    let name: String = name.chars().take_while(char::is_ascii_alphanumeric).collect();
    html.starts_with('<')
        && html.matches('<').count() == 1
        && matches!(
            name.to_ascii_lowercase().as_str(),
            "a" | "b"
                | "br"
                | "center"
                | "code"
                | "dd"
                | "div"
                | "dl"
                | "dt"
                | "em"
                | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "i"
                | "kbd"
                | "p"
                | "pre"
                | "small"
                | "span"
                | "strong"
                | "sub"
                | "sup"
        )
}

/// The page has a heading of its own, so those of documents begin one lower.
fn heading(level: HeadingLevel) -> &'static str {
    match level {
        HeadingLevel::H1 => "h2",
        HeadingLevel::H2 => "h3",
        HeadingLevel::H3 => "h4",
        HeadingLevel::H4 => "h5",
        HeadingLevel::H5 | HeadingLevel::H6 => "h6",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let place = Place::Collection { collection: "docs".to_owned(), path: "guide/a.md".to_owned() };
        render(&Document { text, project: "p", place: &place, wanted: None })
    }

    #[test]
    fn nothing_hostile_comes_through() {
        let hostile = [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<svg onload=alert(1)><p>x</p></svg>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](data:text/html,<script>)",
            "[x](//evil.example/)",
            "[x](vbscript:x \"t\")",
            "<javascript:alert(1)>",
            "![x](https://evil.example/p.png)",
            "```html\n<script>alert(1)</script>\n```",
            "| <b onclick=x> | <script> |\n|---|---|\n| <iframe src=//e> | `<script>` |",
            "# <img src=x>\n",
            "[x]: javascript:alert(1)\n\n[x]",
            "---\ntitle: <script>\n---\n",
            "<a href=\"javascript:x\">y</a>",
            "[^1]\n\n[^1]: <script>x</script>",
            "[x](https://a.example/\" onclick=\"x)",
        ];
        for text in hostile {
            let html = shown(text);
            let lower = html.to_lowercase();
            for bad in [
                "<script", "<img", "<svg", "<iframe", "href=\"javascript", "href=\"data", "href=\"vb", "href=\"//",
                " onclick=\"x", "src=",
            ] {
                let is_shown = lower.contains(bad) && !(bad == "src=" && lower.contains("&lt;"));
                assert!(!is_shown, "{text}: {html}");
            }
        }
    }

    #[test]
    fn links_lead_to_documents_beside() {
        let html = shown(
            "[a](b.md) [c](../d/e%20f.md#x) [g](../../h.md) [w](https://x.example/?a=1&b) [s](#the-end)\n\n## The end\n",
        );
        assert!(html.contains("href=\"/p/p/doc/docs/guide/b.md\""), "{html}");
        assert!(html.contains("href=\"/p/p/doc/docs/d/e%20f.md\""), "{html}");
        assert!(html.contains("<a>g</a>"), "{html}");
        assert!(html.contains("href=\"https://x.example/?a=1&amp;b\""), "{html}");
        assert!(html.contains("href=\"#L3\"") && html.contains("<h3 id=\"L3\">The end</h3>"), "{html}");
    }

    #[test]
    fn wanted_lines_are_marked_and_led_to_once() {
        let place = Place::Repo { repo: "r".to_owned(), path: "a.md".to_owned() };
        let text = "# A\n\none\n\ntwo\n\nthree\n";
        let html =
            render(&Document { text, project: "p", place: &place, wanted: Some(LineRange { start: 3, end: 5 }) });
        assert!(
            html.contains("<p id=\"hit\" class=\"wanted\">one</p><p id=\"L5\" class=\"wanted\">two</p><p id=\"L7\">"),
            "{html}"
        );
    }
}
