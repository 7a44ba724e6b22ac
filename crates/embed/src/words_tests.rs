//! The same steps, one after the other over the whole text, as the description of the model has them.

use super::*;

fn camel(text: &str) -> String {
    let mut spaced = String::new();
    let mut before = ' ';
    for c in text.chars() {
        if (before.is_ascii_lowercase() || before.is_ascii_digit()) && c.is_ascii_uppercase() {
            spaced.push(' ');
        }
        spaced.push(c);
        before = c;
    }
    spaced
}

fn is_control(c: char) -> bool {
    let abbreviation = get_general_category(c).abbreviation();
    !matches!(c, '\t' | '\n' | '\r') && matches!(abbreviation, "Cc" | "Cf" | "Co")
}

/// The words of a text, however long.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut normal = String::new();
    for c in camel(text).chars().filter(|&c| !is_control(c) && c != '\u{fffd}') {
        let c = if c.is_whitespace() { ' ' } else { c };
        if is_cjk(c) {
            normal.extend([' ', c, ' ']);
        } else {
            normal.push(c);
        }
    }
    let normal: String =
        normal.nfd().filter(|&c| get_general_category(c).abbreviation() != "Mn").flat_map(char::to_lowercase).collect();
    let mut words = vec![String::new()];
    for c in normal.chars() {
        let last = words.len() - 1;
        if c.is_whitespace() {
            words.push(String::new());
        } else if c.is_ascii_punctuation() || get_general_category(c).abbreviation().starts_with('P') {
            words.push(c.to_string());
            words.push(String::new());
        } else {
            words[last].push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
