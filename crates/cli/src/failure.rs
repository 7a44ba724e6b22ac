//! How errors reach people and programs.

use std::io::Write;

use ai_assist_base::chain;
use anstyle::{AnsiColor, Style};
use anyhow::Error;

/// Whether an error is only that nobody reads on.
pub(crate) fn is_broken_pipe(error: &Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

/// Whether an error is only that there is nothing to be had where somebody looked.
pub(crate) fn is_nothing_found(error: &Error) -> bool {
    let nested = match error.downcast_ref() {
        Some(ai_assist_app::Error::Collections(error)) => Some(error),
        _ => error.downcast_ref::<ai_assist_collections::Error>(),
    };
    nested.is_some_and(ai_assist_collections::Error::is_nothing_found)
}

/// Prints an error with its causes and, where there is one, the way out.
pub(crate) fn report(error: &Error, json: bool) {
    let message = chain(error.as_ref());
    let hint = crate::hints::hint(error);
    let mut stderr = anstream::stderr().lock();
    // There is nowhere left to say that standard error can't be written.
    let _ = if json {
        let value = serde_json::json!({ "error": { "message": message, "hint": hint } });
        writeln!(stderr, "{value}")
    } else {
        let red = AnsiColor::Red.on_default().bold();
        let hint =
            hint.map_or(String::new(), |hint| format!("\n{} {hint}", label("hint:", AnsiColor::Cyan.on_default())));
        writeln!(stderr, "{} {message}{hint}", label("error:", red))
    };
}

fn label(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}
