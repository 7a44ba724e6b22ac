//! Which definitions of a file other files can use.

use std::collections::HashSet;

use ai_assist_syntax::{ChunkKind, Facts};

/// For each definition, whether it is part of what the file offers. Of a file that offers nothing, such as a program's start,
/// the outermost definitions.
pub(super) fn public(facts: &Facts) -> Vec<bool> {
    let exported: HashSet<&str> = facts.exports.iter().map(|export| export.name.as_str()).collect();
    let owners: HashSet<&str> = exported.iter().filter_map(|name| Some(name.rsplit_once('.')?.0)).collect();
    let mut shown = Vec::with_capacity(facts.definitions.len());
    // The definitions around the next one: how deep each is, what it is called and whether its members may be shown.
    let mut around: Vec<(usize, &str, bool)> = Vec::new();
    for entry in &facts.definitions {
        while around.last().is_some_and(|(depth, ..)| *depth >= entry.depth) {
            around.pop();
        }
        // `impl Display for Store` speaks of `Store`.
        let name = entry.name.rsplit(" for ").next().unwrap_or(&entry.name);
        let is_public = match around.last() {
            None => exported.contains(name) || owners.contains(name),
            Some((.., false)) => false,
            // Where the members of a type are told apart, those that are exported; otherwise all but those whose names say
            // that they are private.
            Some((_, owner, true)) if owners.contains(owner) => exported.contains(format!("{owner}.{name}").as_str()),
            Some(_) => !name.starts_with(['_', '#']) || name.starts_with("__") && name.ends_with("__"),
        };
        let has_members = !matches!(entry.kind, ChunkKind::Function | ChunkKind::Method);
        shown.push(is_public);
        around.push((entry.depth, name, is_public && has_members));
    }
    if shown.contains(&true) {
        return shown;
    }
    facts.definitions.iter().map(|entry| entry.depth == 0).collect()
}
