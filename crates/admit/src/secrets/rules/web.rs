//! Addresses, headers and command lines.

use super::super::rule::{Doubt, Rule, coded, near};

pub(super) const RULES: &[Rule] = &[
    near(
        "json-web-token",
        &["eyJ"],
        r"\b(eyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,})",
    ).reach(0, 4096),
    near("encrypted-web-token", &["eyJ"], r"\b(eyJ[A-Za-z0-9_\-]{20,600}\.[A-Za-z0-9_\-]{0,600}\.[A-Za-z0-9_\-]{16}\.[A-Za-z0-9_\-]{20,}\.[A-Za-z0-9_\-]{22})\b")
        .reach(0, 4096),
    coded("url-password"),
    near(
        "basic-auth-header",
        &["basic "],
        r#"(?i)\bbasic ([a-z0-9+/]{8,400}={0,2})(?:[^a-z0-9+/=]|$)"#,
    ).reach(2, 420).doubt(Doubt::Basic).entropy(0.0),
    near(
        "authorization-header",
        &["authorization"],
        r#"(?i)authorization[\\"'\]]{0,4}(?:\s{0,3}[:=,]\s{0,3}|\s{1,3})[\\"'`]{0,2}(?:bearer|token|apikey|key)[\s=]{1,3}([a-z0-9_\-.=+/~]{16,400})"#,
    ).entropy(3.2).doubt(Doubt::Name),
    near("bearer-token", &["bearer "], r#"(?i)["'`]bearer ([a-z0-9_\-.=+/~]{20,400})\\?["'`]"#)
        .reach(1, 420).doubt(Doubt::Name).entropy(3.4),
    near(
        "key-header",
        &["x-api-key", "x-auth-token", "x-access-token", "x-vault-token", "private-token", "x-auth-key", "api-key", "x-token", "x-secret", "ocp-apim-subscription-key", "x-functions-key", "job-token"],
        r#"(?i)(?:x-api-key|x-auth-token|x-access-token|x-vault-token|private-token|job-token|x-auth-key|\bapi-key|x-token|x-secret|ocp-apim-subscription-key|x-functions-key)[\\"']{0,4}\s{0,3}[:,=]\s{0,3}[\\"'`]{0,2}([a-z0-9_\-.=+/~]{12,400})"#,
    ).reach(2, 420).doubt(Doubt::Name).entropy(3.0),
    near("session-cookie", &["cookie:"], r"(?i)\bcookie:\s{0,2}[^\r\n]{0,200}?(?:session|sessionid|sid|auth|token|jsessionid|phpsessid|connect\.sid)=([a-z0-9_\-.%+/=]{20,400})")
        .doubt(Doubt::Name).entropy(3.4),
    near(
        "url-token",
        &["access_token=", "api_key=", "apikey=", "auth_token=", "token=", "client_secret=", "private_token=", "secret="],
        r"(?i)[?&](?:access_token|api_?key|auth_token|token|client_secret|private_token|secret)=([a-z0-9_\-.~%]{16,400})",
    ).reach(1, 420).doubt(Doubt::Name).entropy(3.3),
    near(
        "curl-user",
        &["curl ", "wget ", "http "],
        r#"\b(?:curl|wget)\s[^\r\n]{0,240}?(?:-u|--user|--proxy-user|--http-user)[ =]["']?[A-Za-z0-9_.@\-]{1,64}:([^\s"'$<{][^\s"']{3,100})"#,
    ).doubt(Doubt::Weak).entropy(1.5),
    near("docker-login", &["docker login", "podman login", "helm registry login", "az acr login"], r#"\b(?:docker|podman|helm registry|az acr) login\s[^\r\n]{0,160}?(?:-p|--password)[ =]["']?([^\s"'$<{\-][^\s"']{4,200})"#)
        .doubt(Doubt::Weak).entropy(2.0),
    near("kubeconfig-token", &["token:"], r"(?m)^\s{2,12}token:\s{1,3}([A-Za-z0-9_\-.]{24,400})\s*$")
        .reach(14, 440).doubt(Doubt::Name).entropy(3.4),
    near(
        "basic-auth-call",
        &["basicauth", "basic_auth", "auth.basic", "auth=(", "auth = ("],
        r#"(?i)(?:basicauth[a-z]{0,14}|basic_auth|auth\.basic|\bauth\s?=)[ (]{1,3}["'][^"'\r\n]{1,80}["']\s{0,3},\s{0,3}["']([^"'\r\n]{5,128})["']"#,
    ).reach(2, 260).doubt(Doubt::Weak).entropy(2.0),
    near(
        "encoded-credentials",
        &["b64encode(", "base64_encode(", "base64.encode", "btoa(", "encode64("],
        r#"(?i)(?:b64encode|base64_encode|base64\.encode[a-z]{0,12}|btoa|encode64)\(\s{0,3}[bu]?["']([^"'\r\n]{5,200})["']"#,
    ).reach(1, 240).doubt(Doubt::Login).entropy(2.0),
    near("chpasswd-input", &["chpasswd"], r#"["' ][a-z_][a-z0-9_.\-]{0,31}:([^\s"':|\\]{5,128})["']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?chpasswd"#)
        .reach(200, 0).doubt(Doubt::Weak).entropy(2.0),
    near("htpasswd-option", &["htpasswd"], r#"\bhtpasswd\s(?:[^\r\n]{0,40}\s)?-[A-Za-z]{0,6}b[A-Za-z]{0,6}\s{1,3}[^\s]{1,120}\s{1,3}[^\s]{1,64}\s{1,3}["']?([^\s"'$<{]{5,128})"#)
        .doubt(Doubt::Weak).entropy(2.0),
    near("secure-string", &["convertto-securestring"], r#"(?i)convertto-securestring\s{1,3}(?:-string\s{1,3})?["']([^"'$\s]{5,400})["']"#)
        .doubt(Doubt::Weak).entropy(2.0),
    near(
        "build-config-field",
        &["buildconfigfield", "resvalue"],
        r#"(?i)(?:buildconfigfield|resvalue)[ (]{1,3}["'][a-z.]{1,40}["'],\s{0,3}["'][a-z0-9_]{0,60}(?:key|secret|token|password|pwd)[a-z0-9_]{0,20}["'],\s{0,3}["'][\\"']{0,2}([^"'\\\r\n]{8,400})"#,
    ).doubt(Doubt::Name),
];
