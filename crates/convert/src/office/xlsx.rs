//! Spreadsheets.

use super::blocks::Blocks;
use super::xlsx_values::{date, is_date_format, number};
use super::xml::{Tag, Xml};
use super::{main_part, open, optional, part, relations};
use crate::{ConvertError, Limits, emit, place};

const FORMAT: &str = "xlsx";
/// Rows of one sheet that are written, and columns; the rest is data, not a document.
const MAX_ROWS: usize = 10_000;
const MAX_COLUMNS: usize = 128;
/// Longer tables are written as records, so that a passage from the middle of one names its columns.
const MAX_TABLE: usize = 40;
const MAX_STRINGS: usize = 4 << 20;

pub(crate) fn xlsx(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    let mut archive = open(bytes, FORMAT, limits)?;
    let main = main_part(&mut archive, "xl/workbook.xml", FORMAT, limits)?;
    let links = relations(&mut archive, &main, FORMAT, limits)?;
    let workbook = Workbook::parse(&part(&mut archive, &main, FORMAT)?, limits)?;
    let mut named = |kind: &str| {
        let relation = links.values().find(|relation| relation.kind == kind);
        relation.map_or(Ok(None), |relation| optional(&mut archive, &relation.target))
    };
    let strings = named("sharedStrings")?.map(|text| shared_strings(&text, limits)).transpose()?.unwrap_or_default();
    let dates = named("styles")?.map(|text| date_styles(&text, limits)).transpose()?.unwrap_or_default();
    let mut out = Blocks::new();
    for (name, id) in &workbook.sheets {
        let Some(link) = links.get(id).filter(|link| link.kind == "worksheet") else { continue };
        let Some(text) = optional(&mut archive, &link.target)? else { continue };
        let mut sheet =
            Sheet { strings: &strings, dates: &dates, since_1904: workbook.since_1904, rows: Vec::new(), left_out: 0 };
        sheet.read(&mut Xml::new(&text, FORMAT, limits))?;
        drop(text);
        if !sheet.rows.is_empty() {
            out.place("sheet", name);
            out.heading(1, name);
            sheet.write(&mut out);
        }
        if out.len() > limits.max_text {
            break;
        }
    }
    let text = out.finish();
    let has_text = text.lines().any(|line| !line.is_empty() && place::of_line(line).is_none());
    if has_text { emit::finish(text, limits) } else { Err(ConvertError::NoText("its sheets are empty")) }
}

struct Workbook {
    /// Names and relations, in the order of the tabs.
    sheets: Vec<(String, String)>,
    since_1904: bool,
}

impl Workbook {
    fn parse(text: &str, limits: &Limits) -> Result<Workbook, ConvertError> {
        let mut workbook = Workbook { sheets: Vec::new(), since_1904: false };
        Xml::new(text, FORMAT, limits).elements(|xml, _| {
            xml.elements(|xml, tag| match tag.name() {
                "workbookPr" => {
                    workbook.since_1904 = matches!(tag.attribute("date1904").as_deref(), Some("1" | "true"));
                    Ok(())
                }
                "sheets" => xml.elements(|_, tag| {
                    // What only a program can show was not meant to be read.
                    if tag.attribute("state").as_deref() != Some("veryHidden") {
                        let name = tag.attribute("name").unwrap_or_default();
                        workbook.sheets.extend(tag.attribute("id").map(|id| (name, id)));
                    }
                    Ok(())
                }),
                _ => Ok(()),
            })
        })?;
        Ok(workbook)
    }
}

fn shared_strings(text: &str, limits: &Limits) -> Result<Vec<Box<str>>, ConvertError> {
    let mut strings: Vec<Box<str>> = Vec::new();
    Xml::new(text, FORMAT, limits).find("si", &mut |xml, _| {
        let mut string = String::new();
        rich_text(xml, &mut string)?;
        if strings.len() >= MAX_STRINGS {
            return Err(ConvertError::TooLarge { what: "strings in a workbook", limit: MAX_STRINGS as u64 });
        }
        strings.push(string.into());
        Ok(())
    })?;
    Ok(strings)
}

/// Text in runs of several looks, without how it is pronounced.
fn rich_text(xml: &mut Xml, out: &mut String) -> Result<(), ConvertError> {
    xml.elements(|xml, tag| match tag.name() {
        "t" => {
            out.push_str(&xml.text()?);
            Ok(())
        }
        "rPh" | "phoneticPr" | "rPr" => Ok(()),
        _ => rich_text(xml, out),
    })
}

/// For each style of cells, whether it shows a date.
fn date_styles(text: &str, limits: &Limits) -> Result<Vec<bool>, ConvertError> {
    let mut codes = std::collections::HashMap::new();
    let mut styles = Vec::new();
    Xml::new(text, FORMAT, limits).elements(|xml, _| {
        xml.elements(|xml, tag| match tag.name() {
            "numFmts" => xml.elements(|_, tag| {
                codes.extend(tag.number("numFmtId").zip(tag.attribute("formatCode")));
                Ok(())
            }),
            "cellXfs" => xml.elements(|_, tag| {
                let id = tag.number("numFmtId").unwrap_or(0);
                styles.push(is_date_format(id, codes.get(&id).map(String::as_str)));
                Ok(())
            }),
            _ => Ok(()),
        })
    })?;
    Ok(styles)
}

