//! Token counts with a real tokenizer, in time linear in the text.

use crate::bpe::o200k;

/// The name of the tokenizer that every count in this program is made with.
pub const TOKENIZER: &str = "o200k_base";

pub fn count_tokens(text: &str) -> usize {
    o200k().count(text, usize::MAX).unwrap_or_default()
}

/// How many tokens a text has, or `None` as soon as there are more than `limit`.
pub fn count_tokens_up_to(text: &str, limit: usize) -> Option<usize> {
    o200k().count(text, limit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_agree_with_the_published_tokenizer() {
        // Counts given by js-tiktoken for o200k_base.
        let cases = [
            ("", 0),
            ("hello world", 2),
            ("fn main() {}\n", 4),
            ("naïve café — 日本語のテキスト", 11),
            ("    let x = parseHttpRequest(&buf)?;\r\n", 11),
        ];
        for (text, tokens) in cases {
            assert_eq!(count_tokens(text), tokens, "{text:?}");
        }
        assert_eq!(count_tokens_up_to("hello world", 2), Some(2));
        assert_eq!(count_tokens_up_to("hello world", 1), None);
    }

    #[test]
    fn a_megabyte_of_one_letter_is_counted_at_once() {
        let text = "a".repeat(1 << 20);
        assert!(count_tokens(&text) > 1 << 16);
    }

    #[test]
    fn counts_are_those_of_another_implementation_on_the_files_here() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders =
            vec![root.join("../../docs"), root.join("../page/assets"), root.join("../convert"), root.join("src")];
        let mut tokens = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    // Bytes that are no text make the rare pieces: long ones, and ones that fall apart into single bytes.
                    let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                    assert_eq!(count_tokens(&text), bpe_openai::o200k_base().count(&*text), "{}", path.display());
                    tokens += count_tokens(&text);
                }
            }
        }
        assert!(tokens > 100_000, "only {tokens} tokens were compared");
    }

    proptest! {
        #[test]
        fn counts_are_those_of_another_implementation(
            text in prop_oneof![
                "\\PC{0,80}", "[a-zA-Z_ .'\n\r\t]{0,300}", "[ab]{0,400}", "\\s{0,50}[a-z]?\\s{0,50}", "[=/*\n -]{0,200}", "\\p{Han}{0,200}",
            ],
            limit in 0usize..100,
        ) {
            let expected = bpe_openai::o200k_base().count(&*text);
            prop_assert_eq!(count_tokens(&text), expected);
            prop_assert_eq!(count_tokens_up_to(&text, limit), (expected <= limit).then_some(expected));
        }
    }
}
