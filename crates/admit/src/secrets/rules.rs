//! The rules. Each stands for one kind of value; examples of what it takes and leaves are in `examples.rs`.

/// A look at the bytes behind a keyword that is cheaper than a regular expression and drops nearly all of prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    /// None: the keyword itself is rare.
    Open,
    /// `=` or `:` must follow, after at most the rest of a name, a quote and blanks.
    Assignment,
    /// An `@` must follow before the host part of a URL ends.
    UserInfo,
}

/// How sure a rule is of a value by its form alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It is one, unless it is a stand-in such as `your-token`.
    Placeholder,
    /// Unless it is a stand-in or reads as a name.
    Name,
}

/// One kind of secret value.
#[derive(Debug)]
pub(super) struct Rule {
    /// Stands in the marker and in receipts.
    pub(super) id: &'static str,
    /// Matched on bytes, without Unicode classes. The value is group 1.
    pub(super) pattern: &'static str,
    /// Where one of these stands, the pattern is tried. Compared exactly, unless the pattern ignores case.
    pub(super) keywords: &'static [&'static str],
    /// Least entropy of the value in bits per byte; 0 asks for none.
    pub(super) entropy: f32,
    pub(super) doubt: Doubt,
    pub(super) gate: Gate,
    /// How far before a keyword a match may start.
    pub(super) before: usize,
    /// How far behind a keyword the pattern must be able to see.
    pub(super) behind: usize,
}

impl Rule {
    pub(super) fn ignores_case(&self) -> bool {
        self.pattern.starts_with("(?i)")
    }
}

