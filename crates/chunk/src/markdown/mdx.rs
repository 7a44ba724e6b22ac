//! What MDX adds to Markdown: imports and exports of a module.

use crate::lines::lines_from;

/// Names under which documents export what describes them.
const META: [&str; 5] = ["meta", "metadata", "frontmatter", "frontMatter", "attributes"];

/// The name that a line exports.
pub(super) fn exported(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("export ")?.trim_start();
    let rest = ["const ", "let ", "var "].iter().find_map(|word| rest.strip_prefix(word))?.trim_start();
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
    Some(&rest[..end])
}

pub(super) fn is_meta(name: &str) -> bool {
    META.contains(&name)
}

/// The title in a line of an exported object: `title: "…"`.
pub(super) fn title_in(line: &str) -> Option<String> {
    line.match_indices("title").find_map(|(at, _)| {
        let starts = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
        let rest = line[at + "title".len()..].trim_start_matches(['"', '\'']).trim_start();
        (starts && rest.starts_with(':')).then(|| string_after(rest, ':')).flatten()
    })
}

/// The string that follows the first mark.
pub(super) fn string_after(line: &str, mark: char) -> Option<String> {
    let rest = line.split_once(mark)?.1.trim_start();
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let (inside, _) = rest[1..].split_once(quote)?;
    Some(super::plain(inside)).filter(|title| !title.is_empty())
}

/// Where the imports and exports end that a text starts with, from an offset on, with the empty lines after them.
pub(super) fn imports_end(text: &str, from: usize) -> Option<usize> {
    let mut end = None;
    let mut in_module = false;
    for line in lines_from(text, from) {
        if line.is_blank() {
            in_module = false;
            end = end.map(|_| line.end);
        } else if in_module || line.text.starts_with("import ") || line.text.starts_with("export ") {
            in_module = true;
            end = Some(line.end);
        } else {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_read() {
        for (line, expected) in [
            ("export const title = 'A'", Some("title")),
            ("export let meta={", Some("meta")),
            ("export default X", None),
        ] {
            assert_eq!(exported(line), expected, "{line}");
        }
        for (line, expected) in [
            ("  title: \"A *page*\",", Some("A page")),
            ("{ subtitle: 'no', 'title': 'yes' }", Some("yes")),
            ("title: name,", None),
        ] {
            assert_eq!(title_in(line).as_deref(), expected, "{line}");
        }
        assert_eq!(imports_end("import a from 'b'\nexport const c = {\n d\n}\n\n# x", 0), Some(43));
        assert_eq!(imports_end("# x\nimport a", 0), None);
    }
}
