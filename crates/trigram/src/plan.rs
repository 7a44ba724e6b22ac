//! What a document must hold to match: an and/or tree of grams.

use std::fmt;

use regex_syntax::hir::Hir;

use crate::fold::{BEYOND_ASCII, Gram, grams_of_folded};
use crate::literals;

/// Grams asked of a document in one place. More rule out next to nothing.
const MOST_IN_ONE: usize = 128;

/// Grams in a whole plan. Each is a read from the index; a plan beyond this would take longer than it saves.
const MOST_IN_ALL: usize = 4096;

/// What a document must hold, or it can't match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan(pub(crate) Node);

impl Plan {
    /// The plan for a pattern that is matched against texts of UTF-8.
    pub fn of(pattern: &Hir) -> Plan {
        Plan(bounded(literals::required(pattern)))
    }

    /// Whether the pattern gives nothing to go by, so that every document has to be scanned.
    pub fn is_all(&self) -> bool {
        self.0 == Node::All
    }
}

/// Shown as `("abc" "bcd" ("xyz" | "uvw"))`, for people who ask why a search is slow.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Node {
    All,
    Nothing,
    /// Those that hold all these grams, sorted, and pass all these parts. Never both empty.
    Both {
        grams: Vec<Gram>,
        subs: Vec<Node>,
    },
    /// Those that pass one of these parts; two at least.
    Either(Vec<Node>),
}

impl Node {
    /// Documents with one of these folded strings.
    pub(crate) fn any_of<'a>(strings: impl IntoIterator<Item = &'a [u8]>) -> Node {
        Node::either(strings.into_iter().map(|string| Node::grams(grams_of_folded(string))))
    }

    /// Documents with all these grams, sorted.
    pub(crate) fn grams(grams: Vec<Gram>) -> Node {
        if grams.is_empty() { Node::All } else { Node::Both { grams, subs: Vec::new() } }
    }

    pub(crate) fn both(nodes: impl IntoIterator<Item = Node>) -> Node {
        let (mut grams, mut subs) = (Vec::new(), Vec::new());
        for node in nodes {
            match node {
                Node::All => {}
                Node::Nothing => return Node::Nothing,
                Node::Both { grams: more, subs: parts } => {
                    grams.extend(more);
                    subs.extend(parts);
                }
                either @ Node::Either(_) => subs.push(either),
            }
        }
        grams.sort_unstable();
        grams.dedup();
        subs.sort();
        subs.dedup();
        // A choice that one of the grams asked for anyway already settles says nothing more.
        subs.retain(|sub| !settled_by(sub, &grams));
        match (grams.is_empty(), subs.len()) {
            (true, 0) => Node::All,
            (true, 1) => subs.swap_remove(0),
            _ => Node::Both { grams, subs },
        }
    }

    pub(crate) fn either(nodes: impl IntoIterator<Item = Node>) -> Node {
        let mut subs = Vec::new();
        for node in nodes {
            match node {
                Node::All => return Node::All,
                Node::Nothing => {}
                Node::Either(more) => subs.extend(more),
                both @ Node::Both { .. } => subs.push(both),
            }
        }
        subs.sort();
        subs.dedup();
        match subs.len() {
            0 => Node::Nothing,
            1 => subs.swap_remove(0),
            _ => with_common_in_front(subs),
        }
    }

    /// How many grams it asks for.
    pub(crate) fn size(&self) -> usize {
        match self {
            Node::All | Node::Nothing => 0,
            Node::Both { grams, subs } => grams.len() + subs.iter().map(Node::size).sum::<usize>(),
            Node::Either(subs) => subs.iter().map(Node::size).sum(),
        }
    }
}

fn settled_by(sub: &Node, grams: &[Gram]) -> bool {
    let Node::Either(choices) = sub else { return false };
    choices.iter().any(|choice| {
        matches!(choice, Node::Both { grams: asked, subs } if subs.is_empty()
            && asked.iter().all(|gram| grams.binary_search(gram).is_ok()))
    })
}

/// Asks once for the grams that all choices ask for, so that their lists are read once, and first.
fn with_common_in_front(subs: Vec<Node>) -> Node {
    let mut common: Option<Vec<Gram>> = None;
    for sub in &subs {
        let Node::Both { grams, .. } = sub else { return Node::Either(subs) };
        match &mut common {
            None => common = Some(grams.clone()),
            Some(common) => common.retain(|gram| grams.binary_search(gram).is_ok()),
        }
    }
    let Some(common) = common.filter(|common| !common.is_empty()) else { return Node::Either(subs) };
    let rest = subs.into_iter().map(|sub| match sub {
        Node::Both { mut grams, subs } => {
            grams.retain(|gram| common.binary_search(gram).is_err());
            Node::both([Node::grams(grams), Node::both(subs)])
        }
        other => other,
    });
    let rest = Node::either(rest.collect::<Vec<_>>());
    Node::both([Node::grams(common), rest])
}

/// A plan that asks for less where it asks for too much.
fn bounded(node: Node) -> Node {
    let node = thinned(node, MOST_IN_ONE);
    if node.size() <= MOST_IN_ALL {
        return node;
    }
    let node = thinned(node, 3);
    if node.size() <= MOST_IN_ALL { node } else { without_choices(node) }
}

/// Keeps at most so many grams in one place, spread over all of them.
fn thinned(node: Node, most: usize) -> Node {
    match node {
        Node::Both { grams, subs } => {
            let step = grams.len().div_ceil(most).max(1);
            let grams = grams.into_iter().step_by(step).collect();
            Node::Both { grams, subs: subs.into_iter().map(|sub| thinned(sub, most)).collect() }
        }
        Node::Either(subs) => Node::Either(subs.into_iter().map(|sub| thinned(sub, most)).collect()),
        other => other,
    }
}

fn without_choices(node: Node) -> Node {
    match node {
        Node::Both { grams, .. } => Node::grams(grams),
        _ => Node::All,
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = match self {
            Node::All => return f.write_str("all"),
            Node::Nothing => return f.write_str("nothing"),
            Node::Either(subs) => subs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | "),
            Node::Both { grams, subs } => {
                let grams = grams.iter().map(|&gram| match gram {
                    BEYOND_ASCII => "beyond-ascii".to_owned(),
                    gram => format!("\"{}\"", gram.to_be_bytes()[1..].escape_ascii()),
                });
                grams.chain(subs.iter().map(ToString::to_string)).collect::<Vec<_>>().join(" ")
            }
        };
        write!(f, "({parts})")
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
