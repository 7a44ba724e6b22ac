//! Structured data by its entries: JSON by brackets, YAML by documents and columns, everything else by lines.
//!
//! A cut before an entry is the better, the further out the entry lies. Nothing here checks that the text is what it is said
//! to be: one that is not is cut somewhere else.

use crate::ChunkKind;
use crate::lines::{Line, lines_from};
use ai_assist_syntax::structure::{Structure, Style};

/// Entries that lie deeper than this are cut alike.
const DEEPEST: usize = 60;

pub(crate) fn lines(text: &str) -> Structure {
    let mut found = Structure::new(Style::Prose, ChunkKind::Records);
    for line in lines_from(text, 0) {
        found.cut(line.start, 0);
    }
    found
}

/// The entries of arrays and objects, where each starts on a line of its own.
pub(crate) fn json(text: &str) -> Structure {
    let mut found = Structure::new(Style::Prose, ChunkKind::Records);
    let mut depth = 0usize;
    for line in lines_from(text, 0) {
        let content = line.text.trim_ascii_start();
        // A closing bracket belongs to what it closes.
        if !content.is_empty() && !content.starts_with(['}', ']', ',']) {
            found.cut(line.start, rank(depth));
        }
        depth = after(content, depth);
    }
    found
}

/// How many brackets are open after a line. A string ends with its line, whether it is closed or not.
fn after(line: &str, mut depth: usize) -> usize {
    let (mut in_string, mut escaped) = (false, false);
    for byte in line.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

/// The documents of a text and their entries: keys and items by their columns. A comment belongs to the entry after it.
pub(crate) fn yaml(text: &str) -> Structure {
    let mut found = Structure::new(Style::Prose, ChunkKind::Records);
    let mut remark: Option<usize> = None;
    for line in lines_from(text, 0) {
        if line.is_blank() {
            remark = None;
            continue;
        }
        let (column, content) = line.indented();
        if content.starts_with('#') {
            remark = remark.or(Some(line.start));
            continue;
        }
        let start = remark.take().unwrap_or(line.start);
        if is_document(&line) {
            found.cut(start, 0);
        } else if column == 0 || is_entry(content) {
            // An item may stand in the column of the key that it belongs to.
            let is_item = content.starts_with("- ") || content == "-";
            found.cut(start, rank(1 + 2 * column + usize::from(is_item)));
        }
    }
    found
}

fn is_document(line: &Line<'_>) -> bool {
    line.text.strip_prefix("---").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Whether a line may be an item or start with a key; in a long text it may look like one and be none.
fn is_entry(content: &str) -> bool {
    content.starts_with("- ") || content == "-" || content.ends_with(':') || content.contains(": ")
}

fn rank(depth: usize) -> u8 {
    u8::try_from(depth.min(DEEPEST)).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that may start a chunk, each after its rank.
    fn cuts(text: &str, scan: fn(&str) -> Structure) -> Vec<String> {
        let line = |at: usize| text[at..].lines().next().unwrap_or_default().trim().to_owned();
        scan(text).breaks.iter().map(|cut| format!("{} {}", cut.rank, line(cut.at))).collect()
    }

    #[test]
    fn json_is_cut_by_entry() {
        let array = "[\n  {\n    \"a\": \"}]{\\\"[\",\n    \"b\": [1]\n  },\n{ \"c\": 3 }\n]\n";
        assert_eq!(cuts(array, json), ["0 [", "1 {", "2 \"a\": \"}]{\\\"[\",", "2 \"b\": [1]", "1 { \"c\": 3 }"]);
        let object = "{\n\"one\": {\n\"x\": 1\n},\n\n\"two\": 2\n}\n";
        assert_eq!(cuts(object, json), ["0 {", "1 \"one\": {", "2 \"x\": 1", "1 \"two\": 2"]);
        assert_eq!(cuts("{\"a\": [1, 2, 3]}", json), ["0 {\"a\": [1, 2, 3]}"]);
        assert_eq!(cuts("]]\n{\n\"open\n}\n", json), ["0 {", "1 \"open"]);
    }

    #[test]
    fn yaml_is_cut_by_document_and_entry() {
        let text = "# head\n\n---\nkind: A\nspec:\n  ports:\n  - 80\n  # last\n  - 443\n--- # two\n# about b\nkind: B\nlong: |\n  no key here\n";
        assert_eq!(
            cuts(text, yaml),
            [
                "0 ---", "1 kind: A", "1 spec:", "5 ports:", "6 - 80", "6 # last", "0 --- # two", "1 # about b",
                "1 long: |"
            ]
        );
        assert_eq!(cuts("- a\n-\n  b: 1\n---x\n", yaml), ["2 - a", "2 -", "5 b: 1", "1 ---x"]);
    }
}
