//! What a name says about the value that is assigned to it.

use std::collections::HashSet;
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    /// A password: people choose them, so that they may be short and made of words.
    Password,
    /// A key or token: a program made it, so that it looks random.
    Key,
}

/// The words that start a look at a name: each is part of one of the words below.
pub(super) const KEYWORDS: &[&str] = &["pass", "pwd", "pswd", "secret", "token", "key", "credential", "auth", "salt"];

#[rustfmt::skip]
const PASSWORDS: &[&str] = &[
    "password", "passwd", "passphrase", "passcode", "pwd", "pswd", "pass", "passwords", "userpass", "dbpass",
    "userpassword", "dbpassword", "dbpasswd", "rootpassword", "adminpassword", "requirepass", "masterauth",
    "passwort", "mypassword", "storepass", "keypass", "userpwd", "dbpwd", "sshpass", "ftppass", "smtppass",
];

#[rustfmt::skip]
const KEYS: &[&str] = &[
    "secret", "token", "apikey", "secretkey", "accesskey", "authkey", "privatekey", "secrets", "authtoken",
    "accesstoken", "credential", "credentials", "clientsecret", "apitoken", "apisecret", "tokens", "appsecret",
    "appkey", "consumersecret", "auth", "bearer", "encryptionkey", "signingkey", "masterkey", "passkey",
    "authorization", "refreshtoken", "salt", "secretaccesskey", "accountkey", "jwtsecret", "sessionsecret",
    "cookiesecret",
];

/// Words before `key` that make it a secret one. A plain `key` is a place in a map.
#[rustfmt::skip]
const KEY_LEADS: &[&str] = &[
    "api", "access", "secret", "private", "auth", "encryption", "encrypt", "signing", "sign", "signature", "master",
    "account", "license", "licence", "jwt", "hmac", "session", "shared", "service", "app", "admin", "storage",
    "crypto", "aes", "cipher", "webhook", "deploy", "server", "client", "integration", "write", "ingest", "cookie",
    "hash", "salt", "subscription", "ssh", "rsa", "crypt", "validation", "decryption", "machine", "consumer", "apns",
    "fcm", "vapid", "certificate", "cert", "seed", "wallet", "root", "recovery", "project", "user", "developer", "team",
    "io", "rest",
];

/// Words that turn a name into one for something about a secret: `token_type`, `password_field`, `secret_name`.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "type", "name", "names", "id", "ids", "field", "fields", "label", "url", "uri", "endpoint", "file", "filename",
    "path", "dir", "length", "len", "size", "min", "max", "regex", "regexp", "pattern", "hint", "placeholder",
    "error", "errors", "message", "msg", "param", "parameter", "header", "headers", "selector", "reset", "arn", "ref",
    "version", "expiry", "expires", "expiration", "ttl", "lifetime", "algorithm", "alg", "method", "mode", "format",
    "prefix", "suffix", "column", "index", "count", "limit", "policy", "rule", "rules", "validator", "strength",
    "required", "enabled", "changed", "updated", "at", "date", "time", "scope", "scopes", "issuer", "audience",
    "kind", "class", "input", "element", "button", "link", "text", "title", "description", "help", "prompt", "env",
    "var", "variable", "provider", "store", "manager", "service", "group", "role", "usage", "info", "status", "state",
    "location", "source", "callback", "parser", "stream", "tree", "span", "pos", "position", "kinds", "icon", "hash",
    "hashed", "digest", "checksum", "fingerprint", "thumbprint", "csrf", "xsrf", "pair", "pairs", "test", "tests",
    "spec", "example", "placeholders", "encoding", "charset", "attribute", "attr", "property", "prop", "locale",
    "i18n", "translation", "schema", "definition", "model", "doc", "docs", "comment", "template", "grant", "flow",
    "realm", "domain", "host", "port", "user", "username", "email", "typ", "literal", "operator", "delimiter",
    "separator", "char", "chars", "list", "set", "map", "dict", "view", "form", "page", "screen", "modal", "dialog",
    "event", "action", "handler", "function", "func", "fn", "request", "response", "result", "success", "failed",
    "failure", "invalid", "missing", "wrong", "empty", "mismatch", "confirm", "last", "used", "blob", "ciphertext",
    "startswith", "istartswith", "endswith", "iendswith", "contains", "icontains", "exact", "iexact", "isnull", "command",
    "cmd", "program", "script", "plugin", "backend", "history", "alias", "size", "board", "word",
];

/// Words before the secret's own word that make it something else: `next_page_token`, `public_key`, `no_password`.
#[rustfmt::skip]
const OTHER: &[&str] = &[
    "public", "pub", "primary", "foreign", "partition", "sort", "cache", "next", "page", "continuation", "cursor",
    "pagination", "cancellation", "cancel", "csrf", "xsrf", "no", "has", "is", "show", "hide", "forgot", "forgotten",
    "reset", "invalid", "wrong", "missing", "min", "max", "require", "required", "stop", "special", "pad", "mask",
    "unk", "eos", "bos", "sep", "cls", "start", "end", "sync", "lookahead", "current", "prev", "previous", "expected",
    "unexpected", "punctuation", "hashed", "hash", "encrypted", "masked", "publishable", "idempotency", "site",
    "syntax", "lexer", "sub", "change", "with", "without", "test", "fake", "dummy", "mock", "example", "sample",
    "object", "row", "message", "lookup", "group", "map", "dict", "json", "index", "query", "hot", "shortcut", "registry",
    "hkey", "local", "arrow", "sequence", "unique", "render", "first", "last", "second", "third", "two", "compiler", "build", "shader", "passes",
];

