//! Addresses, headers and command lines.

use super::super::rule::{Doubt, Gate, Rule, coded, near};

pub(super) const RULES: &[Rule] = &[
    near(
        "json-web-token",
        &["eyJ"],
        r"\b(eyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,})",
    )
    .reach(0, 4096)
    .takes(&["jwt=«eyJ{y30}.eyJ{y60}.{y42}x» "])
    .leaves(&["eyJhbGciOiJIUzI1NiJ9", "eyJ..."]),
    near("encrypted-web-token", &["eyJ"], r"\b(eyJ[A-Za-z0-9_\-]{20,600}\.[A-Za-z0-9_\-]{0,600}\.[A-Za-z0-9_\-]{16}\.[A-Za-z0-9_\-]{20,}\.[A-Za-z0-9_\-]{22})\b")
        .reach(0, 4096)
        .takes(&["jwe=«eyJ{y60}.{y340}.{w16}.{y120}.{w22}» "])
        .leaves(&["eyJhbGciOiJkaXIifQ..iv.text.tag"]),
    coded("url-password")
        .takes(&[
            "postgres://app:«Tr0ub4dor3»@db.internal:5432/app",
            "amqp://svc:«wintermoon»@mq.acme.io/",
            "redis://:«k7Qz2pLx9»@cache:6379/0",
            "DATABASE_URL=\"mysql2://a:«ps/w0rd9x»@db/app\"",
            "https://«{x40}»:x-oauth-basic@github.com/a/b",
        ])
        .leaves(&[
            "postgres://user:password@localhost/db",
            "https://user:${PASS}@host/",
            "https://example.com/a:b@c",
            "http://localhost:8080/@x",
            "https://<user>:<pass>@host",
            "ssh://git@github.com/x/y",
            "postgres://user:pass@example.com/db",
            "http://user:secretword@example.com/",
            "amqp://guest:guest@localhost",
            "http://[::1]:80/a@b",
        ]),
    near(
        "basic-auth-header",
        &["basic "],
        r#"(?i)\bbasic ([a-z0-9+/]{8,400}={0,2})(?:[^a-z0-9+/=]|$)"#,
    )
    .reach(2, 420)
    .doubt(Doubt::Basic)
    .entropy(0.0)
    .takes(&["Authorization: Basic «c3ZjOms3UXoycEx4OVd2Qg==»\n", "headers: { Authorization: 'Basic «c3ZjOms3UXoycEx4OVd2Qg==»' }"])
    .leaves(&["Authorization: Basic dXNlcjpwYXNzd29yZA==", "basic understanding", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ is in the RFC as <credentials>"]),
    near(
        "authorization-header",
        &["authorization"],
        r#"(?i)authorization[\\"'\]]{0,4}(?:\s{0,3}[:=,]\s{0,3}|\s{1,3})[\\"'`]{0,2}(?:bearer|token|apikey|key)[\s=]{1,3}([a-z0-9_\-.=+/~]{16,400})"#,
    )
    .entropy(3.2)
    .doubt(Doubt::Name)
    .takes(&[
        "curl -H 'Authorization: Bearer «{w32}»' https://x",
        "headers = {\"Authorization\": \"token «{w40}»\"}",
        "req.Header.Set(\"Authorization\", \"Bearer «{w40}»\")",
        "\"h = {\\\"Authorization\\\": \\\"Bearer «{w40}»\\\"}\\n\"",
    ])
    .leaves(&[
        "Authorization: Bearer <token>",
        "authorization: Bearer $TOKEN",
        "Authorization: Bearer your-token-goes-here",
        "Authorization: Bearer abcdefghijklmnop",
    ]),
    near("bearer-token", &["bearer "], r#"(?i)["'`]bearer ([a-z0-9_\-.=+/~]{20,400})\\?["'`]"#)
        .reach(1, 420)
        .doubt(Doubt::Name)
        .entropy(3.4)
        .takes(&["auth = \"Bearer «{w40}»\"", "\"auth = \\\"Bearer «{w40}»\\\"\""])
        .leaves(&["\"Bearer \" + token", "'bearer authentication-is-not-supported'"]),
    near(
        "key-header",
        &["x-api-key", "x-auth-token", "x-access-token", "x-vault-token", "private-token", "x-auth-key", "api-key", "x-token", "x-secret", "ocp-apim-subscription-key", "x-functions-key", "job-token"],
        r#"(?i)(?:x-api-key|x-auth-token|x-access-token|x-vault-token|private-token|job-token|x-auth-key|\bapi-key|x-token|x-secret|ocp-apim-subscription-key|x-functions-key)[\\"']{0,4}\s{0,3}[:,=]\s{0,3}[\\"'`]{0,2}([a-z0-9_\-.=+/~]{12,400})"#,
    )
    .reach(2, 420)
    .doubt(Doubt::Name)
    .entropy(3.0)
    .takes(&["curl -H 'X-Api-Key: «{w32}»' https://x", "-H \"PRIVATE-TOKEN: «{w20}»\"", "\"{\\\"X-Api-Key\\\": \\\"«{w32}»\\\"}\""])
    .leaves(&["X-Api-Key: <your key>", "X-Api-Key: $KEY", "'X-Api-Key': process.env.KEY", "x-api-key: my-api-key-value"]),
    near("session-cookie", &["cookie:"], r"(?i)\bcookie:\s{0,2}[^\r\n]{0,200}?(?:session|sessionid|sid|auth|token|jsessionid|phpsessid|connect\.sid)=([a-z0-9_\-.%+/=]{20,400})")
        .doubt(Doubt::Name)
        .entropy(3.4)
        .takes(&["Cookie: theme=dark; sessionid=«{l32}»; a=b"])
        .leaves(&["Cookie: sessionid=<id>", "set-cookie: a=b"]),
    near(
        "url-token",
        &["access_token=", "api_key=", "apikey=", "auth_token=", "token=", "client_secret=", "private_token=", "secret="],
        r"(?i)[?&](?:access_token|api_?key|auth_token|token|client_secret|private_token|secret)=([a-z0-9_\-.~%]{16,400})",
    )
    .reach(1, 420)
    .doubt(Doubt::Name)
    .entropy(3.3)
    .takes(&["https://api.acme.io/v1/x?limit=1&access_token=«{w32}»", "fetch('https://a.io/?api_key=«{x32}»')"])
    .leaves(&["https://api.acme.io/v1/x?access_token=ACCESS_TOKEN_VALUE", "?token=${token}", "?api_key=YOUR_API_KEY_GOES_HERE"]),
    near(
        "curl-user",
        &["curl ", "wget ", "http "],
        r#"\b(?:curl|wget)\s[^\r\n]{0,240}?(?:-u|--user|--proxy-user|--http-user)[ =]["']?[A-Za-z0-9_.@\-]{1,64}:([^\s"'$<{][^\s"']{3,100})"#,
    )
    .doubt(Doubt::Weak)
    .entropy(1.5)
    .takes(&["curl -s -u admin:«wintermoon» https://x", "curl --user 'bob:«k7Qz2pLx»' https://x"])
    .leaves(&["curl -u user:password https://x", "curl -u $USER:$PASS https://x", "curl -u admin https://x:8080"]),
    near("docker-login", &["docker login", "podman login", "helm registry login", "az acr login"], r#"\b(?:docker|podman|helm registry|az acr) login\s[^\r\n]{0,160}?(?:-p|--password)[ =]["']?([^\s"'$<{\-][^\s"']{4,200})"#)
        .doubt(Doubt::Weak)
        .entropy(2.0)
        .takes(&["docker login -u bob -p «winter7moon» registry.acme.io"])
        .leaves(&["docker login -u bob -p $PASS", "docker login --password-stdin"]),
    near("kubeconfig-token", &["token:"], r"(?m)^\s{2,12}token:\s{1,3}([A-Za-z0-9_\-.]{24,400})\s*$")
        .reach(14, 440)
        .gate(Gate::Open)
        .doubt(Doubt::Name)
        .entropy(3.4)
        .takes(&["users:\n- name: a\n  user:\n    token: «{w40}»\n"])
        .leaves(&["    token: required-for-every-request\n", "    token: ${{ secrets.TOKEN }}\n"]),
    near(
        "basic-auth-call",
        &["basicauth", "basic_auth", "auth.basic", "auth=(", "auth = ("],
        r#"(?i)(?:basicauth[a-z]{0,14}|basic_auth|auth\.basic|\bauth\s?=)[ (]{1,3}["'][^"'\r\n]{1,80}["']\s{0,3},\s{0,3}["']([^"'\r\n]{5,128})["']"#,
    )
    .reach(2, 260)
    .doubt(Doubt::Weak)
    .entropy(2.0)
    .takes(&[
        "requests.get(url, auth=('bob', '«k7Qz2pLx9»'))",
        "req.SetBasicAuth(\"bob\", \"«winter7moon»\")",
        "http.auth.basic 'ci', '«{w16}»'",
        "HTTPBasicAuth('bob', '«k7Qz2pLx9»')",
    ])
    .leaves(&["requests.get(url, auth=('user', 'pass'))", "SetBasicAuth(user, password)", "auth=('bob', '${PASSWORD}')"]),
    near("chpasswd-input", &["chpasswd"], r#"["' ][a-z_][a-z0-9_.\-]{0,31}:([^\s"':|\\]{5,128})["']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?chpasswd"#)
        .reach(200, 0)
        .doubt(Doubt::Weak)
        .entropy(2.0)
        .takes(&["echo \"deploy:«k7Qz2pLx9»\" | chpasswd\n", "echo 'root:«winter7moon»' | sudo chpasswd\n"])
        .leaves(&["echo \"root:$PASS\" | chpasswd", "echo 'root:root' | chpasswd", "see: chpasswd"]),
    near("htpasswd-option", &["htpasswd"], r#"\bhtpasswd\s(?:[^\r\n]{0,40}\s)?-[A-Za-z]{0,6}b[A-Za-z]{0,6}\s{1,3}[^\s]{1,120}\s{1,3}[^\s]{1,64}\s{1,3}["']?([^\s"'$<{]{5,128})"#)
        .doubt(Doubt::Weak)
        .entropy(2.0)
        .takes(&["htpasswd -b /etc/nginx/users bob «{w14}»\n", "htpasswd -cbB users bob '«k7Qz2pLx9»'\n"])
        .leaves(&["htpasswd -b users bob $PASS", "htpasswd -c users bob", "htpasswd -nb user password"]),
    near("secure-string", &["convertto-securestring"], r#"(?i)convertto-securestring\s{1,3}(?:-string\s{1,3})?["']([^"'$\s]{5,400})["']"#)
        .doubt(Doubt::Weak)
        .entropy(2.0)
        .takes(&["$s = ConvertTo-SecureString \"«{w16}»\" -AsPlainText -Force"])
        .leaves(&["ConvertTo-SecureString $plain -AsPlainText", "ConvertTo-SecureString \"password\" -AsPlainText"]),
    near(
        "build-config-field",
        &["buildconfigfield", "resvalue"],
        r#"(?i)(?:buildconfigfield|resvalue)[ (]{1,3}["'][a-z.]{1,40}["'],\s{0,3}["'][a-z0-9_]{0,60}(?:key|secret|token|password|pwd)[a-z0-9_]{0,20}["'],\s{0,3}["'][\\"']{0,2}([^"'\\\r\n]{8,400})"#,
    )
    .doubt(Doubt::Name)
    .takes(&["buildConfigField \"String\", \"API_KEY\", \"\\\"«{w32}»\\\"\"", "resValue(\"string\", \"maps_key\", \"«{w32}»\")"])
    .leaves(&["buildConfigField \"String\", \"API_KEY\", \"\\\"${apiKey}\\\"\"", "buildConfigField \"boolean\", \"HAS_KEY\", \"true\""]),
];
