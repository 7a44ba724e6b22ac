//! `pnpm-lock.yaml`, versions 5, 6 and 9.

use std::borrow::Cow;
use std::collections::HashSet;

use super::yaml_lines::each_line;
use super::{is_local, split_at_version};
use crate::Ecosystem;
use crate::listing::Listing;
use crate::lock_error::{LockError, no_conflict};

const KINDS: [&str; 3] = ["dependencies", "devDependencies", "optionalDependencies"];

/// What is read before it can be understood: the version of the format decides how names and versions are joined.
#[derive(Default)]
struct Raw<'a> {
    format: Option<u32>,
    /// Name, and the version or the key it points to.
    named: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The keys of `packages`.
    keys: Vec<Cow<'a, str>>,
}

pub(crate) fn parse(text: &str) -> Result<Listing, LockError> {
    no_conflict(text)?;
    let raw = read(text);
    let slashed = match raw.format {
        Some(5) => true,
        Some(6..=9) => false,
        version => return Err(LockError::UnknownFormat { version }),
    };
    let direct: HashSet<(&str, &str)> =
        raw.named.iter().filter_map(|(name, version)| pointed_to(name, version, slashed)).collect();
    let mut listing = Listing::new(Ecosystem::Npm);
    for key in &raw.keys {
        match package(key, slashed) {
            Some((_, version)) if is_local(version) => {}
            Some((name, version)) => listing.add(name, version, direct.contains(&(name, version))),
            None if is_local(key) => {}
            None => listing.unusable += 1,
        }
    }
    Ok(listing)
}

fn read(text: &str) -> Raw<'_> {
    let mut raw = Raw::default();
    each_line(text, |path, value| {
        let path_text: Vec<&str> = path.iter().take(5).map(AsRef::as_ref).collect();
        match (path_text.as_slice(), path.len()) {
            (["lockfileVersion"], _) => {
                raw.format = value.split('.').next().and_then(|major| major.parse().ok());
            }
            (["packages", _], 2) => raw.keys.push(path[1].clone()),
            // A project alone has its dependencies at the top, a workspace by folder.
            ([kind, ..], 2) if KINDS.contains(kind) && !value.is_empty() => {
                raw.named.push((path[1].clone(), value.clone()));
            }
            ([kind, _, "version"], 3) if KINDS.contains(kind) => raw.named.push((path[1].clone(), value.clone())),
            (["importers", _, kind, ..], 4) if KINDS.contains(kind) && !value.is_empty() => {
                raw.named.push((path[3].clone(), value.clone()));
            }
            (["importers", _, kind, _, "version"], 5) if KINDS.contains(kind) => {
                raw.named.push((path[3].clone(), value.clone()));
            }
            _ => {}
        }
    });
    raw
}

/// Name and version in a key of `packages`: `/@types/node/20.1.0_peers`, `/@types/node@20.1.0(peers)` or the same without
/// the first slash.
fn package(key: &str, slashed: bool) -> Option<(&str, &str)> {
    let key = key.strip_prefix('/').unwrap_or(key);
    if slashed {
        let (name, version) = key.rsplit_once('/')?;
        // A list of peers may hold slashes of its own; names have at most one, that of the scope.
        let (name, version) = match version.starts_with(|c: char| c.is_ascii_digit()) && name.matches('/').count() < 2 {
            true => (name, version),
            false => split_slashed(key)?,
        };
        Some((name, without_peers(version, slashed)))
    } else {
        let (name, version) = split_at_version(key)?;
        Some((name, without_peers(version, slashed)))
    }
}

fn split_slashed(key: &str) -> Option<(&str, &str)> {
    let slashes = if key.starts_with('@') { 2 } else { 1 };
    let (at, _) = key.match_indices('/').nth(slashes - 1)?;
    Some((&key[..at], &key[at + 1..]))
}

fn without_peers(version: &str, slashed: bool) -> &str {
    let peers = if slashed { '_' } else { '(' };
    version.split(peers).next().unwrap_or(version)
}

