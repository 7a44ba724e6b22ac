//! Tables.

use crate::html::content::Content;
use crate::html::tree::{Id, Tree, is_heading};

/// Columns of one table; what a page claims beyond is not believed.
const MAX_COLUMNS: usize = 64;
/// A cell that spans rows is repeated in each if it is at most this long, so that a row can be read by itself.
const MAX_REPEATED: usize = 80;

/// How a table is written.
pub(crate) enum Shape {
    /// As rows of cells.
    Grid,
    /// As what stands in its cells: it arranges a page, or holds more than a line can.
    Blocks,
    /// As a listing: its first column are the numbers of the lines.
    Code,
}

pub(crate) fn shape_of(tree: &Tree<'_>, content: &Content, table: Id) -> Shape {
    let class = tree.attribute(table, "class").unwrap_or_default();
    let listing = ["highlighttable", "rouge-table", "lntable", "hljs-ln", "codehilitetable", "js-file-line-container"];
    if class.split_ascii_whitespace().any(|class| listing.contains(&class)) {
        return Shape::Code;
    }
    let is_large = |id: Id| match tree.name(id) {
        "table" => true,
        "pre" => tree.raw_text(id).trim().contains('\n'),
        name => is_heading(name),
    };
    let cells = |id: &Id| matches!(tree.name(*id), "td" | "th") && content.facts(*id).text > 0;
    let kept = || tree.below(table).filter(|&id| !content.is_dropped(id));
    let has_grid = kept().filter(cells).take(2).count() == 2;
    if has_grid && !kept().any(is_large) { Shape::Grid } else { Shape::Blocks }
}

/// The rows of a table, each with its cells; not those of a table within.
pub(crate) fn rows_of(tree: &Tree<'_>, content: &Content, table: Id) -> Vec<Vec<Id>> {
    let mut rows = Vec::new();
    for id in tree.below(table).filter(|&id| !content.is_dropped(id)) {
        match tree.name(id) {
            "tr" => rows.push(Vec::new()),
            "td" | "th" => {
                if rows.is_empty() {
                    rows.push(Vec::new());
                }
                if let Some(row) = rows.last_mut() {
                    row.push(id);
                }
            }
            _ => {}
        }
    }
    rows.retain(|row| !row.is_empty());
    rows
}

/// The rows of a table that Javadoc makes of `div` elements: one after the other, as many in a row as there are heads.
pub(crate) fn rows_of_divs(tree: &Tree<'_>, content: &Content, table: Id) -> Vec<Vec<Id>> {
    let is_cell = |id: &Id| !content.is_dropped(*id) && tree.name(*id) == "div";
    let cells: Vec<Id> = tree.children(table).filter(is_cell).collect();
    let columns = cells.iter().filter(|&&id| tree.has_class(id, "table-header")).count();
    cells.chunks(columns.max(1)).map(<[Id]>::to_vec).collect()
}

/// Whether an element is a table made of `div` elements.
pub(crate) fn is_div_table(tree: &Tree<'_>, id: Id) -> bool {
    let class = tree.attribute(id, "class").unwrap_or_default();
    let mut classes = class.split_ascii_whitespace();
    tree.name(id) == "div" && classes.any(|class| matches!(class, "summary-table" | "details-table"))
}

/// A cell as text, and how far it reaches.
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

pub(crate) fn span(tree: &Tree<'_>, id: Id, attribute: &str) -> usize {
    let span = tree.attribute(id, attribute).and_then(|value| value.trim().parse().ok());
    span.unwrap_or(1).clamp(1, 1000)
}

/// Rows of cells as a table of Markdown. The first row is its head, because there has to be one.
pub(crate) fn grid(rows: Vec<Vec<Cell>>) -> Option<String> {
    let rows = spread(rows);
    let columns = rows.iter().map(Vec::len).max()?;
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        let cells = row.iter().map(String::as_str).chain(std::iter::repeat("")).take(columns);
        for cell in cells {
            text.push_str("| ");
            text.push_str(cell);
            text.push(' ');
        }
        text.push_str("|\n");
        if at == 0 {
            text.push_str(&"| --- ".repeat(columns));
            text.push_str("|\n");
        }
    }
    Some(text)
}

/// Puts cells where their spans leave room.
fn spread(rows: Vec<Vec<Cell>>) -> Vec<Vec<String>> {
    // For each column, how many rows below a cell above still fills, and with what.
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut spread = Vec::with_capacity(rows.len());
    for row in rows {
        let mut cells: Vec<String> = Vec::new();
        for cell in row {
            fill_from_above(&mut above, &mut cells);
            for column in 0..cell.columns {
                if cells.len() >= MAX_COLUMNS {
                    break;
                }
                let text = if column == 0 { escape(&cell.text) } else { String::new() };
                above.resize((cells.len() + 1).max(above.len()), (0, String::new()));
                let repeated = if text.len() <= MAX_REPEATED { text.clone() } else { String::new() };
                above[cells.len()] = (cell.rows - 1, repeated);
                cells.push(text);
            }
            if cells.len() >= MAX_COLUMNS {
                // Nothing is lost of a row that is too long: its last cell holds the rest.
                if let Some(last) = cells.last_mut().filter(|last| **last != escape(&cell.text)) {
                    last.push(' ');
                    last.push_str(&escape(&cell.text));
                }
            }
        }
        fill_from_above(&mut above, &mut cells);
        if cells.iter().any(|cell| !cell.is_empty()) {
            spread.push(cells);
        }
    }
    spread
}

fn fill_from_above(above: &mut [(usize, String)], cells: &mut Vec<String>) {
    while let Some((left, text)) = above.get_mut(cells.len()).filter(|(left, _)| *left > 0) {
        *left -= 1;
        cells.push(text.clone());
    }
}

fn escape(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}
