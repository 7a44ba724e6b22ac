//! Token counts with a real tokenizer, in time linear in the text.

/// The name of the tokenizer that every count in this program is made with.
pub const TOKENIZER: &str = "o200k_base";

pub fn count_tokens(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

/// How many tokens a text has, or `None` as soon as there are more than `limit`.
pub fn count_tokens_up_to(text: &str, limit: usize) -> Option<usize> {
    let tokenizer = bpe_openai::o200k_base();
    tokenizer.count_till_limit(&tokenizer.normalize(text), limit)
}

#[cfg(test)]
mod tests {
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
}
