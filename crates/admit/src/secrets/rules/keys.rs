//! Private keys and the like, of any service.

use super::super::pem;
use super::super::rule::{Gate, Rule, assigned, coded, long, near, token};

pub(super) const RULES: &[Rule] = &[
    coded(pem::ID)
        .takes(&[
            concat!("a\n-----BEGIN RSA ", "PRIVATE KEY-----\n«{b64}\n{b64}\n{b22}==»\n-----END RSA ", "PRIVATE KEY-----\nb"),
            concat!("-----BEGIN PGP ", "PRIVATE KEY BLOCK-----\n\n«{b64}\n{b64}\n=aB3d»\n-----END PGP ", "PRIVATE KEY BLOCK-----"),
        ])
        .leaves(&[
            concat!("-----BEGIN ", "PRIVATE KEY-----\n...\n-----END ", "PRIVATE KEY-----"),
            concat!("a line that says -----BEGIN ", "PRIVATE KEY----- opens a block"),
            concat!(
                "-----BEGIN ",
                "PRIVATE KEY----- is the opening, and a_word_that_is_quite_long or even ",
                "averyveryverylongwordindeedthatgoeson does not make it a key, whatever comes until -----END ",
                "PRIVATE KEY-----",
            ),
            "-----BEGIN PUBLIC KEY-----\n{b64}\n-----END PUBLIC KEY-----",
        ]),
    long(
        "encoded-private-key",
        &["LS0tLS1CRUdJTi", "LS0tLS1CRUdJTiB"],
        r"LS0tLS1CRUdJTiB(?:SU0EgUFJJVkFURSBLRVkt|QUklWQVRFIEtFWS0t|FQyBQUklWQVRFIEtFWS0t|PUEVOU1NIIFBSSVZBVEUgS0VZ|FTkNSWVBURUQgUFJJVkFURSBLRVkt)[A-Za-z0-9+/]{40}",
    )
    .takes(&["client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt{b160}==»\n"])
    .leaves(&["client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t{b80}"]),
    near(
        "putty-private-key",
        &["Private-Lines:"],
        r"Private-Lines: [0-9]{1,4}\r?\n([A-Za-z0-9+/=]{40,64}(?:\r?\n[A-Za-z0-9+/=]{1,64}){0,40})\r?\nPrivate-(?:MAC|Hash)",
    )
    .reach(0, 2800)
    .takes(&["Private-Lines: 2\n«{b64}\n{b40}»\nPrivate-MAC: x"])
    .leaves(&["Private-Lines: 8\n(lines of base64)\n"]),
    token("age-secret-key", &["AGE-SECRET-KEY-1"], r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}")
        .takes(&["# key\n«AGE-SECRET-KEY-1{k58}»\n"])
        .leaves(&["AGE-SECRET-KEY-1..."]),
    near("wireguard-key", &["privatekey", "presharedkey"], r"(?i)(?:private|preshared)key\s{0,3}=\s{0,3}([a-z0-9+/]{42}[aeimquycgkosw048]=)")
        .gate(Gate::Assignment)
        .takes(&["[Interface]\nPrivateKey = «{b42}A=»\n"])
        .leaves(&["PublicKey = {b42}A=", "PrivateKey = <the server's key>"]),
    near(
        "json-web-key",
        &["\"kty\""],
        r#""d"\s{0,4}:\s{0,4}"([A-Za-z0-9_\-]{42,700})""#,
    )
    .reach(1200, 1600)
    .takes(&[r#"{"kty":"EC","crv":"P-256","d":"«{y43}»","x":"a"}"#])
    .leaves(&[r#"{"kty":"EC","crv":"P-256","x":"{y43}","y":"{y43}"}"#]),
    near("rsa-key-value", &["<rsakeyvalue>"], r"(?i)<d>([a-z0-9+/\s]{80,800}={0,2})</d>")
        .reach(0, 2400)
        .takes(&["<RSAKeyValue><Modulus>a</Modulus><D>«{b120}==»</D></RSAKeyValue>"])
        .leaves(&["<RSAKeyValue><Modulus>{b120}</Modulus><Exponent>AQAB</Exponent></RSAKeyValue>"]),
    near("machine-key", &["validationkey", "decryptionkey"], r#"(?i)(?:validation|decryption)key\s{0,3}=\s{0,3}"([0-9a-f]{32,256})"#)
        .gate(Gate::Assignment)
        .takes(&[r#"<machineKey validation="SHA1" validationKey="«{X128}»" />"#])
        .leaves(&[r#"validationKey="AutoGenerate,IsolateApps""#]),
    token("nostr-secret-key", &["nsec1"], r"nsec1[02-9ac-hj-np-z]{58}")
        .takes(&["key «nsec1{e58}»"])
        .leaves(&["nsec1 is the prefix", "nsec3params"]),
    assigned("blockchain-private-key", &["private", "wallet", "deployer", "mnemonic"], r"(?:0x)?[0-9a-fA-F]{64}")
        .takes(&["DEPLOYER_PRIVATE_KEY=«0x{x64}»\n"])
        .leaves(&["wallet_address = \"0x{x40}\"", "private_checksum = \"{x64}\""]),
    near(
        "seed-phrase",
        &["mnemonic", "seed_phrase", "seedphrase", "seed phrase", "recovery phrase"],
        r#"(?i)(?:mnemonic|seed[_ ]?phrase|recovery phrase)["']{0,2}\s{0,3}[:=]\s{0,3}["'`]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})\b"#,
    )
    .gate(Gate::Assignment)
    .takes(&["MNEMONIC=\"«legal winner thank year wave sausage worth useful legal winner thank yellow»\""])
    .leaves(&["mnemonic: \"twelve words\"", "seed phrase: see the wiki"]),
    token("onepassword-secret-key", &["A3-"], r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}")
        .takes(&["Secret Key: «A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}»\n"])
        .leaves(&["A3-XXXXXX-XXXXXX-XXXXX-XXXXX-XXXXX-XXXXX", "paper size A3-landscape"]),
    long("onepassword-service-token", &["ops_eyJ"], r"ops_eyJ[A-Za-z0-9+/_\-]{200}")
        .takes(&["OP «ops_eyJ{y240}» end"])
        .leaves(&["ops_eyJ..."]),
    near("laravel-app-key", &["app_key"], r#"(?i)app_key\s{0,3}=\s{0,3}["']?(base64:[a-z0-9+/]{43}=)"#)
        .gate(Gate::Assignment)
        .takes(&["APP_KEY=«base64:{b43}=»\n"])
        .leaves(&["APP_KEY=base64:", "APP_KEY=\n"]),
    near(
        "wordpress-salt",
        &["auth_key", "auth_salt", "logged_in_key", "logged_in_salt", "nonce_key", "nonce_salt"],
        r#"(?i)define\(\s{0,3}'(?:secure_)?(?:auth|logged_in|nonce)_(?:key|salt)'\s{0,3},\s{0,8}'([^'\r\n]{60,70})'"#,
    )
    .reach(24, 160)
    .takes(&["define('AUTH_KEY',  '«{w20}!{w20}#{w22}»');"])
    .leaves(&["define('AUTH_KEY', 'put your unique phrase here');"]),
];
