//! What a text means that is no path: the short names of code hosts, their URLs, packages of package managers.

use ai_assist_base::nearest;
use ai_assist_collections::DependencyName;
use ai_assist_identity::percent;

use crate::source::glob_of;
use crate::{Error, Result, Source};

/// Hosts of git repositories, by the word that stands for them, and what their pages have between a repository and a revision.
const HOSTS: &[(&str, &str, &[&str])] = &[
    ("github", "github.com", &["tree", "blob"]),
    ("gitlab", "gitlab.com", &["-/tree", "-/blob"]),
    ("bitbucket", "bitbucket.org", &["src"]),
    ("codeberg", "codeberg.org", &["src/branch", "src/tag", "src/commit"]),
];

/// The schemes of URLs that a source can have.
const SCHEMES: &[&str] = &["https", "http", "file", "ssh", "git+https", "git+ssh", "git+file"];

/// What people write for something that is spelled otherwise here.
const ALIASES: &[(&str, &str)] =
    &[("gh", "github"), ("gl", "gitlab"), ("node", "npm"), ("git", "git+https"), ("git+http", "git+https")];

/// What a text means by its spelling alone; nothing if it may be a path, or the name of a package.
pub(crate) fn read(text: &str) -> Result<Option<Source>> {
    let bad = |expected| Error::BadSpelling { text: clipped(text), expected };
    if text.is_empty() || text.contains(char::is_control) {
        return Err(bad("a folder, a file, a URL or the name of a package, without control characters"));
    }
    // The short form of ssh: `git@github.com:owner/name.git`.
    if !text.contains("://")
        && let Some((host, path)) = text.split_once(':')
        && host.contains('@')
        && !host.contains('/')
    {
        return Ok(Some(Source::Git(format!("git+ssh://{host}/{}", path.trim_start_matches('/')))));
    }
    let Some((scheme, rest)) = text.split_once(':').filter(|(scheme, _)| is_word(scheme)) else {
        return hosted(text, text).transpose();
    };
    let scheme = scheme.to_ascii_lowercase();
    if let Some((_, host, _)) = HOSTS.iter().find(|(word, ..)| *word == scheme) {
        let expected = "github:OWNER/NAME, with @REF and /PATH behind it if you like";
        return repository(host, rest).map(|url| Some(Source::Git(url))).ok_or_else(|| bad(expected));
    }
    if let Some(name) = DependencyName::parse(text) {
        return Ok(Some(Source::Dependency(name?)));
    }
    match scheme.as_str() {
        "git+https" | "git+ssh" | "git+file" => Ok(Some(Source::Git(text.to_owned()))),
        "ssh" => Ok(Some(Source::Git(format!("git+{text}")))),
        "https" | "http" => match hosted(text, rest.trim_start_matches('/')) {
            Some(source) => source.map(Some),
            None => Ok(Some(Source::Package(text.to_owned()))),
        },
        "file" => Ok(Some(Source::Package(text.to_owned()))),
        _ => Err(Error::UnknownScheme { text: clipped(text), meant: meant(&scheme, rest).map(|text| clipped(&text)) }),
    }
}

/// What the text was meant to be, if its first word is nearly one that is known.
fn meant(scheme: &str, rest: &str) -> Option<String> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == scheme).map(|(_, word)| *word);
    let words = SCHEMES.iter().copied().chain(HOSTS.iter().map(|(word, ..)| *word)).chain(DependencyName::schemes());
    let word = alias.or_else(|| nearest(scheme, words))?;
    // `git:` before a path without a host is nothing that a letter more would put right.
    let rest = rest.trim_start_matches('/');
    Some(if SCHEMES.contains(&word) { format!("{word}://{rest}") } else { format!("{word}:{rest}") })
}

