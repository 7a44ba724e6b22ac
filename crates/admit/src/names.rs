//! Names of well-known credential stores. Compiled in: no file in a repository can switch one off.
//!
//! Only names that are credential stores by convention stand here. Code whose name merely speaks of a secret
//! (`csrf_token.py`, `secrets_test.go`) is judged by its content.

use std::collections::HashMap;
use std::sync::LazyLock;

/// How a name is recognised, all in lower case.
#[derive(Debug, Clone, Copy)]
enum Name {
    /// The whole name.
    Is(&'static str),
    /// The last extension.
    Extension(&'static str),
    /// The end of the path, on whole components.
    Tail(&'static str),
    /// How the name starts and ends.
    Between(&'static str, &'static str),
}

use Name::{Between, Extension, Is, Tail};

/// Endings that mark a file as a pattern to fill in. Such a file is judged by its content.
const TEMPLATES: [&str; 3] = [".example", ".sample", ".template"];

const RULES: &[Name] = &[
    Is(".env"),
    Between(".env.", ""),
    Is(".envrc"),
    Is(".netrc"),
    Is("_netrc"),
    Is(".npmrc"),
    Is(".pypirc"),
    Is(".pgpass"),
    Is("pgpass.conf"),
    Is(".my.cnf"),
    Is(".git-credentials"),
    Is(".htpasswd"),
    Is(".vault-token"),
    Is(".terraformrc"),
    Is("terraform.rc"),
    Is("kubeconfig"),
    Is("wp-config.php"),
    Is("id_rsa"),
    Is("id_dsa"),
    Is("id_ecdsa"),
    Is("id_ecdsa_sk"),
    Is("id_ed25519"),
    Is("id_ed25519_sk"),
    Is("secrets.yml"),
    Is("secrets.yaml"),
    Is("secrets.json"),
    Is("secrets.toml"),
    Is("credentials.json"),
    Is("credentials.yml"),
    Is("credentials.yaml"),
    Is("client_secret.json"),
    Is("application_default_credentials.json"),
    Is("secring.gpg"),
    Is("master.key"),
    Is(".s3cfg"),
    Is(".boto"),
    Is(".dockercfg"),
    Extension("pem"),
    Extension("key"),
    Extension("p8"),
    Extension("p12"),
    Extension("pfx"),
    Extension("ppk"),
    Extension("jks"),
    Extension("keystore"),
    Extension("kdbx"),
    Extension("tfvars"),
    Extension("tfstate"),
    Between("", ".tfvars.json"),
    Between("", ".tfstate.backup"),
    Between("service-account", ".json"),
    Between("service_account", ".json"),
    Between("serviceaccount", ".json"),
    Between("client_secret_", ".json"),
    Tail(".aws/credentials"),
    Tail(".aws/config"),
    Tail(".azure/accesstokens.json"),
    Tail(".azure/msal_token_cache.json"),
    Tail(".cargo/credentials"),
    Tail(".cargo/credentials.toml"),
    Tail(".composer/auth.json"),
    Tail(".config/gh/hosts.yml"),
    Tail(".config/hub"),
    Tail(".docker/config.json"),
    Tail(".gem/credentials"),
    Tail(".kube/config"),
    Tail(".m2/settings.xml"),
    Tail(".m2/settings-security.xml"),
    Tail(".ssh/identity"),
    Tail("etc/shadow"),
    Tail("etc/gshadow"),
];

/// The rules arranged so that a name costs a few look-ups, whatever their number.
struct Table {
    names: HashMap<&'static str, &'static str>,
    extensions: HashMap<&'static str, &'static str>,
    /// By the last component.
    tails: HashMap<&'static str, Vec<(&'static str, &'static str)>>,
    between: Vec<(&'static str, &'static str, &'static str)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table =
        Table { names: HashMap::new(), extensions: HashMap::new(), tails: HashMap::new(), between: Vec::new() };
    for rule in RULES {
        match *rule {
            Is(name) => {
                table.names.insert(name, name);
            }
            Extension(extension) => {
                table.extensions.insert(extension, extension);
            }
            Tail(tail) => {
                let last = tail.rsplit('/').next().unwrap_or(tail);
                table.tails.entry(last).or_default().push((tail, tail));
            }
            Between(start, end) => {
                let label = if start.is_empty() { end } else { start };
                table.between.push((start, end, label));
            }
        }
    }
    table
});

/// The rule that calls a path a credential store, if one does. Upper and lower case are the same.
pub(crate) fn secret_name(path: &[u8]) -> Option<&'static str> {
    let name = path.rsplit(|&b| b == b'/').next().unwrap_or(path);
    // A name that is not UTF-8 keeps its ASCII parts, and the rules have no others.
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let name = name.as_str();
    let table = &*TABLE;
    let found = table.names.get(name).copied();
    let found = found.or_else(|| {
        let (stem, extension) = name.rsplit_once('.')?;
        // A file called just `.key` has no extension.
        (!stem.is_empty()).then(|| table.extensions.get(extension).copied()).flatten()
    });
    let found = found.or_else(|| {
        let between = table.between.iter().find(|(start, end, _)| {
            name.len() > start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        });
        between.map(|(_, _, label)| *label)
    });
    let found = found.or_else(|| {
        let tails = table.tails.get(name)?;
        tails.iter().find(|(tail, _)| ends_with_components(path, tail)).map(|(_, label)| *label)
    });
    found.filter(|_| !TEMPLATES.iter().any(|ending| name.ends_with(ending)))
}

fn ends_with_components(path: &[u8], tail: &str) -> bool {
    let Some(start) = path.len().checked_sub(tail.len()) else { return false };
    path[start..].eq_ignore_ascii_case(tail.as_bytes()) && (start == 0 || path[start - 1] == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path the rule must catch.
    fn example(rule: &Name) -> String {
        match rule {
            Is(name) => format!("some/where/{name}"),
            Extension(extension) => format!("some/where/server.{extension}"),
            Tail(tail) => format!("home/user/{tail}"),
            Between(start, end) => format!("some/where/{start}prod{end}"),
        }
    }

    #[test]
    fn every_rule_catches_its_name_in_any_case() {
        for rule in RULES {
            let path = example(rule);
            assert!(secret_name(path.as_bytes()).is_some(), "{path}");
            assert!(secret_name(path.to_uppercase().as_bytes()).is_some(), "{path} in upper case");
            let bare = path.rsplit_once("where/").map(|(_, name)| name);
            if let Some(bare) = bare {
                assert!(secret_name(bare.as_bytes()).is_some(), "{bare} at the root");
            }
        }
    }

    #[test]
    fn near_misses_are_fine_by_name() {
        let fine = [
            "csrf_token.py",
            "secrets_test.go",
            "tokenizer.json",
            "monkey.key.md",
            ".env.example",
            ".env.local.sample",
            ".ENV.Template",
            "prod.tfvars.example",
            "id_rsa.pub",
            "id_ed25519.pub",
            "environment.md",
            "env",
            ".environment",
            "keys.md",
            "pem",
            ".key",
            "docs/shadow",
            "sketch/shadow",
            "aws/credentials",
            "x.aws/credentials",
            ".aws/credentials.md",
            "docker/config.json",
            "config.json",
            "kube/config",
            "credentials.md",
            "secrets.md",
            "secret.rs",
            "service-account.md",
            "service-account-guide.yaml",
            "wp-config-sample.php",
            "netrc",
            "npmrc.md",
            "hub",
            "settings.xml",
            "client_secret.rs",
            "keystore.rs",
            "passwords.md",
        ];
        for path in fine {
            assert_eq!(secret_name(path.as_bytes()), None, "{path}");
        }
    }

    #[test]
    fn the_rule_is_named_and_odd_names_are_judged() {
        assert_eq!(secret_name(b"a/.env.production"), Some(".env."));
        assert_eq!(secret_name(b"a/caf\xe9.pem"), Some("pem"));
        assert_eq!(secret_name(b""), None);
    }
}
