//! Which packages a package hands on as its own: `exports.json = bodyParser.json`, `export * from '@vue/runtime-dom'`. What people
//! call express is for a good part `router`, `body-parser` and `serve-static`, and their documents are there and not with express.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::root::Root;

/// An entry that names more files than this names all it has.
const MOST_FILES: usize = 8;
/// A larger file is a bundle, in which everything is its own.
const MOST_BYTES: u64 = 256 * 1024;

/// The names of packages whose exports the files below some entries hand on.
pub(super) fn passed_on(folder: &Root, entries: &[String]) -> Vec<String> {
    let mut waiting: VecDeque<String> = entries.iter().map(|entry| normal("", entry)).collect();
    let mut seen = BTreeSet::new();
    let mut packages = BTreeSet::new();
    while let Some(file) = waiting.pop_front() {
        if seen.len() >= MOST_FILES || !seen.insert(file.clone()) {
            continue;
        }
        let Some(text) = read(folder, &file) else { continue };
        for module in exported(&text) {
            match module.strip_prefix('.') {
                Some(_) => waiting.push_back(normal(file.rsplit_once('/').map_or("", |(folder, _)| folder), module)),
                None => packages.extend(package_of(module)),
            }
        }
    }
    packages.into_iter().collect()
}

/// A file by what a program calls it: without its ending, or by the folder it is the index of.
fn read(folder: &Root, file: &str) -> Option<String> {
    let candidates = [file.to_owned(), format!("{file}.js"), format!("{file}/index.js")];
    candidates.iter().find_map(|file| folder.read_up_to(file, MOST_BYTES).ok().flatten())
}

/// A relative module as a path in the package.
fn normal(folder: &str, module: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in module.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The modules that a file hands on, as it writes them.
fn exported(text: &str) -> Vec<&str> {
    let mut bound: BTreeMap<&str, &str> = BTreeMap::new();
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(rest) = ["var ", "let ", "const "].iter().find_map(|word| line.strip_prefix(word)) {
            if let Some((name, value)) = rest.split_once('=')
                && let Some(module) = required(value)
            {
                bound.insert(name.trim(), module);
            }
        } else if line.starts_with("exports.") || line.starts_with("module.exports") || line.starts_with("exports =") {
            let value = line.rsplit_once('=').map_or("", |(_, value)| value.trim());
            let name = value.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).next().unwrap_or_default();
            found.extend(required(value).or_else(|| bound.get(name).copied()));
        } else if line.starts_with("export ") || line.starts_with("} from ") {
            found.extend(line.rsplit_once(" from ").and_then(|(_, module)| quoted(module)));
        }
    }
    found
}

/// The module of `require('module')`, with whatever is taken of it.
fn required(value: &str) -> Option<&str> {
    quoted(value.trim().strip_prefix("require(")?)
}

fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote).map(|(module, _)| module)
}

/// The package that a module is of: `@scope/name/part` is of `@scope/name`.
fn package_of(module: &str) -> Option<String> {
    let mut parts = module.split('/');
    let first = parts.next().filter(|first| !first.is_empty())?;
    Some(if first.starts_with('@') { format!("{first}/{}", parts.next()?) } else { first.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_hands_on_is_told_from_what_it_uses() {
        let text = "'use strict'\nvar bodyParser = require('body-parser')\nvar EventEmitter = require('node:events').EventEmitter;\n\
                    var Router = require('router');\nvar req = require('./request');\nexports = module.exports = createApplication;\n\
                    exports.request = req;\nexports.Router = Router;\nexports.json = bodyParser.json\n\
                    exports.static = require('serve-static');\nmodule.exports = require('./lib/express');\n\
                    export * from '@vue/runtime-dom'\nexport { a, b } from \"other/part\";\nexport const own = 1\n";
        assert_eq!(
            exported(text),
            ["./request", "router", "body-parser", "serve-static", "./lib/express", "@vue/runtime-dom", "other/part"]
        );
        let packages = ["router", "@vue/runtime-dom/x", "other/part", "@half"].map(package_of);
        assert_eq!(packages, [Some("router".into()), Some("@vue/runtime-dom".into()), Some("other".into()), None]);
    }

    #[test]
    fn files_are_followed_within_the_package() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("lib")).unwrap();
        std::fs::write(place.path().join("index.js"), "module.exports = require('./lib/a');\n").unwrap();
        std::fs::write(
            place.path().join("lib/a.js"),
            "exports.x = require('../index');\nexports.r = require('router')",
        )
        .unwrap();
        let root = Root::open(place.path()).unwrap();
        assert_eq!(passed_on(&root, &["./index.js".to_owned()]), ["router"]);
        assert!(passed_on(&root, &["../../etc/passwd".to_owned()]).is_empty());
    }
}
