//! Names of well-known credential stores. Compiled in: no file in a repository can switch one off.
//!
//! Only names that are credential stores by convention stand here. Code whose name merely speaks of a secret
//! (`csrf_token.py`, `secrets_test.go`) is judged by its content.

use std::sync::LazyLock;

/// How a name is recognised, all in lower case.
#[derive(Debug, Clone, Copy)]
enum Name {
    Is(&'static str),
    Extension(&'static str),
    /// The end of the path, on whole components.
    Tail(&'static str),
    Between(&'static str, &'static str),
}

use Name::{Between, Extension, Is, Tail};

/// Endings that mark a file as a pattern to fill in. Such a file is judged by its content.
const TEMPLATES: [&str; 3] = [".example", ".sample", ".template"];

/// Patterns to fill in that keep the extension.
const NAMED_TEMPLATES: [&str; 6] =
    ["example.env", ".example.env", "sample.env", ".sample.env", "template.env", ".template.env"];

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
    Is(".authinfo"),
    Is(".mylogin.cnf"),
    Is(".esmtprc"),
    Is(".msmtprc"),
    Is(".fetchmailrc"),
    Is(".ftpconfig"),
    Is(".remote-sync.json"),
    Is("sftp-config.json"),
    Is("recentservers.xml"),
    Is("sitemanager.xml"),
    Is("filezilla.xml"),
    Is(".tugboat"),
    Is(".databrickscfg"),
    Is(".passwd-s3fs"),
    Is("passwd-s3fs"),
    Is("proftpdpasswd"),
    Is(".vault_pass"),
    Is(".vault_pass.txt"),
    Is(".vault-password"),
    Is("vault_pass.txt"),
    Is("kaggle.json"),
    Is("rclone.conf"),
    Is("credentials.tfrc.json"),
    Is("hudson.util.secret"),
    Is("credentials.xml"),
    Is("logins.json"),
    Is("key4.db"),
    Is(".s3curl"),
    Is(".lftprc"),
    Is(".bash_history"),
    Is(".zsh_history"),
    Is(".psql_history"),
    Is(".mysql_history"),
    Is(".rediscli_history"),
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
    Extension("kdb"),
    Extension("psafe3"),
    Extension("jceks"),
    Extension("bcfks"),
    Extension("bks"),
    Extension("keytab"),
    Extension("pkcs12"),
    Extension("ovpn"),
    Extension("publishsettings"),
    Extension("env"),
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
    Tail(".bundle/config"),
    Tail(".chef/credentials"),
    Tail(".config/doctl/config.yaml"),
    Tail(".config/gcloud/access_tokens.db"),
    Tail(".config/gcloud/credentials.db"),
    Tail(".config/configstore/firebase-tools.json"),
    Tail(".config/glab-cli/config.yml"),
    Tail(".fly/config.yml"),
    Tail(".huggingface/token"),
    Tail("huggingface/token"),
    Tail(".ivy2/.credentials"),
    Tail(".sbt/.credentials"),
    Tail(".netlify/config.json"),
    Tail(".oci/config"),
    Tail(".snowsql/config"),
    Tail(".vercel/auth.json"),
    Tail(".vscode/sftp.json"),
    Tail(".idea/webservers.xml"),
    Tail(".gradle/gradle.properties"),
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

/// The rules arranged by the length of what they compare, so that a name meets a handful of them: a walk asks this of every
/// file.
#[derive(Default)]
struct Table {
    names: ByLength,
    extensions: ByLength,
    /// Under the last component.
    tails: ByLength,
    between: Vec<(&'static str, &'static str)>,
}

#[derive(Default)]
struct ByLength(Vec<Vec<(&'static str, &'static str)>>);

impl ByLength {
    fn insert(&mut self, key: &'static str, rule: &'static str) {
        if self.0.len() <= key.len() {
            self.0.resize_with(key.len() + 1, Vec::new);
        }
        self.0[key.len()].push((key, rule));
    }

    /// The rules whose key is this, whatever its case.
    fn of<'t>(&'t self, key: &'t [u8]) -> impl Iterator<Item = &'static str> + 't {
        let same_length = self.0.get(key.len()).map_or(&[][..], Vec::as_slice);
        same_length.iter().filter(move |(k, _)| k.as_bytes().eq_ignore_ascii_case(key)).map(|(_, rule)| *rule)
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for rule in RULES {
        match *rule {
            Is(name) => table.names.insert(name, name),
            Extension(extension) => table.extensions.insert(extension, extension),
            Tail(tail) => table.tails.insert(tail.rsplit('/').next().unwrap_or(tail), tail),
            Between(start, end) => table.between.push((start, end)),
        }
    }
    table
});

/// The rule that calls a path a credential store, if one does. Upper and lower case are the same.
pub(crate) fn secret_name(path: &[u8]) -> Option<&'static str> {
    let name = path.rsplit(|&b| b == b'/').next().unwrap_or(path);
    let table = &*TABLE;
    let found = table.names.of(name).next();
    let found = found.or_else(|| {
        let dot = name.iter().rposition(|&b| b == b'.')?;
        // A file called just `.key` has no extension.
        (dot > 0).then(|| table.extensions.of(&name[dot + 1..]).next()).flatten()
    });
    let found = found.or_else(|| {
        let between = table.between.iter().find(|(start, end)| {
            name.len() > start.len() + end.len() && starts_with(name, start) && ends_with(name, end)
        });
        between.map(|(start, end)| if start.is_empty() { *end } else { *start })
    });
    let found = found.or_else(|| table.tails.of(name).find(|tail| ends_with_components(path, tail)));
    let is_template = TEMPLATES.iter().any(|ending| ends_with(name, ending))
        || NAMED_TEMPLATES.iter().any(|template| name.eq_ignore_ascii_case(template.as_bytes()));
    found.filter(|_| !is_template)
}

fn starts_with(name: &[u8], start: &str) -> bool {
    name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

fn ends_with(name: &[u8], end: &str) -> bool {
    let tail = name.len().checked_sub(end.len()).map(|at| &name[at..]);
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
}

fn ends_with_components(path: &[u8], tail: &str) -> bool {
    ends_with(path, tail) && (path.len() == tail.len() || path[path.len() - tail.len() - 1] == b'/')
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
            "example.env",
            ".sample.env",
            "next.env.d.ts",
            "token",
            "gradle.properties",
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
