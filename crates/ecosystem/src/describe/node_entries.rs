//! Where programs and libraries of Node start.

use serde_json::{Map, Value};

use super::{EntryPointKind, Findings, ending, split};

/// Conditions of `exports` may nest; deeper ones than this are no real ones.
const MAX_EXPORT_DEPTH: usize = 8;
const MAX_TARGETS: usize = 200;

pub(super) fn enter(findings: &mut Findings<'_>, path: &str, manifest: &Map<String, Value>) {
    programs(findings, path, manifest);
    started(findings, path, manifest);
    served(findings, path);
    library(findings, path, manifest);
}

fn programs(findings: &mut Findings<'_>, path: &str, manifest: &Map<String, Value>) {
    let stated: Vec<(String, &str)> = match manifest.get("bin") {
        Some(Value::String(file)) => vec![("bin".to_owned(), file)],
        Some(Value::Object(files)) => {
            let stated = files.iter().filter_map(|(name, file)| Some((format!("bin.{name}"), file.as_str()?)));
            stated.take(MAX_TARGETS).collect()
        }
        _ => return,
    };
    for (key, file) in stated {
        if let Some((place, evidence)) = source(findings, path, &key, file) {
            findings.enter(place, EntryPointKind::Cli, evidence);
        }
    }
}

/// Files that the scripts which start the program name.
fn started(findings: &mut Findings<'_>, path: &str, manifest: &Map<String, Value>) {
    let scripts = manifest.get("scripts");
    for key in ["start", "dev", "serve"] {
        let Some(script) = scripts.and_then(|scripts| scripts.get(key)?.as_str()) else { continue };
        for word in script.split_whitespace().take(50).map(|word| word.trim_matches(['"', '\''])) {
            if !is_source(word) || word.contains("config") {
                continue;
            }
            if let Some((place, evidence)) = source(findings, path, &format!("scripts.{key}"), word) {
                let (kind, because) = match findings.serves(path) {
                    Some((kind, name)) => (kind, format!("; it depends on {name}")),
                    None => (EntryPointKind::Script, String::new()),
                };
                findings.enter(place, kind, format!("{evidence}{because}"));
            }
        }
    }
}

/// Where frameworks look for the program, if the package depends on one.
fn served(findings: &mut Findings<'_>, path: &str) {
    let Some((kind, because)) = findings.serves(path).map(|(kind, name)| (kind, name.to_owned())) else { return };
    let names: &[&str] = match kind {
        EntryPointKind::Web => &[
            "app/page", "src/app/page", "pages/index", "src/pages/index", "app/root", "src/routes/+page", "src/main",
            "src/index", "src/App",
        ],
        _ => &["src/main", "src/server", "src/app", "src/index", "server", "app", "index"],
    };
    let folder = split(path).0;
    for name in names {
        let endings = ["ts", "tsx", "js", "jsx", "mjs", "svelte", "astro", "vue"];
        let place = endings.iter().find_map(|ending| findings.files.resolve(folder, &format!("{name}.{ending}")));
        if let Some(place) = place {
            findings.enter(place, kind, format!("{path}: it depends on {because}"));
            // The first is where it starts; the others would be parts of it.
            return;
        }
    }
}

fn library(findings: &mut Findings<'_>, path: &str, manifest: &Map<String, Value>) {
    let mut targets: Vec<(String, &str)> = Vec::new();
    for key in ["main", "module"] {
        if let Some(file) = manifest.get(key).and_then(Value::as_str) {
            targets.push((key.to_owned(), file));
        }
    }
    if let Some(exports) = manifest.get("exports") {
        exported(exports, "exports", 0, &mut targets);
    }
    for (key, file) in targets {
        if let Some((place, evidence)) = source(findings, path, &key, file) {
            findings.enter(place, EntryPointKind::Library, evidence);
        }
    }
}

fn exported<'a>(value: &'a Value, key: &str, depth: usize, targets: &mut Vec<(String, &'a str)>) {
    if depth > MAX_EXPORT_DEPTH || targets.len() >= MAX_TARGETS {
        return;
    }
    match value {
        Value::String(file) if is_source(file) && !file.contains('*') => targets.push((key.to_owned(), file)),
        Value::Object(conditions) => {
            for (condition, value) in conditions.iter().filter(|(name, _)| *name != "types") {
                exported(value, &format!("{key}.{condition}"), depth + 1, targets);
            }
        }
        Value::Array(choices) => choices.iter().for_each(|choice| exported(choice, key, depth + 1, targets)),
        _ => {}
    }
}

fn is_source(file: &str) -> bool {
    matches!(ending(file), "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx") && !file.ends_with(".d.ts")
}

/// The file a manifest names, with the evidence. One that is built is not there; then its source is, under the same name.
fn source(findings: &Findings<'_>, path: &str, key: &str, file: &str) -> Option<(String, String)> {
    let folder = split(path).0;
    let as_named = ["", ".js", "/index.js", ".ts", "/index.ts"];
    if let Some(place) = as_named.iter().find_map(|ending| findings.files.resolve(folder, &format!("{file}{ending}"))) {
        return Some((place, format!("{path}: {key}")));
    }
    let relative = file.trim_start_matches("./");
    let (built, rest) = relative.split_once('/')?;
    if !matches!(built, "dist" | "build" | "lib" | "out" | "esm" | "cjs" | "es" | "bin") {
        return None;
    }
    let stem = |text: &str| text.rsplit_once('.').map_or(text, |(stem, _)| stem).to_owned();
    let inner = rest.split_once('/').map_or(rest, |(_, inner)| inner);
    let stems = [stem(rest), stem(inner)];
    let candidates = stems.iter().flat_map(|stem| {
        let stem = stem.strip_prefix("src/").unwrap_or(stem).to_owned();
        ["ts", "tsx", "mts", "js", "mjs"].map(|ending| format!("src/{stem}.{ending}"))
    });
    let place = candidates.into_iter().find_map(|candidate| findings.files.resolve(folder, &candidate))?;
    let evidence = format!("{path}: {key} is {file}, of which {place} is the source by name");
    Some((place, evidence))
}