fn is_word(scheme: &str) -> bool {
    // One letter is a drive.
    scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

fn clipped(text: &str) -> String {
    let text = ai_assist_identity::shown_url(text);
    match text.char_indices().nth(200) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// The repository of `OWNER/NAME[@REF][/PATH]`, or with `#REF` at the end where a revision has slashes in it.
fn repository(host: &str, text: &str) -> Option<String> {
    let (text, fragment) = text.split_once('#').map_or((text, None), |(text, reference)| (text, Some(reference)));
    let text = text.trim_start_matches("//").trim_end_matches('/');
    let (owner, rest) = text.split_once('/')?;
    let (name, path) = rest.split_once('/').map_or((rest, ""), |(name, path)| (name, path));
    let (name, reference) = name.split_once('@').map_or((name, None), |(name, reference)| (name, Some(reference)));
    let reference = match (reference, fragment) {
        (Some(_), Some(_)) => return None,
        (reference, fragment) => reference.or(fragment),
    };
    git_url(host, &[owner, name], reference, path)
}

/// A page of a code host as the repository that it shows. Nothing for what is no such page.
fn hosted(text: &str, rest: &str) -> Option<Result<Source>> {
    let (rest, fragment) = rest.split_once('#').map_or((rest, None), |(rest, fragment)| (rest, Some(fragment)));
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    let rest = rest.trim_end_matches('/');
    let (host, path) = rest.split_once('/')?;
    let host = host.strip_prefix("www.").unwrap_or(host).to_ascii_lowercase();
    // What says how a page is shown is nothing of the repository.
    let query = query.filter(|query| query.starts_with("glob=") || query.starts_with("manifest="));
    let fragment = fragment.filter(|fragment| !fragment.is_empty() && *fragment != "readme");
    let known = HOSTS.iter().find(|(_, known, _)| *known == host);
    if path.ends_with(".git") && (known.is_some() || text.contains("://")) {
        let tail = [query.map(|query| format!("?{query}")), fragment.map(|fragment| format!("#{fragment}"))];
        return Some(Ok(Source::Git(format!("git+https://{rest}{}", tail.map(Option::unwrap_or_default).concat()))));
    }
    let (_, host, marks) = known?;
    let parts: Vec<&str> = path.split('/').collect();
    let source = |url: Option<String>| {
        let expected = "the URL of a repository, such as https://github.com/OWNER/NAME";
        url.map(Source::Git).ok_or_else(|| Error::BadSpelling { text: clipped(text), expected })
    };
    let page = marks.iter().find_map(|mark| {
        let (repo, behind) = path.split_once(&format!("/{mark}/"))?;
        Some((repo.split('/').collect::<Vec<_>>(), behind))
    });
    if let Some((repo, behind)) = page.filter(|(repo, _)| repo.len() == 2 || (*host == "gitlab.com" && repo.len() > 2))
    {
        let (reference, path) = behind.split_once('/').unwrap_or((behind, ""));
        let decoded = |text: &str| String::from_utf8_lossy(&percent::decode(text)).into_owned();
        return Some(source(git_url(host, &repo, Some(&decoded(reference)), &decoded(path))));
    }
    let is_repository = match parts.as_slice() {
        [_, _] => true,
        // Groups within groups; what is no repository stands behind a `-`.
        parts => *host == "gitlab.com" && parts.len() > 2 && !parts.contains(&"-"),
    };
    if let ([owner, name, "wiki"], "github.com") = (parts.as_slice(), *host) {
        return Some(source(git_url(host, &[owner, &format!("{name}.wiki")], None, "")));
    }
    is_repository.then(|| {
        let url = git_url(host, &parts, fragment, "");
        source(url.map(|url| match query {
            Some(query) => match url.split_once('#') {
                Some((place, reference)) => format!("{place}?{query}#{reference}"),
                None => format!("{url}?{query}"),
            },
            None => url,
        }))
    })
}

/// The URL of a repository's documents, if every part is one that a host can have.
fn git_url(host: &str, repo: &[&str], reference: Option<&str>, path: &str) -> Option<String> {
    let is_name = |name: &&str| {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        !name.is_empty() && name.len() <= 100 && name.bytes().all(plain) && !name.starts_with(['-', '.'])
    };
    if repo.len() < 2 || !repo.iter().all(is_name) {
        return None;
    }
    let mut url = format!("git+https://{host}/{}", repo.join("/"));
    let path = path.trim_matches('/');
    if !path.is_empty() {
        if path.split('/').any(|part| matches!(part, "" | "." | "..")) || path.contains('\\') {
            return None;
        }
        let last = path.rsplit('/').next().unwrap_or_default();
        let glob = match ai_assist_admit::document_format(last) {
            Some(_) => glob_of(path),
            None => format!("{}/{}", glob_of(path), ai_assist_admit::Globs::DOCUMENTS),
        };
        url.push_str("?glob=");
        url.push_str(&encoded(&glob));
    }
    if let Some(reference) = reference {
        let is_reference = !reference.is_empty() && !reference.starts_with('-') && !reference.contains("..");
        if !is_reference || reference.contains(|c: char| c.is_whitespace() || "~^:?*[\\".contains(c)) {
            return None;
        }
        url.push('#');
        url.push_str(&encoded(reference));
    }
    Some(url)
}

/// A text as a part of a URL, with as much of it readable as can be.
fn encoded(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/*{},![]@:+$()';=".contains(&b);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(text: &str) -> Option<String> {
        match read(text) {
            Ok(Some(Source::Git(url))) => Some(url),
            _ => None,
        }
    }

    #[test]
    fn git_repositories_are_known_by_their_spelling() {
        for (text, expected) in [
            ("git@github.com:a/b.git", "git+ssh://git@github.com/a/b.git"),
            ("ssh://git@h/a/b", "git+ssh://git@h/a/b"),
            ("https://github.com/a/b", "git+https://github.com/a/b"),
            ("http://www.github.com/a/b/", "git+https://github.com/a/b"),
            ("github.com/a/b", "git+https://github.com/a/b"),
            ("https://github.com/a/b#v1", "git+https://github.com/a/b#v1"),
            ("https://github.com/a/b?tab=readme-ov-file#readme", "git+https://github.com/a/b"),
            ("https://github.com/a/b?glob=x/*.md#v1", "git+https://github.com/a/b?glob=x/*.md#v1"),
            ("https://github.com/a/b.git", "git+https://github.com/a/b.git"),
            ("https://example.org/x/b.git", "git+https://example.org/x/b.git"),
            ("git+file:///srv/r", "git+file:///srv/r"),
            ("git+https://h/a/b?glob=*.md#x", "git+https://h/a/b?glob=*.md#x"),
            ("https://github.com/a/b/tree/main", "git+https://github.com/a/b#main"),
            ("https://github.com/a/b/tree/v1/docs/en", "git+https://github.com/a/b?glob=docs/en/**/{documents}#v1"),
            ("https://github.com/a/b/blob/main/docs/x.rst", "git+https://github.com/a/b?glob=docs/x.rst#main"),
            ("https://github.com/a/b/wiki", "git+https://github.com/a/b.wiki"),
            ("https://gitlab.com/g/sub/b", "git+https://gitlab.com/g/sub/b"),
            (
                "https://gitlab.com/g/sub/b/-/tree/main/doc",
                "git+https://gitlab.com/g/sub/b?glob=doc/**/{documents}#main",
            ),
            ("https://bitbucket.org/a/b/src/main/doc/", "git+https://bitbucket.org/a/b?glob=doc/**/{documents}#main"),
            ("https://codeberg.org/a/b/src/tag/v1/d", "git+https://codeberg.org/a/b?glob=d/**/{documents}#v1"),
            ("github:vitejs/vite", "git+https://github.com/vitejs/vite"),
            ("GitHub:vitejs/vite/", "git+https://github.com/vitejs/vite"),
            ("github:vitejs/vite@v5.0.0", "git+https://github.com/vitejs/vite#v5.0.0"),
            ("github:vitejs/vite@v5/docs", "git+https://github.com/vitejs/vite?glob=docs/**/{documents}#v5"),
            (
                "github:vitejs/vite/docs/guide#feat/x",
                "git+https://github.com/vitejs/vite?glob=docs/guide/**/{documents}#feat/x",
            ),
            ("github:a/b/README.md", "git+https://github.com/a/b?glob=README.md"),
            ("github:a/b/c & d", "git+https://github.com/a/b?glob=c%20%26%20d/**/{documents}"),
            ("gitlab:a/b", "git+https://gitlab.com/a/b"),
            ("bitbucket:a/b", "git+https://bitbucket.org/a/b"),
        ] {
            assert_eq!(git(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_repository_is_something_else() {
        for text in [
            "https://github.com/a/b/releases/download/v1/x.tar.gz",
            "https://example.org/a/manifest.json",
            "https://docs.example.org/guide/",
            "file://../x/manifest.json",
        ] {
            assert!(matches!(read(text), Ok(Some(Source::Package(url))) if url == text), "{text}");
        }
        for text in ["react@^18", "@scope/name@1", "./docs", "docs", "../github.com/a", "C:\\docs", "a/b"] {
            assert!(matches!(read(text), Ok(None)), "{text}");
        }
        for text in ["npm:react", "pypi:requests", "crate:serde", "cargo:serde@1", "npm:@types/node"] {
            assert!(matches!(read(text), Ok(Some(Source::Dependency(_)))), "{text}");
        }
    }

    #[test]
    fn what_is_nothing_is_refused_with_what_it_may_have_been() {
        for (text, expected) in [
            ("htps://example.org/x", Some("https://example.org/x")),
            ("gihub:a/b", Some("github:a/b")),
            ("gh:a/b", Some("github:a/b")),
            ("git://github.com/a/b", Some("git+https://github.com/a/b")),
            ("zzqq:thing", None),
            ("s3://bucket/x", None),
        ] {
            match read(text) {
                Err(Error::UnknownScheme { meant, .. }) => assert_eq!(meant.as_deref(), expected, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn hostile_names_are_refused() {
        let long = format!("github:a/{}", "x".repeat(5000));
        for text in [
            "github:",
            "github:vite",
            "github:a/",
            "github:/b",
            "github:../../etc/passwd",
            "github:a/..",
            "github:a/b/../../c",
            "github:-oProxyCommand=x/b",
            "github:a/-b",
            "github:a/b@",
            "github:a/b@--upload-pack=x",
            "github:a/b@x y",
            "github:a/b@v1#v2",
            "github:a b/c",
            "github:a/b/..",
            "github:a/b\n",
            "\u{1b}[31m",
            "",
            &long,
            "https://github.com/a/..",
            "https://github.com/a/b/tree/..%2Fx/docs",
            "https://github.com/a/b/tree/main/%2e%2e/x",
        ] {
            match read(text) {
                Err(Error::BadSpelling { text: shown, .. }) => assert!(shown.chars().count() <= 201, "{shown}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        for text in ["npm:../../etc", "crate:a/b", "npm:"] {
            assert!(matches!(read(text), Err(Error::Collections(_))), "{text}");
        }
    }

    #[test]
    fn passwords_are_not_repeated() {
        let error = read("htps://me:geheim@example.org/x").unwrap_err().to_string();
        assert!(!error.contains("geheim"), "{error}");
    }
}
