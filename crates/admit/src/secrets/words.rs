//! Telling what somebody wrote from what a program made: identifiers, names with dots or slashes, file names and sentences
//! are put together from words, whatever they are assigned to.

use super::trigrams::is_known;

/// The parts of a value between the marks that join names.
fn segments(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let joins = |b: &u8| !b.is_ascii_alphanumeric();
    value.split(joins).filter(|part| !part.is_empty())
}

/// Runs of letters, cut where a capital starts a word, and runs of digits: `ecdsaP256Key` is `ecdsa`, `P`, `256`, `Key`.
fn pieces(segment: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for at in 1..segment.len() {
        let (before, here) = (segment[at - 1], segment[at]);
        let next_small = segment.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let kind = before.is_ascii_digit() != here.is_ascii_digit();
        let hump =
            here.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_uppercase() && next_small);
        if kind || hump {
            pieces.push(&segment[start..at]);
            start = at;
        }
    }
    pieces.push(&segment[start..]);
    pieces
}

/// What the field calls things by their first letters. No run of three letters tells these from chance.
#[rustfmt::skip]
const ABBREVIATIONS: &[&str] = &[
    "aes", "rsa", "dsa", "ecdsa", "ecdh", "eddsa", "hmac", "sha", "pbkdf", "bcrypt", "scrypt", "hkdf", "gcm", "cbc", "pkcs",
    "tls", "ssl", "ssh", "pgp", "gpg", "pem", "der", "csr", "jwt", "jws", "jwk", "jjwt", "http", "https", "html", "json",
    "yaml", "toml", "xml", "csv", "png", "jpg", "svg", "pdf", "ldap", "smtp", "imap", "dns", "tcp", "udp", "rpc", "grpc",
    "mqtt", "amqp", "sql", "mysql", "nosql", "utf", "ascii", "uuid", "guid", "url", "uri", "urn", "api", "sdk", "cli", "gui",
    "ntlm", "krb", "oauth", "saml", "oidc", "otp", "totp", "mfa", "csrf", "xsrf", "cors", "aws", "gcp", "iam", "kms", "vpc",
    "std", "src", "lib", "pkg", "cmd", "cfg", "conf", "env", "tmp", "dev", "prod", "qa", "ctx", "fmt", "db", "pwd", "msg",
];

/// Whether so many of ten runs of three letters are met in words.
fn is_word(piece: &[u8], least: usize) -> bool {
    let known = piece.windows(3).filter(|run| is_known(run)).count();
    piece.len() >= 3
        && (known * 10 >= (piece.len() - 2) * least
            || ABBREVIATIONS.iter().any(|short| piece.eq_ignore_ascii_case(short.as_bytes())))
}

#[derive(Default)]
struct Count {
    letters: usize,
    /// Letters of pieces so short that they say nothing, as in `k8s`, `db`, `pwd`.
    short: usize,
    /// Letters of words.
    words: usize,
    /// How many words, and how long the longest is.
    number: usize,
    longest: usize,
}

/// Whether a value is words put together, as names in code, paths, versions and file names are. Digits number them or stand
/// between them; where they stand all over, or letters follow each other as in no word, a program made it.
pub(super) fn is_name(value: &[u8]) -> bool {
    if is_qualified(value) {
        return true;
    }
    // Marks between words are a sign of their own; without any, more must be words.
    let joined = value.iter().any(|b| matches!(b, b'_' | b'.' | b'/' | b':' | b'-'));
    let (runs, share, least) = if joined { (5, 10, 3) } else { (6, 12, 4) };
    let mut count = Count::default();
    for segment in segments(value) {
        let pieces = pieces(segment);
        let numbers = pieces.iter().filter(|piece| piece[0].is_ascii_digit());
        // A number among words is short; alone it may be a date.
        let longest = if pieces.len() == 1 { 14 } else { 4 };
        let (groups, long) = numbers.fold((0, false), |(n, long), piece| (n + 1, long || piece.len() > longest));
        if long || groups > 1 + (pieces.len() - 1) / 4 {
            return false;
        }
        for piece in pieces.iter().filter(|piece| !piece[0].is_ascii_digit()) {
            count.letters += piece.len();
            if is_word(piece, runs) {
                count.words += piece.len();
                count.number += 1;
                count.longest = count.longest.max(piece.len());
            } else if piece.len() <= 3 {
                count.short += piece.len();
            }
        }
    }
    (count.longest >= least || count.number >= 3 && count.words == count.letters)
        && count.words * 20 >= count.letters * share
        && count.words * 5 >= (count.letters - count.short) * 4
}

