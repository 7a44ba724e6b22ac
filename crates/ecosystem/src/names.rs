//! What a package and a version may be called.
//!
//! Names and versions become parts of paths, so these rules are what keeps a hostile lock file inside the folders it may
//! speak about: no separator but the ones the ecosystem has, no `..`, nothing hidden, no control characters.

use std::borrow::Cow;

use crate::Ecosystem;

/// Longer than any version that was ever published, and short enough for a file name together with a package's name.
const MAX_VERSION: usize = 128;

/// The name in the form in which it is compared, if it is one that the ecosystem allows.
pub(crate) fn normal_name(ecosystem: Ecosystem, name: &str) -> Option<Cow<'_, str>> {
    let valid = match ecosystem {
        Ecosystem::Cargo => is_crate(name),
        Ecosystem::Npm => is_npm(name),
        Ecosystem::Python => is_python(name),
        Ecosystem::Go => is_module(name),
        Ecosystem::Maven => is_maven(name),
    };
    valid.then(|| if ecosystem == Ecosystem::Python { python_normal(name) } else { Cow::Borrowed(name) })
}

/// Whether a version is one the ecosystem allows, judged by its characters.
pub(crate) fn is_version(ecosystem: Ecosystem, version: &str) -> bool {
    if ecosystem == Ecosystem::Maven {
        // Any word with a number in it: `r09`, `Finchley.SR2`, `1.0-SNAPSHOT`, but not `LATEST`.
        return is_maven_part(version) && version.bytes().any(|byte| byte.is_ascii_digit());
    }
    let number = match ecosystem {
        Ecosystem::Cargo | Ecosystem::Npm | Ecosystem::Maven => version,
        Ecosystem::Python => version.strip_prefix('v').unwrap_or(version),
        Ecosystem::Go => match version.strip_prefix('v') {
            Some(number) => number,
            None => return false,
        },
    };
    let allowed = |b: u8| match ecosystem {
        // `!` sets off an epoch, `_` is read as a dot.
        Ecosystem::Python => b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-' | b'!' | b'_'),
        _ => b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-'),
    };
    version.len() <= MAX_VERSION && number.starts_with(|c: char| c.is_ascii_digit()) && number.bytes().all(allowed)
}

/// PEP 503: lower case, and every run of `-`, `_` and `.` is one `-`.
pub(crate) fn python_normal(name: &str) -> Cow<'_, str> {
    let bytes = name.as_bytes();
    let separator = |b: &u8| matches!(b, b'-' | b'_' | b'.');
    let is_normal = !bytes.iter().any(|b| b.is_ascii_uppercase() || matches!(b, b'_' | b'.'))
        && !bytes.windows(2).any(|pair| pair == b"--");
    if is_normal {
        return Cow::Borrowed(name);
    }
    let parts = bytes.split(separator).filter(|part| !part.is_empty());
    let parts: Vec<String> = parts.map(|part| String::from_utf8_lossy(part).to_ascii_lowercase()).collect();
    Cow::Owned(parts.join("-"))
}

fn is_crate(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

fn is_npm(name: &str) -> bool {
    // Old packages have capitals and odd characters; none has a separator or a leading dot.
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '~'))
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~!'()*".contains(&b))
            && part != "node_modules"
    };
    name.len() <= 214
        && match name.strip_prefix('@') {
            Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| part(scope) && part(name)),
            None => part(name),
        }
}

fn is_python(name: &str) -> bool {
    name.len() <= 128
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// `group:artifact`
fn is_maven(name: &str) -> bool {
    let names = name.split_once(':');
    names.is_some_and(|(group, artifact)| group.split('.').all(is_maven_part) && is_maven_part(artifact))
}

fn is_maven_part(part: &str) -> bool {
    part.len() <= MAX_VERSION
        && part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'+'))
        && !part.contains("..")
}

