//! Where code is kept, built, tested and shipped.

use super::super::rule::{Doubt, Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    token("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    token("github-fine-grained-token", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{60,255}"),
    long(
        "gitlab-token",
        &[
            "glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-", "glft-", "glimt-", "glagent-", "gloas-",
            "glffct-",
        ],
        r"gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent|oas|ffct)-[A-Za-z0-9_\-]{20}",
    ),
    token("gitlab-runner-token", &["GR1348941"], r"GR1348941[A-Za-z0-9_\-]{20}"),
    token("bitbucket-app-password", &["ATBB"], r"ATBB[A-Za-z0-9]{32}"),
    long("atlassian-token", &["ATATT3", "ATCTT3", "ATSTT3"], r"AT[ACS]TT3[A-Za-z0-9_\-=]{100}"),
    assigned("atlassian-legacy-token", &["jira", "confluence", "atlassian"], r"[A-Za-z0-9]{24}"),
    assigned("gitea-token", &["gitea", "forgejo", "gogs", "codeberg"], r"[0-9a-f]{40}"),
    token("sourcegraph-token", &["sgp_"], r"sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}"),
    long("circleci-token", &["CCIPAT_", "CCIPRJ_"], r"CCIP(?:AT|RJ)_[A-Za-z0-9]{16,24}_[a-f0-9]{40}"),
    assigned("circleci-legacy-token", &["circleci", "circle_"], r"[0-9a-f]{40}"),
    token(
        "buildkite-token",
        &["bkua_", "bkct_", "bkaj_", "bkpi_", "bkpat_"],
        r"bk(?:ua|ct|aj|pi|pat)_[A-Za-z0-9]{40,64}",
    ),
    assigned(
        "ci-token",
        &["travis", "drone", "codecov", "coveralls", "appveyor", "codacy", "semaphore"],
        r"[A-Za-z0-9_\-]{20,40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ),
    token("sonar-token", &["squ_", "sqp_", "sqa_"], r"sq[upa]_[a-f0-9]{40}"),
    assigned("sonar-legacy-token", &["sonar"], r"[a-f0-9]{40}"),
    assigned("snyk-token", &["snyk"], r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    token(
        "launchdarkly-key",
        &["api-", "sdk-", "rel-"],
        r"(?:api|sdk|rel)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    token("phabricator-token", &["api-", "cli-"], r"(?:api|cli)-[a-z0-9]{28}").entropy(3.6).doubt(Doubt::Name),
    near("jenkins-token", &["JENKINS"], r#"JENKINS[A-Z_]{0,20}TOKEN["']?\s{0,3}[:=]\s{0,3}["']?(11[0-9a-f]{32})\b"#),
    long("octopus-deploy-key", &["API-"], r"API-[A-Z0-9]{26,32}").entropy(3.4),
    token("postman-key", &["PMAK-"], r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    token("prefect-token", &["pnu_", "pnb_"], r"pn[ub]_[A-Za-z0-9]{36}"),
];
