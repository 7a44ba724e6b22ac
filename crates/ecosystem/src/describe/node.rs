//! `package.json`, `pnpm-workspace.yaml`, `lerna.json`.

use serde_json::{Map, Value};

use super::{Asked, DependencyKind, Family, Findings, Members, Workspaces, node_entries, set, split, texts, words};
use crate::lock_error::from_json;

type Manifest = Map<String, Value>;

impl Workspaces {
    pub(super) fn pnpm(&mut self, findings: &mut Findings<'_>, path: &str, text: &str) {
        findings.build("pnpm", path);
        let globs = yaml_list(text, "packages");
        self.0.push(Members::new(split(path).0, globs.iter().map(String::as_str), []));
    }

    pub(super) fn lerna(&mut self, findings: &mut Findings<'_>, path: &str, text: &str) {
        findings.build("lerna", path);
        if let Some(lerna) = findings.parsed::<Manifest>(path, from_json(text)) {
            self.0.push(Members::new(split(path).0, texts(lerna.get("packages")), []));
        }
    }

    pub(super) fn package(&mut self, findings: &mut Findings<'_>, path: &str, text: &str) {
        let Some(manifest) = findings.parsed::<Manifest>(path, from_json(text)) else { return };
        if let Some(workspaces) = manifest.get("workspaces") {
            let globs = workspaces.get("packages").unwrap_or(workspaces);
            self.0.push(Members::new(split(path).0, texts(Some(globs)), []));
        }
        let Some(project) = findings.project(Family::Node, path) else { return };
        let part = |key: &str| manifest.get(key).and_then(Value::as_str);
        project.state(path, str::to_owned, part);
        let license = manifest.get("license").and_then(|license| license.get("type")?.as_str());
        set(&mut project.license, license.and_then(words::short), path, "license");
        depend(findings, path, &manifest);
        package_manager(findings, path, &manifest);
        scripts(findings, path, &manifest);
        if manifest.get("jest").is_some() {
            findings.test("jest", format!("{path}: jest"));
        }
        node_entries::enter(findings, path, &manifest);
    }
}

fn depend(findings: &mut Findings<'_>, path: &str, manifest: &Manifest) {
    let tables = [
        ("dependencies", DependencyKind::Runtime),
        ("optionalDependencies", DependencyKind::Runtime),
        ("devDependencies", DependencyKind::Dev),
        ("peerDependencies", DependencyKind::Peer),
    ];
    for (key, kind) in tables {
        for (name, version) in manifest.get(key).and_then(Value::as_object).into_iter().flatten() {
            let version = version.as_str();
            findings.depend(&Asked { ecosystem: "npm", name, version, kind, manifest: path, key });
        }
    }
}

/// What installs and runs: stated, or by the lock file beside the manifest.
fn package_manager(findings: &mut Findings<'_>, path: &str, manifest: &Manifest) {
    let stated = manifest.get("packageManager").and_then(Value::as_str).and_then(|text| text.split('@').next());
    for name in ["npm", "pnpm", "yarn", "bun"] {
        if stated == Some(name) {
            findings.build(name, format!("{path}: packageManager"));
        }
    }
    let locks = [
        ("package-lock.json", "npm"),
        ("npm-shrinkwrap.json", "npm"),
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun"),
        ("bun.lockb", "bun"),
    ];
    for (lock, name) in locks {
        if let Some(lock) = findings.files.resolve(split(path).0, lock) {
            findings.build(name, lock);
        }
    }
    let is_known = ["npm", "pnpm", "yarn", "bun"].iter().any(|name| findings.build_systems.contains_key(*name));
    if !is_known {
        // Without a lock file it is npm that reads a `package.json`.
        findings.build("npm", path);
    }
}

/// What the scripts say of tests and builds.
fn scripts(findings: &mut Findings<'_>, path: &str, manifest: &Manifest) {
    let commands = [("node --test", "node:test"), ("bun test", "bun test"), ("deno test", "deno test")];
    for (name, script) in manifest.get("scripts").and_then(Value::as_object).into_iter().flatten().take(500) {
        let Some(script) = script.as_str() else { continue };
        let evidence = || format!("{path}: scripts.{}", words::short(name).unwrap_or_default());
        for (command, framework) in commands {
            if script.contains(command) {
                findings.test(framework, evidence());
            }
        }
        if script.split([' ', '&', ';']).any(|word| word == "tsc") {
            findings.build("tsc", evidence());
        }
    }
}

/// The items of a list at the top of a YAML file, one on each line or in brackets.
fn yaml_list(text: &str, key: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let body = line.trim();
        if let Some(rest) = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(':')) {
            inside = true;
            let list = rest.trim().strip_prefix('[').and_then(|rest| rest.split(']').next());
            items.extend(list.into_iter().flat_map(|list| list.split(',')).filter_map(yaml_item));
        } else if let Some(item) = body.strip_prefix("- ") {
            items.extend(inside.then(|| yaml_item(item)).flatten());
        } else if !body.is_empty() && !body.starts_with('#') && body != "-" {
            inside = false;
        }
    }
    items
}

fn yaml_item(item: &str) -> Option<String> {
    let item = item.trim();
    let quoted = |quote: char| item.strip_prefix(quote).and_then(|rest| rest.split(quote).next());
    let plain = item.split(" #").next().unwrap_or_default().trim();
    let item = quoted('"').or_else(|| quoted('\'')).unwrap_or(plain);
    (!item.is_empty()).then(|| item.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_yaml_are_read_in_both_forms() {
        let text = "# x\npackages:\n  - 'packages/*' # all\n  - \"apps/**\"\n\n  # none\n  - '!**/test/**'\n- tools\ncatalog:\n  - no\n";
        assert_eq!(yaml_list(text, "packages"), ["packages/*", "apps/**", "!**/test/**", "tools"]);
        assert_eq!(yaml_list("packages: [a, 'b/*' ]\nother: [c]", "packages"), ["a", "b/*"]);
        assert!(yaml_list("packagesx:\n - a\n-\n- ''", "packages").is_empty());
    }
}
