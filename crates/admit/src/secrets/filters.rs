//! Telling a value from a stand-in for one.

/// Shannon entropy in bits per byte: how unevenly the bytes are spread.
pub(super) fn entropy(value: &[u8]) -> f32 {
    let mut counts = [0u32; 256];
    for &byte in value {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f32;
    counts.iter().filter(|&&count| count > 0).fold(0.0, |sum, &count| {
        let share = count as f32 / length;
        sum - share * share.log2()
    })
}

/// Parts of a value that no generated secret has and that examples love.
const STAND_INS: &[&str] = &[
    "example",
    "changeme",
    "change_me",
    "change-me",
    "changethis",
    "placeholder",
    "your-",
    "your_",
    "yourp",
    "yours",
    "yourt",
    "yourk",
    "youra",
    "my-secret",
    "my_secret",
    "mysecret",
    "my-token",
    "my_token",
    "mytoken",
    "dummy",
    "redacted",
    "xxxx",
    "****",
    "....",
    "0000000",
    "1234567",
    "abcdef",
    "insert",
    "replace",
    "process.env",
    "os.environ",
    "getenv",
    "env[",
    "env.",
    "secrets.",
    "vault:",
    "sample",
    "fake",
    "todo",
    "not-a-",
    "notreal",
    "lorem",
    "ipsum",
    "goes-here",
    "goes_here",
    "-here",
    "_here",
    "foobar",
    "foo-bar",
    "foo_bar",
    "some-",
    "some_",
    "testing",
    "secretkeyref",
    "undefined",
    "deadbeef",
    "\u{2026}",
    "\u{2022}",
];

/// Whole values that are names for a secret, not one, and passwords that keep nobody out.
const WORDS: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "pwd",
    "secret",
    "token",
    "user",
    "username",
    "admin",
    "root",
    "test",
    "postgres",
    "mysql",
    "guest",
    "none",
    "null",
    "nil",
    "true",
    "false",
    "pw",
    "key",
    "foo",
    "bar",
    "hunter2",
    "default",
    "credentials",
    "letmein",
    "qwerty",
    "welcome",
    "demo",
    "abc123",
    "s3cret",
    "s3cr3t",
    "p@ssw0rd",
    "p@ssword",
    "passw0rd",
    "pa$$word",
    "string",
    "value",
    "apikey",
    "api_key",
    "mypassword",
    "mypass",
    "secure",
    "hidden",
    "empty",
    "sa",
    "changeit",
    "rabbitmq",
    "redis",
    "mongo",
    "mongodb",
    "mariadb",
    "oracle",
    "minioadmin",
    "elastic",
    "docker",
    "vagrant",
    "ubuntu",
    "prompt",
    "optional",
    "required",
    "x-oauth-basic",
    "x-access-token",
    "oauth2",
    "blank",
    "unset",
    "disabled",
    "enabled",
    "yes",
    "no",
    "some",
    "any",
    "auto",
    "ask",
    "basic",
    "bearer",
    "digest",
    "anonymous",
    "nobody",
    "pass1",
    "pass2",
    "pass123",
    "test123",
    "test1234",
    "admin123",
    "root123",
    "user123",
    "secret123",
    "pw123",
    "abcd1234",
    "a1b2c3",
    "a1b2c3d4",
    "1q2w3e4r",
    "qwerty123",
    "trustno1",
    "iloveyou",
    "monkey",
    "dragon",
    "toor",
    "open sesame",
];

/// Whether a value only shows where a value would go: a variable, a template's slot, an example.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let Some(&first) = value.first() else { return true };
    if value.iter().all(|&byte| byte == first) {
        return true;
    }
    is_slot(value) || {
        let lower = String::from_utf8_lossy(value).to_lowercase();
        STAND_INS.iter().any(|part| lower.contains(part) && !is_chance(value, part)) || WORDS.contains(&lower.as_str())
    }
}

