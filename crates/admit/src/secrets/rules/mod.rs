//! The rules, by the kind of service whose values they know.
//!
//! To add one, put a line into the table it belongs to: an id, keywords, a pattern for the value; and into `test_examples.rs`
//! a text it takes, with the value in `«»`, and a text it leaves.

mod ai;
mod cloud;
mod databases;
mod forges;
mod generic;
mod keys;
mod messaging;
mod observability;
mod packages;
mod payments;
mod prefixed;
mod saas;
#[cfg(test)]
pub(super) mod test_examples;
mod web;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::rule::Rule;

/// Specific rules first: where two find the same value, the first one names it.
pub(super) static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let tables = [
        keys::RULES,
        cloud::RULES,
        forges::RULES,
        packages::RULES,
        ai::RULES,
        payments::RULES,
        messaging::RULES,
        observability::RULES,
        saas::RULES,
        prefixed::RULES,
        databases::RULES,
        web::RULES,
        generic::RULES,
    ];
    tables.iter().flat_map(|table| table.iter()).collect()
});

static NUMBERS: LazyLock<HashMap<&'static str, usize>> =
    LazyLock::new(|| RULES.iter().enumerate().map(|(number, rule)| (rule.id, number)).collect());

/// The number of a rule that code finds by its id. That each has an entry is a test.
pub(super) fn number(id: &str) -> usize {
    NUMBERS.get(id).copied().unwrap_or(RULES.len() - 1)
}
