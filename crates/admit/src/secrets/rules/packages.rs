use super::super::rule::{Doubt, Rule, long, near, token};

pub(super) const RULES: &[Rule] = &[
    token("npm-token", &["npm_"], r"npm_[A-Za-z0-9]{36}"),
    near("npm-auth-token", &["_authToken"], r#"_authToken["']?\s{0,3}[=:]\s{0,3}["']?([A-Za-z0-9_\-./+=]{20,400})"#)
        .gated()
        .doubt(Doubt::Name),
    near("npm-auth", &["_auth"], r#":?_auth["']?\s{0,3}=\s{0,3}["']?([A-Za-z0-9+/]{8,400}={0,2})"#)
        .doubt(Doubt::Basic)
        .entropy(0.0),
    near("npm-password", &[":_password"], r#":_password\s{0,3}=\s{0,3}"?([A-Za-z0-9+/]{8,200}={0,2})"#).entropy(2.5),
    long("pypi-token", &["pypi-AgE"], r"pypi-AgE[A-Za-z0-9_\-]{50}"),
    token("rubygems-key", &["rubygems_"], r"rubygems_[a-f0-9]{48}"),
    token("crates-io-token", &["cio"], r"cio[A-Za-z0-9]{32}").entropy(3.6),
    token("nuget-key", &["oy2"], r"oy2[a-z0-9]{43}"),
    token("clojars-token", &["CLOJARS_"], r"CLOJARS_[a-z0-9]{60}"),
    token("docker-hub-token", &["dckr_pat_", "dckr_oat_"], r"dckr_(?:pat|oat)_[A-Za-z0-9_\-]{27,32}"),
    near("docker-auth", &["\"auth\""], r#""auth"\s{0,5}:\s{0,5}"([A-Za-z0-9+/]{12,400}={0,2})""#)
        .doubt(Doubt::Basic)
        .entropy(0.0),
    near(
        "docker-identity-token",
        &["\"identitytoken\""],
        r#""identitytoken"\s{0,5}:\s{0,5}"([A-Za-z0-9_\-.+/=]{20,400})"#,
    ),
    token("artifactory-key", &["AKCp"], r"AKCp[A-Za-z0-9]{60,73}"),
    token("artifactory-reference-token", &["cmVmdGtu"], r"cmVmdGtu[A-Za-z0-9]{50,60}"),
    token("packagist-token", &["packagist_"], r"packagist_(?:uut|ort|oat|out)_[a-f0-9]{60,70}"),
];