/// Whether a short word may stand in a long random value by chance.
fn is_chance(value: &[u8], part: &str) -> bool {
    value.len() >= 32 && part.len() < 6 && part != "xxxx" && part.bytes().all(|b| b.is_ascii_alphabetic())
}

/// `$VAR`, `${VAR}`, `$(command)`, `{{ slot }}`, `<slot>`, `%(slot)s`, `%s`, `@ref`, `#{slot}`, `:name`, `?`.
fn is_slot(value: &[u8]) -> bool {
    let first = value.first().copied().unwrap_or(b'?');
    let last = value.last().copied().unwrap_or(b'?');
    let rest = value.get(1..).unwrap_or_default();
    let is_word = |part: &[u8]| part.iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b'.'));
    // Where a digit or mark follows, `$`, `@` and the like are part of a password.
    let sigil = matches!(first, b'$' | b'@' | b'%' | b'#' | b':' | b'&' | b'!' | b'*') && is_word(rest);
    let quill = value.starts_with("«".as_bytes());
    let shell = first == b'$' && matches!(rest.first(), Some(b'{' | b'(' | b'['));
    let bracket = matches!((first, last), (b'{', b'}') | (b'<', b'>') | (b'[', b']') | (b'%', b'%') | (b'_', b'_'));
    let open = matches!(first, b'<' | b'[' | b'{' | b'(');
    let inside = [&b"${"[..], b"{{", b"}}", b"$(", b"#{", b"%s", b"%(", b"<%", b"{}", b"%d", b"\\(", b"{0}", b"@@"];
    let inner = inside.iter().any(|slot| value.windows(slot.len()).any(|w| w == *slot));
    sigil || quill || shell || bracket || open || inner || has_named_slot(value)
}

/// `prefix-{name}` of a format string.
fn has_named_slot(value: &[u8]) -> bool {
    let Some(open) = value.iter().position(|&b| b == b'{') else { return false };
    let inside = value[open + 1..].iter().take_while(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.')).count();
    inside > 0 && value.get(open + 1 + inside) == Some(&b'}')
}

/// Whether a value, by its mix of characters, was generated or chosen as a password, rather than being a name.
///
/// Names in code are words joined by marks (`access_token`, `auth/v2/login`); what is generated has digits among letters.
pub(super) fn is_mixed(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    if digits == 0 || letters == 0 {
        return false;
    }
    // `hunter2` is a word with a digit; as the whole value of a password it still is one when marks are in it.
    !is_wordy(value) || value.iter().any(|b| matches!(b, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'*' | b'~'))
}

/// Whether a value is words, each with at most three digits behind it, joined by marks.
fn is_wordy(value: &[u8]) -> bool {
    let is_word = |part: &[u8]| {
        let letters = part.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        part.len() - letters <= 3 && part[letters..].iter().all(u8::is_ascii_digit)
    };
    let joins = |b: &u8| b"_-./:()[] ?&=,+\\|".contains(b);
    value.split(joins).filter(|part| !part.is_empty()).all(is_word)
}

/// For each letter those that often follow it in English and in names.
const FOLLOWERS: [&str; 26] = [
    "bcdfgiklmnprstuvwxyz",
    "abeijlorsuy",
    "acehiklorstuy",
    "adegilmnorsuvwy",
    "abcdefgilmnopqrstuvwxy",
    "aefilorstuy",
    "aeghilnorsuy",
    "aeilmnorstuwy",
    "abcdefgklmnopqrstvxz",
    "aeou",
    "aeilnosy",
    "abcdefiklmopstuvy",
    "abeimnopsuy",
    "acdefgiknostuvy",
    "abcdefghiklmnoprstuvwxy",
    "aehiloprstuy",
    "u",
    "abcdefgiklmnoprstuvwy",
    "acehiklmnopqstuvwy",
    "acehilmorstuwy",
    "abcdefgilmnprstvxz",
    "aeiouy",
    "aehilnorsy",
    "aceiptuy",
    "abcdeilmnoprstuw",
    "aeiouyz",
];

/// Whether letters follow each other as no language would have it.
pub(super) fn is_random(value: &[u8]) -> bool {
    let mut pairs = 0;
    let mut odd = 0;
    for pair in value.windows(2) {
        if pair.iter().all(u8::is_ascii_alphabetic) {
            pairs += 1;
            let usual = FOLLOWERS[usize::from(pair[0].to_ascii_lowercase() - b'a')];
            odd += usize::from(!usual.as_bytes().contains(&pair[1].to_ascii_lowercase()));
        } else {
            pairs += 1;
            odd += usize::from(pair[0].is_ascii_digit() != pair[1].is_ascii_digit());
        }
    }
    pairs >= 6 && odd * 4 >= pairs
}

/// Whether a value is something else that has a form of its own: an address, a path, a reference in code.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|w| w == part);
    let starts = [
        &b"/"[..],
        b"./",
        b"../",
        b"~/",
        b"sha1-",
        b"sha256-",
        b"sha384-",
        b"sha512-",
        b"sha256:",
        b"urn:",
        b"arn:",
        b"data:",
        b"ENC(",
        b"ENC[",
        b"{cipher}",
        b"!",
        b"http:",
        b"https:",
        b"file:",
        b"ssh-",
        b"projects/",
        b"op://",
        b"ssm:",
        b"kms:",
        b"ref+",
        b"^",
        b"\\u",
        b"rgb",
        b"0x0",
    ];
    let inside = [
        &b"://"[..],
        b"::",
        b"->",
        b"=>",
        b"()",
        b"\\d",
        b"\\x",
        b"\\w",
        b"\\s",
        b"(?",
        b"[^",
        b"[a-z",
        b"[A-Z",
        b"[0-9",
        b"/>",
        b"</",
        b" = ",
        b"[redacted:",
    ];
    starts.iter().any(|start| value.starts_with(start)) || inside.iter().any(|part| has(part)) || is_code_path(value)
}

