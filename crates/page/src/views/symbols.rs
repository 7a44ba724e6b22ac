//! Definitions by a name, and the lines that use it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ai_assist_app::Within;
use ai_assist_index::Filter;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::lookup::{FoundIn, SymbolLookup};
use ai_assist_repo::scan::ScanRequest;
use ai_assist_trigram::{Pattern, PatternOptions};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;

use crate::frame::{Frame, View};
use crate::links::Place;
use crate::pages::{Answered, Open, Pages, html};
use crate::params::Asked;
use crate::shown::{Markup, count};
use crate::source;

const DEFINITIONS: usize = 100;
const USES: usize = 100;
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Template)]
#[template(path = "symbols.html")]
struct SymbolsPage {
    frame: Frame,
    name: String,
    definitions: Vec<DefinitionRow>,
    more: bool,
    uses: Vec<UseRow>,
    used: String,
    warnings: Vec<String>,
}

struct DefinitionRow {
    address: String,
    kind: String,
    parent: Option<String>,
    signature: Markup,
    place: String,
}

struct UseRow {
    address: String,
    place: String,
    text: Markup,
}

pub(crate) async fn show(State(pages): State<Arc<Pages>>, Path(project): Path<String>, asked: Asked) -> Response {
    pages.answer(project, asked, view).await
}

fn view(open: &Open) -> Answered {
    let name = open.asked.params.get("name").unwrap_or_default().trim().to_owned();
    let title = if name.is_empty() { "Definitions".to_owned() } else { format!("{name} · definitions") };
    let mut page = SymbolsPage {
        frame: Frame::new(open, &title, View::Other),
        name: name.clone(),
        definitions: Vec::new(),
        more: false,
        uses: Vec::new(),
        used: String::new(),
        warnings: Vec::new(),
    };
    if name.is_empty() {
        return html(&page);
    }
    let lookup =
        SymbolLookup { name: name.clone(), kinds: Vec::new(), languages: Vec::new(), paths: None, limit: DEFINITIONS };
    let found = open.project.symbols(&Within::default(), &lookup, &open.cancel)?;
    page.more = found.more;
    page.warnings = found.warnings;
    for found in found.symbols {
        let (place, symbol) = (place_of(&found.found_in, &found.symbol.path), found.symbol);
        let signature = symbol.signature.unwrap_or_else(|| symbol.name.clone());
        let tokens = ai_assist_syntax::tokens(&signature, symbol.language);
        page.definitions.push(DefinitionRow {
            address: place.lines(&open.name, symbol.lines, symbol.language),
            kind: symbol.kind.to_string(),
            parent: symbol.parent,
            signature: Markup(source::lines(&signature, &tokens, &[], &|_| None).join(" ")),
            place: format!("{}/{}:{}", place.owner(), symbol.path, symbol.lines),
        });
    }
    uses(open, &name, &mut page);
    html(&page)
}

/// Lines with the name in them. Where nothing of code is indexed there are none, and that is no failure.
fn uses(open: &Open, name: &str, page: &mut SymbolsPage) {
    let options = PatternOptions { fixed: true, ..PatternOptions::default() };
    let Ok(pattern) = Pattern::new(name, options) else { return };
    let (filter, until) = (Filter::default(), Instant::now().checked_add(PATIENCE));
    let request = ScanRequest { pattern: &pattern, filter: &filter, limit: USES, until };
    let Ok(found) = open.project.grep(&Within::default(), &[Mode::Code], &request, &open.cancel) else { return };
    page.used = count(found.found as u64, "line");
    for line in found.lines {
        let place = place_of(&line.found_in, &line.line.document);
        let tokens = ai_assist_syntax::tokens(&line.line.text, line.line.language);
        let text = source::lines(&line.line.text, &tokens, &line.line.matches, &|_| None);
        page.uses.push(UseRow {
            address: format!("{}?lines={}#L{}", place.address(&open.name), line.line.lines, line.line.lines.start),
            place: format!("{}/{}:{}", place.owner(), line.line.document, line.line.lines.start),
            text: Markup(text.into_iter().next().unwrap_or_default()),
        });
    }
}

fn place_of(found_in: &FoundIn, path: &str) -> Place {
    match found_in {
        FoundIn::Repo(repo) => Place::Repo { repo: repo.clone(), path: path.to_owned() },
        FoundIn::Collection(collection) => Place::Collection { collection: collection.clone(), path: path.to_owned() },
    }
}
