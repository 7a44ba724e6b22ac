//! Sets of tabs.

use super::Writer;
use crate::html::tree::{Id, Tree};

impl Writer<'_, '_> {
    /// The names of tabs and their panels stand apart; each name belongs before its panel.
    pub(super) fn tabs(&mut self, id: Id) {
        let (tree, content) = (self.tree, self.content);
        let is_panel = |id: Id| {
            let class = tree.attribute(id, "class").unwrap_or_default();
            let role = tree.attribute(id, "role");
            role.is_some_and(|role| role == "tabpanel")
                || class.split_ascii_whitespace().any(|class| matches!(class, "tabbed-block" | "tab-panel"))
                || (tree.has_class(tree.parent(id), "blocks") && tree.name(id) == "div")
        };
        let is_label = |id: Id| {
            !content.is_dropped(id)
                && (tree.name(id) == "label" || tree.attribute(id, "role").is_some_and(|role| role == "tab"))
        };
        let outermost = |found: Vec<Id>| {
            let mut end = 0;
            let first = |id: &Id| {
                *id >= end && {
                    end = tree.below(*id).end;
                    true
                }
            };
            found.into_iter().filter(first).collect::<Vec<_>>()
        };
        let panels = outermost(tree.below(id).filter(|&id| is_panel(id) && !content.is_dropped(id)).collect());
        let in_panel = |label: Id| panels.iter().any(|&panel| tree.contains(panel, label));
        let labels: Vec<Id> = tree.below(id).filter(|&id| is_label(id) && !in_panel(id)).collect();
        if panels.is_empty() || labels.len() != panels.len() {
            return self.blocks(id);
        }
        self.flush();
        for (label, panel) in labels.into_iter().zip(panels) {
            let label = self.line_of(label);
            if !label.is_empty() {
                self.write(&format!("**{label}**"));
            }
            self.blocks(panel);
        }
    }
}

pub(super) fn is_tab_set(tree: &Tree<'_>, id: Id) -> bool {
    ["tabs-container", "tabbed-set", "vp-code-group", "sphinx-tabs"].iter().any(|class| tree.has_class(id, class))
}
