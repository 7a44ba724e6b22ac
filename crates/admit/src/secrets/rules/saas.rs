//! Everything people rent: documents, tasks, designs, identities, maps.

use super::super::rule::{Doubt, Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    token("notion-token", &["ntn_", "secret_"], r"(?:ntn_[0-9]{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})")
        .entropy(3.6)
        .takes(&["n «secret_{w43}» x", "n «ntn_{d11}{w35}» x"])
        .leaves(&["secret_key_base", "ntn_x", "secret_manager_service_account_name_of_the_app"]),
    token("airtable-token", &["pat"], r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}")
        .takes(&["a «pat{w14}.{x64}» x"])
        .leaves(&["path.to.it", "pattern.a"]),
    assigned("airtable-key", &["airtable"], r"key[A-Za-z0-9]{14}")
        .takes(&["AIRTABLE_API_KEY=«key{w14}»\n"])
        .leaves(&["AIRTABLE_API_KEY=key"]),
    token("linear-api-key", &["lin_api_", "lin_oauth_"], r"lin_(?:api_[A-Za-z0-9]{40}|oauth_[a-f0-9]{64})")
        .takes(&["«lin_api_{w40}»"])
        .leaves(&["lin_api_version"]),
    token("asana-token", &["1/", "0/", "2/"], r"[012]/[0-9]{14,18}(?:/[0-9]{14,18})?:[0-9a-f]{32}")
        .takes(&["asana «1/12{d13}:{x32}» x"])
        .leaves(&["1/2", "0/100"]),
    assigned("asana-secret", &["asana"], r"[a-z0-9]{32}")
        .takes(&["ASANA_CLIENT_SECRET=«{l32}»\n"])
        .leaves(&["ASANA_CLIENT_SECRET=$S"]),
    token("clickup-token", &["pk_"], r"pk_[0-9]{6,10}_[A-Z0-9]{32}")
        .takes(&["c «pk_{d8}_{u32}» x"])
        .leaves(&["pk_live_{w24}", "pk_column"]),
    long("figma-token", &["figd_", "figdr_", "figo_", "figor_", "figu_", "figur_"], r"fig[duo]r?_[A-Za-z0-9_\-]{36}")
        .doubt(Doubt::Name)
        .takes(&["f «figd_{y39}x» x"])
        .leaves(&["figd_", "figu_re_with_a_long_name_that_is_not_a_key_at_all"]),
    long("dropbox-token", &["sl."], r"sl\.(?:u\.)?[A-Za-z0-9_\-]{100}")
        .takes(&["d «sl.B{y130}x» x"])
        .leaves(&["sl.po", "sl.length"]),
    assigned("dropbox-secret", &["dropbox", "box_"], r"[a-z0-9]{15}|[A-Za-z0-9]{32}")
        .entropy(3.2)
        .takes(&["DROPBOX_APP_SECRET=«{l15}»\n"])
        .leaves(&["DROPBOX_APP_SECRET=$S", "box_token = \"bounding\""]),
    token("contentful-token", &["CFPAT-"], r"CFPAT-[A-Za-z0-9_\-]{43}")
        .takes(&["c «CFPAT-{w43}» x"])
        .leaves(&["CFPAT-x"]),
    assigned(
        "content-service-token",
        &[
            "contentful",
            "sanity",
            "prismic",
            "storyblok",
            "strapi",
            "algolia",
            "cloudinary",
            "imgix",
            "typesense",
            "meili",
        ],
        r"[A-Za-z0-9_\-]{24,180}",
    )
    .entropy(3.3)
    .takes(&["ALGOLIA_ADMIN_KEY=«{x32}»\n", "cloudinary_api_secret: \"«{w27}»\""])
    .leaves(&["ALGOLIA_ADMIN_KEY=your-admin-key-from-the-dashboard"]),
    long("mapbox-secret-token", &["sk.eyJ", "tk.eyJ"], r"[st]k\.eyJ[A-Za-z0-9_\-]{30,250}\.[A-Za-z0-9_\-]{20}")
        .takes(&["m «sk.eyJ1{y80}.{y21}x» x"])
        .leaves(&["pk.eyJ1{y60}", "sk.eyJ..."]),
    assigned("okta-token", &["okta"], r"00[A-Za-z0-9_\-]{40}")
        .takes(&["OKTA_API_TOKEN=«00{w40}»\n"])
        .leaves(&["okta_domain_key = \"dev\""]),
    assigned(
        "identity-client-secret",
        &[
            "auth0",
            "okta",
            "keycloak",
            "cognito",
            "onelogin",
            "oidc",
            "oauth",
            "clerk",
            "stytch",
            "descope",
            "fusionauth",
        ],
        r"[A-Za-z0-9_~.\-]{24,100}",
    )
    .entropy(3.6)
    .takes(&["AUTH0_CLIENT_SECRET=«{y63}x»\n", "keycloak.credentials.secret=«{x8}-{x4}-{x4}-{x4}-{x12}»\n"])
    .leaves(&[
        "AUTH0_CLIENT_SECRET=${SECRET}",
        "oauth_token_endpoint = \"https://login.acme.io/token\"",
        "oidc.token.claim = \"preferred-username-of-the-user\"",
    ]),
    token("typeform-token", &["tfp_"], r"tfp_[A-Za-z0-9_\-.=]{40,60}")
        .takes(&["t «tfp_{w44}» x"])
        .leaves(&["tfp_layers"]),
    token(
        "hubspot-token",
        &["pat-na", "pat-eu", "pat-ap"],
        r"pat-(?:na|eu|ap)[0-9]-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    )
    .takes(&["h «pat-na1-{x8}-{x4}-{x4}-{x4}-{x12}» x"])
    .leaves(&["pat-na1-x"]),
    long("salesforce-token", &["00D"], r"00D[A-Za-z0-9]{12,15}![A-Za-z0-9_.]{60}")
        .takes(&["s «00D{w12}!{w96}» x"])
        .leaves(&["00Dxx"]),
    near("zapier-webhook", &["hooks.zapier.com/"], r"hooks\.zapier\.com/hooks/catch/([0-9]{5,10}/[A-Za-z0-9]{6,8})\b")
        .takes(&["https://hooks.zapier.com/hooks/catch/«{d7}/{l7}»"])
        .leaves(&["https://hooks.zapier.com/hooks/catch/ID/KEY/"]),
    near(
        "ifttt-webhook",
        &["maker.ifttt.com/"],
        r"maker\.ifttt\.com/trigger/[A-Za-z0-9_\-]{1,64}/(?:json/)?with/key/([A-Za-z0-9_\-]{20,48})",
    )
    .takes(&["https://maker.ifttt.com/trigger/door/with/key/«{w43}»"])
    .leaves(&["https://maker.ifttt.com/trigger/door/with/key/{key}"]),
    token("zoho-token", &["1000."], r"1000\.[0-9a-f]{32}\.[0-9a-f]{32}")
        .takes(&["z «1000.{x32}.{x32}» x"])
        .leaves(&["1000.50"]),
    token("trello-token", &["ATTA"], r"ATTA[a-f0-9]{60,72}").takes(&["t «ATTA{x72}» x"]).leaves(&["ATTACH it"]),
    assigned(
        "task-service-token",
        &[
            "trello",
            "todoist",
            "pipedrive",
            "monday",
            "basecamp",
            "wrike",
            "smartsheet",
            "harvest",
            "toggl",
            "clockify",
            "hubspot",
            "activecampaign",
            "calendly",
            "eventbrite",
            "surveymonkey",
            "salesforce",
            "zoho",
            "xero",
            "quickbooks",
        ],
        r"[A-Za-z0-9_\-]{32,80}",
    )
    .entropy(3.3)
    .takes(&["TRELLO_TOKEN=«{x64}»\n", "todoist_api_token = \"«{x40}»\""])
    .leaves(&["TRELLO_TOKEN=$TOKEN"]),
    token("readme-key", &["rdme_"], r"rdme_[a-z0-9]{70}").takes(&["r «rdme_{l70}» x"]).leaves(&["rdme_x"]),
    near("rapidapi-key", &["msh"], r"\b([a-f0-9]{10}msh[a-f0-9]{15}p1[a-f0-9]{5}jsn[a-f0-9]{12})\b")
        .reach(11, 40)
        .takes(&["X-RapidAPI-Key: «{x10}msh{x15}p1{x5}jsn{x12}»"])
        .leaves(&["meshes", "mshtml"]),
    token("frameio-token", &["fio-u-"], r"fio-u-[A-Za-z0-9_\-=]{64}")
        .takes(&["f «fio-u-{w64}» x"])
        .leaves(&["fio-u-x"]),
    near("maxmind-key", &["_mmk"], r"\b([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b")
        .reach(37, 4)
        .takes(&["m «{w6}_{w29}_mmk» x"])
        .leaves(&["x_mmk"]),
    assigned("ngrok-token", &["ngrok"], r"[A-Za-z0-9]{20,30}_[A-Za-z0-9]{15,25}|ak_[A-Za-z0-9]{27}")
        .takes(&["NGROK_AUTHTOKEN=«2{w26}_{w21}»\n"])
        .leaves(&["NGROK_AUTHTOKEN=<token>"]),
    assigned(
        "threat-service-key",
        &[
            "virustotal",
            "shodan",
            "censys",
            "abuseipdb",
            "greynoise",
            "securitytrails",
            "urlscan",
            "hunter_",
            "alienvault",
        ],
        r"[A-Za-z0-9_\-]{32,80}",
    )
    .entropy(3.2)
    .takes(&["VIRUSTOTAL_API_KEY=«{x64}»\n", "shodan_api_key = \"«{w32}»\""])
    .leaves(&["VIRUSTOTAL_API_KEY=$KEY"]),
    assigned(
        "map-service-key",
        &[
            "openweather",
            "weather",
            "tomtom",
            "geocod",
            "ipinfo",
            "ipstack",
            "maptiler",
            "locationiq",
            "opencage",
            "giphy",
            "newsapi",
            "omdb",
            "tmdb",
            "alphavantage",
            "etherscan",
            "infura",
            "alchemy",
            "moralis",
        ],
        r"[A-Za-z0-9_\-]{14,64}",
    )
    .entropy(3.2)
    .takes(&["OPENWEATHER_API_KEY=«{x32}»\n", "infuraApiKey: '«{x32}»'"])
    .leaves(&[
        "OPENWEATHER_API_KEY=$KEY",
        "weather_key = \"temperature-humidity\"",
        "weather_api_key = \"your_openweather_key\"",
    ]),
    near(
        "infura-project",
        &[".infura.io/", ".alchemy.com/", ".alchemyapi.io/", ".quiknode.pro/"],
        r"\.(?:infura\.io/(?:ws/)?v3|alchemy(?:api)?\.(?:com|io)/v2|quiknode\.pro)/([A-Za-z0-9_\-]{32,64})",
    )
    .takes(&["https://mainnet.infura.io/v3/«{x32}»", "https://eth-mainnet.g.alchemy.com/v2/«{w32}»"])
    .leaves(&["https://mainnet.infura.io/v3/YOUR-PROJECT-ID"]),
];
