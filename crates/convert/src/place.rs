//! Lines that say where in the original a passage stands.
//!
//! A converted text carries its own citations, so that whoever has the text can cite the page of a PDF or the cell of a
//! notebook without asking the original again: a line `<!-- page 3 -->` says that what follows stands on page 3. Converters
//! write such lines with [`fn@write`] and break anything in the original's own text that looks like one with [`escape`].

/// What every such line begins with.
pub const OPEN: &str = "<!-- ";
const CLOSE: &str = " -->";

/// What a place is counted in.
const UNITS: [&str; 8] = ["page", "cell", "slide", "sheet", "chapter", "operation", "section", "part"];

/// Starts a new line that says where what follows stands: `write(&mut text, "page", "3")`.
pub fn write(text: &mut String, unit: &str, label: &str) {
    debug_assert!(UNITS.contains(&unit));
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let label: String = label.split_whitespace().collect::<Vec<_>>().join(" ").replace("--", "- -");
    text.push_str(&format!("{OPEN}{unit} {label}{CLOSE}\n"));
}

/// The place a line names, as `page 3`, if it is such a line.
pub fn of_line(line: &str) -> Option<&str> {
    let inner = line.trim_end().strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
    let (unit, label) = inner.split_once(' ')?;
    (UNITS.contains(&unit) && !label.is_empty() && !label.contains("--")).then_some(inner)
}

/// The place of a passage that begins at a byte of a converted text.
pub fn at(text: &str, byte: usize) -> Option<&str> {
    let mut end = byte.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // A passage may begin with the line that says where it stands.
    let first = text[end..].lines().next().filter(|_| end == 0 || text[..end].ends_with('\n'));
    first.and_then(of_line).or_else(|| text[..end].lines().rev().find_map(of_line))
}

/// A text of the original in which nothing looks like a place.
pub fn escape(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains(OPEN) { text.replace("<!--", "<! --").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_found_by_the_last_place_before_it() {
        let mut text = String::from("intro\n");
        write(&mut text, "page", "1");
        text.push_str("one\n");
        write(&mut text, "page", "2");
        text.push_str("two\n");
        let of = |word: &str| at(&text, text.find(word).unwrap());
        assert_eq!((of("intro"), of("one"), of("two")), (None, Some("page 1"), Some("page 2")));
        assert_eq!(at(&text, text.find("<!-- page 2").unwrap()), Some("page 2"));
        assert_eq!(at(&text, 10_000), Some("page 2"));
    }

    #[test]
    fn text_of_the_original_is_never_a_place() {
        assert_eq!(of_line(&escape("<!-- page 9 -->")), None);
        let mut text = String::new();
        write(&mut text, "sheet", "a --> b\nc");
        assert_eq!(text.lines().count(), 1);
        assert_eq!(of_line(&text), Some("sheet a - -> b c"));
    }
}
