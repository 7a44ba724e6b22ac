//! Package registries.

use super::super::rule::{Doubt, Gate, Rule, long, near, token};

pub(super) const RULES: &[Rule] = &[
    token("npm-token", &["npm_"], r"npm_[A-Za-z0-9]{36}")
        .takes(&["npm «npm_{w36}»\n"])
        .leaves(&["npm_config_registry", "npm_lifecycle_event_something_long_enough"]),
    near("npm-auth-token", &["_authToken"], r#"_authToken["']?\s{0,3}[=:]\s{0,3}["']?([A-Za-z0-9_\-./+=]{20,400})"#)
        .gate(Gate::Assignment)
        .doubt(Doubt::Name)
        .takes(&["//registry.npmjs.org/:_authToken=«{x8}-{x4}-{x4}-{x4}-{x12}»\n"])
        .leaves(&["//registry.npmjs.org/:_authToken=${NPM_TOKEN}"]),
    near("npm-auth", &["_auth"], r#":?_auth["']?\s{0,3}=\s{0,3}["']?([A-Za-z0-9+/]{8,400}={0,2})"#)
        .doubt(Doubt::Basic)
        .entropy(0.0)
        .takes(&["//npm.acme.io/:_auth=«YnVpbGQ6azdRejJwTHg5V3ZC»\n"])
        .leaves(&["_auth = \"username\"", "_auth=${AUTH}"]),
    near("npm-password", &[":_password"], r#":_password\s{0,3}=\s{0,3}"?([A-Za-z0-9+/]{8,200}={0,2})"#)
        .entropy(2.5)
        .takes(&["//npm.acme.io/:_password=«azdRejJwTHg5V3ZC»\n"])
        .leaves(&["//npm.acme.io/:_password=${PASS}"]),
    long("pypi-token", &["pypi-AgE"], r"pypi-AgE[A-Za-z0-9_\-]{50}")
        .takes(&["password = «pypi-AgEIcHlwaS5vcmc{y120}»\n"])
        .leaves(&["pypi-AgEshort"]),
    token("rubygems-key", &["rubygems_"], r"rubygems_[a-f0-9]{48}")
        .takes(&["gem «rubygems_{x48}»\n"])
        .leaves(&["rubygems_version"]),
    token("crates-io-token", &["cio"], r"cio[A-Za-z0-9]{32}")
        .entropy(3.6)
        .takes(&["token = \"«cio{w32}»\""])
        .leaves(&["cio_loop", "cioabcdefghijklmnopqrstuvwxyzabcdef"]),
    token("nuget-key", &["oy2"], r"oy2[a-z0-9]{43}").takes(&["nuget push -k «oy2{l43}»\n"]).leaves(&["oy2 is short"]),
    token("clojars-token", &["CLOJARS_"], r"CLOJARS_[a-z0-9]{60}")
        .takes(&["clj «CLOJARS_{l60}»\n"])
        .leaves(&["CLOJARS_USERNAME"]),
    token("docker-hub-token", &["dckr_pat_", "dckr_oat_"], r"dckr_(?:pat|oat)_[A-Za-z0-9_\-]{27,32}")
        .takes(&["docker login -p «dckr_pat_{w27}»\n"])
        .leaves(&["dckr_pat_short"]),
    near("docker-auth", &["\"auth\""], r#""auth"\s{0,5}:\s{0,5}"([A-Za-z0-9+/]{12,400}={0,2})""#)
        .doubt(Doubt::Basic)
        .entropy(0.0)
        .takes(&[r#"{"auths": {"x": {"auth": "«bXl1c2VyOms3UXoycEx4OVd2QjRuUnQ=»"}}}"#])
        .leaves(&["\"auth\": \"basic\"", "\"auth\": {\"x\": 1}", r#"{"auth": "dXNlcjpwYXNzd29yZA=="}"#]),
    near(
        "docker-identity-token",
        &["\"identitytoken\""],
        r#""identitytoken"\s{0,5}:\s{0,5}"([A-Za-z0-9_\-.+/=]{20,400})"#,
    )
    .takes(&[r#"{"identitytoken": "«{w60}»"}"#])
    .leaves(&[r#"{"identitytoken": ""}"#]),
    token("artifactory-key", &["AKCp"], r"AKCp[A-Za-z0-9]{60,73}")
        .takes(&["jfrog «AKCp8{w68}» x"])
        .leaves(&["AKCp8short"]),
    token("artifactory-reference-token", &["cmVmdGtu"], r"cmVmdGtu[A-Za-z0-9]{50,60}")
        .takes(&["jfrog «cmVmdGtu{w56}» x"])
        .leaves(&["cmVmdGtu"]),
    token("packagist-token", &["packagist_"], r"packagist_(?:uut|ort|oat|out)_[a-f0-9]{60,70}")
        .takes(&["composer «packagist_ort_{x68}» x"])
        .leaves(&["packagist_url"]),
];
