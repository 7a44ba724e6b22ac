//! For each rule a text it must redact and texts it must leave alone.
//!
//! Written in two parts, so that no scanner, ours included, takes this file for a leak. None of the values was ever valid.

use super::rules::RULES;
use super::{pem, redact};

struct Example {
    rule: &'static str,
    /// The text around the value, with the value as `@@`.
    text: &'static str,
    value: &'static str,
    leaves: &'static [&'static str],
}

const EXAMPLES: &[Example] = &[
    Example {
        rule: "aws-access-key-id",
        text: "key = @@;",
        value: concat!("AKIA", "Q3EGRVJ7XY2LPDT4"),
        leaves: &[concat!("AKIA", "IOSFODNN7EXAMPLE"), "AKIAtooshort", "the AKIA prefix"],
    },
    Example {
        rule: "aws-secret-access-key",
        text: "aws_secret_access_key = @@\n",
        value: concat!("wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYzQ8pLmN2vK"),
        leaves: &[
            concat!("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"),
            "secret_access_key = your-secret-access-key-goes-here-in-40-ch",
            "secretAccessKey: get('a secret of forty characters or so')",
        ],
    },
    Example {
        rule: "github-token",
        text: "token @@ end",
        value: concat!("ghp_", "x7Kq2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo"),
        leaves: &["ghp_short", concat!("ghp_", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")],
    },
    Example {
        rule: "github-fine-grained-token",
        text: "`@@`",
        value: concat!("github_pat_", "11ABCDXYZ0q7Kq2mVbN9sL_dF4hJ6tRwYzC3pGaE8uQ1iXo5Bv7Nm2Kj8Hg4Fd1Sa9Zx3Cw6Ey0Rt"),
        leaves: &["github_pat_ is the prefix", concat!("github_pat_", "tooshort1234")],
    },
    Example {
        rule: "gitlab-token",
        text: "--token @@",
        value: concat!("glpat-", "x7Kq2mVbN9sLdF4hJ6tR"),
        leaves: &["glpat-short", "glpat-your-token-goes-here"],
    },
    Example {
        rule: "slack-token",
        text: "SLACK @@ x",
        value: concat!("xoxb-", "263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1"),
        leaves: &["xoxb-your-slack-bot-token", "xoxb-"],
    },
    Example {
        rule: "slack-webhook",
        text: "curl https://hooks.slack.com/services/@@ -d x",
        value: concat!("T03K8QZ1L/B07M2VX9R/", "aZ3kQ9mW7pL2xV8nR4tY6bC1"),
        leaves: &[concat!("https://hooks.slack.com/services/", "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX")],
    },
    Example {
        rule: "stripe-key",
        text: "stripe.key('@@')",
        value: concat!("sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"),
        leaves: &["sk_live_", "sk_test_something", "risk_live_data"],
    },
    Example {
        rule: "stripe-webhook-secret",
        text: "@@\n",
        value: concat!("whsec_", "q7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ"),
        leaves: &["whsec_your_signing_secret_goes_in_this_place"],
    },
    Example {
        rule: "google-api-key",
        text: "?key=@@&x=1",
        value: concat!("AIza", "SyD9kQ2mVbN7sLdF4hJ6tRwYzC3pGaE8uQ1"),
        leaves: &["AIzaShort", concat!("AIza", "SyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX")],
    },
    Example {
        rule: "google-oauth-client-secret",
        text: "client @@.",
        value: concat!("GOCSPX-", "q7Kx2mVbN9sLdF4hJ6tRwYzC3pGa"),
        leaves: &["GOCSPX-", "GOCSPX-your-client-secret-goes-here"],
    },
    Example {
        rule: "anthropic-api-key",
        text: "export K=\"@@\"",
        value: concat!("sk-ant-", "api03-q7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ-1iXoAA"),
        leaves: &["sk-ant-...", "sk-ant-api03-your-key-goes-right-here"],
    },
    Example {
        rule: "openai-api-key",
        text: "openai: @@ ",
        value: concat!("sk-", "q7Kx2mVbN9sLdF4hJ6tRT3BlbkFJwYzC3pGaE8uQ1iXo5Bv7"),
        leaves: &[
            "sk-learn",
            "task-q7Kx2mVbN9",
            "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sk-loading-spinner-animated-element-x",
        ],
    },
    Example {
        rule: "npm-token",
        text: "npm @@\n",
        value: concat!("npm_", "q7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo"),
        leaves: &["npm_config_registry", "npm_lifecycle_event_something_long_enough"],
    },
    Example {
        rule: "pypi-token",
        text: "password = @@\n",
        value: concat!("pypi-AgE", "IcHlwaS5vcmcCJDAwYzQ2ZjVlLTk4ZTItNGQ3Yi1hMmY0LWQxZThiN2M2YTVmMwACKlszLCI4"),
        leaves: &["pypi-AgEshort"],
    },
    Example {
        rule: "sendgrid-key",
        text: "SENDGRID '@@'",
        value: concat!("SG.", "q7Kx2mVbN9sLdF4hJ6tRwY.zC3pGaE8uQ1iXo5Bv7Nm2Kj8Hg4Fd1Sa9Zx3Cw6Ey0R"),
        leaves: &["msg.content.length", "SG.short.value"],
    },
    Example {
        rule: "twilio-api-key",
        text: "(@@)",
        value: concat!("SK", "9f8e7d6c5b4a39281706f5e4d3c2b1a0"),
        leaves: &["SKIP this", "TASK9f8e7d6c5b4a39281706f5e4d3c2b1a0"],
    },
    Example {
        rule: "mailgun-key",
        text: "api:@@",
        value: concat!("key-", "9f8e7d6c5b4a39281706f5e4d3c2b1a0"),
        leaves: &["key-value", "monkey-9f8e7d6c5b4a39281706f5e4d3c2b1a0f"],
    },
    Example {
        rule: "hugging-face-token",
        text: "login @@",
        value: concat!("hf_", "qWKxTmVbNZsLdFRhJYtRwYzCBpGaEOuQPi"),
        leaves: &["hf_hub_download", "hf_transformers_model_loader_function_name"],
    },
    Example {
        rule: "digitalocean-token",
        text: "do: @@",
        value: concat!("dop_v1_", "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0"),
        leaves: &["dop_v1_short"],
    },
    Example {
        rule: "telegram-bot-token",
        text: "bot @@\n",
        value: concat!("7203948561", ":AAq7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1"),
        leaves: &["12:AAPL", "at 10:AA or so"],
    },
    Example {
        rule: "shopify-token",
        text: "@@",
        value: concat!("shpat_", "9f8e7d6c5b4a39281706f5e4d3c2b1a0"),
        leaves: &["shpat_ prefix"],
    },
    Example {
        rule: "linear-api-key",
        text: "@@",
        value: concat!("lin_api_", "q7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo5Bv7"),
        leaves: &["lin_api_version"],
    },
    Example {
        rule: "vault-token",
        text: "X-Vault: @@",
        value: concat!("hvs.", "CAESIq7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo"),
        leaves: &["hvs.example-of-a-long-vault-token"],
    },
    Example {
        rule: "databricks-token",
        text: "@@",
        value: concat!("dapi", "9f8e7d6c5b4a39281706f5e4d3c2b1a0"),
        leaves: &["dapifoo"],
    },
    Example {
        rule: "postman-key",
        text: "@@",
        value: concat!("PMAK-", "9f8e7d6c5b4a39281706f5e4-d3c2b1a09f8e7d6c5b4a39281706f5e4d3"),
        leaves: &["PMAK-short"],
    },
    Example {
        rule: "age-secret-key",
        text: "# key\n@@\n",
        value: concat!("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE"),
        leaves: &["AGE-SECRET-KEY-1..."],
    },
    Example {
        rule: "discord-webhook",
        text: "https://discord.com/api/webhooks/123456789012345678/@@",
        value: concat!("q7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo5Bv7", "Nm2Kj8Hg4Fd1Sa9Zx3Cw6Ey0RtUi"),
        leaves: &["https://discord.com/api/webhooks/{id}/{token}"],
    },
    Example {
        rule: "json-web-token",
        text: "jwt=@@ ",
        value: concat!("eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MjcxOTg1In0.q7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo5Bv7Nm2"),
        leaves: &["eyJhbGciOiJIUzI1NiJ9", "eyJ..."],
    },
    Example {
        rule: "azure-storage-key",
        text: "AccountName=x;AccountKey=@@;EndpointSuffix=y",
        value: concat!("q7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo5Bv7Nm2Kj8Hg4Fd1Sa9Zx3Cw6Ey0", "RtUiOpLkJhGfDsAzXcVbNw=="),
        leaves: &["AccountKey=<account-key>;"],
    },
    Example {
        rule: "azure-sas-signature",
        text: "https://x.blob.core.windows.net/c?sv=2020&sig=@@",
        value: concat!("q7Kx2mVbN9sLdF4hJ6tRwYz", "C3pGaE8uQ1iXo5Bv7Nm2%2BKj8%3D"),
        leaves: &["?sig=abc"],
    },
    Example {
        rule: "npm-auth-token",
        text: "//registry.npmjs.org/:_authToken=@@\n",
        value: concat!("3f1c9a7e-5b2d-", "4e8f-9c6a-1d7b3e5f9a2c"),
        leaves: &["//registry.npmjs.org/:_authToken=${NPM_TOKEN}"],
    },
    Example {
        rule: "docker-auth",
        text: "{\"auths\": {\"x\": {\"auth\": \"@@\"}}}",
        value: concat!("bXl1c2VyOms3UXoycEx4", "OVd2QjRuUnQ="),
        leaves: &["\"auth\": \"basic\"", "\"auth\": {\"x\": 1}"],
    },
    Example {
        rule: "url-password",
        text: "postgres://app:@@@db.internal:5432/app",
        value: "Tr0ub4dor3",
        leaves: &[
            "postgres://user:password@localhost/db",
            "https://user:${PASS}@host/",
            "https://example.com/a:b@c",
            "http://localhost:8080/@x",
            "https://<user>:<pass>@host",
            "ssh://git@github.com/x/y",
        ],
    },
    Example {
        rule: "authorization-header",
        text: "curl -H 'Authorization: Bearer @@' https://x",
        value: concat!("q7Kx2mVbN9sLdF4h", "J6tRwYzC3pGaE8uQ"),
        leaves: &[
            "Authorization: Bearer <token>",
            "authorization: Bearer $TOKEN",
            "Authorization: Bearer your-token-goes-here",
        ],
    },
    Example {
        rule: "quoted-secret",
        text: "db_password = \"@@\"",
        value: concat!("k7Qz2pLx", "9WvB4nRt"),
        leaves: &[
            "password = \"changeme\"",
            "password: '${DB_PASSWORD}'",
            "secret = \"your-secret-key-123\"",
            "api_key = os.environ[\"API_KEY\"]",
            "password: \"password123\"",
            "\"secret\": \"projects/foo/secrets/bar1\"",
            "token_type = \"access_token\"",
            "password = \"aaaaaaaaaaaaaa\"",
            "the password is: \"ask the operator\"",
        ],
    },
    Example {
        rule: "environment-secret",
        text: "export APP_SESSION_SECRET=@@\n",
        value: concat!("k7Qz2pLx", "9WvB4nRt8m"),
        leaves: &[
            "SECRET=$(openssl rand -hex 32)",
            "API_TOKEN=${TOKEN}",
            "API_KEY=your-api-key-here-123",
            "SECRET_NAME=projects/foo/secrets/bar1",
            "TOKEN=",
        ],
    },
    Example {
        rule: pem::ID,
        text: concat!("a\n-----BEGIN RSA ", "PRIVATE KEY-----\n@@\n-----END RSA ", "PRIVATE KEY-----\nb"),
        value: concat!(
            "MIIEowIBAAKCAQEAq7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo5Bv7Nm2Kj8Hg\n",
            "4Fd1Sa9Zx3Cw6Ey0RtUiOpLkJhGfDsAzXcVbNwq7Kx2mVbN9sLdF4hJ6tRwYzC3p\nGaE8uQ1iXo5Bv7Nm2Kj8Hg==",
        ),
        leaves: &[
            concat!("-----BEGIN ", "PRIVATE KEY-----\n...\n-----END ", "PRIVATE KEY-----"),
            concat!("a line that says -----BEGIN ", "PRIVATE KEY----- opens a block"),
            concat!(
                "-----BEGIN ",
                "PRIVATE KEY----- is the opening, and a_word_that_is_quite_long or even ",
                "averyveryverylongwordindeedthatgoeson does not make it a key, whatever comes until -----END ",
                "PRIVATE KEY-----",
            ),
        ],
    },
];

#[test]
fn every_rule_has_an_example() {
    for id in RULES.iter().map(|rule| rule.id).chain([pem::ID]) {
        assert_eq!(EXAMPLES.iter().filter(|example| example.rule == id).count(), 1, "{id}");
    }
}

#[test]
fn rules_take_their_value_and_nothing_else() {
    for example in EXAMPLES {
        let breaks = "\n".repeat(example.value.matches('\n').count());
        let redacted = redact(example.text.replacen("@@", example.value, 1));
        let expected = example.text.replacen("@@", &format!("[redacted:{}]{breaks}", example.rule), 1);
        assert_eq!(redacted.text, expected, "{}", example.rule);
        assert_eq!(redacted.redactions.len(), 1, "{}", example.rule);
        assert_eq!((redacted.redactions[0].rule, redacted.redactions[0].count), (example.rule, 1));
    }
}

#[test]
fn rules_leave_stand_ins_alone() {
    for example in EXAMPLES {
        for &text in example.leaves {
            let redacted = redact(text.to_owned());
            assert_eq!(redacted.text, text, "{} took {:?}", example.rule, redacted.redactions);
        }
    }
}

/// A text that went through once has nothing left to take, and the marker is no value itself.
#[test]
fn redacting_twice_changes_nothing() {
    let all: String = EXAMPLES.iter().map(|e| e.text.replacen("@@", e.value, 1) + "\n").collect();
    let once = redact(all.clone());
    assert!(once.redactions.len() >= EXAMPLES.len() - 2, "{:?}", once.redactions);
    assert_eq!(once.text.lines().count(), all.lines().count());
    for example in EXAMPLES {
        assert!(!once.text.contains(example.value), "{} leaked", example.rule);
        assert!(!format!("{once:?}").contains(example.value));
    }
    let twice = redact(once.text.clone());
    assert_eq!(twice.text, once.text);
    assert!(twice.redactions.is_empty());
}
