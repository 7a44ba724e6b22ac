//! Names of well-known credential stores. Compiled in: no file in a repository can switch one off.
//!
//! Only names that are credential stores by convention stand here. Code whose name merely speaks of a secret
//! (`csrf_token.py`, `secrets_test.go`) is judged by its content.

use std::sync::LazyLock;

/// Endings that mark a file as a pattern to fill in. Such a file is judged by its content.
const TEMPLATES: [&str; 3] = [".example", ".sample", ".template"];

/// Patterns to fill in that keep the extension.
const NAMED_TEMPLATES: [&str; 6] =
    ["example.env", ".example.env", "sample.env", ".sample.env", "template.env", ".template.env"];

/// The rules, all in lower case: whole names, separated by blanks.
const NAMES: &str = "\
    .env .envrc .netrc _netrc .npmrc .pypirc .pgpass pgpass.conf .my.cnf .git-credentials .htpasswd .vault-token \
    .terraformrc terraform.rc kubeconfig wp-config.php id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk \
    secring.gpg master.key .s3cfg .boto .authinfo .mylogin.cnf .msmtprc .fetchmailrc .databrickscfg kaggle.json \
    rclone.conf hudson.util.secret logins.json key4.db .dockercfg credentials.tfrc.json .passwd-s3fs passwd-s3fs \
    sitemanager.xml recentservers.xml filezilla.xml sftp-config.json .remote-sync.json .ftpconfig .esmtprc .lftprc \
    .s3curl .tugboat proftpdpasswd";

const EXTENSIONS: &str = "\
    pem key p8 p12 pfx ppk jks keystore kdbx kdb psafe3 jceks bcfks bks keytab pkcs12 ovpn publishsettings env \
    tfvars tfstate";

/// Ends of a path, on whole components.
const TAILS: &str = "\
    .aws/credentials .aws/config .azure/accesstokens.json .azure/msal_token_cache.json .cargo/credentials \
    .cargo/credentials.toml .composer/auth.json .bundle/config .chef/credentials .config/doctl/config.yaml \
    .config/gcloud/access_tokens.db .config/gcloud/credentials.db .config/configstore/firebase-tools.json \
    .config/glab-cli/config.yml .fly/config.yml .huggingface/token huggingface/token .ivy2/.credentials \
    .sbt/.credentials .netlify/config.json .oci/config .snowsql/config .vercel/auth.json .vscode/sftp.json \
    .idea/webservers.xml .gradle/gradle.properties .config/gh/hosts.yml .config/hub .docker/config.json \
    .gem/credentials .kube/config .m2/settings.xml .m2/settings-security.xml .ssh/identity etc/shadow etc/gshadow";

/// Endings of files that hold data, not code. A store of credentials by its name has one of them, or none.
const DATA: [&str; 11] = ["", "json", "yml", "yaml", "toml", "ini", "xml", "txt", "cfg", "conf", "db"];

/// Last words of names that say what a file of data holds: `secrets.yml`, `prod-credentials.json`, `ftp.passwd`,
/// `.psql_history`, `.vault_pass.txt`.
const HOLDS: [&str; 11] = [
    "secret", "secrets", "credential", "credentials", "passwd", "htpasswd", "passwords", "vault_pass", "vault-pass",
    "vault_password", "vault-password",
];

/// How a name starts and ends, with something between.
const BETWEEN: &[(&str, &str)] = &[
    (".env.", ""),
    // What was typed into shells and consoles, passwords among it.
    (".", "_history"),
    ("", ".tfvars.json"),
    ("", ".tfstate.backup"),
    ("service-account", ".json"),
    ("service_account", ".json"),
    ("serviceaccount", ".json"),
    ("client_secret_", ".json"),
];

