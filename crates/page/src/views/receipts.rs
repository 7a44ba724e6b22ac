//! The record of every pack that left, and whether it is whole.

use std::sync::Arc;

use ai_assist_base::chain;
use ai_assist_base::json::word;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;

use crate::failure::Failure;
use crate::frame::{Frame, View};
use crate::links;
use crate::pages::{Pages, html};
use crate::params::Asked;
use crate::shown::{ago, bytes, count, number};

const LISTED: u64 = 200;

#[derive(Template)]
#[template(path = "receipts.html")]
struct ReceiptsPage {
    frame: Frame,
    rows: Vec<Row>,
    verified: Result<String, String>,
    pack: String,
}

struct Row {
    number: u64,
    address: String,
    time: String,
    ago: String,
    kind: String,
    files: String,
    tokens: String,
    redacted: String,
    root: String,
}

#[derive(Template)]
#[template(path = "receipt.html")]
struct ReceiptPage {
    frame: Frame,
    number: u64,
    time: String,
    root: String,
    facts: Vec<(&'static str, String)>,
    hashes: Vec<(&'static str, String)>,
    redactions: Vec<(String, usize)>,
    files: Vec<(String, String, String)>,
    excluded: Vec<(String, String)>,
    list: String,
}

pub(crate) async fn show(State(pages): State<Arc<Pages>>, Path(project): Path<String>, asked: Asked) -> Response {
    pages
        .answer(project, asked, |open| {
            let ledger = open.project.receipts()?;
            let verified = match ledger.verify() {
                Ok(verified) if verified.records == 0 => Ok(String::new()),
                Ok(verified) => Ok(format!("{}, none changed, missing or moved", count(verified.records, "receipt"))),
                Err(error) => Err(chain(&error)),
            };
            let most = ledger.count()?;
            let mut rows = Vec::new();
            for number in (1..=most).rev().take(usize::try_from(LISTED).unwrap_or(usize::MAX)) {
                // One that can't be read is what the verification names.
                let Ok(record) = ledger.read(number) else { continue };
                let info = record.context_pack_info;
                rows.push(Row {
                    number,
                    address: links::view(&open.name, &format!("receipts/{number}")),
                    ago: ago(&record.created_at),
                    time: record.created_at,
                    kind: word(&info.pack_type),
                    files: crate::shown::number(info.files_included as u64),
                    tokens: record
                        .pack_tokens
                        .or(info.content_tokens)
                        .map_or(String::new(), |many| crate::shown::number(many as u64)),
                    redacted: crate::shown::number(record.redactions.values().sum::<usize>() as u64),
                    root: record.source_root,
                });
            }
            html(&ReceiptsPage {
                frame: Frame::new(open, "Receipts", View::Pack),
                rows,
                verified,
                pack: links::view(&open.name, "pack"),
            })
        })
        .await
}

pub(crate) async fn one(
    State(pages): State<Arc<Pages>>,
    Path((project, which)): Path<(String, u64)>,
    asked: Asked,
) -> Response {
    pages
        .answer(project, asked, move |open| {
            let ledger = open.project.receipts()?;
            if which == 0 || which > ledger.count()? {
                return Err(Failure::missing(format!("There is no receipt {which}.")));
            }
            let record = ledger.read(which)?;
            let info = &record.context_pack_info;
            let tokens = record.pack_tokens.or(info.content_tokens);
            let file = |file: &ai_assist_pack::SentFile| {
                let mut notes = Vec::new();
                notes.extend(file.truncated.then(|| "cut".to_owned()));
                notes.extend(file.redactions.iter().map(|(rule, many)| format!("{many} × {rule}")));
                (file.path.clone(), bytes(file.bytes), notes.join(", "))
            };
            html(&ReceiptPage {
                frame: Frame::new(open, &format!("Receipt {which}"), View::Pack),
                number: which,
                time: record.created_at.clone(),
                root: record.source_root.clone(),
                facts: vec![
                    ("Kind", word(&info.pack_type)),
                    ("Files", number(info.files_included as u64)),
                    ("Left out", number(info.files_excluded as u64)),
                    ("Tokens", tokens.map_or("not counted".to_owned(), |many| number(many as u64))),
                    ("Size", bytes(record.pack_bytes)),
                ],
                hashes: vec![
                    ("Pack", record.pack_hash.to_string()),
                    ("This record", record.record_hash.to_string()),
                    ("The one before", record.previous.map_or("none".to_owned(), |hash| hash.to_string())),
                ],
                redactions: record.redactions.clone().into_iter().collect(),
                files: record.files.iter().chain(&record.outlined).map(file).collect(),
                excluded: record.excluded.iter().take(500).map(|file| (file.path.clone(), file.rule.clone())).collect(),
                list: links::view(&open.name, "receipts"),
            })
        })
        .await
}