/// A token that is recognised by its prefix.
const fn token(id: &'static str, keywords: &'static [&'static str], pattern: &'static str, entropy: f32) -> Rule {
    Rule { id, pattern, keywords, entropy, doubt: Doubt::Placeholder, gate: Gate::Open, before: 0, behind: 320 }
}

/// A value that is recognised by what it is assigned to.
const fn assigned(id: &'static str, keywords: &'static [&'static str], pattern: &'static str, entropy: f32) -> Rule {
    Rule { id, pattern, keywords, entropy, doubt: Doubt::Name, gate: Gate::Assignment, before: 0, behind: 400 }
}

/// Specific rules first: where two find the same value, the first one names it.
pub(super) const RULES: &[Rule] = &[
    token("aws-access-key-id", &["AKIA", "ASIA", "ABIA", "ACCA"], r"\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b", 2.5),
    Rule {
        doubt: Doubt::Placeholder,
        ..assigned(
            "aws-secret-access-key",
            &["secret_access_key", "secretaccesskey", "secret-access-key", "aws_secret_key"],
            r#"(?i)(?:secret[_-]?access[_-]?key|aws_secret_key)["'\]]{0,2}\s{0,5}(?:=>|:=|=|:)\s{0,5}["']?([a-z0-9/+]{40})(?:[^a-z0-9/+=]|$)"#,
            3.5,
        )
    },
    token("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"\b(gh[pousr]_[A-Za-z0-9]{36,255})\b", 3.0),
    token("github-fine-grained-token", &["github_pat_"], r"\b(github_pat_[A-Za-z0-9_]{60,255})\b", 3.0),
    token(
        "gitlab-token",
        &["glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-"],
        r"\b(gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_\-]{20,255})",
        3.0,
    ),
    token(
        "slack-token",
        &["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
        r"\b((?:xox[abeoprs]-[0-9A-Za-z]+-|xapp-[0-9]-)[A-Za-z0-9\-]{10,250})",
        2.5,
    ),
    token(
        "slack-webhook",
        &["hooks.slack.com/"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,80})",
        3.0,
    ),
    token(
        "stripe-key",
        &["sk_live_", "rk_live_", "sk_prod_"],
        r"\b((?:sk_live|rk_live|sk_prod)_[A-Za-z0-9]{16,250})",
        3.0,
    ),
    token("stripe-webhook-secret", &["whsec_"], r"\b(whsec_[A-Za-z0-9+/]{32,64})", 3.0),
    token("google-api-key", &["AIza"], r"\b(AIza[0-9A-Za-z_\-]{35})(?:[^0-9A-Za-z_\-]|$)", 3.0),
    token("google-oauth-client-secret", &["GOCSPX-"], r"\b(GOCSPX-[A-Za-z0-9_\-]{28})", 3.0),
    token("anthropic-api-key", &["sk-ant-"], r"\b(sk-ant-[a-z0-9]{2,10}-[A-Za-z0-9_\-]{20,200})", 3.0),
    token(
        "openai-api-key",
        &["sk-"],
        r"\b(sk-(?:(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_\-]{40,240}|[A-Za-z0-9]{32,64}\b))",
        3.3,
    ),
    token("npm-token", &["npm_"], r"\b(npm_[A-Za-z0-9]{36})\b", 3.0),
    Rule { behind: 1400, ..token("pypi-token", &["pypi-AgE"], r"\b(pypi-AgE[A-Za-z0-9_\-]{50,1200})", 3.0) },
    token("sendgrid-key", &["SG."], r"\b(SG\.[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{32,64})", 3.0),
    token("twilio-api-key", &["SK"], r"\b(SK[0-9a-f]{32})\b", 3.0),
    token("mailgun-key", &["key-"], r"\b(key-[0-9a-f]{32})\b", 3.0),
    token("hugging-face-token", &["hf_"], r"\b(hf_[A-Za-z0-9]{34,40})\b", 3.3),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"\b(do[opr]_v1_[a-f0-9]{64})\b", 3.0),
    Rule {
        before: 12,
        ..token("telegram-bot-token", &[":AA"], r"\b([0-9]{8,10}:AA[A-Za-z0-9_\-]{33})(?:[^A-Za-z0-9_\-]|$)", 3.0)
    },
    token("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], r"\b(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\b", 2.5),
    token("linear-api-key", &["lin_api_"], r"\b(lin_api_[A-Za-z0-9]{40})\b", 3.0),
    token("vault-token", &["hvs.", "hvb."], r"\b(hv[sb]\.[A-Za-z0-9_\-]{24,250})", 3.3),
    token("databricks-token", &["dapi"], r"\b(dapi[a-h0-9]{32}(?:-[0-9])?)\b", 3.0),
    token("postman-key", &["PMAK-"], r"\b(PMAK-[a-f0-9]{24}-[a-f0-9]{34})\b", 3.0),
    token(
        "age-secret-key",
        &["AGE-SECRET-KEY-1"],
        r"\b(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})\b",
        3.0,
    ),
    Rule {
        before: 16,
        ..token(
            "discord-webhook",
            &["/api/webhooks/"],
            r"discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/([A-Za-z0-9_\-]{60,80})",
            3.0,
        )
    },
    Rule {
        behind: 4096,
        ..token(
            "json-web-token",
            &["eyJ"],
            r"\b(eyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,})",
            3.0,
        )
    },
    token("azure-storage-key", &["accountkey="], r"(?i)AccountKey=([a-z0-9+/]{86}==)", 3.5),
    Rule { before: 1, ..token("azure-sas-signature", &["sig="], r"[?&]sig=([A-Za-z0-9%]{40,80}%3D)", 3.5) },
    assigned("npm-auth-token", &["_authToken"], r"_authToken\s{0,3}=\s{0,3}([A-Za-z0-9_\-./+=]{20,400})", 3.0),
    token("docker-auth", &["\"auth\""], r#""auth"\s{0,5}:\s{0,5}"([A-Za-z0-9+/]{20,400}={0,2})""#, 3.5),
    Rule {
        gate: Gate::UserInfo,
        before: 24,
        ..token(
            "url-password",
            &["://"],
            r#"(?i)\b[a-z][a-z0-9+.\-]{1,20}://[^\s:@/"'`<>{}$]{0,64}:([^\s:@/"'`<>]{3,200})@[a-z0-9.\-\[]"#,
            0.0,
        )
    },
    Rule {
        doubt: Doubt::Placeholder,
        ..assigned(
            "authorization-header",
            &["authorization"],
            r#"(?i)authorization["']{0,2}\s{0,3}[:=]\s{0,3}["'`]?(?:bearer|token|basic)\s{1,3}([a-z0-9_\-.=+/~]{16,400})"#,
            3.2,
        )
    },
    assigned(
        "quoted-secret",
        &[
            "password",
            "passwd",
            "passphrase",
            "secret",
            "api_key",
            "api-key",
            "apikey",
            "access_key",
            "access-key",
            "accesskey",
            "auth_token",
            "auth-token",
            "authtoken",
            "access_token",
            "access-token",
            "accesstoken",
            "private_key",
            "private-key",
            "privatekey",
            "encryption_key",
            "signing_key",
        ],
        r#"(?i)(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|private[_-]?key|encryption_key|signing_key)(?:[_-]?(?:key|token|value|base64|b64|prod|live|dev|test|[0-9]{1,2}))?["'\]]{0,2}\s{0,5}(?:=>|:=|=|:)\s{0,5}["'`]([^"'`\s]{8,256})["'`]"#,
        3.0,
    ),
    Rule {
        before: 64,
        ..assigned(
            "environment-secret",
            &["PASSWORD", "PASSWD", "SECRET", "TOKEN", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY"],
            r#"\b[A-Z0-9_]{0,60}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_KEY|APIKEY|ACCESS_KEY|PRIVATE_KEY)[A-Z0-9_]{0,24}=([^\s"'`$<{(;,&|][^\s"'`;&|]{11,255})"#,
            3.3,
        )
    },
];
