//! Telling a value from a name, a reference or a sentence.

use base64::alphabet;
use base64::engine::{DecodePaddingMode, Engine as _, GeneralPurpose, GeneralPurposeConfig};

use super::placeholders::{WORDS, is_placeholder, is_stand_in};
use super::words::{is_address, is_code_name, is_name, is_series, is_text, plain_spelling};

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
#[rustfmt::skip]
const FOLLOWERS: [&str; 26] = [
    "bcdfgiklmnprstuvwxyz", "abeijlorsuy", "acehiklorstuy", "adegilmnorsuvwy", "abcdefgilmnopqrstuvwxy",
    "aefilorstuy", "aeghilnorsuy", "aeilmnorstuwy", "abcdefgklmnopqrstvxz", "aeou", "aeilnosy", "abcdefiklmopstuvy",
    "abeimnopsuy", "acdefgiknostuvy", "abcdefghiklmnoprstuvwxy", "aehiloprstuy", "u", "abcdefgiklmnoprstuvwy",
    "acehiklmnopqstuvwy", "acehilmorstuwy", "abcdefgilmnprstvxz", "aeiouy", "aehilnorsy", "aceiptuy",
    "abcdeilmnoprstuw", "aeiouyz",
];

/// Whether two letters seldom follow each other.
fn is_unusual(pair: &[u8]) -> bool {
    let usual = FOLLOWERS[usize::from(pair[0].to_ascii_lowercase() - b'a')];
    !usual.as_bytes().contains(&pair[1].to_ascii_lowercase())
}

/// Whether letters follow each other as no language would have it.
pub(super) fn is_random(value: &[u8]) -> bool {
    let mut pairs = 0;
    let mut odd = 0;
    for pair in value.windows(2) {
        if pair.iter().all(u8::is_ascii_alphabetic) {
            pairs += 1;
            odd += usize::from(is_unusual(pair));
        } else {
            pairs += 1;
            odd += usize::from(pair[0].is_ascii_digit() != pair[1].is_ascii_digit());
        }
    }
    pairs >= 6 && odd * 4 >= pairs
}

/// Whether capitals stand where no name in code has them: `bEBROAYOTtmycR`. After a small letter a name goes on with a
/// capital and small letters, or ends in one run of capitals.
pub(super) fn is_shuffled(value: &[u8]) -> bool {
    let letters = |pair: &[u8]| pair.iter().all(u8::is_ascii_alphabetic);
    let odd = value.windows(2).filter(|pair| letters(pair) && is_unusual(pair)).count();
    let capitals = value.windows(2).enumerate().filter(|(at, pair)| {
        let next = value.get(at + 2).copied().unwrap_or(b'X');
        pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase() && !next.is_ascii_lowercase()
    });
    value.len() >= 10 && value.iter().all(u8::is_ascii_alphabetic) && (odd + 2 * capitals.count()) * 4 > value.len()
}

/// Whether a value starts like a path and is one in base64, which has no other slash or ends in `=`.
fn is_slashed_base64(value: &[u8]) -> bool {
    let slashes = value.iter().filter(|b| **b == b'/').count();
    value.len() >= 20 && is_random(value) && (slashes == 1 || value.ends_with(b"=")) && !value.contains(&b'.')
}

/// How what has a form of its own starts, and what stands inside of it.
const STARTS: [&[u8]; 28] = [
    b"./", b"../", b"~/", b"sha1-", b"sha256-", b"sha384-", b"sha512-", b"sha256:", b"urn:", b"arn:", b"data:",
    b"ENC(", b"ENC[", b"{cipher}", b"!", b"http:", b"https:", b"file:", b"ssh-", b"projects/", b"op://", b"ssm:",
    b"kms:", b"ref+", b"^", b"\\u", b"rgb", b"0x0",
];
const INSIDE: [&[u8]; 20] = [
    b"://", b"::", b"->", b"=>", b"()", b"\"\"", b"''", b"\\d", b"\\x", b"\\w", b"\\s", b"(?", b"[^", b"[a-z", b"[A-Z",
    b"[0-9", b"/>", b"</", b" = ", b"[redacted:",
];

/// Whether a value is something else that has a form of its own: an address, a path, a reference in code.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|w| w == part);
    if value.starts_with(b"/") && !is_slashed_base64(value) || is_grammar(value) || is_query(value) {
        return true;
    }
    STARTS.iter().any(|start| value.starts_with(start)) || INSIDE.iter().any(|part| has(part)) || is_code_path(value)
}

