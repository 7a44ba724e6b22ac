//! Private keys and the like, of any service.

use super::super::pem;
use super::super::rule::{Rule, assigned, coded, long, near, token};

pub(super) const RULES: &[Rule] = &[
    coded(pem::ID),
    long(
        "encoded-private-key",
        &["LS0tLS1CRUdJTi", "LS0tLS1CRUdJTiB"],
        r"LS0tLS1CRUdJTiB(?:SU0EgUFJJVkFURSBLRVkt|QUklWQVRFIEtFWS0t|FQyBQUklWQVRFIEtFWS0t|PUEVOU1NIIFBSSVZBVEUgS0VZ|FTkNSWVBURUQgUFJJVkFURSBLRVkt)[A-Za-z0-9+/]{40}",
    ),
    near(
        "putty-private-key",
        &["Private-Lines:"],
        r"Private-Lines: [0-9]{1,4}\r?\n([A-Za-z0-9+/=]{40,64}(?:\r?\n[A-Za-z0-9+/=]{1,64}){0,40})\r?\nPrivate-(?:MAC|Hash)",
    ).reach(0, 2800),
    token("age-secret-key", &["AGE-SECRET-KEY-1"], r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    near("wireguard-key", &["privatekey", "presharedkey"], r"(?i)(?:private|preshared)key\s{0,3}=\s{0,3}([a-z0-9+/]{42}[aeimquycgkosw048]=)")
        .gated(),
    near(
        "json-web-key",
        &["\"kty\""],
        r#""d"\s{0,4}:\s{0,4}"([A-Za-z0-9_\-]{42,700})""#,
    ).reach(1200, 1600),
    near("rsa-key-value", &["<rsakeyvalue>"], r"(?i)<d>([a-z0-9+/\s]{80,800}={0,2})</d>").reach(0, 2400),
    near("machine-key", &["validationkey", "decryptionkey"], r#"(?i)(?:validation|decryption)key\s{0,3}=\s{0,3}"([0-9a-f]{32,256})"#)
        .gated(),
    token("nostr-secret-key", &["nsec1"], r"nsec1[02-9ac-hj-np-z]{58}"),
    assigned("blockchain-private-key", &["private", "wallet", "deployer", "mnemonic"], r"(?:0x)?[0-9a-fA-F]{64}"),
    near(
        "seed-phrase",
        &["mnemonic", "seed_phrase", "seedphrase", "seed phrase", "recovery phrase"],
        r#"(?i)(?:mnemonic|seed[_ ]?phrase|recovery phrase)["']{0,2}\s{0,3}[:=]\s{0,3}["'`]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})\b"#,
    ).gated(),
    token("onepassword-secret-key", &["A3-"], r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    long("onepassword-service-token", &["ops_eyJ"], r"ops_eyJ[A-Za-z0-9+/_\-]{200}"),
    near("laravel-app-key", &["app_key"], r#"(?i)app_key\s{0,3}=\s{0,3}["']?(base64:[a-z0-9+/]{43}=)"#)
        .gated(),
    near(
        "wordpress-salt",
        &["auth_key", "auth_salt", "logged_in_key", "logged_in_salt", "nonce_key", "nonce_salt"],
        r#"(?i)define\(\s{0,3}'(?:secure_)?(?:auth|logged_in|nonce)_(?:key|salt)'\s{0,3},\s{0,8}'([^'\r\n]{60,70})'"#,
    ).reach(24, 160),
];
