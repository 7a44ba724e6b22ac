use ai_assist_collections::{LintFinding, PackOptions, Severity, check_package, pack};

use crate::args::PackPackage;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &PackPackage) -> Result<Outcome> {
    if args.check {
        return check(context, args);
    }
    let packed = match &args.collection {
        Some(name) => {
            let members = context.named_members(std::slice::from_ref(name))?;
            let member = members.first().with_context(|| format!("{name} has no source"))?;
            context.library()?.pack_site(member, &options(context, args), &cancel())?
        }
        None => pack(&options(context, args), &cancel())?,
    };
    if context.terminal.json {
        context.terminal.json(&packed)?;
        return Ok(Outcome::Done);
    }
    list(context.terminal, &packed.findings)?;
    if !context.terminal.quiet {
        let (files, bytes) = (count(packed.files, "file"), indicatif::HumanBytes(packed.size));
        context.terminal.say(format!(
            "Packed {} {} ({files}, {bytes}): {}",
            packed.name,
            packed.version,
            packed.path.display()
        ))?;
        context.terminal.note(packed.hash)?;
    }
    Ok(Outcome::Done)
}

fn options(context: &Context, args: &PackPackage) -> PackOptions {
    PackOptions {
        manifest: context.place(&args.manifest),
        output: Some(args.output.as_ref().map_or_else(|| context.folder.clone(), |output| context.place(output))),
        on_secret: args.on_secret,
        vectors: args.vectors,
        limits: context.settings.limits(),
    }
}

fn check(context: &Context, args: &PackPackage) -> Result<Outcome> {
    let manifest = context.place(&args.manifest);
    let checked = check_package(&manifest, &context.settings.limits(), &cancel())?;
    let sound = checked.is_sound();
    let value = || {
        json!({
            "manifest": manifest, "name": checked.declared.manifest.name, "version": checked.declared.manifest.version,
            "files": checked.files(), "bytes": checked.bytes(), "ok": sound, "findings": checked.findings,
        })
    };
    context.terminal.show(value, || {
        list(context.terminal, &checked.findings)?;
        let errors = checked.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
        if !context.terminal.quiet {
            let (files, bytes) = (count(checked.files(), "file"), indicatif::HumanBytes(checked.bytes()));
            let warnings = count(checked.findings.len() - errors, "warning");
            let sign = if sound { '✓' } else { '✗' };
            context.terminal.say(format!("{sign} {files}, {bytes}: {}, {warnings}", count(errors, "error")))?;
        }
        Ok(())
    })?;
    Ok(if sound { Outcome::Done } else { Outcome::Partial })
}

pub(crate) fn list(terminal: Terminal, findings: &[LintFinding]) -> Result<()> {
    for finding in findings {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let path = finding.path.as_ref().map_or(String::new(), |path| format!("{} ", one_line(path)));
        terminal.note(format!("{severity}: {path}{}", one_line(&finding.message)))?;
    }
    Ok(())
}