/// `config.database.password`, `args[0].token`, `get(x)`.
fn is_code_path(value: &[u8]) -> bool {
    let ident = |part: &[u8]| {
        part.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
            && part.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'(' | b')' | b'[' | b']'))
    };
    value.contains(&b'.') && value.split(|&b| b == b'.').all(|part| ident(part) && !is_random(part) || part.is_empty())
}

/// Whether nobody would set this as a password, or it would keep nobody out.
pub(super) fn is_weak(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let stem = lower.trim_ascii_end();
    let stem = &stem[..stem.len() - stem.iter().rev().take_while(|b| b.is_ascii_digit() || **b == b'!').count()];
    let speaks = ["password", "passwd", "passwort", "changeme", "passphrase"];
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    is_placeholder(value)
        || WORDS.iter().any(|word| stem == word.as_bytes())
        || speaks.iter().any(|word| lower.windows(word.len()).any(|w| w == word.as_bytes()))
            && (digits < 3 || is_wordy(value))
        || value.iter().all(u8::is_ascii_digit) && is_sequence(value)
}

fn is_sequence(value: &[u8]) -> bool {
    let steps = value.windows(2).filter(|w| w[0].abs_diff(w[1]) <= 1).count();
    steps * 3 >= (value.len().saturating_sub(1)) * 2
}

/// Whether a value that a name calls a password is one.
pub(super) fn is_password(value: &[u8], quoted: bool) -> bool {
    if value.len() < 5 || value.len() > 128 || value.iter().any(|b| b.is_ascii_whitespace() || b.is_ascii_control()) {
        return false;
    }
    if is_weak(value) || is_reference(value) {
        return false;
    }
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let marks = value.iter().filter(|b| b"!@#$%^&*~+?=".contains(b)).count();
    if !quoted && value.iter().any(|b| matches!(b, b'(' | b'[' | b'{')) {
        return false;
    }
    if !quoted && is_number(value) {
        return false;
    }
    if letters == 0 {
        return marks > 0 && digits > 0 || quoted && digits >= 6 && digits == value.len();
    }
    if digits > 0 {
        return is_mixed(value) || is_wordy(value) && digits >= 2 && letters >= 3 && (quoted || !is_constant(value));
    }
    marks > 0 && value.len() >= 6 && !matches!(value.last(), Some(b'?' | b'!')) && quoted && is_odd(value)
        || marks > 1 && value.len() >= 8
        || value.len() >= 8 && is_random(value)
}

