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
    "placeholder",
    "your-",
    "your_",
    "yourp",
    "yours",
    "yourt",
    "yourk",
    "my-secret",
    "my_secret",
    "mysecret",
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
    "secrets.",
    "vault:",
    "sample",
    "fake",
    "todo",
    "not-a-",
    "notreal",
    "lorem",
];

/// Whole values that are names for a secret, not one.
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
    "true",
    "false",
    "pw",
    "key",
    "foo",
    "bar",
    "foobar",
    "hunter2",
    "default",
    "credentials",
];

/// Whether a value only shows where a value would go: a variable, a template's slot, an example.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let Some(&first) = value.first() else { return true };
    if value.iter().all(|&byte| byte == first) {
        return true;
    }
    // `$VAR`, `${VAR}`, `$(command)`, `{{ slot }}`, `<slot>`, `%(slot)s`, `@ref`, `#{slot}`.
    if matches!(first, b'$' | b'{' | b'<' | b'%' | b'#' | b'@' | b'[')
        || value.windows(2).any(|w| w == b"${" || w == b"{{")
    {
        return true;
    }
    let lower = String::from_utf8_lossy(value).to_ascii_lowercase();
    STAND_INS.iter().any(|part| lower.contains(part)) || WORDS.contains(&lower.as_str())
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
    let is_word = |part: &[u8]| {
        let letters = part.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        part.len() - letters <= 3 && part[letters..].iter().all(u8::is_ascii_digit)
    };
    let joins =
        |b: &u8| matches!(b, b'_' | b'-' | b'.' | b'/' | b':' | b'(' | b')' | b'[' | b']' | b' ' | b'?' | b'&' | b'=');
    let words = value.split(joins).filter(|part| !part.is_empty()).all(is_word);
    // `hunter2` is a word with a digit; as the whole value of a password it still is one when marks are in it.
    !words || value.iter().any(|b| matches!(b, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'*' | b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_measures_spread() {
        assert!(entropy(b"aaaaaaaa") < 0.01);
        assert!((entropy(b"abababab") - 1.0).abs() < 0.01);
        assert!(entropy(b"k7Qz2pLx9WvB4nRt") > 3.9);
    }

    #[test]
    fn stand_ins_are_seen_through() {
        let stand_ins = [
            "changeme",
            "CHANGE_ME_NOW",
            "${DB_PASSWORD}",
            "$DB_PASSWORD",
            "{{ password }}",
            "<token>",
            "xxxxxxxxxxxx",
            "your-api-key-here",
            "EXAMPLEKEY",
            "aaaaaaaaaaaa",
            "********",
            "password",
            "process.env.KEY",
            "prefix-${VAR}",
            "",
        ];
        for value in stand_ins {
            assert!(is_placeholder(value.as_bytes()), "{value}");
        }
        for value in ["k7Qz2pLx9WvB4nRt", "Tr0ub4dor&3", "9f8e7d6c5b4a"] {
            assert!(!is_placeholder(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn names_are_told_from_values() {
        for name in ["access_token", "auth/v2/login", "token-123", "OAuth2", "projects/foo/secrets/bar1", "12345678"] {
            assert!(!is_mixed(name.as_bytes()), "{name}");
        }
        for value in ["k7Qz2pLx9WvB4nRt", "Tr0ub4dor&3", "9f8e7d6c5b4a", "pa55word!"] {
            assert!(is_mixed(value.as_bytes()), "{value}");
        }
    }
}
