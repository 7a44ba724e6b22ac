//! The token of this user's servers.

use ai_assist_base::{platform, replace_file};
use ai_assist_server::access::{Token, secret};

use crate::commands::prelude::*;

const VARIABLE: &str = "AI_ASSIST_MCP_TOKEN";
/// The file in the folder of the user's configuration that keeps a token that was made.
const FILE: &str = "mcp-token";

/// A token, and where it is kept if it was made.
pub(crate) struct KnownToken {
    pub(crate) token: Token,
    /// The token itself, where it was not the user who gave it.
    pub(crate) made: Option<String>,
    pub(crate) file: Option<PathBuf>,
}

/// The token that was given, by a file or a variable; else one that is made once, so that the settings of clients stay right.
pub(crate) fn known(given: Option<&Path>, config: &Path) -> Result<KnownToken> {
    let given = match given {
        Some(file) => {
            let text = std::fs::read_to_string(file).with_context(|| format!("the token file {}", file.display()))?;
            Some(text.trim().to_owned())
        }
        None => std::env::var(VARIABLE).ok().filter(|token| !token.is_empty()),
    };
    let file = config.with_file_name(FILE);
    let (secret, made, file) = match given {
        Some(given) => (given, None, None),
        None => {
            let made = made(&file)?;
            (made.clone(), Some(made), Some(file))
        }
    };
    let token = Token::new(&secret).context("the token must have at least 16 visible ASCII characters")?;
    Ok(KnownToken { token, made, file })
}

fn made(file: &Path) -> Result<String> {
    let is_private = platform::is_private(file);
    let kept = std::fs::read_to_string(file).ok().filter(|_| is_private).map(|kept| kept.trim().to_owned());
    if let Some(kept) = kept.filter(|kept| Token::new(kept).is_some()) {
        return Ok(kept);
    }
    let token = secret().context("making a token failed")?;
    let keep = || {
        std::fs::create_dir_all(file.parent().unwrap_or(file))?;
        // What others can read is not kept, and neither is who may read it.
        let _ = std::fs::remove_file(file);
        replace_file(file, format!("{token}\n").as_bytes(), 0o600)
    };
    keep().with_context(|| format!("keeping the token in {} failed", file.display()))?;
    Ok(token)
}