/// A number as code writes it: `0x1f`, `2203u32`, `30s`.
fn is_number(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"-").unwrap_or(value);
    let hex = value.starts_with(b"0x") && value[2..].iter().all(|b| b.is_ascii_hexdigit() || *b == b'_');
    let digits = value.iter().take_while(|b| b.is_ascii_digit() || matches!(b, b'_' | b'.')).count();
    let unit = value[digits..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let width = &value[digits + unit..];
    hex || digits > 0 && unit <= 5 && width.len() <= 3 && width.iter().all(u8::is_ascii_digit)
}

/// A name in code: `SCSI_PASS_THROUGH32`, `config.password2`.
fn is_constant(value: &[u8]) -> bool {
    value.iter().any(|b| matches!(b, b'_' | b'.')) || !value.iter().any(u8::is_ascii_lowercase)
}

/// `WBEM_128BITS`.
fn is_constant_name(value: &[u8]) -> bool {
    value.contains(&b'_') && value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

/// Whether marks stand inside a value rather than ending a sentence.
fn is_odd(value: &[u8]) -> bool {
    value[..value.len() - 1].iter().any(|b| b"!@#$%^*~".contains(b))
}

/// Whether a value that a name calls a key or token is one.
pub(super) fn is_key(value: &[u8], quoted: bool) -> bool {
    let least = if quoted { 8 } else { 12 };
    if value.len() < least || value.len() > 400 || value.iter().any(|b| b.is_ascii_whitespace() || b.is_ascii_control())
    {
        return false;
    }
    if is_placeholder(value) || is_reference(value) || is_version_or_date(value) {
        return false;
    }
    if !quoted && value.iter().any(|b| matches!(b, b'(' | b'[' | b'{' | b'\\')) {
        return false;
    }
    if value.iter().all(u8::is_ascii_digit) || basic_password(value).is_some_and(|password| is_weak(&password)) {
        return false;
    }
    let spread = entropy(value) >= if value.len() < 16 { 2.8 } else { 3.1 };
    spread
        && (is_mixed(value) && (quoted || is_random(value) && !(is_number(value) || is_constant_name(value)))
            || value.len() >= 16 && is_random(value) && !has_sentence(value))
}

/// Words joined by marks, whatever the digits: `foo-bar/baz-1`.
fn has_sentence(value: &[u8]) -> bool {
    let joints = value.iter().filter(|b| matches!(b, b'-' | b'_' | b'.' | b'/' | b':')).count();
    joints * 10 >= value.len() && !value.iter().any(u8::is_ascii_digit)
}

fn is_version_or_date(value: &[u8]) -> bool {
    let dotted =
        value.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b':' | b'T' | b'Z' | b'v' | b'+'));
    dotted && value.iter().any(|b| matches!(b, b'.' | b'-' | b':'))
}

/// The password of a decoded `user:password`, where the text is one.
pub(super) fn basic_password(encoded: &[u8]) -> Option<Vec<u8>> {
    let decoded = decode(encoded)?;
    let colon = decoded.iter().position(|&b| b == b':')?;
    let printable = decoded.iter().all(|b| (b' '..=b'~').contains(b));
    (printable && colon > 0).then(|| decoded[colon + 1..].to_vec())
}

/// Base64, in either alphabet, with or without padding.
fn decode(encoded: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(encoded.len() * 3 / 4);
    let mut bits = 0u32;
    let mut held = 0;
    for &byte in encoded.iter().take_while(|b| **b != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
    }
    Some(out)
}

#[cfg(test)]
#[path = "filters_tests.rs"]
mod tests;
