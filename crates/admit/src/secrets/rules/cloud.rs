//! Clouds, hosters and what runs on them.

use super::super::rule::{Gate, Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    token("aws-access-key-id", &["AKIA", "ASIA", "ABIA", "ACCA"], r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}")
        .entropy(2.5),
    near(
        "aws-secret-access-key",
        &["secret_access_key", "secretaccesskey", "secret-access-key", "aws_secret_key", "aws_secret"],
        r#"(?i)(?:secret[_-]?access[_-]?key|aws_secret(?:_key)?)["'\]]{0,2}\s{0,5}(?:=>|:=|=|:)\s{0,5}["']?([a-z0-9/+]{40})(?:[^a-z0-9/+=]|$)"#,
    )
    .gate(Gate::Assignment)
    .entropy(3.5),
    near(
        "aws-session-token",
        &["session_token", "sessiontoken", "security_token", "x-amz-security-token"],
        r#"(?i)(?:session[_-]?token|security[_-]token)["'\]]{0,2}\s{0,5}[:=]\s{0,5}["']?((?:IQoJ|FwoG|FQoG)[a-z0-9/+=]{80})"#,
    )
    .gate(Gate::Assignment),
    token("aws-mws-token", &["amzn.mws."], r"amzn\.mws\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    long("aws-bedrock-key", &["ABSK"], r"ABSK[A-Za-z0-9+/]{100}"),
    token("google-api-key", &["AIza"], r"AIza[A-Za-z0-9_\-]{35}"),
    token("google-oauth-client-secret", &["GOCSPX-"], r"GOCSPX-[A-Za-z0-9_\-]{28}"),
    long("google-oauth-token", &["ya29."], r"ya29\.[A-Za-z0-9_\-]{40}"),
    long("google-refresh-token", &["1//0"], r"1//0[A-Za-z0-9_\-]{2}[A-Za-z0-9_\-]{38}")
        .entropy(3.5),
    near("firebase-messaging-key", &[":APA91b"], r"\b(AAAA[A-Za-z0-9_\-]{7}:APA91b[A-Za-z0-9_\-]{134})")
        .reach(12, 160),
    near("azure-storage-key", &["accountkey="], r"(?i)AccountKey=([a-z0-9+/]{86}==)")
        .entropy(3.5),
    near("azure-shared-access-key", &["sharedaccesskey=", "sharedsecret=", ";accesskey="], r"(?i)(?:SharedAccessKey|SharedSecret|AccessKey)=([a-z0-9+/]{43}=)"),
    near("azure-sas-signature", &["sig="], r"[?&]sig=([A-Za-z0-9%]{40,80}%3D)")
        .reach(1, 120)
        .entropy(3.5),
    near("azure-client-secret", &["Q~"], r#"(?:^|[^A-Za-z0-9_~.\-])([A-Za-z0-9_~.\-]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31,34})(?:[^A-Za-z0-9_~.\-]|$)"#)
        .reach(6, 42),
    near("azure-devops-token", &["AZDO"], r"\b([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})\b")
        .reach(78, 6),
    near("azure-service-key", &["AzFu", "AzSe", "+ACR", "+ABa", "+AMC", "ACDb", "AzCa"], r#"(?:^|[^A-Za-z0-9+/])([A-Za-z0-9+/]{33,76}(?:AzFu|AzSe|\+ACR|\+ABa|\+AMC|ACDb|AzCa)[A-Za-z0-9+/]{5,6}={0,2})(?:[^A-Za-z0-9+/=]|$)"#)
        .reach(80, 12)
        .entropy(4.0),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[opr]_v1_[a-f0-9]{64}"),
    token("digitalocean-spaces-key", &["DO00", "DO80"], r"DO[08]0[A-Z0-9]{16,20}"),
    token("alibaba-access-key-id", &["LTAI"], r"LTAI[A-Za-z0-9]{12,26}"),
    assigned("alibaba-secret-key", &["aliyun", "alibaba", "alicloud"], r"[A-Za-z0-9]{30}"),
    token("tencent-secret-id", &["AKID"], r"AKID[A-Za-z0-9]{32}"),
    assigned("tencent-secret-key", &["tencent", "qcloud"], r"[A-Za-z0-9]{32}"),
    assigned("ibm-cloud-key", &["ibm", "bluemix"], r"[A-Za-z0-9_\-]{43}[A-Za-z0-9]"),
    token("yandex-cloud-key", &["AQVN", "YCA", "y0_", "t1.9eu"], r"(?:AQVN[A-Za-z0-9_\-]{35,38}|YC[A-Za-z0-9_\-]{38}|y0_[A-Za-z0-9_\-]{50,60}|t1\.9eu[A-Za-z0-9_\-]{60,200})"),
    assigned("cloudflare-token", &["cloudflare", "cf_api", "cf-api"], r"[A-Za-z0-9_\-]{40}|[0-9a-f]{37}"),
    token("cloudflare-origin-key", &["v1.0-"], r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    token("heroku-token", &["HRKU-"], r"HRKU-[A-Za-z0-9_\-]{36,60}"),
    assigned("heroku-api-key", &["heroku"], r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"),
    long("fly-token", &["fo1_", "fm1r_", "fm1a_", "fm2_"], r"(?:fo1_[A-Za-z0-9_\-]{43}|fm1[ar]_[A-Za-z0-9+/]{100}|fm2_[A-Za-z0-9+/]{100})"),
    token("render-token", &["rnd_"], r"rnd_[A-Za-z0-9]{28,34}"),
    assigned("vercel-token", &["vercel", "zeit"], r"[A-Za-z0-9]{24}"),
    long("vercel-blob-token", &["vercel_blob_rw_"], r"vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{20}"),
    token("netlify-token", &["nfp_", "nfc_", "nfo_"], r"nf[pco]_[A-Za-z0-9]{36}"),
    assigned("linode-token", &["linode"], r"[0-9a-f]{64}"),
    assigned("vultr-key", &["vultr"], r"[A-Z0-9]{36}"),
    assigned("hetzner-token", &["hcloud", "hetzner"], r"[A-Za-z0-9]{64}"),
    assigned("scaleway-secret-key", &["scw_", "scaleway"], r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    token("supabase-key", &["sbp_", "sb_secret_"], r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_\-]{30,40})"),
    long("planetscale-token", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_\-.]{32}"),
    token("neon-api-key", &["napi_"], r"napi_[a-z0-9]{64}"),
    near("terraform-cloud-token", &[".atlasv1."], r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-]{60,70})")
        .reach(14, 80),
    token("pulumi-token", &["pul-"], r"pul-[a-f0-9]{40}"),
    long("vault-token", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_\-]{24}")
        .entropy(3.3),
    assigned("vault-legacy-token", &["vault"], r"s\.[A-Za-z0-9]{24}"),
    token("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_\-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    token("infracost-key", &["ico-"], r"ico-[A-Za-z0-9]{32}"),
    token("akamai-token", &["akab-"], r"akab-[a-z0-9]{16}-[a-z0-9]{16}"),
    assigned("fastly-token", &["fastly"], r"[A-Za-z0-9_\-]{32}"),
    assigned("consul-token", &["consul", "nomad"], r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    near("tailscale-key", &["tskey-"], r"\b(tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{20,40})"),
];
