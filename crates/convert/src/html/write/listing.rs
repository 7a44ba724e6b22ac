//! Listings and tables, as blocks of a page.

use super::{Writer, code, inline, table};
use crate::html::tree::{Id, Tree};

impl Writer<'_, '_> {
    pub(super) fn listing(&mut self, id: Id) {
        let (tree, content) = (self.tree, self.content);
        let Some(text) = code::text_of(tree, content, id) else { return };
        if self.flat > 0 {
            self.inline.space();
            self.inline.push_verbatim(&inline::code(&text));
            self.inline.space();
            return;
        }
        self.flush();
        let language = if is_signature(tree, id) { "java".to_owned() } else { code::language_of(tree, id) };
        self.write(&code::fenced(&text, &language));
    }

    pub(super) fn table(&mut self, id: Id) {
        let (tree, content) = (self.tree, self.content);
        if self.flat > 0 {
            return self.blocks(id);
        }
        match table::shape_of(tree, content, id) {
            table::Shape::Grid => {
                let caption = tree.below(id).find(|&id| tree.name(id) == "caption");
                let rows = table::rows_of(tree, content, id);
                self.grid(caption, &rows);
            }
            table::Shape::Code => {
                let rows = table::rows_of(tree, content, id);
                let has_pre = tree.below(id).any(|id| tree.name(id) == "pre" && !content.is_dropped(id));
                if has_pre { self.blocks(id) } else { self.lines_of_code(id, &rows) }
            }
            table::Shape::Blocks => self.blocks(id),
        }
    }

    /// A listing whose lines are the rows of a table.
    fn lines_of_code(&mut self, id: Id, rows: &[Vec<Id>]) {
        let (tree, content) = (self.tree, self.content);
        let line = |row: &Vec<Id>| {
            let cells = row.iter().filter(|&&cell| tree.attribute(cell, "data-line-number").is_none());
            cells.filter_map(|&cell| code::text_of(tree, content, cell)).collect::<String>()
        };
        let text: Vec<String> = rows.iter().map(line).collect();
        self.flush();
        self.write(&code::fenced(&text.join("\n"), &code::language_of(tree, id)));
    }

    pub(super) fn div_table(&mut self, id: Id) {
        let rows = table::rows_of_divs(self.tree, self.content, id);
        if self.flat > 0 { self.blocks(id) } else { self.grid(None, &rows) }
    }

    fn grid(&mut self, caption: Option<Id>, rows: &[Vec<Id>]) {
        self.flush();
        if let Some(caption) = caption {
            let caption = self.line_of(caption);
            if !caption.is_empty() {
                self.write(&caption);
            }
        }
        let mut cells = Vec::with_capacity(rows.len());
        let mut size = 0;
        for row in rows {
            let row: Vec<table::Cell> = row
                .iter()
                .map(|&cell| table::Cell {
                    text: self.line_of(cell),
                    columns: table::span(self.tree, cell, "colspan"),
                    rows: table::span(self.tree, cell, "rowspan"),
                })
                .collect();
            size += row.iter().map(|cell| cell.text.len()).sum::<usize>();
            cells.push(row);
            if self.lines.is_beyond(size) {
                break;
            }
        }
        if let Some(grid) = table::grid(cells) {
            self.write(&grid);
        }
    }
}

/// A signature of Javadoc, whose lines CSS keeps.
pub(super) fn is_signature(tree: &Tree<'_>, id: Id) -> bool {
    ["member-signature", "type-signature", "package-signature", "module-signature"]
        .iter()
        .any(|class| tree.has_class(id, class))
}
