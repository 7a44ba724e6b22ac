//! Values that only the name they are assigned to gives away. How they are told from names, stand-ins and code is in
//! `filters.rs`; how assignments are read in `assign.rs`.

use super::super::rule::{Rule, assigned, coded};

pub(super) const RULES: &[Rule] = &[
    // Services of which no more is known than that a program makes their keys.
    assigned(
        "service-key",
        &[
            "adafruit", "bitbucket", "bitly", "bitrise", "bittrex", "browserstack", "civo", "clickhouse", "clickup",
            "codeclimate", "configcat", "databento", "disqus", "etsy", "finnhub", "flickr", "freshbooks",
            "launchdarkly", "lokalise", "meraki", "netlify", "nytimes", "pubnub", "rapidapi", "recaptcha", "saucelabs",
            "sslmate", "squarespace", "sendinblue", "telegram", "transifex", "tinify", "wakatime", "weatherstack",
            "woocommerce", "yandex", "yelp", "lastfm", "mapbox", "mapquest", "noip", "nessus", "qualys", "artifactory",
            "jfrog", "nexus", "bintray", "discord", "duo_", "jumpcloud", "hashicorp", "grafana", "influx", "kraken",
            "oanda", "planetscale", "pubsub", "rackspace", "stormpath", "stackpath", "tatum", "ubidots", "unsplash",
            "uploadcare", "webflow",
        ],
        r"[A-Za-z0-9_+/\-]{16,128}={0,2}",
    )
    .entropy(3.2),
    coded("quoted-secret"),
    coded("environment-secret"),
    coded("setting-secret"),
    coded("inline-secret"),
    coded("markup-secret"),
    coded("option-secret"),
    coded("byte-array-secret"),
];
