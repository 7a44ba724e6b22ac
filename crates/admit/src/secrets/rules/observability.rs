//! Monitoring, logs, errors and analytics.

use super::super::rule::{Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    assigned("datadog-key", &["datadog", "dd_api", "dd_app", "dd-api", "dd-app"], r"[0-9a-f]{32}|[0-9a-f]{40}"),
    token(
        "new-relic-key",
        &["NRAK-", "NRIQ-", "NRII-", "NRRA-", "NRAA-"],
        r"NR(?:AK|IQ|II|RA|AA)-[A-Za-z0-9_\-]{27,42}",
    ),
    near("new-relic-license", &["NRAL"], r"\b([a-f0-9]{36}NRAL|eu01xx[a-f0-9]{30}NRAL)\b").reach(38, 4),
    long("sentry-token", &["sntrys_", "sntryu_"], r"(?:sntryu_[a-f0-9]{64}|sntrys_eyJ[A-Za-z0-9+/=_\-]{60})"),
    assigned("sentry-legacy-token", &["sentry"], r"[a-f0-9]{64}"),
    long(
        "grafana-token",
        &["glsa_", "glc_", "eyJrIjoi"],
        r"(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32}|eyJrIjoi[A-Za-z0-9+/]{60})",
    ),
    token("honeycomb-key", &["hcaik_", "hcaic_", "hcbik_", "hcxik_", "hcaij_"], r"hc[abcx]i[ckj]_[a-z0-9]{50,60}"),
    token("dynatrace-token", &["dt0c01.", "dt0s01.", "dt0s02."], r"dt0[cs]0[12]\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    near(
        "splunk-token",
        &["splunk"],
        r"(?i)authorization:\s{0,3}splunk\s{1,3}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
    )
    .reach(24, 60),
    long("elastic-cloud-key", &["essu_"], r"essu_[A-Za-z0-9+/]{40}"),
    near(
        "elastic-api-key",
        &["apikey "],
        r#"(?i)authorization["']?\s{0,3}[:=]\s{0,3}["']?apikey\s{1,3}([a-z0-9+/]{40,120}={0,2})"#,
    )
    .reach(24, 130),
    token("posthog-key", &["phx_", "phs_"], r"ph[xs]_[A-Za-z0-9]{40,60}"),
    token("axiom-token", &["xaat-", "xapt-"], r"xa[ap]t-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    assigned(
        "alerting-token",
        &["pagerduty", "opsgenie", "victorops", "statuspage", "pingdom", "uptimerobot"],
        r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Za-z0-9+_\-]{20}|[0-9a-f]{32}|u[0-9]{5,8}-[0-9a-f]{24}",
    ),
    assigned(
        "error-service-token",
        &[
            "rollbar", "bugsnag", "airbrake", "honeybadger", "raygun", "loggly", "logdna", "papertrail", "sumo",
            "logz", "scalyr", "coralogix", "instana", "appdynamics", "signalfx", "lightstep", "logtail", "betterstack",
        ],
        r"[A-Za-z0-9_\-]{20,100}",
    )
    .entropy(3.3),
    assigned(
        "analytics-secret",
        &["amplitude", "mixpanel", "segment", "heap_", "snowplow", "rudderstack", "braze", "appsflyer", "adjust"],
        r"[A-Za-z0-9]{32,64}",
    )
    .entropy(3.3),
];
