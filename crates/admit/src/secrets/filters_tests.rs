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
        "changeme", "CHANGE_ME_NOW", "${DB_PASSWORD}", "$DB_PASSWORD", "{{ password }}", "<token>", "xxxxxxxxxxxx",
        "your-api-key-here", "EXAMPLEKEY", "aaaaaaaaaaaa", "********", "password", "process.env.KEY", "prefix-${VAR}",
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

#[test]
fn passwords_are_told_from_words_and_code() {
    for value in [
        "Tr0ub4dor&3", "summer2024", "k7Qz2pLx", "Wint3r!sComing", "kfjhwqpzxv", "aB3$xx9!", "x!Yq#zzLk",
        "IGcfrt&fxPd9",
    ] {
        assert!(is_password(value.as_bytes(), true), "{value}");
    }
    for value in [
        "password", "password123", "MyPassword!", "admin", "hunter2", "config.db.password", "request.form",
        "enter a password", "https://x.io/a1", "/run/secrets/a1", "^[a-z0-9]+$", "%(pw)s", "{password}",
        "getPassword()", "12345678", "test1234", "Required!", "wrong", "PASSWORD_RESET", "abc",
    ] {
        assert!(!is_password(value.as_bytes(), true), "{value}");
    }
}

#[test]
fn keys_are_told_from_names() {
    for value in ["9f8e7d6c5b4a3928", "k7Qz2pLx9WvB4nRt", "dGhpc2lzbm90cmVhbA9zQ", "qWKxTmVbNZsLdFRhJYtR"] {
        assert!(is_key(value.as_bytes(), true), "{value}");
    }
    for value in [
        "access_token", "application/json", "2024-01-02T03:04", "v1.2.3", "Bearer", "user.settings.token2",
        "12345678901",
    ] {
        assert!(!is_key(value.as_bytes(), true), "{value}");
    }
}

#[test]
fn basic_credentials_are_decoded() {
    assert_eq!(basic_password(b"dXNlcjpwYXNz").as_deref(), Some(&b"pass"[..]));
    assert_eq!(basic_password(b"bm90aGluZw=="), None);
    assert_eq!(basic_password(b"!!"), None);
}