/// `1*SAFE`, `8*64DIGIT`: so many of something, in the grammars of standards.
fn is_grammar(value: &[u8]) -> bool {
    let Some(star) = value.iter().position(|&b| b == b'*') else { return false };
    let (least, most) = (&value[..star], value[star + 1..].iter().take_while(|b| b.is_ascii_digit()).count());
    let of = &value[star + 1 + most..];
    least.iter().all(u8::is_ascii_digit) && of.len() > 1 && of.iter().all(|b| b.is_ascii_uppercase() || *b == b'-')
}

/// `?projection=full&page=2` of an address.
fn is_query(value: &[u8]) -> bool {
    let Some(query) = value.strip_prefix(b"?") else { return false };
    let named = |pair: &[u8]| {
        let name = pair.split(|&b| b == b'=').next().unwrap_or_default();
        name.len() < pair.len() && !name.is_empty() && name.iter().all(|b| b.is_ascii_alphabetic() || *b == b'_')
    };
    query.split(|&b| b == b'&').all(|pair| named(pair) && is_name(pair))
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
    let spelled = plain_spelling(stem);
    is_placeholder(value)
        || is_series(value)
        || WORDS.iter().any(|word| stem == word.as_bytes() || spelled == word.as_bytes())
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
    if is_weak(value) || is_reference(value) || is_version_or_date(value) || is_code_name(value) {
        return false;
    }
    if is_text(value) || is_address(value) {
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
        return is_mixed(value)
            || value.len() >= 8 && is_random(value) && (quoted || !is_constant(value))
            || is_wordy(value) && digits >= 2 && letters >= 3 && (quoted || !is_constant(value));
    }
    marks > 0 && value.len() >= 6 && !matches!(value.last(), Some(b'?' | b'!')) && quoted && is_odd(value)
        || marks > 1 && value.len() >= 8
        || value.len() >= 8 && has_mark_inside(value)
        || value.len() >= 8 && is_random(value)
        || is_shuffled(value)
}

/// Whether a value that settings give to a password is one: any that is not left open. What opens something need not be
/// strong.
pub(super) fn is_set_password(value: &[u8], quoted: bool) -> bool {
    const LEAST: usize = 3;
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let odd = |b: &u8| b.is_ascii_whitespace() || b.is_ascii_control() || !quoted && matches!(b, b'(' | b'[' | b'{');
    let capital = value.first().is_some_and(u8::is_ascii_uppercase) && value[1..].iter().all(u8::is_ascii_lowercase);
    // `Password: Password` is what a form says.
    let label = capital && LABELS.iter().any(|label| value.eq_ignore_ascii_case(label.as_bytes()));
    let kind = KINDS.iter().any(|kind| value.eq_ignore_ascii_case(kind.as_bytes()));
    // `__RequestVerificationToken` is the name of a field.
    let field = value.starts_with(b"__") && is_code_name(value);
    // `password=0` switches something.
    let switch = digits == value.len() && digits < 4;
    if !(LEAST..=128).contains(&value.len()) || value.iter().any(odd) || switch || label || kind || field {
        return false;
    }
    !(is_stand_in(value) || is_reference(value) || is_version_or_date(value) || is_text(value))
}

/// What a form calls the field for a password.
const LABELS: [&str; 11] = [
    "password", "passwd", "passcode", "passphrase", "passwort", "kennwort", "senha", "wachtwoord", "parola",
    "salasana", "adgangskode",
];

/// What settings say instead of a password: that there is none, what type it has, where it comes from.
#[rustfmt::skip]
const KINDS: [&str; 44] = [
    "none", "null", "nil", "true", "false", "yes", "no", "on", "off", "string", "str", "text", "number", "integer", "int",
    "boolean", "bool", "object", "array", "any", "required", "optional", "hidden", "masked", "enabled", "disabled", "auto",
    "prompt", "ask", "env", "environment", "file", "keyring", "keychain", "vault", "unset", "undefined", "latest", "blank",
    "empty", "generate", "generated", "random", "varchar",
];

/// A number as code writes it: `0x1f`, `2203u32`, `30s`.
fn is_number(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"-").unwrap_or(value);
    let hex = value.len() > 2
        && value[..2].eq_ignore_ascii_case(b"0x")
        && value[2..].iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b'_' | b'u' | b'i'));
    let digits = value.iter().take_while(|b| b.is_ascii_digit() || matches!(b, b'_' | b'.')).count();
    let unit = value[digits..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let width = &value[digits + unit..];
    hex || digits > 0 && unit <= 5 && width.len() <= 3 && width.iter().all(u8::is_ascii_digit)
}

