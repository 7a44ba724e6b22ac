//! Where secret values were taken out: files, lines and rules, never a value.

use ai_assist_admit::RedactedAt;

use super::prelude::*;

/// One line for each file and rule.
pub(super) fn note_redactions(terminal: Terminal, redactions: &[RedactedAt]) -> Result<()> {
    for redaction in redactions {
        let [path, lines, rule] = row(redaction);
        terminal.note(format!("  ! redacted: {path}:{lines} by {rule}"))?;
    }
    Ok(())
}

/// The same as a row of a table.
pub(super) fn redaction_row(redaction: &RedactedAt) -> Vec<String> {
    row(redaction).to_vec()
}

fn row(redaction: &RedactedAt) -> [String; 3] {
    let mut lines = redaction.lines.clone();
    lines.dedup();
    let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
    [one_line(&redaction.path), lines.join(","), redaction.rule.to_owned()]
}
