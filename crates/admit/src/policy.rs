//! The three questions, in one place. Everything that lets a file in asks them here and nowhere else.
//!
//! Each answers with the rule that decided, so that a caller can be told why.

use ai_assist_text::{Decoded, decode};

use crate::secrets::redact_except;
use crate::worth::{self, OnSecret, PackRules, Rule, Terms};
use crate::{Limits, Reason, Redacted, Redaction, names};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) reason: Reason,
    pub(crate) rule: String,
    /// Where the rule stands: a file and its line, or a group of the specification.
    pub(crate) origin: Option<String>,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, rule: impl Into<String>) -> Self {
        Refusal { reason, rule: rule.into(), origin: None }
    }

    /// The rule and where it stands, in one line.
    pub(crate) fn into_rule(self) -> String {
        match self.origin {
            Some(origin) => format!("{origin}: {}", self.rule),
            None => self.rule,
        }
    }
}

impl From<&Rule> for Refusal {
    fn from(rule: &Rule) -> Self {
        let origin = Some(format!("spec group {}", rule.group));
        Refusal { reason: rule.reason, rule: rule.pattern.clone(), origin }
    }
}

/// May it leave, going by its name? Asked of the path inside the root, and of the real path where a symlink led there.
pub(crate) fn name_may_leave(path: &[u8]) -> Result<(), Refusal> {
    match names::secret_name(path) {
        Some(rule) => Err(Refusal::new(Reason::SecretName, rule)),
        None => Ok(()),
    }
}

/// May it leave, going by its content? The values that may not are taken out.
pub(crate) fn content_may_leave(path: &str, text: String, terms: &Terms) -> Result<Redacted, Refusal> {
    let redacted = redact_except(path, text, &terms.allowed_rules);
    if terms.on_secret == OnSecret::Exclude && !redacted.redactions.is_empty() {
        return Err(Refusal::new(Reason::SecretValue, listed(&redacted.redactions)));
    }
    Ok(redacted)
}

fn listed(redactions: &[Redaction]) -> String {
    let each: Vec<String> = redactions.iter().map(|r| format!("{} ({})", r.rule, r.count)).collect();
    each.join(", ")
}

pub(crate) fn worth_it(size: u64, limits: &Limits) -> Result<(), Refusal> {
    if size > limits.max_file_bytes {
        return Err(Refusal::new(Reason::TooLarge, format!("{size} bytes, limit {}", limits.max_file_bytes)));
    }
    Ok(())
}

/// Is anything below this folder worth sending, going by its name? `above` is the rule of a folder further up that drops what
/// git does not track; the answer is that for this folder.
pub(crate) fn folder_worth_sending(
    packs: &PackRules,
    path: &[u8],
    above: Option<&'static Rule>,
) -> Result<Option<&'static Rule>, Refusal> {
    let own = worth::folder_rule(last_name(path));
    if let Some(rule) = own.filter(|own| !own.unless_tracked) {
        return Err(rule.into());
    }
    match above.or(own) {
        Some(rule) if !packs.tracked.as_ref().is_some_and(|tracked| tracked.reaches(path)) => Err(rule.into()),
        rule => Ok(rule),
    }
}

/// Is this file worth sending, going by its name?
pub(crate) fn file_worth_sending(packs: &PackRules, path: &[u8], above: Option<&'static Rule>) -> Result<(), Refusal> {
    let is_tracked = || packs.tracked.as_ref().is_some_and(|tracked| tracked.covers(path));
    if let Some(rule) = worth::file_rule(last_name(path))
        && !(packs.tracked_logs && rule.is_of_logs() && is_tracked())
    {
        return Err(rule.into());
    }
    match above {
        Some(rule) if !is_tracked() => Err(rule.into()),
        _ => Ok(()),
    }
}

/// Is it worth sending, going by its content?
pub(crate) fn content_worth_sending(path: &str, text: &str) -> Result<(), Refusal> {
    match worth::generated(last_name(path.as_bytes()), text) {
        Some(sign) => Err(Refusal {
            reason: Reason::Generated,
            rule: sign.rule.to_owned(),
            origin: sign.line.map(|line| format!("{path}:{line}")),
        }),
        None => Ok(()),
    }
}

pub(crate) fn readable(bytes: &[u8]) -> Result<Decoded<'_>, Refusal> {
    decode(bytes).map_err(|not_text| Refusal::new(Reason::Binary, not_text.to_string()))
}

pub(crate) fn last_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or(path)
}
