//! One of a few values, where the value is of a crate that does not know of command lines.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Values to choose from: what each is typed as, of which the first word is shown; what it means; and what it is.
pub(super) type Choices<T> = &'static [(&'static str, &'static str, T)];

/// Reads one of some values.
pub(super) fn choice<T: Clone + Send + Sync>(choices: Choices<T>) -> impl TypedValueParser<Value = T> {
    let shown = choices.iter().map(|(words, about, _)| {
        let mut words = words.split(' ');
        PossibleValue::new(words.next().unwrap_or_default()).aliases(words).help(*about)
    });
    PossibleValuesParser::new(shown).try_map(|typed| {
        let is_it = |words: &str| words.split(' ').any(|word| word == typed);
        choices.iter().find(|(words, ..)| is_it(words)).map(|(.., value)| value.clone()).ok_or("it is not known")
    })
}
