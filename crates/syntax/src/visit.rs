//! One walk over a tree for everybody who reads something off it: going from node to node costs more than most looks do.

use ai_assist_base::Rounds;
use tree_sitter::{Node, Tree};

/// Reads something off a tree that is walked for it.
pub(crate) trait Visitor<'t> {
    /// Looks at a node; says whether its children matter.
    fn enter(&mut self, node: Node<'t>) -> bool;

    /// Everything in the node that it entered last, and has not left yet, was walked through.
    fn leave(&mut self) {}
}

/// Whether a visitor looks at what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    Yes,
    /// Not before the node at this depth is left.
    Behind(usize),
}

/// Shows every node to every visitor, each before those in it. False if the work was stopped on the way.
pub(crate) fn visit<'t>(tree: &'t Tree, visitors: &mut [&mut dyn Visitor<'t>]) -> bool {
    let mut visitors: Vec<(&mut dyn Visitor<'t>, Looks)> =
        visitors.iter_mut().map(|visitor| (&mut **visitor, Looks::Yes)).collect();
    let mut cursor = tree.walk();
    let mut rounds = Rounds::default();
    let mut depth = 0;
    while !rounds.stopped() {
        let node = cursor.node();
        let mut matter = false;
        for (visitor, looks) in visitors.iter_mut().filter(|(_, looks)| *looks == Looks::Yes) {
            if visitor.enter(node) {
                matter = true;
            } else {
                *looks = Looks::Behind(depth);
            }
        }
        if matter && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        loop {
            for (visitor, looks) in &mut visitors {
                match *looks {
                    Looks::Yes => visitor.leave(),
                    Looks::Behind(left) if left == depth => *looks = Looks::Yes,
                    Looks::Behind(_) => {}
                }
            }
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return true;
            }
            depth -= 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;
    use ai_assist_text::Language;

    /// Writes down what it is shown, and looks into nothing of one kind.
    struct Notes {
        skips: &'static str,
        open: usize,
        seen: Vec<(usize, String)>,
    }

    impl<'t> Visitor<'t> for Notes {
        fn enter(&mut self, node: Node<'t>) -> bool {
            self.seen.push((self.open, node.kind().to_owned()));
            let goes_in = node.kind() != self.skips;
            self.open += usize::from(goes_in);
            goes_in
        }

        fn leave(&mut self) {
            self.open -= 1;
        }
    }

    #[test]
    fn each_sees_with_others_what_it_sees_alone() {
        let text = "fn a(b: u8) -> u8 { if b > 1 { f(b, \"c\") } else { 0 } }\n// d\nmod e { struct G(u8); }\n";
        let program = Program::parse(text, Language::RUST).unwrap();
        let new = |skips| Notes { skips, open: 0, seen: Vec::new() };
        let kinds = ["", "source_file", "block", "parameters", "call_expression", "mod_item", "u8"];
        let alone = kinds.map(|skips| {
            let mut notes = new(skips);
            assert!(visit(&program.tree, &mut [&mut notes]) && notes.open == 0);
            notes.seen
        });
        let mut all = kinds.map(new);
        let mut visitors: Vec<&mut dyn Visitor<'_>> = all.iter_mut().map(|notes| notes as _).collect();
        assert!(visit(&program.tree, &mut visitors));
        assert!(alone[0].len() > 40 && alone[1].len() == 1);
        for (notes, alone) in all.iter().zip(alone) {
            assert!(notes.open == 0 && notes.seen == alone, "{}", notes.skips);
        }
    }
}