/// Words before `token` that make it a mark of a place or a request.
#[rustfmt::skip]
const TOKEN_OTHER: &[&str] = &[
    "client", "request", "lock", "action", "starting", "update", "export", "import", "product", "unit", "sync",
    "resume", "delta", "change", "event", "task", "job", "upload", "list", "marker", "position", "word", "text",
    "input", "output",
];

pub(super) fn promise(name: &[u8]) -> Option<Promise> {
    let words = words(name);
    let found = words.iter().enumerate().rev().find_map(|(at, word)| promise_of(&words, at, word).map(|p| (at, p)));
    // In the environment a key is one of a service: `ADAFRUIT_IO_KEY`.
    let variable = || {
        let is_key = words.len() > 1 && words[words.len() - 1] == "key" && !name.iter().any(u8::is_ascii_lowercase);
        is_key.then(|| (words.len() - 1, Promise::Key))
    };
    let (at, promise) = found.or_else(variable)?;
    let (before, after) = (&words[..at], &words[at + 1..]);
    let about = after.iter().any(|word| is_about(word));
    let other = before.iter().rev().take(2).any(|word| OTHER_SET.contains(word.as_str()));
    let token = words[at].starts_with("token") && at > 0 && TOKEN_OTHER.contains(&words[at - 1].as_str());
    (!about && !other && !token).then_some(promise)
}

/// A list of words to look one up in.
fn set(words: &[&'static str]) -> HashSet<&'static str> {
    words.iter().copied().collect()
}

static PASSWORD_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| set(PASSWORDS));
static KEY_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| set(KEYS));
static LEAD_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| set(KEY_LEADS));
static ABOUT_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| set(ABOUT));
static OTHER_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| set(OTHER));

fn is_about(word: &str) -> bool {
    ABOUT_SET.contains(word) || word.strip_suffix('s').is_some_and(|one| ABOUT_SET.contains(one))
}

fn promise_of(words: &[String], at: usize, word: &str) -> Option<Promise> {
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    // `pass` goes last, or it is a step: `depth_pass_op`.
    if word == "pass" && at + 1 < words.len() {
        return None;
    }
    if PASSWORD_SET.contains(word) || word.ends_with("password") || word.ends_with("passwd") {
        return Some(Promise::Password);
    }
    let led = at > 0 && LEAD_SET.contains(words[at - 1].as_str());
    // `key_material`, `keyMaterialB64`.
    let material = word == "material" && at > 0 && words[at - 1] == "key" || word == "keymaterial";
    let key = KEY_SET.contains(word)
        || material
        || (word == "key" || word == "keys" || word == "base") && led
        || word.ends_with("secret")
        || word.ends_with("apikey")
        || word.ends_with("token")
        || word.ends_with("secretkey")
        || word.ends_with("privatekey")
        || word.ends_with("accesskey");
    key.then_some(Promise::Key)
}

/// Whether a name speaks of a credential of any kind, for rules that know their service by another word in it.
pub(super) fn speaks_of_credential(name: &[u8]) -> bool {
    const PARTS: [&[u8]; 9] = [b"key", b"token", b"secret", b"pass", b"pwd", b"auth", b"cred", b"pat", b"dsn"];
    let lower = name.to_ascii_lowercase();
    let part = PARTS.iter().any(|part| lower.windows(part.len()).any(|window| window == *part));
    part && !words(name).last().is_some_and(|last| is_about(last))
}

/// The words of a name in lower case: `dbPassword`, `DB_PASSWORD` and `db-password` are all `db`, `password`.
fn words(name: &[u8]) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = b'_';
    for (at, &byte) in name.iter().enumerate() {
        let next_small = name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let hump =
            byte.is_ascii_uppercase() && (previous.is_ascii_lowercase() || previous.is_ascii_uppercase() && next_small);
        if !byte.is_ascii_alphanumeric() || hump {
            words.push(String::new());
        }
        if byte.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
        previous = byte;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        let cut = |name: &str| words(name.as_bytes()).join(" ");
        assert_eq!(cut("dbPassword"), "db password");
        assert_eq!(cut("DB_PASSWORD"), "db password");
        assert_eq!(cut("spring.data-source.APIKey2"), "spring data source api key2");
    }

    #[test]
    fn names_promise_what_they_speak_of() {
        for name in [
            "password",
            "DB_PASSWORD",
            "userPwd",
            "spring.datasource.password",
            "rootPassword1",
            "MYSQL_PASS",
            "requirepass",
        ] {
            assert_eq!(promise(name.as_bytes()), Some(Promise::Password), "{name}");
        }
        for name in [
            "api_key", "apiKey", "SECRET_KEY_BASE", "clientSecret", "auth_token", "X-Api-Key", "encryptionKey",
            "accessToken2",
        ] {
            assert_eq!(promise(name.as_bytes()), Some(Promise::Key), "{name}");
        }
        for name in [
            "token_type", "passwordField", "secret_name", "public_key", "next_page_token", "ClientRequestToken",
            "LockToken", "PasswordLastUsed", "key", "cache_key", "compass", "bypass", "password_file", "tokenizer",
            "csrf_token", "primaryKey", "keyboard", "author", "passes", "password_hash",
        ] {
            assert_eq!(promise(name.as_bytes()), None, "{name}");
        }
    }
}