/// A name in code: `SCSI_PASS_THROUGH32`, `config.password2`.
fn is_constant(value: &[u8]) -> bool {
    value.iter().any(|b| matches!(b, b'_' | b'.')) || !value.iter().any(u8::is_ascii_lowercase)
}

/// A word with a number in it has one digit; what is made at random has more.
fn has_digits(value: &[u8]) -> bool {
    value.iter().filter(|b| b.is_ascii_digit()).count() >= 2
}

/// `WBEM_128BITS`.
fn is_constant_name(value: &[u8]) -> bool {
    value.contains(&b'_') && value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

/// Whether marks stand inside a value rather than ending a sentence.
fn is_odd(value: &[u8]) -> bool {
    value[..value.len() - 1].iter().any(|b| b"!@#$%^*~".contains(b))
}

/// Whether a mark that no name has stands among letters of both cases: `vjDg!SeeMn`.
fn has_mark_inside(value: &[u8]) -> bool {
    let letters = |is: fn(&u8) -> bool| value.iter().filter(|b| is(b)).count() >= 2;
    value[1..value.len() - 1].iter().any(|b| b"!#%^~@&$*".contains(b))
        && !value.iter().any(|b| matches!(b, b'_' | b'.'))
        && letters(u8::is_ascii_uppercase)
        && letters(u8::is_ascii_lowercase)
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
    if is_name(value) || is_series(value) || is_text(value) {
        return false;
    }
    if !quoted && value.iter().any(|b| matches!(b, b'(' | b'[' | b'{' | b'\\')) {
        return false;
    }
    if value.iter().all(u8::is_ascii_digit) || basic_password(value).is_some_and(|password| is_weak(&password)) {
        return false;
    }
    // Sixteen digits spread less than sixty-four characters.
    let least = if value.iter().all(u8::is_ascii_hexdigit) && value.len() >= 16 {
        2.6
    } else if value.len() < 16 {
        2.8
    } else {
        3.1
    };
    let spread = entropy(value) >= least;
    spread
        && (is_mixed(value)
            && (quoted || is_random(value) && has_digits(value) && !(is_number(value) || is_constant_name(value)))
            || value.len() >= 16 && (is_random(value) || is_shuffled(value)) && !has_sentence(value)
            || is_hex_key(value))
}

/// Whether bytes written out one by one are a key: as many as keys have, and in no order.
pub(super) fn is_key_bytes(bytes: &[u8]) -> bool {
    let (mut seen, mut distinct) = ([false; 256], 0);
    for &byte in bytes {
        distinct += usize::from(!std::mem::replace(&mut seen[usize::from(byte)], true));
    }
    let steps = bytes.windows(2).filter(|w| w[0].abs_diff(w[1]) <= 1).count();
    // Text that is written as bytes reads as such.
    let text = bytes.iter().all(|b| b.is_ascii_alphabetic() || b.is_ascii_whitespace());
    (16..=128).contains(&bytes.len()) && distinct >= 12 && steps * 3 < bytes.len() && !text
}

/// Sixteen or more hexadecimal digits of one case: they read as random however few letters are among them.
fn is_hex_key(value: &[u8]) -> bool {
    let one_case = !value.iter().any(u8::is_ascii_uppercase) || !value.iter().any(u8::is_ascii_lowercase);
    value.len() >= 16
        && one_case
        && value.iter().all(u8::is_ascii_hexdigit)
        && has_digits(value)
        && value.iter().any(u8::is_ascii_alphabetic)
}

/// Whether a value reads as no name: digits among its letters, or letters in no order.
pub(super) fn is_generated(value: &[u8]) -> bool {
    !is_name(value) && !is_text(value) && is_mixed(value)
        || value.len() >= 20 && (is_random(value) || is_shuffled(value)) && !has_sentence(value)
}

/// Words joined by marks, whatever the digits: `foo-bar/baz-1`.
fn has_sentence(value: &[u8]) -> bool {
    let joints = value.iter().filter(|b| matches!(b, b'-' | b'_' | b'.' | b'/' | b':')).count();
    joints * 10 >= value.len() && !value.iter().any(u8::is_ascii_digit)
}

fn is_version_or_date(value: &[u8]) -> bool {
    let value = value.trim_ascii_start();
    let value = &value[value.iter().take_while(|b| matches!(b, b'~' | b'^' | b'<' | b'>' | b'=')).count()..];
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
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let standard = |byte: &u8| match byte {
        b'-' => b'+',
        b'_' => b'/',
        byte => *byte,
    };
    LENIENT.decode(encoded.iter().map(standard).collect::<Vec<u8>>()).ok()
}

#[cfg(test)]
#[path = "filters_tests.rs"]
mod tests;
