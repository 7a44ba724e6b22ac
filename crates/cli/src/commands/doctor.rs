use ai_assist_collections::Health;
use anyhow::Result;

use crate::args::Doctor;
use crate::commands::Outcome;
use crate::context::Context;

pub(crate) fn run(context: &Context, args: &Doctor) -> Result<Outcome> {
    let findings = context.library()?.doctor(args.repair)?;
    let well = findings.iter().all(|finding| matches!(finding.health, Health::Good | Health::Repaired));
    let repairable = findings.iter().any(|finding| finding.health == Health::Repairable);
    if context.terminal.json {
        context.terminal.json(&serde_json::json!({ "findings": findings, "healthy": well }))?;
    } else {
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
    }
    Ok(if well { Outcome::Done } else { Outcome::Partial })
}
