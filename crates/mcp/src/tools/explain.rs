//! `explain_path`: may this file be given out, and which rule says so.

use ai_assist_admit::Verdict;
use ai_assist_app::PackFiles;
use ai_assist_identity::DocPath;

use super::common::*;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainArgs {
    /// The file or folder, relative to the project.
    #[schemars(length(min = 1, max = 4096))]
    path: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExplainAnswer {
    path: String,
    /// Whether it would be sent.
    included: bool,
    /// Whether it is there; what is not is judged by its name.
    exists: bool,
    /// Why it stays out.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The rule that decided.
    rule: String,
    /// Where the rule stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    /// The folder above it that decided, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_at: Option<String>,
    /// Which rules took how many secret values out of its text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<String>,
}

impl Answer for ExplainAnswer {}

impl Tool for ExplainArgs {
    const NAME: &'static str = "explain_path";
    const DESCRIPTION: &'static str = "Says whether a file of the project would be sent in a context pack, and which rule decides: secrets, ignore files, size, \
            generated or binary content.";
    type Answer = ExplainAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<ExplainAnswer>, Failure> {
        let path = DocPath::parse(&args.path)?;
        let files = PackFiles { root: call.project.folder.clone(), ..PackFiles::default() };
        let chosen = files.choose(call.cancel)?;
        let explained = chosen.explain(&path).map_err(|error| {
            Failure::new(ErrorType::ReadError, error.to_string(), "Name another path below the project.")
        })?;
        let redacted = explained.redactions.iter().map(|it| format!("{}: {}", it.rule, it.count)).collect();
        let answer = ExplainAnswer {
            included: explained.verdict == Verdict::Included,
            exists: explained.exists,
            reason: explained.reason.map(|reason| reason.describe().to_owned()),
            decided_at: (explained.at != explained.path).then(|| explained.at.as_str().to_owned()),
            path: explained.path.as_str().to_owned(),
            rule: explained.rule,
            origin: explained.origin,
            redacted,
        };
        let missing = "There is no such file; this is what would become of one of that name.";
        let message = (!answer.exists).then_some(missing);
        Ok(Success::noted(answer, message))
    }
}
