use ai_assist_collections::{PackOptions, publish, yank};

use super::pack::list;
use crate::args::Publish;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &Publish) -> Result<Outcome> {
    let registry = context.place(&args.registry);
    if let Some((wanted, yanked)) =
        args.yank.as_ref().map(|wanted| (wanted, true)).or(args.unyank.as_ref().map(|wanted| (wanted, false)))
    {
        yank(&registry, wanted, yanked)?;
        if context.terminal.json {
            context.terminal.json(&json!({ "package": wanted, "yanked": yanked }))?;
        } else if !context.terminal.quiet {
            let verb = if yanked { "Yanked" } else { "Unyanked" };
            context.terminal.say(format!("{verb} {wanted}"))?;
        }
        return Ok(Outcome::Done);
    }
    let options = PackOptions {
        manifest: context.place(&args.manifest),
        output: None,
        on_secret: args.on_secret,
        vectors: args.vectors,
        limits: context.settings.limits(),
    };
    let published = publish(&registry, &options, &cancel())?;
    if context.terminal.json {
        context.terminal.json(&published)?;
        return Ok(Outcome::Done);
    }
    list(context.terminal, &published.packed.findings)?;
    if !context.terminal.quiet {
        let packed = &published.packed;
        let state = if published.unchanged { "is there already" } else { "published" };
        context.terminal.say(format!("{} {} {state}: {}", packed.name, packed.version, packed.path.display()))?;
    }
    Ok(Outcome::Done)
}