/// The rules arranged by the length of what they compare, so that a name meets a handful of them: a walk asks this of every
/// file.
#[derive(Default)]
struct Table {
    names: ByLength,
    extensions: ByLength,
    /// Under the last component.
    tails: ByLength,
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
    NAMES.split_ascii_whitespace().for_each(|name| table.names.insert(name, name));
    EXTENSIONS.split_ascii_whitespace().for_each(|extension| table.extensions.insert(extension, extension));
    for tail in TAILS.split_ascii_whitespace() {
        table.tails.insert(tail.rsplit('/').next().unwrap_or(tail), tail);
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
        let between = BETWEEN.iter().find(|(start, end)| {
            name.len() > start.len() + end.len() && starts_with(name, start) && ends_with(name, end)
        });
        between.map(|(start, end)| if start.is_empty() { *end } else { *start })
    });
    let found = found.or_else(|| holds_credentials(name));
    let found = found.or_else(|| table.tails.of(name).find(|tail| ends_with_components(path, tail)));
    let is_template = TEMPLATES.iter().any(|ending| ends_with(name, ending))
        || NAMED_TEMPLATES.iter().any(|template| name.eq_ignore_ascii_case(template.as_bytes()));
    found.filter(|_| !is_template)
}

/// Whether a file of data says by its name that it holds credentials. One word alone has an ending or a dot in front of it: a
/// folder's `secrets` or a program called `passwd` is none.
fn holds_credentials(name: &[u8]) -> Option<&'static str> {
    let hidden = name.first() == Some(&b'.');
    let dot = name.iter().rposition(|&b| b == b'.').filter(|&dot| dot > 0);
    let (stem, ending) = dot.map_or((name, &b""[..]), |dot| (&name[..dot], &name[dot + 1..]));
    let held = HOLDS.iter().find(|held| {
        let before = stem.len().checked_sub(held.len() + 1).and_then(|at| stem.get(at));
        let joined = before.is_some_and(|b| matches!(b, b'.' | b'-' | b'_'));
        let alone = stem.len() == held.len() && !ending.is_empty();
        ends_with(stem, held) && (alone || joined && (hidden || !ending.is_empty()))
    })?;
    DATA.iter().any(|data| ending.eq_ignore_ascii_case(data.as_bytes())).then_some(*held)
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

    /// A path for each rule that it must catch.
    fn examples() -> impl Iterator<Item = String> {
        let names = NAMES.split_ascii_whitespace().map(|name| format!("some/where/{name}"));
        let extensions = EXTENSIONS.split_ascii_whitespace().map(|end| format!("some/where/server.{end}"));
        let tails = TAILS.split_ascii_whitespace().map(|tail| format!("home/user/{tail}"));
        let between = BETWEEN.iter().map(|(start, end)| format!("some/where/{start}prod{end}"));
        let holds = HOLDS.iter().flat_map(|held| {
            let named = DATA.iter().filter(|data| !data.is_empty());
            named.map(move |data| format!("some/where/prod-{held}.{data}")).chain([format!("some/where/.app_{held}")])
        });
        names.chain(extensions).chain(tails).chain(between).chain(holds)
    }

    #[test]
    fn every_rule_catches_its_name_in_any_case() {
        for path in examples() {
            assert!(secret_name(path.as_bytes()).is_some(), "{path}");
            assert!(secret_name(path.to_uppercase().as_bytes()).is_some(), "{path} in upper case");
            let bare = path.rsplit_once("where/").map(|(_, name)| name);
            if let Some(bare) = bare {
                assert!(secret_name(bare.as_bytes()).is_some(), "{bare} at the root");
            }
        }
    }

    #[test]
    fn near_misses_are_fine_by_name_and_general_patterns_are_not() {
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
            "passwd",
            "secrets",
            "api/secrets/index.ts",
            "user_credentials.py",
            "reset_passwords.sql",
            "web-secrets.html",
            "history.json",
            "browser_history",
        ];
        for path in ["secrets.yml", "credentials.xml", "prod-secrets.toml", ".sbt_credentials", ".node_repl_history"] {
            assert!(secret_name(path.as_bytes()).is_some(), "{path}");
        }
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
