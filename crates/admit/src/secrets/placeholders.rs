//! Telling a value from a stand-in for one: a variable, a slot in a template, an example.

/// Parts of a value that no generated secret has and that examples love.
#[rustfmt::skip]
const STAND_INS: &[&str] = &[
    "example", "changeme", "change_me", "change-me", "changethis", "placeholder", "your-", "your_", "yourp", "yours",
    "yourt", "yourk", "youra", "my-secret", "my_secret", "mysecret", "my-token", "my_token", "mytoken", "dummy",
    "redacted", "xxxx", "****", "####", "....", "0000000", "1234567", "abcdef", "insert", "replace", "process.env",
    "os.environ", "getenv", "env[", "env.", "secrets.", "vault:", "sample", "fake", "todo", "not-a-", "notreal",
    "lorem", "ipsum", "goes-here", "goes_here", "-here", "_here", "foobar", "foo-bar", "foo_bar", "some-", "some_",
    "testing", "secretkeyref", "undefined", "deadbeef", "\u{2026}", "\u{2022}",
];

/// Whole values that are names for a secret, not one, and passwords that keep nobody out.
#[rustfmt::skip]
pub(super) const WORDS: &[&str] = &[
    "password", "passwd", "pass", "pwd", "secret", "token", "user", "username", "admin", "root", "test", "postgres",
    "mysql", "guest", "none", "null", "nil", "true", "false", "pw", "key", "foo", "bar", "hunter2", "default",
    "credentials", "letmein", "qwerty", "welcome", "demo", "abc123", "s3cret", "s3cr3t", "p@ssw0rd", "p@ssword",
    "passw0rd", "pa$$word", "string", "value", "apikey", "api_key", "mypassword", "mypass", "secure", "hidden",
    "empty", "sa", "changeit", "rabbitmq", "redis", "mongo", "mongodb", "mariadb", "oracle", "minioadmin", "elastic",
    "docker", "vagrant", "ubuntu", "prompt", "optional", "required", "x-oauth-basic", "x-access-token", "oauth2",
    "blank", "unset", "disabled", "enabled", "yes", "no", "some", "any", "auto", "ask", "basic", "bearer", "digest",
    "anonymous", "nobody", "pass1", "pass2", "pass123", "test123", "test1234", "admin123", "root123", "user123",
    "secret123", "pw123", "abcd1234", "a1b2c3", "a1b2c3d4", "1q2w3e4r", "qwerty123", "trustno1", "iloveyou", "monkey",
    "dragon", "toor", "open sesame", "opensesame", "security",
];

/// Whether a value only shows where a value would go: a variable, a template's slot, an example, a word for it.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    is_stand_in(value) || WORDS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether a value says itself that it is to be replaced.
pub(super) fn is_stand_in(value: &[u8]) -> bool {
    let Some(&first) = value.first() else { return true };
    if value.iter().all(|&byte| byte == first) {
        return true;
    }
    is_slot(value) || {
        let lower = String::from_utf8_lossy(value).to_lowercase();
        STAND_INS.iter().any(|part| lower.contains(part) && !is_chance(value, part))
    }
}

/// Whether a short word may stand in a long random value by chance.
fn is_chance(value: &[u8], part: &str) -> bool {
    if part == "xxxx" {
        // Nobody who types a row of them changes case.
        return !value.windows(4).any(|w| w == b"xxxx" || w == b"XXXX");
    }
    value.len() >= 32 && part.len() < 6 && part.bytes().all(|b| b.is_ascii_alphabetic())
}

/// `$VAR`, `${VAR}`, `$(command)`, `{{ slot }}`, `<slot>`, `%(slot)s`, `%s`, `@ref`, `#{slot}`, `:name`, `?`.
fn is_slot(value: &[u8]) -> bool {
    let first = value.first().copied().unwrap_or(b'?');
    let last = value.last().copied().unwrap_or(b'?');
    let rest = value.get(1..).unwrap_or_default();
    let is_word = |part: &[u8]| part.iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b'.'));
    // Where a digit or mark follows, `$`, `@` and the like are part of a password.
    let sigil = matches!(first, b'$' | b'@' | b'%' | b'#' | b':' | b'&' | b'!' | b'*') && is_word(rest);
    // `@ESXI1_PASSWORD` of a template: in large letters a number belongs to the name.
    let constant = matches!(first, b'$' | b'@')
        && rest.first().is_some_and(u8::is_ascii_uppercase)
        && rest.contains(&b'_')
        && rest.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_');
    let quill = value.starts_with("«".as_bytes());
    let shell = first == b'$' && matches!(rest.first(), Some(b'{' | b'(' | b'['));
    let bracket = matches!((first, last), (b'{', b'}') | (b'<', b'>') | (b'[', b']') | (b'%', b'%') | (b'_', b'_'))
        || value.len() > 2 && (first, last) == (b'@', b'@') && is_word(&rest[..rest.len() - 1]);
    let open = matches!(first, b'<' | b'[' | b'{' | b'(');
    let inside = [&b"${"[..], b"{{", b"}}", b"$(", b"#{", b"%s", b"%(", b"<%", b"{}", b"%d", b"\\(", b"{0}", b"@@"];
    let inner = inside.iter().any(|slot| value.windows(slot.len()).any(|w| w == *slot));
    sigil || constant || quill || shell || bracket || open || inner || has_named_slot(value)
}

/// `prefix-{name}` of a format string.
fn has_named_slot(value: &[u8]) -> bool {
    let Some(open) = value.iter().position(|&b| b == b'{') else { return false };
    let inside = value[open + 1..].iter().take_while(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.')).count();
    inside > 0 && value.get(open + 1 + inside) == Some(&b'}')
}
