//! The macros of `mdoc`: blocks here, what stands within a line in `spans`.

mod spans;

use super::escape::{Fonts, Inline, plain, read};
use super::page::titled;
use super::reader::{Call, Item, Reader};
use super::table;
use super::writer::Writer;
use crate::Limits;
use spans::Spans;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListKind {
    Tagged,
    Bulleted,
    Numbered,
    /// Items without a mark.
    Plain,
    Columns,
}

struct List {
    kind: ListKind,
    count: usize,
    rows: Vec<Vec<String>>,
}

struct Page<'a> {
    reader: Reader<'a>,
    writer: Writer,
    fonts: Fonts,
    spans: Spans,
    title: Option<(String, String)>,
    named: String,
    in_name: bool,
    lists: Vec<List>,
    /// Whether each open display is code.
    displays: Vec<bool>,
    /// The tag of an item that goes on over lines, between `Xo` and `Xc`.
    open_tag: Option<String>,
    /// The parts of a reference between `Rs` and `Re`.
    reference: Option<Vec<String>>,
}

/// Those that nest deeper are read as if they did not.
const DEEPEST: usize = 64;

pub(super) fn convert(source: &str, limits: &Limits) -> String {
    let mut page = Page {
        reader: Reader::new(source, is_known),
        writer: Writer::new(limits),
        fonts: Fonts::default(),
        spans: Spans::default(),
        title: None,
        named: String::new(),
        in_name: false,
        lists: Vec::new(),
        displays: Vec::new(),
        open_tag: None,
        reference: None,
    };
    while !page.writer.is_full()
        && let Some(item) = page.reader.next()
    {
        match item {
            Item::Text(line) => page.line(&line),
            Item::Call(call) => page.call(&call),
        }
    }
    page.close_all();
    let body = page.writer.finish();
    titled(page.title, &page.named, &body)
}

fn is_known(name: &str) -> bool {
    spans::is_macro(name)
        || name.starts_with('%')
        || matches!(
            name,
            "Dd" | "Dt"
                | "Os"
                | "Sh"
                | "Ss"
                | "Pp"
                | "Lp"
                | "Bl"
                | "El"
                | "It"
                | "Bd"
                | "Ed"
                | "D1"
                | "Dl"
                | "Nd"
                | "Rs"
                | "Re"
                | "Bk"
                | "Ek"
                | "Bf"
                | "Ef"
                | "Tg"
                | "Hf"
                | "TS"
        )
}

