//! Where code is kept, built, tested and shipped.

use super::super::rule::{Doubt, Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    token("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[A-Za-z0-9]{36,255}")
        .takes(&["token «ghp_{w36}» end", "https://«gho_{w36}»@github.com/a/b"])
        .leaves(&["ghp_short", concat!("ghp_", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")]),
    token("github-fine-grained-token", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{60,255}")
        .takes(&["`«github_pat_11{u9}0{w10}_{w59}»`"])
        .leaves(&["github_pat_ is the prefix", "github_pat_tooshort1234"]),
    long(
        "gitlab-token",
        &[
            "glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-", "glft-", "glimt-", "glagent-", "gloas-",
            "glffct-",
        ],
        r"gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent|oas|ffct)-[A-Za-z0-9_\-]{20}",
    )
    .takes(&["--token «glpat-{w20}»", "x «glrt-t1_{w24}» y"])
    .leaves(&["glpat-short", "glpat-your-token-goes-here"]),
    token("gitlab-runner-token", &["GR1348941"], r"GR1348941[A-Za-z0-9_\-]{20}")
        .takes(&["--registration-token «GR1348941{w20}»\n"])
        .leaves(&["GR1348941"]),
    token("bitbucket-app-password", &["ATBB"], r"ATBB[A-Za-z0-9]{32}")
        .takes(&["https://bob@x «ATBB{w32}» y"])
        .leaves(&["ATBB..."]),
    long("atlassian-token", &["ATATT3", "ATCTT3", "ATSTT3"], r"AT[ACS]TT3[A-Za-z0-9_\-=]{100}")
        .takes(&["jira «ATATT3xFfGF0{y170}={X8}» y"])
        .leaves(&["ATATT3xFfGF0..."]),
    assigned("atlassian-legacy-token", &["jira", "confluence", "atlassian"], r"[A-Za-z0-9]{24}")
        .takes(&["JIRA_API_TOKEN=«{w24}»\n"])
        .leaves(&["jira_token_name = \"build\""]),
    assigned("gitea-token", &["gitea", "forgejo", "gogs", "codeberg"], r"[0-9a-f]{40}")
        .takes(&["GITEA_TOKEN=«{x40}»\n"])
        .leaves(&["gitea_commit = \"{x40}\""]),
    token("sourcegraph-token", &["sgp_"], r"sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}")
        .takes(&["src «sgp_{x16}_{x40}» x"])
        .leaves(&["sgp_local"]),
    long("circleci-token", &["CCIPAT_", "CCIPRJ_"], r"CCIP(?:AT|RJ)_[A-Za-z0-9]{16,24}_[a-f0-9]{40}")
        .takes(&["ci «CCIPAT_{w22}_{x40}» x"])
        .leaves(&["CCIPAT_short"]),
    assigned("circleci-legacy-token", &["circleci", "circle_"], r"[0-9a-f]{40}")
        .takes(&["CIRCLECI_TOKEN=«{x40}»\n"])
        .leaves(&["circleci_sha1 = \"{x40}\""]),
    token(
        "buildkite-token",
        &["bkua_", "bkct_", "bkaj_", "bkpi_", "bkpat_"],
        r"bk(?:ua|ct|aj|pi|pat)_[A-Za-z0-9]{40,64}",
    )
    .takes(&["bk «bkua_{x40}» x"])
    .leaves(&["bkua_short"]),
    assigned(
        "ci-token",
        &["travis", "drone", "codecov", "coveralls", "appveyor", "codacy", "semaphore"],
        r"[A-Za-z0-9_\-]{20,40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    )
    .takes(&["CODECOV_TOKEN=«{x8}-{x4}-{x4}-{x4}-{x12}»\n", "travis_token: \"«{w22}»\""])
    .leaves(&["CODECOV_TOKEN=${{ secrets.CODECOV_TOKEN }}", "codecov_token: your-token-from-the-settings"]),
    token("sonar-token", &["squ_", "sqp_", "sqa_"], r"sq[upa]_[a-f0-9]{40}")
        .takes(&["sonar «sqp_{x40}» x"])
        .leaves(&["sqp_hook"]),
    assigned("sonar-legacy-token", &["sonar"], r"[a-f0-9]{40}")
        .takes(&["sonar.token=«{x40}»\n"])
        .leaves(&["sonar.projectKey=my-project"]),
    assigned("snyk-token", &["snyk"], r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
        .takes(&["SNYK_TOKEN=«{x8}-{x4}-{x4}-{x4}-{x12}»\n"])
        .leaves(&["snyk_org_id: {x8}-{x4}-{x4}-{x4}-{x12}"]),
    token(
        "launchdarkly-key",
        &["api-", "sdk-", "rel-"],
        r"(?:api|sdk|rel)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    )
    .takes(&["ld «sdk-{x8}-{x4}-{x4}-{x4}-{x12}» x"])
    .leaves(&["api-gateway-service", "sdk-version"]),
    token("phabricator-token", &["api-", "cli-"], r"(?:api|cli)-[a-z0-9]{28}")
        .entropy(3.6)
        .doubt(Doubt::Name)
        .takes(&["arc «cli-{l28}» x"])
        .leaves(&["api-documentation", "cli-installation-instructions", "api-{a28}"]),
    near("jenkins-token", &["JENKINS"], r#"JENKINS[A-Z_]{0,20}TOKEN["']?\s{0,3}[:=]\s{0,3}["']?(11[0-9a-f]{32})\b"#)
        .takes(&["JENKINS_API_TOKEN=«11{x32}»\n"])
        .leaves(&["JENKINS_API_TOKEN=$TOKEN"]),
    long("octopus-deploy-key", &["API-"], r"API-[A-Z0-9]{26,32}")
        .entropy(3.4)
        .takes(&["octo «API-{u28}» x"])
        .leaves(&["API-VERSION", "API-ABCDEFGHIJKLMNOPQRSTUVWXYZ"]),
    token("postman-key", &["PMAK-"], r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}")
        .takes(&["«PMAK-{x24}-{x34}»"])
        .leaves(&["PMAK-short"]),
    token("prefect-token", &["pnu_", "pnb_"], r"pn[ub]_[A-Za-z0-9]{36}")
        .takes(&["x «pnu_{w36}» y"])
        .leaves(&["pnu_short"]),
];
