use std::fs::OpenOptions;
use std::io::{BufWriter, Write};

use crate::args::OneSession;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, output: Option<&Path>, session: &OneSession) -> Result<Outcome> {
    let session = context.session(session)?;
    let Some(path) = output else {
        let mut out = BufWriter::new(std::io::stdout().lock());
        session.export(&mut out)?;
        out.flush()?;
        return Ok(Outcome::Done);
    };
    let path = context.place(path);
    let open = OpenOptions::new().write(true).create_new(true).open(&path);
    let file = match open {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            bail!("{} is there already; choose another name", path.display())
        }
        open => open.with_context(|| format!("can't write {}", path.display()))?,
    };
    let mut out = BufWriter::new(file);
    let events = session.export(&mut out)?;
    let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    file.sync_all().with_context(|| format!("can't write {}", path.display()))?;
    if context.terminal.json {
        let output = path.display().to_string();
        context.terminal.json(&json!({ "session": session.name(), "output": output, "events": events }))?;
    } else {
        context.terminal.note(format!("Wrote {} to {}.", count(events, "event"), path.display()))?;
    }
    Ok(Outcome::Done)
}