/// Whether a value is the name of a type behind the short name of where it comes from, `clm54217:AgencyCodeContentType`: words
/// alone, so that the number of the other does not matter.
fn is_qualified(value: &[u8]) -> bool {
    let mut parts = value.split(|&b| b == b':');
    let (Some(space), Some(name), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    let short = (2..=12).contains(&space.len()) && space.iter().all(u8::is_ascii_alphanumeric);
    let number = space.iter().skip_while(|b| b.is_ascii_alphabetic()).all(u8::is_ascii_digit);
    let words = pieces(name);
    short
        && number
        && space[0].is_ascii_alphabetic()
        && words.len() >= 2
        && words.iter().all(|word| word[0].is_ascii_alphabetic() && is_word(word, 6))
}

/// Whether what stands behind the prefix of a token is an identifier: words, and one number at most.
pub(super) fn is_identifier(rest: &[u8]) -> bool {
    let numbers = segments(rest).flat_map(pieces).filter(|piece| piece[0].is_ascii_digit()).count();
    let all = segments(rest).flat_map(pieces).filter(|piece| !piece[0].is_ascii_digit());
    let (letters, words) = all.fold((0, 0), |(letters, words), piece| {
        (letters + piece.len(), words + if is_word(piece, 6) { piece.len() } else { 0 })
    });
    // What is random has a digit or a capital somewhere.
    let joined = rest.iter().any(|b| matches!(b, b'-' | b'_' | b'.'));
    let plain = joined && rest.iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b'_' | b'.'));
    numbers <= 1 && words > 0 && (words * 4 >= letters * 3 || plain)
}

/// Whether a name is one of code rather than a password of words: joined by `_`, `.`, `/` or `:`, or by capitals, and not
/// ended by the number that people put behind a password.
pub(super) fn is_code_name(value: &[u8]) -> bool {
    let joined = value.iter().any(|b| matches!(b, b'_' | b'.' | b'/' | b':' | b'\\'));
    let marked = value.iter().any(|b| b"!@#$%^&*~+?".contains(b));
    let humps = value.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let number = value.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    !marked && (joined && number < 3 || humps && number == 0) && is_name(value)
}

/// Whether a value is text in some language: letters beyond ASCII, written out or escaped, that are half of its letters, or
/// stand in a word without digits and marks. One of them in something random makes it no text: people put them into passwords.
/// `\u003d` is the padding of base64.
pub(super) fn is_text(value: &[u8]) -> bool {
    let is_foreign = |c: char| !c.is_ascii() && c.is_alphabetic();
    // A mark above a letter is written apart from it, too.
    let is_part = |c: char| is_foreign(c) || ('\u{300}'..'\u{370}').contains(&c);
    let text = unescaped(&String::from_utf8_lossy(value));
    let foreign = text.chars().filter(|c| is_part(*c)).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let is_plain = text.chars().all(|c| c.is_alphabetic() || is_part(c) || c.is_whitespace() || ".,:?-'".contains(c));
    foreign > 0 && (foreign * 2 >= letters || is_plain)
}

/// A text with what is written as `\u00fc` in it put in its place.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
        match code {
            Some(letter) => plain.extend([&*letter.to_string(), &part[4..]]),
            None => plain.extend(["\\u", part]),
        }
    }
    plain
}

/// `someone@host.org`.
pub(super) fn is_address(value: &[u8]) -> bool {
    let Some(at) = value.iter().position(|&b| b == b'@') else { return false };
    let (user, host) = (&value[..at], &value[at + 1..]);
    let label = |part: &[u8]| !part.is_empty() && part.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-');
    let dotted = host.contains(&b'.') && host.split(|&b| b == b'.').all(label);
    let domain = host.rsplit(|&b| b == b'.').next().unwrap_or_default();
    dotted
        && (2..=6).contains(&domain.len())
        && domain.iter().all(u8::is_ascii_lowercase)
        && user.split(|b| matches!(b, b'.' | b'_' | b'+' | b'-')).all(label)
        && is_name(host)
}

/// Whether a value counts up or down the alphabet or the digits: `ABC12345`, `abcd-1234`.
pub(super) fn is_series(value: &[u8]) -> bool {
    let runs = segments(value).flat_map(pieces);
    let (mut steps, mut parts) = (true, 0);
    for run in runs {
        parts += 1;
        let step = |by: i16| run.windows(2).all(|w| i16::from(w[1]) - i16::from(w[0]) == by);
        steps &= run.len() >= 3 && (step(1) || step(-1));
    }
    steps && (1..=4).contains(&parts)
}

