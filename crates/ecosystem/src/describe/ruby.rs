//! `Gemfile` and `*.gemspec`.

use super::code::{Comments, Token, lines, texts, tokens};
use super::{Asked, DependencyKind, EntryPointKind, Family, Findings, set, split, words};

/// Deeper blocks are not followed.
const MAX_BLOCKS: usize = 64;

pub(super) fn gemfile(findings: &mut Findings<'_>, path: &str, text: &str) {
    findings.build("bundler", path);
    if findings.project(Family::Ruby, path).is_none() {
        return;
    }
    let tokens = tokens(text, Comments::Hash);
    // For each open block, whether it is a group for those who work on the project.
    let mut blocks: Vec<bool> = Vec::new();
    for line in lines(&tokens) {
        match line {
            [Token::Word("end"), ..] => {
                blocks.pop();
            }
            [Token::Word("gem"), arguments @ ..] => {
                let dev = blocks.contains(&true) || is_dev_option(arguments);
                let kind = if dev { DependencyKind::Dev } else { DependencyKind::Runtime };
                depend(findings, path, "gem", arguments, kind);
            }
            [Token::Word(first), rest @ ..] => {
                let opens = rest.last() == Some(&Token::Word("do")) || rest.last() == Some(&Token::Sign('|'));
                if (opens || matches!(*first, "if" | "unless" | "case")) && blocks.len() < MAX_BLOCKS {
                    blocks.push(*first == "group" && are_dev(rest));
                }
            }
            _ => {}
        }
    }
    enter(findings, path);
}

/// `group: :test`, `:group => [:development, :test]`
fn is_dev_option(arguments: &[Token<'_>]) -> bool {
    let option = arguments.iter().position(|token| matches!(token.word(), Some("group" | "groups")));
    option.is_some_and(|at| are_dev(&arguments[at + 1..]))
}

/// Whether groups are named, and all of them are for those who work on the project.
fn are_dev(tokens: &[Token<'_>]) -> bool {
    let mut names =
        tokens.iter().filter_map(|token| token.word().or_else(|| token.text())).filter(|name| *name != "do");
    let is_dev = |name: &str| matches!(name, "development" | "test" | "ci" | "lint" | "doc" | "docs" | "rubocop");
    names.next().is_some_and(is_dev) && names.all(is_dev)
}

/// The name and the versions that are written as texts after it.
fn depend(findings: &mut Findings<'_>, path: &str, key: &str, arguments: &[Token<'_>], kind: DependencyKind) {
    let arguments = match arguments {
        [Token::Sign('('), rest @ ..] => rest,
        all => all,
    };
    let [Token::Text(name), rest @ ..] = arguments else { return };
    let mut versions: Vec<&str> = Vec::new();
    let mut rest = rest;
    while let [Token::Sign(','), Token::Text(version), after @ ..] = rest {
        // `"key" => value` is an option.
        if after.first() == Some(&Token::Sign('=')) || versions.len() >= 10 {
            break;
        }
        versions.push(version);
        rest = after;
    }
    let version = versions.join(", ");
    let version = Some(version.as_str()).filter(|version| !version.is_empty());
    findings.depend(&Asked { ecosystem: "rubygems", name, version, kind, manifest: path, key });
}

pub(super) fn gemspec(findings: &mut Findings<'_>, path: &str, text: &str) {
    findings.build("rubygems", path);
    if findings.project(Family::Ruby, path).is_none() {
        return;
    }
    let tokens = tokens(text, Comments::Hash);
    let mut executables: Vec<String> = Vec::new();
    for line in lines(&tokens) {
        let [Token::Word(word), rest @ ..] = line else { continue };
        let Some((_, member)) = word.split_once('.') else { continue };
        match (member, rest) {
            ("add_dependency" | "add_runtime_dependency", arguments) => {
                depend(findings, path, member, arguments, DependencyKind::Runtime);
            }
            ("add_development_dependency", arguments) => {
                depend(findings, path, member, arguments, DependencyKind::Dev);
            }
            ("executables", [Token::Sign('='), list @ ..]) => {
                executables.extend(texts(list).into_iter().take(100).map(str::to_owned));
            }
            (_, [Token::Sign('='), Token::Text(value)]) => metadata(findings, path, member, value),
            ("licenses", [Token::Sign('='), list @ ..]) => {
                metadata(findings, path, "license", &texts(list).join(" OR "));
            }
            _ => {}
        }
    }
    let folder = split(path).0;
    for name in executables {
        let places = [&*format!("exe/{name}"), &format!("bin/{name}")];
        findings.enter_first(folder, &places, EntryPointKind::Cli, format!("{path}: executables"));
    }
    enter(findings, path);
}

fn metadata(findings: &mut Findings<'_>, path: &str, key: &str, value: &str) {
    // `#{…}` is worked out by Ruby.
    if value.contains("#{") {
        return;
    }
    let Some(project) = findings.project(Family::Ruby, path) else { return };
    match key {
        "name" => set(&mut project.name, words::name(value), path, key),
        "version" => set(&mut project.version, words::short(value), path, key),
        "summary" => set(&mut project.description, words::prose(value), path, key),
        "license" => set(&mut project.license, words::short(value), path, key),
        _ => {}
    }
}

fn enter(findings: &mut Findings<'_>, path: &str) {
    let folder = split(path).0;
    let kind = findings.serves(path).map_or(EntryPointKind::Web, |(kind, _)| kind);
    findings.enter_first(folder, &["config.ru"], kind, format!("{path}, with config.ru"));
    findings.enter_first(folder, &["bin/rails"], EntryPointKind::Script, format!("{path}, with bin/rails"));
    let name = findings.project(Family::Ruby, path).and_then(|project| Some(project.name.as_ref()?.value.clone()));
    let Some(name) = name else { return };
    let places = [&*format!("lib/{name}.rb"), &format!("lib/{}.rb", name.replace('-', "/"))];
    findings.enter_first(folder, &places, EntryPointKind::Library, format!("{path}: name"));
}
