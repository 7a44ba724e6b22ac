//! Long answers on a terminal go through `$PAGER`.

use std::io::{IsTerminal, Write};
use std::process::{Child, Command, Stdio};

use anyhow::Result;

use crate::terminal::{Terminal, is_coloured};

/// Keeps colours, leaves the text on the screen, and ends by itself where it all fits.
const DEFAULT_PAGER: &str = "less -FRX";

impl Terminal {
    /// Prints a whole answer: through the pager if people would have to scroll back for its beginning, else as it is.
    pub(crate) fn page(self, text: &str) -> Result<()> {
        if let Some(mut child) = self.pager(text) {
            if let Some(mut stdin) = child.stdin.take() {
                let plain = (!is_coloured()).then(|| anstream::adapter::strip_str(text).to_string());
                // A pager that was left early reads no further, and that is fine.
                let _ = stdin.write_all(plain.as_deref().unwrap_or(text).as_bytes());
            }
            child.wait()?;
            return Ok(());
        }
        let mut stdout = anstream::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        if !text.is_empty() && !text.ends_with('\n') {
            stdout.write_all(b"\n")?;
        }
        Ok(stdout.flush()?)
    }

    /// The pager, started, if it is wanted and needed. One that can't be started is no reason to say nothing.
    fn pager(self, text: &str) -> Option<Child> {
        if !self.pager || self.json || !std::io::stdout().is_terminal() {
            return None;
        }
        let (width, height) = terminal_size::terminal_size()?;
        if rows(text, usize::from(width.0)) < usize::from(height.0) {
            return None;
        }
        let wanted = std::env::var("PAGER").unwrap_or_else(|_| DEFAULT_PAGER.to_owned());
        if wanted.trim().is_empty() || wanted.trim() == "cat" {
            return None;
        }
        let mut command = Command::new("sh");
        command.arg("-c").arg(&wanted).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", "FRX");
        }
        command.spawn().ok()
    }
}

/// How many rows of a window a text takes.
fn rows(text: &str, width: usize) -> usize {
    let plain = anstream::adapter::strip_str(text).to_string();
    plain.lines().map(|line| line.chars().count().div_ceil(width.max(1)).max(1)).sum()
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn long_lines_take_several_rows() {
        for (text, expected) in
            [("", 0), ("a\n", 1), ("\n\n", 2), ("12345", 1), ("123456", 2), ("\u{1b}[1m12345\u{1b}[0m", 1)]
        {
            assert_eq!(rows(text, 5), expected, "{text:?}");
        }
    }
}
