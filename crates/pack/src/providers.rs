//! How much the known providers take.

use std::collections::BTreeMap;

use crate::types::ProviderLimit;

/// The windows of the common providers' models in tokens, as far as they were the same for all current models; a caller's own
/// limits go over these. Counted with another tokenizer than theirs, so about a tenth is kept free, and as much again for the
/// answer.
const PROVIDERS: [(&str, usize); 6] = [
    ("anthropic", 160_000),
    ("claude", 160_000),
    ("deepseek", 100_000),
    ("google", 800_000),
    ("mistral", 100_000),
    ("openai", 100_000),
];

/// The limits that count unless somebody says otherwise.
pub fn known_providers() -> BTreeMap<String, ProviderLimit> {
    PROVIDERS.iter().map(|(name, tokens)| ((*name).to_owned(), ProviderLimit::Tokens { tokens: *tokens })).collect()
}
