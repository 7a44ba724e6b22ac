//! Environments: lists, code, tables, formulas.

use super::Reader;
use crate::{emit, place};

pub(super) struct Environment {
    name: String,
    kind: Kind,
}

enum Kind {
    /// A list, and how many items it has had; a count of nothing is a list without numbers.
    List {
        numbered: bool,
        items: usize,
    },
    Table {
        rows: Vec<Vec<String>>,
        row: Vec<String>,
        cell: usize,
    },
    /// Text like any other.
    Text,
}

/// Environments whose content is code.
const CODE: [&str; 9] =
    ["verbatim", "Verbatim", "lstlisting", "minted", "alltt", "code", "lstcode", "BVerbatim", "semiverbatim"];

const FORMULAS: [&str; 10] = [
    "equation", "align", "gather", "multline", "eqnarray", "displaymath", "math", "alignat", "flalign", "subequations",
];

/// Environments that hold drawings or what is not shown.
const HIDDEN: [&str; 7] = ["comment", "tikzpicture", "pgfpicture", "picture", "filecontents", "asy", "pspicture"];

const TABLES: [&str; 8] = ["tabular", "tabularx", "tabulary", "longtable", "array", "supertabular", "tabu", "longtabu"];

const STATEMENTS: [&str; 10] =
    ["theorem", "lemma", "proof", "definition", "example", "remark", "corollary", "proposition", "exercise", "note"];

impl<'a> Reader<'a> {
    pub(super) fn open_environment(&mut self, name: &'a str) {
        let name = name.trim();
        let plain = name.trim_end_matches('*');
        if CODE.contains(&plain) {
            self.code(name, plain);
            return;
        }
        if FORMULAS.contains(&plain) {
            let formula = self.source.block(&format!("\\end{{{name}}}")).trim();
            emit::block(&mut self.text);
            self.text.push_str(&place::escape(&format!("$$\n{formula}\n$$\n\n")));
            return;
        }
        if HIDDEN.contains(&plain) {
            self.source.block(&format!("\\end{{{name}}}"));
            return;
        }
        let is_table = TABLES.contains(&plain);
        if !is_table {
            self.block();
        }
        let kind = match plain {
            "itemize" | "description" | "list" | "compactitem" | "trivlist" => Kind::List { numbered: false, items: 0 },
            "enumerate" | "compactenum" => Kind::List { numbered: true, items: 0 },
            _ if is_table => {
                self.source.skip_optional();
                // The width comes before the columns where there is one.
                let groups = if matches!(name, "tabularx" | "tabulary" | "tabular*") { 2 } else { 1 };
                for _ in 0..groups {
                    self.source.group();
                }
                Kind::Table { rows: Vec::new(), row: Vec::new(), cell: self.text.len() }
            }
            "abstract" => {
                emit::heading(&mut self.text, 2, "Abstract");
                Kind::Text
            }
            "frame" => {
                self.source.skip_optional();
                if let Some(title) = self.source.group() {
                    emit::heading(&mut self.text, 3, title);
                }
                Kind::Text
            }
            _ if STATEMENTS.contains(&plain) => {
                self.statement(plain);
                Kind::Text
            }
            "thebibliography" => {
                self.source.group();
                emit::heading(&mut self.text, 2, "References");
                Kind::Text
            }
            "minipage" | "wrapfigure" | "multicols" | "adjustbox" | "spacing" => {
                self.source.skip_optional();
                self.source.group();
                if plain == "wrapfigure" {
                    self.source.group();
                }
                Kind::Text
            }
            _ => {
                self.source.skip_optional();
                Kind::Text
            }
        };
        // What is nested deeper is text of the environment around it.
        if self.environments.len() < self.limits.max_depth {
            self.environments.push(Environment { name: name.to_owned(), kind });
        }
    }

    fn statement(&mut self, name: &str) {
        let mut label: String = name[..1].to_uppercase();
        label.push_str(&name[1..]);
        if let Some(title) = self.source.optional() {
            label.push_str(&format!(" ({})", title.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
        self.push(&format!("**{label}.** "));
    }

    fn code(&mut self, name: &str, plain: &str) {
        let options = self.source.optional().unwrap_or_default();
        let mut language = String::new();
        if plain == "minted" {
            self.source.group().unwrap_or_default().clone_into(&mut language);
        } else if let Some(at) = options.find("language=") {
            let value = options[at + "language=".len()..].trim_start_matches(['{', '[']);
            language = value.split([',', '}', ']', ' ']).next().unwrap_or_default().to_lowercase();
        }
        let code = self.source.block(&format!("\\end{{{name}}}"));
        emit::fence(&mut self.text, &language, code);
        self.text.push('\n');
    }

    pub(super) fn end_environment(&mut self, name: &str) {
        let name = name.trim();
        // An end that nothing opened is a slip of the author's; so is a begin that has no end.
        let Some(depth) = self.environments.iter().rev().take(8).position(|open| open.name == name) else { return };
        for _ in 0..=depth {
            self.close_environment();
        }
    }

    pub(super) fn close_environment(&mut self) {
        if self.in_table() {
            self.end_row();
        }
        let Some(environment) = self.environments.pop() else { return };
        match environment.kind {
            Kind::Table { rows, .. } if self.in_table() => {
                // A table in a cell can only be text.
                let text: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
                self.push(&text.join("; "));
            }
            Kind::Table { mut rows, .. } => {
                rows.retain(|row| row.iter().any(|cell| !cell.trim().is_empty()));
                emit::table(&mut self.text, &rows);
                self.block();
            }
            _ => self.block(),
        }
    }

    pub(super) fn item(&mut self) {
        let tag = self.source.optional();
        let mut marker = "- ".to_owned();
        if let Some(Kind::List { numbered, items }) =
            self.environments.last_mut().map(|environment| &mut environment.kind)
        {
            *items += 1;
            if *numbered {
                marker = format!("{items}. ");
            }
        }
        emit::line(&mut self.text);
        let indent = self.indent().saturating_sub(2);
        self.text.push_str(&" ".repeat(indent));
        self.text.push_str(&marker);
        if let Some(tag) = tag.filter(|tag| !tag.trim().is_empty()) {
            let tag = tag.replace(['{', '}'], "");
            let words = tag.split_whitespace().filter(|word| !word.starts_with('\\')).collect::<Vec<_>>().join(" ");
            let words = if words.is_empty() { tag.trim_start_matches('\\').to_owned() } else { words };
            self.text.push_str(&place::escape(&format!("**{words}** ")));
        }
        self.source.skip_blanks();
    }

    /// How far the text of the innermost list is indented.
    pub(super) fn indent(&self) -> usize {
        let lists =
            self.environments.iter().filter(|environment| matches!(environment.kind, Kind::List { .. })).count();
        2 * lists.min(16)
    }

    pub(super) fn in_table(&self) -> bool {
        matches!(self.environments.last(), Some(Environment { kind: Kind::Table { .. }, .. }))
    }

    pub(super) fn end_cell(&mut self) {
        let Some(Kind::Table { cell, .. }) = self.environments.last().map(|environment| &environment.kind) else {
            return;
        };
        let text = self.split_off(*cell);
        if let Some(Kind::Table { row, cell, .. }) =
            self.environments.last_mut().map(|environment| &mut environment.kind)
        {
            row.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
            *cell = self.text.len();
        }
    }

    pub(super) fn end_row(&mut self) {
        self.end_cell();
        if let Some(Kind::Table { rows, row, .. }) =
            self.environments.last_mut().map(|environment| &mut environment.kind)
        {
            rows.push(std::mem::take(row));
        }
    }
}
