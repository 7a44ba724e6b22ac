//! `setup.cfg` and the literal arguments of `setup.py`.

use super::super::code::{Comments, Token, bracketed, calls, elements, named, only_text, texts, tokens};
use super::super::{DependencyKind, Family, Findings, set, words};
use super::{entries, kind_of, require};

/// Each key with its section and the lines of its value.
fn ini(text: &str) -> Vec<(&str, &str, Vec<&str>)> {
    let mut found: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    let mut section = "";
    for line in text.lines() {
        let body = line.trim();
        if body.is_empty() || body.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = body.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            section = name.trim();
            found.push((section, "", Vec::new()));
        } else if line.starts_with([' ', '\t']) {
            if let Some((_, _, lines)) = found.last_mut() {
                lines.push(body);
            }
        } else if let Some((key, value)) = body.split_once(['=', ':']) {
            let value = Some(value.trim()).filter(|value| !value.is_empty());
            found.push((section, key.trim(), value.into_iter().collect()));
        }
    }
    found
}

pub(in super::super) fn setup_cfg(findings: &mut Findings<'_>, path: &str, text: &str) {
    let entries = ini(text);
    if entries.iter().any(|(section, ..)| *section == "tool:pytest") {
        findings.test("pytest", format!("{path}: [tool:pytest]"));
    }
    // It may only hold the settings of tools.
    let speaks =
        entries.iter().any(|(section, key, _)| *section == "metadata" && *key == "name" || *section == "options");
    if !speaks || findings.project(Family::Python, path).is_none() {
        return;
    }
    findings.build("setuptools", path);
    for (section, key, lines) in &entries {
        match (*section, *key) {
            ("metadata", key) => metadata(findings, path, key, &lines.join(" ")),
            ("options", "install_requires") => {
                requires(findings, path, "options.install_requires", DependencyKind::Runtime, lines);
            }
            ("options", "tests_require" | "setup_requires") => {
                requires(findings, path, &format!("options.{key}"), DependencyKind::Dev, lines);
            }
            ("options.extras_require", extra) if !extra.is_empty() => {
                requires(findings, path, &format!("options.extras_require.{extra}"), kind_of(extra), lines);
            }
            ("options.entry_points", "console_scripts") => console_scripts(findings, path, lines.iter().copied()),
            _ => {}
        }
    }
    entries::by_convention(findings, path);
}

fn metadata(findings: &mut Findings<'_>, path: &str, key: &str, value: &str) {
    // `attr:` and `file:` point elsewhere.
    if value.starts_with("attr:") || value.starts_with("file:") {
        return;
    }
    let Some(project) = findings.project(Family::Python, path) else { return };
    let (place, value) = match key {
        "name" => (&mut project.name, words::name(value)),
        "version" => (&mut project.version, words::short(value)),
        "description" | "summary" => (&mut project.description, words::prose(value)),
        "license" => (&mut project.license, words::short(value)),
        _ => return,
    };
    set(place, value, path, &format!("metadata.{key}"));
}

fn requires(findings: &mut Findings<'_>, path: &str, key: &str, kind: DependencyKind, lines: &[&str]) {
    for line in lines {
        require(findings, path, key, kind, line.split(" #").next().unwrap_or_default());
    }
}

/// Lines such as `tool = package.module:main`.
fn console_scripts<'l>(findings: &mut Findings<'_>, path: &str, lines: impl Iterator<Item = &'l str>) {
    for line in lines.take(200) {
        if let Some((name, target)) = line.split_once('=') {
            entries::script(findings, path, &format!("console_scripts.{}", name.trim()), target.trim());
        }
    }
}

pub(in super::super) fn setup_py(findings: &mut Findings<'_>, path: &str, text: &str) {
    let tokens = tokens(text, Comments::Hash);
    let is_setup = |word: &str| word == "setup" || word.ends_with(".setup");
    let Some((_, arguments)) = calls(&tokens, is_setup).next() else { return };
    let Some(project) = findings.project(Family::Python, path) else { return };
    let part = |key: &str| named(&arguments, key).and_then(only_text);
    project.state(path, |key| format!("setup({key})"), part);
    findings.build("setuptools", path);
    let lists = [
        ("install_requires", DependencyKind::Runtime),
        ("tests_require", DependencyKind::Dev),
        ("setup_requires", DependencyKind::Dev),
    ];
    for (key, kind) in lists {
        for text in named(&arguments, key).map(texts).unwrap_or_default() {
            require(findings, path, &format!("setup({key})"), kind, text);
        }
    }
    for (extra, list) in named(&arguments, "extras_require").map(dictionary).unwrap_or_default() {
        for text in texts(list) {
            require(findings, path, &format!("setup(extras_require.{extra})"), kind_of(extra), text);
        }
    }
    for (group, list) in named(&arguments, "entry_points").map(dictionary).unwrap_or_default() {
        if group == "console_scripts" {
            console_scripts(findings, path, texts(list).into_iter());
        }
    }
    if named(&arguments, "test_suite").is_some() {
        findings.test("unittest", format!("{path}: setup(test_suite)"));
    }
    entries::by_convention(findings, path);
}

/// The keys of a literal dictionary with their values.
fn dictionary<'t, 'a>(value: &'t [Token<'a>]) -> Vec<(&'t str, &'t [Token<'a>])> {
    if value.first() != Some(&Token::Sign('{')) {
        return Vec::new();
    }
    let entry = |element: &'t [Token<'a>]| match element {
        [Token::Text(key), Token::Sign(':'), value @ ..] => Some((key.as_ref(), value)),
        _ => None,
    };
    elements(bracketed(value)).into_iter().filter_map(entry).collect()
}
