//! Tells source of pages from pages.
//!
//! The templates of a project are code: what is written in them between marks is what somebody looks for. Documentation
//! shows such marks too, but within listings, so only marks outside of those count.

/// Marks of the common template languages.
const MARKS: [&str; 5] = ["{{", "{%", "<%", "<?php", "<?="];
/// Attributes by which frameworks steer a fragment. Each stands behind white space and before `=` or a name.
const DIRECTIVES: [&str; 15] = [
    "v-if=", "v-for=", "v-model", "v-bind:", "v-on:", "*ngif=", "*ngfor=", "[(ngmodel)]=", "ng-repeat=", "ng-if=",
    "(click)=", "@click", "x-data=", "th:text=", "th:each=",
];
/// Elements whose content is shown as it is, or is code of another kind.
const SKIPPED: [&str; 6] = ["pre", "code", "script", "style", "textarea", "xmp"];

pub(crate) fn is_template(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let found = scan(&text);
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if MARKS.iter().any(|mark| start.starts_with(mark)) {
        return true;
    }
    let whole = found.is_whole || start.starts_with("<!doctype") || start.starts_with("<html");
    if whole { found.in_text >= 3 || found.in_tags >= 1 } else { found.in_text + found.in_tags + found.directives >= 1 }
}

#[derive(Default)]
struct Found {
    in_text: usize,
    in_tags: usize,
    directives: usize,
    /// Whether there is an `html` or `body` element.
    is_whole: bool,
}

/// Looks at a page in lower case once, from one `<` to the next.
fn scan(text: &str) -> Found {
    let mut found = Found::default();
    let mut rest = text;
    while !rest.is_empty() {
        let Some(open) = rest.find('<') else {
            found.in_text += marks_in(rest);
            break;
        };
        found.in_text += marks_in(&rest[..open]);
        rest = &rest[open..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        if rest.starts_with("<%") || rest.starts_with("<?php") || rest.starts_with("<?=") {
            found.in_text += 1;
            rest = &rest[2..];
            continue;
        }
        if !rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            rest = &rest[1..];
            continue;
        }
        let end = rest.find('>').map_or(rest.len(), |end| end + 1);
        let (tag, after) = rest.split_at(end);
        rest = after;
        let name_len = tag[1..].find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len() - 1);
        let name = &tag[1..=name_len];
        found.is_whole |= matches!(name, "html" | "body");
        found.in_tags += marks_in(tag);
        found.directives += DIRECTIVES.iter().filter(|directive| has_attribute(tag, directive)).count();
        if let Some(skipped) = SKIPPED.iter().find(|skipped| **skipped == name)
            && !tag.ends_with("/>")
        {
            rest = after_end_tag(rest, skipped);
        }
    }
    found
}

fn marks_in(text: &str) -> usize {
    if !text.contains(['{', '<']) {
        return 0;
    }
    MARKS[..2].iter().map(|mark| text.matches(mark).count()).sum()
}

fn has_attribute(tag: &str, attribute: &str) -> bool {
    tag.match_indices(attribute).any(|(at, _)| tag[..at].ends_with(char::is_whitespace))
}

fn after_end_tag<'a>(text: &'a str, name: &str) -> &'a str {
    let end = text.match_indices("</").find(|(at, _)| text[at + 2..].starts_with(name));
    end.map_or("", |(at, _)| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_told_from_pages() {
        let cases = [
            ("<!doctype html><title>a</title><p>b", false),
            ("{% extends 'base.html' %}\n{% block a %}<p>b</p>{% endblock %}", true),
            ("<!doctype html><title>{{ page.title }}</title>{{ content }}{{ more }}", true),
            ("<!doctype html><a href=\"{{ url_for('index') }}\">a</a>", true),
            ("<!doctype html><pre>{{ a }} {% b %} {{ c }}</pre><code>{{ d }}</code>", false),
            ("<!doctype html><p>Write {{ a }} to print it.", false),
            ("<!doctype html><script>var a = '{{ b }}{{ c }}{{ d }}'</script><p>a", false),
            ("<div v-if=\"a\"><p>b</p></div>", true),
            ("<li *ngFor=\"let a of b\">c</li>", true),
            ("<div><p>{{ a }}</p></div>", true),
            ("<div><p>a fragment of a page</p></div>", false),
            ("<html><body><% for a in b %><p><%= a %></p><% end %>", true),
            ("<?php include 'head.php' ?><p>a", true),
            ("---\nlayout: x\n---\n<p>{{ site.title }}</p>", true),
        ];
        for (text, is) in cases {
            assert_eq!(is_template(text.as_bytes()), is, "{text}");
        }
    }
}