/// The package that a dependency points to: its own name at a version, or for an alias the key of another.
fn pointed_to<'a>(name: &'a str, version: &'a str, slashed: bool) -> Option<(&'a str, &'a str)> {
    if is_local(version) {
        return None;
    }
    if version.starts_with('/') {
        return package(version, slashed);
    }
    let plain = without_peers(version, slashed);
    match plain.contains('@') && !slashed {
        true => package(version, slashed),
        false => Some((name, plain)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Vec<String> {
        let listing = parse(text).unwrap();
        assert_eq!(listing.unusable, 0, "{listing:?}");
        listing.text()
    }

    #[test]
    fn the_ninth_version_is_read() {
        let text = "\
lockfileVersion: '9.0'

settings:
  autoInstallPeers: true

overrides:
  react: 18.2.0

importers:

  .:
    dependencies:
      alias:
        specifier: npm:@real/thing@^1.0.0
        version: '@real/thing@1.2.0(react@18.2.0)'
      react-dom:
        specifier: ^18.0.0
        version: 18.2.0(react@18.2.0)
      vite:
        specifier: workspace:*
        version: link:packages/vite
    devDependencies:
      '@types/node':
        specifier: ^20.1.0
        version: 20.1.0

  packages/vite: {}

  packages/other:
    optionalDependencies:
      fsevents:
        specifier: ~2.3.3
        version: 2.3.3
      local:
        specifier: file:./local
        version: file:packages/other/local

packages:

  '@real/thing@1.2.0':
    resolution: {integrity: sha512-aaa}
    peerDependencies:
      react: '>=18'

  '@types/node@20.1.0':
    resolution: {integrity: sha512-bbb}

  fsevents@2.3.3:
    resolution: {integrity: sha512-ccc}
    engines: {node: ^8.16.0 || ^10.6.0 || >=11.0.0}
    os: [darwin]
    deprecated: |-
      Do not use: it is old.
      packages: none

  local@file:packages/other/local:
    resolution: {directory: packages/other/local, type: directory}

  loose-envify@1.4.0:
    resolution: {integrity: sha512-ddd}
    hasBin: true

  react-dom@18.2.0:
    resolution: {integrity: sha512-eee}

  react@18.2.0:
    resolution: {integrity: sha512-fff}

snapshots:

  react-dom@18.2.0(react@18.2.0):
    dependencies:
      loose-envify: 1.4.0
      react: 18.2.0
";
        let expected = [
            "@real/thing 1.2.0 *", "@types/node 20.1.0 *", "fsevents 2.3.3 *", "loose-envify 1.4.0", "react 18.2.0",
            "react-dom 18.2.0 *",
        ];
        assert_eq!(listed(text), expected);
    }

    #[test]
    fn the_sixth_version_is_read() {
        let text = "\
lockfileVersion: '6.0'

dependencies:
  alias:
    specifier: npm:real@^1
    version: /real@1.0.0
  react-dom:
    specifier: ^18.0.0
    version: 18.2.0(react@18.2.0)

packages:

  /@babel/core@7.21.0:
    resolution: {integrity: sha512-aaa}
    dependencies:
      react: 18.2.0

  /react-dom@18.2.0(react@18.2.0):
    resolution: {integrity: sha512-bbb}

  ? /react@18.2.0(@babel/core@7.21.0)(a@1.0.0)
  : resolution: {integrity: sha512-ccc}
    dev: false

  /real@1.0.0:
    resolution: {integrity: sha512-ddd}
";
        assert_eq!(listed(text), ["@babel/core 7.21.0", "react 18.2.0", "react-dom 18.2.0 *", "real 1.0.0 *"]);
    }

    #[test]
    fn the_fifth_version_is_read() {
        let text = "\
lockfileVersion: 5.4

specifiers:
  react-dom: ^18.0.0

dependencies:
  '@babel/core': 7.21.0
  alias: /real/1.0.0
  react-dom: 18.2.0_react@18.2.0
  tool: 1.0.0_@babel+core@7.21.0

packages:

  /@babel/core/7.21.0:
    resolution: {integrity: sha512-aaa}

  /react-dom/18.2.0_react@18.2.0:
    resolution: {integrity: sha512-bbb}

  /real/1.0.0:
    resolution: {integrity: sha512-ccc}

  /react/18.2.0:
    resolution: {integrity: sha512-ddd}

  /tool/1.0.0_@babel+core@7.21.0:
    resolution: {integrity: sha512-eee}
";
        let expected = ["@babel/core 7.21.0 *", "react 18.2.0", "react-dom 18.2.0 *", "real 1.0.0 *", "tool 1.0.0 *"];
        assert_eq!(listed(text), expected);
        let workspace = "lockfileVersion: 5.3\nimporters:\n  packages/a:\n    specifiers:\n      ms: ^2\n    dependencies:\n      \
                         ms: 2.1.3\npackages:\n  /ms/2.1.3:\n    dev: false\n  /ms/2.0.0:\n    dev: false\n";
        assert_eq!(listed(workspace), ["ms 2.0.0", "ms 2.1.3 *"]);
    }

    #[test]
    fn odd_content_is_left_out_or_refused() {
        for bad in ["", "packages:\n", "lockfileVersion: 4.0\n", "lockfileVersion: x\n", "lockfileVersion: '99.0'\n"] {
            assert!(matches!(parse(bad), Err(LockError::UnknownFormat { .. })), "{bad:?}");
        }
        assert!(matches!(parse("lockfileVersion: '9.0'\n>>>>>>> x\n"), Err(LockError::Conflict { line: 2 })));
        let hostile = "lockfileVersion: '9.0'\npackages:\n  ../../etc@1.0.0:\n  a@../..:\n  \
                       https://codeload.github.com/x/y/tar.gz/0:\n  @: x\n  b@https://example.org/b.tgz:\n  '':\n";
        let listing = parse(hostile).unwrap();
        assert!(listing.packages.is_empty(), "{listing:?}");
        assert_eq!(listing.unusable, 6);
        let hostile = "lockfileVersion: 5.4\npackages:\n  /:\n  //:\n  /@/1:\n  github.com/x/y/0123:\n  /é/é:\n";
        assert!(parse(hostile).unwrap().packages.is_empty());
    }
}
