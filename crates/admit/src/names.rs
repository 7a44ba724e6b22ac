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
    secrets.yml secrets.yaml secrets.json secrets.toml credentials.json credentials.yml credentials.yaml \
    client_secret.json application_default_credentials.json secring.gpg master.key .s3cfg .boto .authinfo \
    .mylogin.cnf .esmtprc .msmtprc .fetchmailrc .ftpconfig .remote-sync.json sftp-config.json recentservers.xml \
    sitemanager.xml filezilla.xml .tugboat .databrickscfg .passwd-s3fs passwd-s3fs proftpdpasswd .vault_pass \
    .vault_pass.txt .vault-password vault_pass.txt kaggle.json rclone.conf credentials.tfrc.json hudson.util.secret \
    credentials.xml logins.json key4.db .s3curl .lftprc .bash_history .zsh_history .psql_history .mysql_history \
    .rediscli_history .dockercfg";

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

/// How a name starts and ends, with something between.
const BETWEEN: &[(&str, &str)] = &[
    (".env.", ""),
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

    /// A path for each rule that it must catch.
    fn examples() -> impl Iterator<Item = String> {
        let names = NAMES.split_ascii_whitespace().map(|name| format!("some/where/{name}"));
        let extensions = EXTENSIONS.split_ascii_whitespace().map(|end| format!("some/where/server.{end}"));
        let tails = TAILS.split_ascii_whitespace().map(|tail| format!("home/user/{tail}"));
        let between = BETWEEN.iter().map(|(start, end)| format!("some/where/{start}prod{end}"));
        names.chain(extensions).chain(tails).chain(between)
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