impl Page<'_> {
    fn line(&mut self, raw: &str) {
        if raw.trim().is_empty() {
            self.writer.space();
            return;
        }
        if let Some(tag) = &mut self.open_tag {
            tag.push(' ');
            tag.push_str(&plain(raw, &mut self.reader));
            return;
        }
        if self.in_columns() {
            let text = plain(raw, &mut self.reader);
            self.add_to_row(&text);
            return;
        }
        let inline = read(raw, &mut self.reader, &mut self.fonts);
        self.show(&inline);
        if self.spans.tight_after() {
            // Only what follows an opening bracket on a line of its own is joined to it.
            self.spans.reset();
        }
    }

    fn show(&mut self, inline: &Inline) {
        if self.in_name && self.named.len() < 400 {
            self.named.push_str(&inline.plain());
            self.named.push(' ');
        }
        self.writer.text(inline);
    }

    fn in_columns(&self) -> bool {
        self.lists.last().is_some_and(|list| list.kind == ListKind::Columns && !list.rows.is_empty())
    }

    fn call(&mut self, call: &Call) {
        let args = &call.args;
        match call.name.as_str() {
            "Dt" => {
                let mut words = args.iter().map(|arg| plain(arg, &mut self.reader));
                self.title = Some((words.next().unwrap_or_default(), words.next().unwrap_or_default()));
            }
            "Dd" | "Os" | "Bk" | "Ek" | "Bf" | "Ef" | "Tg" | "Hf" => {}
            "Sh" | "SH" => self.heading(2, args),
            "Ss" | "SS" => self.heading(3, args),
            "Pp" | "Lp" | "PP" | "LP" | "P" | "sp" => self.writer.space(),
            "br" => self.writer.line_break(),
            "Bl" => self.open_list(args),
            "El" => self.close_list(),
            "It" => self.item(args),
            "Bd" => self.open_display(args),
            "Ed" => {
                if self.displays.pop() == Some(true) {
                    self.writer.close_code();
                } else {
                    self.writer.space();
                }
            }
            "D1" => {
                self.writer.space();
                self.inline("No", args);
                self.writer.space();
            }
            "Dl" => {
                let code = self.spans.plain("No", args, &mut self.reader);
                self.writer.flush();
                self.writer.write_code("", &code);
            }
            "Nd" => {
                let words = self.spans.plain("No", args, &mut self.reader);
                self.writer.add(&format!("- {words}"));
            }
            "Rs" => self.reference = Some(Vec::new()),
            "Re" => {
                let parts = self.reference.take().unwrap_or_default();
                self.writer.add(&format!("{}.", parts.join(", ")));
            }
            name if name.starts_with('%') => {
                let part = self.spans.plain("No", args, &mut self.reader);
                match &mut self.reference {
                    Some(parts) => parts.push(part),
                    None => self.writer.add(&part),
                }
            }
            "TS" => {
                let rows = table::read(&mut self.reader);
                self.writer.table(&rows);
            }
            "nf" | "EX" => self.writer.open_code(),
            "fi" | "EE" => self.writer.close_code(),
            "so" => self.writer.add(&format!("See [{0}]({0}).", args.first().map_or("", String::as_str))),
            name if spans::is_macro(name) => self.inline(name, args),
            "B" | "I" | "BR" | "BI" | "IR" | "RB" | "RI" | "IB" | "IP" | "TP" => self.inline("No", args),
            // Requests of roff itself have lower-case names and show nothing.
            name if name.starts_with(|c: char| c.is_ascii_lowercase()) => {}
            _ => self.inline("No", args),
        }
    }

    fn heading(&mut self, level: usize, args: &[String]) {
        self.close_all();
        self.fonts = Fonts::default();
        let name = self.spans.plain("No", args, &mut self.reader);
        let upper = name.to_uppercase();
        self.in_name = level == 2 && upper == "NAME" && self.title.is_some() && self.named.is_empty();
        self.spans.in_synopsis = level == 2 && upper == "SYNOPSIS";
        self.writer.marks = !self.spans.in_synopsis;
        self.writer.heading(level, if self.in_name { "" } else { &name });
    }

    fn inline(&mut self, name: &str, args: &[String]) {
        if self.open_tag.is_some() || self.in_columns() {
            self.gather(name, args);
            return;
        }
        if self.spans.in_synopsis && matches!(name, "Nm" | "Ft" | "Fn" | "Fo" | "In" | "Fd" | "Vt") {
            if name == "Fn" || name == "Fo" { self.writer.line_break() } else { self.writer.space() }
        }
        let joins = self.spans.joins(name, args);
        let inline = self.spans.read(name, args, &mut self.reader);
        if joins {
            self.writer.join();
        }
        self.show(&inline);
        if self.spans.tight_after() {
            self.writer.join();
        }
    }

    /// Adds a line to a tag or a row that goes on over lines.
    fn gather(&mut self, name: &str, args: &[String]) {
        let closes = name == "Xc";
        if name == "Ta" {
            self.add_row_cell();
        }
        let cells = self.spans.cells(if name == "Ta" { "No" } else { name }, args, &mut self.reader);
        if let Some(mut tag) = self.open_tag.take() {
            let text = cells.join(" ");
            if !text.is_empty() && !self.spans.joins(name, args) {
                tag.push(' ');
            }
            tag.push_str(&text);
            if closes || tag.len() > 4000 {
                self.writer.item(&tag);
            } else {
                self.open_tag = Some(tag);
            }
            return;
        }
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                self.add_row_cell();
            }
            self.add_to_row(cell);
        }
    }

    fn add_row_cell(&mut self) {
        if let Some(row) = self.lists.last_mut().and_then(|list| list.rows.last_mut()) {
            row.push(String::new());
        }
    }

    fn add_to_row(&mut self, text: &str) {
        let row = self.lists.last_mut().and_then(|list| list.rows.last_mut());
        if let Some(cell) = row.and_then(|row| row.last_mut()) {
            if !cell.is_empty() {
                cell.push(' ');
            }
            cell.push_str(text);
        }
    }

    fn open_list(&mut self, args: &[String]) {
        let has = |name: &str| args.iter().any(|arg| arg == name);
        let kind = if has("-column") {
            ListKind::Columns
        } else if has("-bullet") || has("-dash") || has("-hyphen") {
            ListKind::Bulleted
        } else if has("-enum") {
            ListKind::Numbered
        } else if has("-item") {
            ListKind::Plain
        } else {
            ListKind::Tagged
        };
        if self.lists.len() < DEEPEST {
            self.lists.push(List { kind, count: 0, rows: Vec::new() });
            self.writer.open_level();
        }
    }

    fn close_list(&mut self) {
        if let Some(tag) = self.open_tag.take() {
            self.writer.item(&tag);
        }
        let Some(list) = self.lists.pop() else { return };
        self.writer.close_level();
        if !list.rows.is_empty() {
            self.writer.table(&list.rows);
        }
    }

    fn close_all(&mut self) {
        while !self.lists.is_empty() {
            self.close_list();
        }
        self.displays.clear();
    }

    fn item(&mut self, args: &[String]) {
        if let Some(tag) = self.open_tag.take() {
            self.writer.item(&tag);
        }
        let Some(list) = self.lists.last_mut() else {
            self.inline("No", args);
            return;
        };
        list.count += 1;
        let (kind, count) = (list.kind, list.count);
        match kind {
            ListKind::Bulleted => self.writer.item(""),
            ListKind::Numbered => self.writer.item(&format!("{count}.")),
            ListKind::Plain => self.writer.space(),
            ListKind::Columns => {
                let cells = self.spans.cells("No", args, &mut self.reader);
                if let Some(list) = self.lists.last_mut() {
                    list.rows.push(if cells.is_empty() { vec![String::new()] } else { cells });
                }
                return;
            }
            ListKind::Tagged => {
                let opens = args.iter().filter(|arg| *arg == "Xo").count();
                let goes_on = opens > args.iter().filter(|arg| *arg == "Xc").count();
                let tag = self.spans.plain("No", args, &mut self.reader);
                if goes_on {
                    self.open_tag = Some(tag);
                } else {
                    self.writer.item(&tag);
                }
                return;
            }
        }
        if !args.is_empty() {
            self.inline("No", args);
        }
    }

    fn open_display(&mut self, args: &[String]) {
        let code = args.iter().any(|arg| arg == "-literal" || arg == "-unfilled");
        if self.displays.len() < DEEPEST {
            self.displays.push(code);
        }
        if code { self.writer.open_code() } else { self.writer.space() }
    }
}