struct Sheet<'w> {
    strings: &'w [Box<str>],
    dates: &'w [bool],
    since_1904: bool,
    /// Number of a row, and its cells by column.
    rows: Vec<(usize, Vec<(usize, String)>)>,
    left_out: usize,
}

impl Sheet<'_> {
    fn read(&mut self, xml: &mut Xml) -> Result<(), ConvertError> {
        xml.find("sheetData", &mut |xml, _| {
            let mut last = 0;
            xml.elements(|xml, tag| {
                last = tag.number("r").unwrap_or(last + 1);
                if self.rows.len() >= MAX_ROWS {
                    self.left_out += 1;
                    return Ok(());
                }
                let cells = self.row(xml)?;
                if !cells.is_empty() {
                    self.rows.push((last, cells));
                }
                Ok(())
            })
        })
    }

    fn row(&self, xml: &mut Xml) -> Result<Vec<(usize, String)>, ConvertError> {
        let mut cells: Vec<(usize, String)> = Vec::new();
        let mut next = 0;
        xml.elements(|xml, tag| {
            if tag.name() != "c" {
                return Ok(());
            }
            let column = tag.attribute("r").and_then(|cell| column(&cell)).unwrap_or(next);
            next = column + 1;
            let value = self.cell(xml, tag)?;
            if !value.trim().is_empty() && cells.len() < MAX_COLUMNS {
                cells.push((column, value));
            }
            Ok(())
        })?;
        Ok(cells)
    }

    fn cell(&self, xml: &mut Xml, tag: &Tag) -> Result<String, ConvertError> {
        let (mut value, mut inline) = (String::new(), String::new());
        xml.elements(|xml, tag| {
            match tag.name() {
                "v" => value = xml.text()?,
                "is" => rich_text(xml, &mut inline)?,
                _ => {}
            }
            Ok(())
        })?;
        let kind = tag.attribute("t");
        Ok(match kind.as_deref() {
            Some("s") => {
                let string = value.trim().parse::<usize>().ok().and_then(|at| self.strings.get(at));
                string.map(|string| string.to_string()).unwrap_or_default()
            }
            Some("inlineStr") => inline,
            Some("b") => if value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            Some("str" | "e" | "d") => value,
            _ => {
                let is_date = tag.number("s").and_then(|style| self.dates.get(style)).copied().unwrap_or(false);
                let serial = value.trim().parse::<f64>().ok().filter(|_| is_date);
                serial.and_then(|serial| date(serial, self.since_1904)).unwrap_or_else(|| number(value.trim()))
            }
        })
    }

    /// Rows that stand apart are tables of their own.
    fn write(self, out: &mut Blocks) {
        let mut start = 0;
        for end in 1..=self.rows.len() {
            let is_end = end == self.rows.len() || self.rows[end].0 > self.rows[end - 1].0 + 1;
            if is_end {
                write_table(&self.rows[start..end], out);
                start = end;
            }
        }
        if self.left_out > 0 {
            out.paragraph(&format!("({} more rows of this sheet are left out.)", self.left_out));
        }
    }
}

fn write_table(rows: &[(usize, Vec<(usize, String)>)], out: &mut Blocks) {
    let mut columns: Vec<usize> = rows.iter().flat_map(|(_, cells)| cells.iter().map(|(column, _)| *column)).collect();
    columns.sort_unstable();
    columns.dedup();
    columns.truncate(MAX_COLUMNS);
    let at = |column: &usize| columns.binary_search(column).ok();
    // A line alone is a title or a remark.
    if columns.len() == 1 {
        rows.iter().for_each(|(_, cells)| cells.iter().for_each(|(_, cell)| out.paragraph(cell)));
        return;
    }
    let full = |cells: &[(usize, String)]| {
        let mut row = vec![String::new(); columns.len()];
        for (column, cell) in cells {
            if let Some(at) = at(column) {
                row[at].clone_from(cell);
            }
        }
        row
    };
    let Some(((_, head), rest)) = rows.split_first() else { return };
    let is_head = head.len() * 2 > columns.len() && head.iter().all(|(_, cell)| cell.parse::<f64>().is_err());
    if rows.len() <= MAX_TABLE || !is_head {
        out.table(rows.iter().map(|(_, cells)| full(cells)).collect());
        return;
    }
    let head = full(head);
    for (_, cells) in rest {
        let fields = cells.iter().filter_map(|(column, cell)| {
            let name = at(column).map(|at| head[at].trim()).unwrap_or_default();
            let cell = cell.split_whitespace().collect::<Vec<_>>().join(" ");
            Some(if name.is_empty() { cell } else { format!("{name}: {cell}") }).filter(|field| !field.is_empty())
        });
        out.item(0, "-", &fields.collect::<Vec<_>>().join("; "));
    }
}

/// The column of a cell's name, counted from zero: 27 of `AB12`.
fn column(cell: &str) -> Option<usize> {
    let letters = cell.bytes().take_while(u8::is_ascii_alphabetic);
    let column = letters
        .take(4)
        .fold(0usize, |column, letter| column * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1);
    column.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted() {
        for (cell, at) in [("A1", Some(0)), ("Z9", Some(25)), ("AB12", Some(27)), ("XFD1", Some(16_383)), ("12", None)]
        {
            assert_eq!(column(cell), at, "{cell}");
        }
    }
}
