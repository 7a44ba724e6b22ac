//! Clouds, hosters and what runs on them.

use super::super::rule::{Gate, Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    token("aws-access-key-id", &["AKIA", "ASIA", "ABIA", "ACCA"], r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}")
        .entropy(2.5)
        .takes(&["key = «AKIA{v16}»;", r#"{"text":"a\n«ASIA{v16}»"}"#])
        .leaves(&[concat!("AKIA", "IOSFODNN7EXAMPLE"), "AKIAtooshort", "the AKIA prefix"]),
    near(
        "aws-secret-access-key",
        &["secret_access_key", "secretaccesskey", "secret-access-key", "aws_secret_key", "aws_secret"],
        r#"(?i)(?:secret[_-]?access[_-]?key|aws_secret(?:_key)?)["'\]]{0,2}\s{0,5}(?:=>|:=|=|:)\s{0,5}["']?([a-z0-9/+]{40})(?:[^a-z0-9/+=]|$)"#,
    )
    .gate(Gate::Assignment)
    .entropy(3.5)
    .takes(&["aws_secret_access_key = «{b40}»\n", "\"SecretAccessKey\": \"«{b40}»\""])
    .leaves(&[
        concat!("aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        "secret_access_key = your-secret-access-key-goes-here-in-40-ch",
        "secretAccessKey: get('a secret of forty characters or so')",
    ]),
    near(
        "aws-session-token",
        &["session_token", "sessiontoken", "security_token", "x-amz-security-token"],
        r#"(?i)(?:session[_-]?token|security[_-]token)["'\]]{0,2}\s{0,5}[:=]\s{0,5}["']?((?:IQoJ|FwoG|FQoG)[a-z0-9/+=]{80})"#,
    )
    .gate(Gate::Assignment)
    .takes(&["aws_session_token = «IQoJ{b300}»\n"])
    .leaves(&["aws_session_token = <session token>"]),
    token("aws-mws-token", &["amzn.mws."], r"amzn\.mws\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
        .takes(&["MWS «amzn.mws.{x8}-{x4}-{x4}-{x4}-{x12}»"])
        .leaves(&["amzn.mws.token"]),
    long("aws-bedrock-key", &["ABSK"], r"ABSK[A-Za-z0-9+/]{100}")
        .takes(&["bedrock «ABSK{b120}=»"])
        .leaves(&["ABSKETCH of it", "ABSKabcd1234"]),
    token("google-api-key", &["AIza"], r"AIza[A-Za-z0-9_\-]{35}")
        .takes(&["?key=«AIza{y34}x»&x=1"])
        .leaves(&["AIzaShort", concat!("AIza", "SyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX")]),
    token("google-oauth-client-secret", &["GOCSPX-"], r"GOCSPX-[A-Za-z0-9_\-]{28}")
        .takes(&["client «GOCSPX-{y27}x»."])
        .leaves(&["GOCSPX-", "GOCSPX-your-client-secret-goes-here"]),
    long("google-oauth-token", &["ya29."], r"ya29\.[A-Za-z0-9_\-]{40}")
        .takes(&["Bearer «ya29.{y120}» x"])
        .leaves(&["ya29.short", "ya29.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]),
    long("google-refresh-token", &["1//0"], r"1//0[A-Za-z0-9_\-]{2}[A-Za-z0-9_\-]{38}")
        .entropy(3.5)
        .takes(&["refresh: «1//0g{y60}» x"])
        .leaves(&["1//0 is a comment", "x = 1//0987"]),
    near("firebase-messaging-key", &[":APA91b"], r"\b(AAAA[A-Za-z0-9_\-]{7}:APA91b[A-Za-z0-9_\-]{134})")
        .reach(12, 160)
        .takes(&["fcm «AAAA{y7}:APA91b{y134}» x"])
        .leaves(&["token:APA91bShort"]),
    near("azure-storage-key", &["accountkey="], r"(?i)AccountKey=([a-z0-9+/]{86}==)")
        .entropy(3.5)
        .takes(&["AccountName=x;AccountKey=«{b86}==»;EndpointSuffix=y"])
        .leaves(&["AccountKey=<account-key>;"]),
    near("azure-shared-access-key", &["sharedaccesskey=", "sharedsecret=", ";accesskey="], r"(?i)(?:SharedAccessKey|SharedSecret|AccessKey)=([a-z0-9+/]{43}=)")
        .takes(&["Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=R;SharedAccessKey=«{b43}=»"])
        .leaves(&["SharedAccessKey=<key>;", "SharedAccessKey={key}"]),
    near("azure-sas-signature", &["sig="], r"[?&]sig=([A-Za-z0-9%]{40,80}%3D)")
        .reach(1, 120)
        .entropy(3.5)
        .takes(&["https://x.blob.core.windows.net/c?sv=2020&sig=«{w38}%2B{w4}%3D»"])
        .leaves(&["?sig=abc", "&sig=<signature>"]),
    near("azure-client-secret", &["Q~"], r#"(?:^|[^A-Za-z0-9_~.\-])([A-Za-z0-9_~.\-]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31,34})(?:[^A-Za-z0-9_~.\-]|$)"#)
        .reach(6, 42)
        .takes(&["AZURE = '«{w3}8Q~{w34}»'"])
        .leaves(&["a8Q~b", "IRQ~ masks"]),
    near("azure-devops-token", &["AZDO"], r"\b([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})\b")
        .reach(78, 6)
        .takes(&["pat «{w76}AZDO{w4}» x"])
        .leaves(&["AZDO_ORG", "the AZDO1234 pipeline"]),
    near("azure-service-key", &["AzFu", "AzSe", "+ACR", "+ABa", "+AMC", "ACDb", "AzCa"], r#"(?:^|[^A-Za-z0-9+/])([A-Za-z0-9+/]{33,76}(?:AzFu|AzSe|\+ACR|\+ABa|\+AMC|ACDb|AzCa)[A-Za-z0-9+/]{5,6}={0,2})(?:[^A-Za-z0-9+/=]|$)"#)
        .reach(80, 12)
        .entropy(4.0)
        .takes(&["code=\"«{w44}AzFu{w6}==»\""])
        .leaves(&["AzFunctions", "the AzSearch index"]),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[opr]_v1_[a-f0-9]{64}")
        .takes(&["do: «dop_v1_{x64}»"])
        .leaves(&["dop_v1_short"]),
    token("digitalocean-spaces-key", &["DO00", "DO80"], r"DO[08]0[A-Z0-9]{16,20}")
        .takes(&["key «DO00{u16}» x"])
        .leaves(&["DO00-1"]),
    token("alibaba-access-key-id", &["LTAI"], r"LTAI[A-Za-z0-9]{12,26}")
        .takes(&["id «LTAI5t{w18}» x"])
        .leaves(&["LTAI", "LTAIN is a word"]),
    assigned("alibaba-secret-key", &["aliyun", "alibaba", "alicloud"], r"[A-Za-z0-9]{30}")
        .takes(&["ALIYUN_ACCESS_KEY_SECRET=«{w30}»\n"])
        .leaves(&["aliyun_secret_name = \"production\""]),
    token("tencent-secret-id", &["AKID"], r"AKID[A-Za-z0-9]{32}")
        .takes(&["id «AKID{w32}» x"])
        .leaves(&["AKID", "AKIDxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]),
    assigned("tencent-secret-key", &["tencent", "qcloud"], r"[A-Za-z0-9]{32}")
        .takes(&["tencent_secret_key: \"«{w32}»\""])
        .leaves(&["tencent_secret_key: \"$KEY\""]),
    assigned("ibm-cloud-key", &["ibm", "bluemix"], r"[A-Za-z0-9_\-]{43}[A-Za-z0-9]")
        .takes(&["IBM_CLOUD_API_KEY=«{w44}»\n"])
        .leaves(&["ibm_key_name = \"one\""]),
    token("yandex-cloud-key", &["AQVN", "YCA", "y0_", "t1.9eu"], r"(?:AQVN[A-Za-z0-9_\-]{35,38}|YC[A-Za-z0-9_\-]{38}|y0_[A-Za-z0-9_\-]{50,60}|t1\.9eu[A-Za-z0-9_\-]{60,200})")
        .takes(&["yc «AQVN{w36}» x"])
        .leaves(&["YCAT is short", "AQVN..."]),
    assigned("cloudflare-token", &["cloudflare", "cf_api", "cf-api"], r"[A-Za-z0-9_\-]{40}|[0-9a-f]{37}")
        .takes(&["CLOUDFLARE_API_TOKEN=«{w40}»\n", "cloudflare_api_key: \"«{x37}»\""])
        .leaves(&["CLOUDFLARE_API_TOKEN=${TOKEN}"]),
    token("cloudflare-origin-key", &["v1.0-"], r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}")
        .takes(&["ca «v1.0-{x24}-{x146}» x"])
        .leaves(&["v1.0-rc1-amd64-linux"]),
    token("heroku-token", &["HRKU-"], r"HRKU-[A-Za-z0-9_\-]{36,60}")
        .takes(&["heroku «HRKU-AA{w58}» x"])
        .leaves(&["HRKU-short"]),
    assigned("heroku-api-key", &["heroku"], r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
        .takes(&["HEROKU_API_KEY=«{x8}-{x4}-{x4}-{x4}-{x12}»\n"])
        .leaves(&["heroku_app_id = \"{x8}-{x4}-{x4}-{x4}-{x12}\""]),
    long("fly-token", &["fo1_", "fm1r_", "fm1a_", "fm2_"], r"(?:fo1_[A-Za-z0-9_\-]{43}|fm1[ar]_[A-Za-z0-9+/]{100}|fm2_[A-Za-z0-9+/]{100})")
        .takes(&["FLY «fm2_{b200}» x", "FLY «fo1_{w43}» x"])
        .leaves(&["fo1_short_name", "fm2_"]),
    token("render-token", &["rnd_"], r"rnd_[A-Za-z0-9]{28,34}")
        .takes(&["render «rnd_{w32}» x"])
        .leaves(&["rnd_seed", "rnd_number_generator_state_function"]),
    assigned("vercel-token", &["vercel", "zeit"], r"[A-Za-z0-9]{24}")
        .takes(&["VERCEL_TOKEN=«{w24}»\n"])
        .leaves(&["vercel_token_name = \"deploy\""]),
    long("vercel-blob-token", &["vercel_blob_rw_"], r"vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{20}")
        .takes(&["x «vercel_blob_rw_{w16}_{w30}» y"])
        .leaves(&["vercel_blob_rw_..."]),
    token("netlify-token", &["nfp_", "nfc_", "nfo_"], r"nf[pco]_[A-Za-z0-9]{36}")
        .takes(&["netlify «nfp_{w36}» x"])
        .leaves(&["nfp_short"]),
    assigned("linode-token", &["linode"], r"[0-9a-f]{64}")
        .takes(&["LINODE_TOKEN: \"«{x64}»\""])
        .leaves(&["linode_image_digest = \"{x64}\""]),
    assigned("vultr-key", &["vultr"], r"[A-Z0-9]{36}")
        .takes(&["VULTR_API_KEY=«{u36}»\n"])
        .leaves(&["VULTR_API_KEY=$KEY"]),
    assigned("hetzner-token", &["hcloud", "hetzner"], r"[A-Za-z0-9]{64}")
        .takes(&["HCLOUD_TOKEN=«{w64}»\n"])
        .leaves(&["HCLOUD_TOKEN=<token>"]),
    assigned("scaleway-secret-key", &["scw_", "scaleway"], r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
        .takes(&["SCW_SECRET_KEY=«{x8}-{x4}-{x4}-{x4}-{x12}»\n"])
        .leaves(&["SCW_DEFAULT_PROJECT_ID={x8}-{x4}-{x4}-{x4}-{x12}"]),
    token("supabase-key", &["sbp_", "sb_secret_"], r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_\-]{30,40})")
        .takes(&["supabase «sbp_{x40}» x", "supabase «sb_secret_{w31}» x"])
        .leaves(&["sbp_short", "sb_secret_your_key_goes_here_0123456789"]),
    long("planetscale-token", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_\-.]{32}")
        .takes(&["ps «pscale_pw_{w43}» x"])
        .leaves(&["pscale_pw_short"]),
    token("neon-api-key", &["napi_"], r"napi_[a-z0-9]{64}")
        .takes(&["neon «napi_{l64}» x"])
        .leaves(&["napi_create_function", "napi_get_value_string_utf8_with_long_names"]),
    near("terraform-cloud-token", &[".atlasv1."], r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-]{60,70})")
        .reach(14, 80)
        .takes(&["token = \"«{w14}.atlasv1.{w67}»\""])
        .leaves(&["x.atlasv1.short"]),
    token("pulumi-token", &["pul-"], r"pul-[a-f0-9]{40}").takes(&["pulumi «pul-{x40}» x"]).leaves(&["pul-request"]),
    long("vault-token", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_\-]{24}")
        .entropy(3.3)
        .takes(&["X-Vault: «hvs.CAESI{y90}x»"])
        .leaves(&["hvs.example-of-a-long-vault-token"]),
    assigned("vault-legacy-token", &["vault"], r"s\.[A-Za-z0-9]{24}")
        .takes(&["VAULT_TOKEN=«s.{w24}»\n"])
        .leaves(&["vault_token_path = \"s.secretdata\""]),
    token("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_\-]{2,35}\.)?[A-Za-z0-9]{40,44}")
        .takes(&["doppler «dp.pt.{w43}» x"])
        .leaves(&["dp.pt.x", "dp.st.config.name"]),
    token("infracost-key", &["ico-"], r"ico-[A-Za-z0-9]{32}").takes(&["key «ico-{w32}» x"]).leaves(&["ico-download"]),
    token("akamai-token", &["akab-"], r"akab-[a-z0-9]{16}-[a-z0-9]{16}")
        .takes(&["access_token = «akab-{l16}-{l16}»\n"])
        .leaves(&["akab-host"]),
    assigned("fastly-token", &["fastly"], r"[A-Za-z0-9_\-]{32}")
        .takes(&["FASTLY_API_TOKEN=«{w32}»\n"])
        .leaves(&["fastly_key_name = \"edge\""]),
    assigned("consul-token", &["consul", "nomad"], r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
        .takes(&["CONSUL_HTTP_TOKEN=«{x8}-{x4}-{x4}-{x4}-{x12}»\n"])
        .leaves(&["consul_node_id = \"{x8}-{x4}-{x4}-{x4}-{x12}\""]),
    near("tailscale-key", &["tskey-"], r"\b(tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{20,40})")
        .takes(&["ts «tskey-auth-{w12}CNTRL-{w32}» x"])
        .leaves(&["tskey-auth-<key>", "tskey-abc"]),
];