fn is_module(path: &str) -> bool {
    let part = |part: &str| {
        (1..=128).contains(&part.len())
            && !part.starts_with('.')
            && !part.ends_with('.')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~'))
    };
    path.len() <= 512 && !path.starts_with('-') && path.split('/').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Ecosystem::{Cargo, Go, Maven, Npm, Python};

    #[test]
    fn real_names_are_allowed() {
        let cases = [
            (Cargo, "serde_json"),
            (Cargo, "_private"),
            (Npm, "react"),
            (Npm, "@types/node"),
            (Npm, "JSONStream"),
            (Npm, "lodash.merge"),
            (Npm, "@ember-data/-private"),
            (Go, "github.com/BurntSushi/toml"),
            (Go, "gopkg.in/yaml.v3"),
            (Go, "git.sr.ht/~sbinet/gg"),
            (Go, "rsc.io/quote/v3"),
            (Maven, "org.apache.commons:commons-lang3"),
            (Maven, "org.scala-lang:scala-library_2.13"),
        ];
        for (ecosystem, name) in cases {
            assert_eq!(normal_name(ecosystem, name).as_deref(), Some(name));
        }
    }

    #[test]
    fn python_names_are_normalised() {
        let cases = [
            ("requests", "requests"),
            ("Django", "django"),
            ("ruamel.yaml", "ruamel-yaml"),
            ("zope.interface", "zope-interface"),
            ("typing_extensions", "typing-extensions"),
            ("A__b-.-c", "a-b-c"),
            ("a--b", "a-b"),
        ];
        for (name, normal) in cases {
            assert_eq!(normal_name(Python, name).as_deref(), Some(normal), "{name}");
        }
    }

    #[test]
    fn names_that_could_lead_elsewhere_are_refused() {
        let hostile = [
            "", ".", "..", "../x", "/etc", "a/../b", "a\\b", "C:\\x", "a\0b", "a\nb", "a b", ".hidden", "a//b", "a/",
            "/", "@/x", "@x/", "@x", "@../x", "@x/..", "@x/y/z", "{a,b}", "a:b", "ä/..", "$(x)", "[a]",
        ];
        for ecosystem in Ecosystem::ALL {
            // In Maven a colon stands between the group and the artifact.
            for name in hostile.into_iter().filter(|name| ecosystem != Maven || *name != "a:b") {
                assert_eq!(normal_name(ecosystem, name), None, "{ecosystem} {name:?}");
            }
            assert_eq!(normal_name(ecosystem, &"a".repeat(1000)), None);
        }
        assert_eq!(normal_name(Npm, "node_modules"), None);
        assert_eq!(normal_name(Npm, "@node_modules/x"), None);
        assert_eq!(normal_name(Cargo, "a/b"), None);
        assert_eq!(normal_name(Npm, "a/b"), None);
        assert_eq!(normal_name(Python, "a/b"), None);
        assert_eq!(normal_name(Go, "github.com/../../etc"), None);
        for name in ["a", "a:b:c", "a..b:c", ".a:b", "a:..", "../a:b", "a:b/c", "a/b:c", ":b", "a:"] {
            assert_eq!(normal_name(Maven, name), None, "{name}");
        }
    }

    #[test]
    fn versions_are_judged_by_their_characters() {
        let good = [
            (Cargo, "1.1.8+spec-1.1.0"),
            (Npm, "18.0.0-rc.1"),
            (Python, "2!1.0.post1"),
            (Python, "2.1.0+cu118"),
            (Python, "v1.0"),
            (Go, "v1.2.3"),
            (Go, "v0.0.0-20230101000000-abcdef012345"),
            (Go, "v2.0.0+incompatible"),
            (Maven, "33.0.0-jre"),
            (Maven, "Finchley.SR2"),
        ];
        for (ecosystem, version) in good {
            assert!(is_version(ecosystem, version), "{ecosystem} {version}");
        }
        for version in ["", "..", "1/2", "1\\2", "1\0", "latest", "v", "1 2", "file:x", "1@2", "1*", "1é", "v1/..", "*"]
        {
            for ecosystem in Ecosystem::ALL {
                assert!(!is_version(ecosystem, version), "{ecosystem} {version:?}");
            }
        }
        assert!(!is_version(Go, "1.2.3"));
        assert!(!is_version(Cargo, "v1.2.3"));
        assert!(!is_version(Npm, &"1".repeat(1000)));
    }
}
