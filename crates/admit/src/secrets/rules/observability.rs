//! Monitoring, logs, errors and analytics.

use super::super::rule::{Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    assigned("datadog-key", &["datadog", "dd_api", "dd_app", "dd-api", "dd-app"], r"[0-9a-f]{32}|[0-9a-f]{40}")
        .takes(&["DD_API_KEY=«{x32}»\n", "datadog_app_key: \"«{x40}»\""])
        .leaves(&["DD_API_KEY=<key>", "datadog_checksum = \"{x32}\""]),
    token(
        "new-relic-key",
        &["NRAK-", "NRIQ-", "NRII-", "NRRA-", "NRAA-"],
        r"NR(?:AK|IQ|II|RA|AA)-[A-Za-z0-9_\-]{27,42}",
    )
    .takes(&["nr «NRAK-{u27}» x"])
    .leaves(&["NRAK-short"]),
    near("new-relic-license", &["NRAL"], r"\b([a-f0-9]{36}NRAL|eu01xx[a-f0-9]{30}NRAL)\b")
        .reach(38, 4)
        .takes(&["license_key: '«{x36}NRAL»'"])
        .leaves(&["license_key: NRAL"]),
    long("sentry-token", &["sntrys_", "sntryu_"], r"(?:sntryu_[a-f0-9]{64}|sntrys_eyJ[A-Za-z0-9+/=_\-]{60})")
        .takes(&["s «sntryu_{x64}» x", "s «sntrys_eyJ{b120}» x"])
        .leaves(&["sntrys_..."]),
    assigned("sentry-legacy-token", &["sentry"], r"[a-f0-9]{64}")
        .takes(&["SENTRY_AUTH_TOKEN=«{x64}»\n"])
        .leaves(&["sentry_release = \"{x64}\"", "SENTRY_DSN=https://{x32}@o1.ingest.sentry.io/2"]),
    long(
        "grafana-token",
        &["glsa_", "glc_", "eyJrIjoi"],
        r"(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32}|eyJrIjoi[A-Za-z0-9+/]{60})",
    )
    .takes(&["g «glsa_{w32}_{x8}» x", "g «glc_{w64}==» x", "g «eyJrIjoi{w90}» x"])
    .leaves(&["glsa_x", "glc_config_directory"]),
    token("honeycomb-key", &["hcaik_", "hcaic_", "hcbik_", "hcxik_", "hcaij_"], r"hc[abcx]i[ckj]_[a-z0-9]{50,60}")
        .takes(&["h «hcaik_{l58}» x"])
        .leaves(&["hcaik_x"]),
    token("dynatrace-token", &["dt0c01.", "dt0s01.", "dt0s02."], r"dt0[cs]0[12]\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}")
        .takes(&["d «dt0c01.{v24}.{v64}» x"])
        .leaves(&["dt0c01.sample.token"]),
    near(
        "splunk-token",
        &["splunk"],
        r"(?i)authorization:\s{0,3}splunk\s{1,3}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
    )
    .reach(24, 60)
    .takes(&["-H 'Authorization: Splunk «{x8}-{x4}-{x4}-{x4}-{x12}»'"])
    .leaves(&["Authorization: Splunk <token>"]),
    long("elastic-cloud-key", &["essu_"], r"essu_[A-Za-z0-9+/]{40}")
        .takes(&["e «essu_{b100}==» x"])
        .leaves(&["essu_x"]),
    near(
        "elastic-api-key",
        &["apikey "],
        r#"(?i)authorization["']?\s{0,3}[:=]\s{0,3}["']?apikey\s{1,3}([a-z0-9+/]{40,120}={0,2})"#,
    )
    .reach(24, 130)
    .takes(&["Authorization: ApiKey «{b60}==»\n"])
    .leaves(&["Authorization: ApiKey <base64>"]),
    token("posthog-key", &["phx_", "phs_"], r"ph[xs]_[A-Za-z0-9]{40,60}")
        .takes(&["p «phx_{w43}» x"])
        .leaves(&["phx_new", "phc_{w43}"]),
    token("axiom-token", &["xaat-", "xapt-"], r"xa[ap]t-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
        .takes(&["a «xaat-{x8}-{x4}-{x4}-{x4}-{x12}» x"])
        .leaves(&["xaat-token"]),
    assigned(
        "alerting-token",
        &["pagerduty", "opsgenie", "victorops", "statuspage", "pingdom", "uptimerobot"],
        r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Za-z0-9+_\-]{20}|[0-9a-f]{32}|u[0-9]{5,8}-[0-9a-f]{24}",
    )
    .takes(&["PAGERDUTY_API_TOKEN=«u+{w18}»\n", "opsgenie_api_key: \"«{x8}-{x4}-{x4}-{x4}-{x12}»\""])
    .leaves(&["PAGERDUTY_API_TOKEN=${TOKEN}"]),
    assigned(
        "error-service-token",
        &[
            "rollbar",
            "bugsnag",
            "airbrake",
            "honeybadger",
            "raygun",
            "loggly",
            "logdna",
            "papertrail",
            "sumo",
            "logz",
            "scalyr",
            "coralogix",
            "instana",
            "appdynamics",
            "signalfx",
            "lightstep",
            "logtail",
            "betterstack",
        ],
        r"[A-Za-z0-9_\-]{20,100}",
    )
    .entropy(3.3)
    .takes(&["ROLLBAR_ACCESS_TOKEN=«{x32}»\n", "loggly_token = \"«{x8}-{x4}-{x4}-{x4}-{x12}»\""])
    .leaves(&["ROLLBAR_ACCESS_TOKEN=$TOKEN"]),
    assigned(
        "analytics-secret",
        &["amplitude", "mixpanel", "segment", "heap_", "snowplow", "rudderstack", "braze", "appsflyer", "adjust"],
        r"[A-Za-z0-9]{32,64}",
    )
    .entropy(3.3)
    .takes(&["MIXPANEL_API_SECRET=«{x32}»\n"])
    .leaves(&["segment_key_count = \"12\"", "MIXPANEL_API_SECRET=$SECRET"]),
];