/// Whether fingers ran over a keyboard: `lsdajfh923874`, `qwe089lkjsdf`. No program makes that.
pub(super) fn is_mash(value: &[u8]) -> bool {
    const ROWS: [&[u8]; 3] = [b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];
    let place = |b: u8| ROWS.iter().enumerate().find_map(|(row, keys)| Some((row, keys.iter().position(|&k| k == b)?)));
    let next = |a: u8, b: u8| match (place(a), place(b)) {
        (Some((row, one)), Some((other, two))) => row == other && one.abs_diff(two) == 1,
        _ => false,
    };
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let home = value.iter().filter(|b| ROWS[1].contains(b)).count();
    let in_run = |at: usize| {
        (at.saturating_sub(2)..=at).any(|start| {
            value
                .get(start..start + 3)
                .is_some_and(|run| next(run[0], run[1]) && next(run[1], run[2]) && run[0] != run[2])
        })
    };
    let runs = (0..value.len()).filter(|&at| in_run(at)).count();
    let plain = value.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    // The more letters there are, the less is left to chance.
    let at_home = home * 20 >= letters * 17 || letters >= 12 && home * 5 >= letters * 4;
    plain && value.len() <= 24 && letters >= 6 && (at_home || runs * 3 >= letters * 2)
}

/// A value with the digits and marks that stand for letters written as those: `P@55w0rd` is `password`.
pub(super) fn plain_spelling(value: &[u8]) -> Vec<u8> {
    let plain = |byte: &u8| match byte.to_ascii_lowercase() {
        b'4' | b'@' => b'a',
        b'3' => b'e',
        b'1' | b'!' => b'i',
        b'0' => b'o',
        b'5' | b'$' => b's',
        b'7' => b't',
        byte => byte,
    };
    value.iter().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_kind_are_told_from_what_is_random() {
        for name in [
            "0012_alter_user_first_name_max_length",
            "ecdsaP256Key",
            "apiserver.latency.k8s.io/authorization",
            "io.jsonwebtoken:jjwt-jackson-0.11.2",
            "aes256-cts-hmac-sha1-96",
            "root_pwd",
            "AccessTokenExpiredV2",
            "rc0.15.0_20231217_1420-SNAPSHOT",
            "test_exceptionGreaterThan64kEncoded",
            "NRG0-Hermes-INTERNAL-API",
            "token1234",
            "pwdMin8bit",
            "clm54217:AgencyIdentificationCodeContentType",
        ] {
            assert!(is_name(name.as_bytes()), "{name}");
        }
        for value in [
            "k7Qz2pLx9WvB4nRt",
            "9f8e7d6c5b4a3928",
            "qWKxTmVbNZsLdFRhJYtR",
            "hh5s93j4hdidpola",
            "kfjhwqpzxv",
            "dGhpc2lzbm90cmVhbA9zQ",
            "x7Kq2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo",
            "Q3EGRVJ7XY2LPDT4",
            "4821907733120458219077",
            "clm54217:AAFqz7KxW2pLmVbN9sLdF4hJ6tRwYzC3pGa",
            "u48213:qWKxTmVbNZsLdFRhJYtR",
        ] {
            assert!(!is_name(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn passwords_of_words_are_no_names_of_code() {
        for value in ["winter-harbor-42", "Harbor42!", "harborcopper123", "thisIsDog11", "Wint3r4821"] {
            assert!(!is_code_name(value.as_bytes()), "{value}");
        }
        for name in ["minLengthRule", "PASSWORD_RESET", "user.password", "auth/login", "root_pwd", "db_password_2"] {
            assert!(is_code_name(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn text_addresses_and_series_are_seen() {
        assert!(is_text("2FA驗證碼".as_bytes()) && is_text(b"verschl\\u00fcsselt") && !is_text(b"k7Qz2pLx"));
        assert!(!is_text(b"k7Qz2pLx9WvB4nRt\\u003d\\u0026") && is_text(b"verschlu\\u0308sselt"));
        for value in ["Grün7x!kQ9", "pa\u{e9}9Kx2!mZ", "x7Kq2\\u00fcmVbN9"] {
            assert!(!is_text(value.as_bytes()), "{value}");
        }
        assert!(is_text("Contraseña".as_bytes()) && is_text("Passwort bestätigen".as_bytes()));
        assert!(is_address(b"someone@somewhere.org") && !is_address(b"p@ssw0rd") && !is_address(b"x9!@k.Lm"));
        for value in ["ABC12345", "abcd-1234", "98765"] {
            assert!(is_series(value.as_bytes()), "{value}");
        }
        assert!(!is_series(b"ABD12345") && !is_series(b"") && !is_series(b"a1b2c3"));
        for value in ["lsdajfh923874", "sdf0o9823sjdfsdf", "qwe089234lkjsdf", "askfjh234as9sd8", "lsdkfol23w54jlksdef"]
        {
            assert!(is_mash(value.as_bytes()), "{value}");
        }
        for value in ["hh5s93j4hdidpola", "9f8e7d6c5b4a3928", "k7Qz2pLx9WvB4nRt", "q7kx2mvbn9sldf4hj6trw"] {
            assert!(!is_mash(value.as_bytes()), "{value}");
        }
        assert_eq!(plain_spelling(b"P@55w0rd"), b"password");
    }
}
