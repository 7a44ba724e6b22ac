use ai_assist_collections::Health;

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, repair: bool) -> Result<Outcome> {
    let findings = context.doctor(repair, &cancel())?;
    let well = findings.iter().all(|finding| matches!(finding.health, Health::Good | Health::Repaired));
    let repairable = findings.iter().any(|finding| finding.health == Health::Repairable);
    context.terminal.show(
        || json!({ "findings": findings, "healthy": well }),
        || {
            for finding in &findings {
                let sign = match finding.health {
                    Health::Good => "✓",
                    Health::Repaired => "✓ repaired:",
                    Health::Repairable => "⚠",
                    Health::Broken => "✗",
                };
                context.terminal.say(format!("{sign} {}: {}", finding.subject, finding.message))?;
            }
            if repairable {
                context.terminal.note("Mend it with: ai-assist doctor --repair")?;
            }
            Ok(())
        },
    )?;
    Ok(if well { Outcome::Done } else { Outcome::Partial })
}
