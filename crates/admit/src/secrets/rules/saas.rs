//! Everything people rent: documents, tasks, designs, identities, maps.

use super::super::rule::{Doubt, Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    token("notion-token", &["ntn_", "secret_"], r"(?:ntn_[0-9]{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})")
        .entropy(3.6),
    token("airtable-token", &["pat"], r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}").fixed(17, b'.'),
    assigned("airtable-key", &["airtable"], r"key[A-Za-z0-9]{14}"),
    token("linear-api-key", &["lin_api_", "lin_oauth_"], r"lin_(?:api_[A-Za-z0-9]{40}|oauth_[a-f0-9]{64})"),
    token("asana-token", &["1/", "0/", "2/"], r"[012]/[0-9]{14,18}(?:/[0-9]{14,18})?:[0-9a-f]{32}"),
    assigned("asana-secret", &["asana"], r"[a-z0-9]{32}"),
    token("clickup-token", &["pk_"], r"pk_[0-9]{6,10}_[A-Z0-9]{32}"),
    long("figma-token", &["figd_", "figdr_", "figo_", "figor_", "figu_", "figur_"], r"fig[duo]r?_[A-Za-z0-9_\-]{36}")
        .doubt(Doubt::Name),
    long("dropbox-token", &["sl."], r"sl\.(?:u\.)?[A-Za-z0-9_\-]{100}"),
    assigned("dropbox-secret", &["dropbox", "box_"], r"[a-z0-9]{15}|[A-Za-z0-9]{32}").entropy(3.2),
    token("contentful-token", &["CFPAT-"], r"CFPAT-[A-Za-z0-9_\-]{43}"),
    assigned(
        "content-service-token",
        &[
            "contentful", "sanity", "prismic", "storyblok", "strapi", "algolia", "cloudinary", "imgix", "typesense",
            "meili",
        ],
        r"[A-Za-z0-9_\-]{24,180}",
    )
    .entropy(3.3),
    long("mapbox-secret-token", &["sk.eyJ", "tk.eyJ"], r"[st]k\.eyJ[A-Za-z0-9_\-]{30,250}\.[A-Za-z0-9_\-]{20}"),
    assigned("okta-token", &["okta"], r"00[A-Za-z0-9_\-]{40}"),
    near("ssws-header", &["ssws "], r"(?i)\bssws\s{1,3}(00[a-z0-9_\-]{40})").reach(1, 60),
    assigned(
        "identity-client-secret",
        &[
            "auth0", "okta", "keycloak", "cognito", "onelogin", "oidc", "oauth", "clerk", "stytch", "descope",
            "fusionauth",
        ],
        r"[A-Za-z0-9_~.\-]{24,100}",
    )
    .entropy(3.6),
    token("typeform-token", &["tfp_"], r"tfp_[A-Za-z0-9_\-.=]{40,60}"),
    token(
        "hubspot-token",
        &["pat-na", "pat-eu", "pat-ap"],
        r"pat-(?:na|eu|ap)[0-9]-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    long("salesforce-token", &["00D"], r"00D[A-Za-z0-9]{12,15}![A-Za-z0-9_.]{60}"),
    near("zapier-webhook", &["hooks.zapier.com/"], r"hooks\.zapier\.com/hooks/catch/([0-9]{5,10}/[A-Za-z0-9]{6,8})\b"),
    near(
        "ifttt-webhook",
        &["maker.ifttt.com/"],
        r"maker\.ifttt\.com/trigger/[A-Za-z0-9_\-]{1,64}/(?:json/)?with/key/([A-Za-z0-9_\-]{20,48})",
    ),
    token("zoho-token", &["1000."], r"1000\.[0-9a-f]{32}\.[0-9a-f]{32}"),
    token("trello-token", &["ATTA"], r"ATTA[a-f0-9]{60,72}"),
    assigned(
        "task-service-token",
        &[
            "trello", "todoist", "pipedrive", "monday", "basecamp", "wrike", "smartsheet", "harvest", "toggl",
            "clockify", "hubspot", "activecampaign", "calendly", "eventbrite", "surveymonkey", "salesforce", "zoho",
            "xero", "quickbooks",
        ],
        r"[A-Za-z0-9_\-]{32,80}",
    )
    .entropy(3.3),
    token("readme-key", &["rdme_"], r"rdme_[a-z0-9]{70}"),
    near("rapidapi-key", &["msh"], r"\b([a-f0-9]{10}msh[a-f0-9]{15}p1[a-f0-9]{5}jsn[a-f0-9]{12})\b").reach(11, 40),
    token("frameio-token", &["fio-u-"], r"fio-u-[A-Za-z0-9_\-=]{64}"),
    near("maxmind-key", &["_mmk"], r"\b([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b").reach(37, 4),
    assigned("ngrok-token", &["ngrok"], r"[A-Za-z0-9]{20,30}_[A-Za-z0-9]{15,25}|ak_[A-Za-z0-9]{27}"),
    assigned(
        "threat-service-key",
        &[
            "virustotal", "shodan", "censys", "abuseipdb", "greynoise", "securitytrails", "urlscan", "hunter_",
            "alienvault",
        ],
        r"[A-Za-z0-9_\-]{32,80}",
    )
    .entropy(3.2),
    assigned(
        "map-service-key",
        &[
            "openweather", "weather", "tomtom", "geocod", "ipinfo", "ipstack", "maptiler", "locationiq", "opencage",
            "giphy", "newsapi", "omdb", "tmdb", "alphavantage", "etherscan", "infura", "alchemy", "moralis",
        ],
        r"[A-Za-z0-9_\-]{14,64}",
    )
    .entropy(3.2),
    near(
        "infura-project",
        &[".infura.io/", ".alchemy.com/", ".alchemyapi.io/", ".quiknode.pro/"],
        r"\.(?:infura\.io/(?:ws/)?v3|alchemy(?:api)?\.(?:com|io)/v2|quiknode\.pro)/([A-Za-z0-9_\-]{32,64})",
    ),
];
