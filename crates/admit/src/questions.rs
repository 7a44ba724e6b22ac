//! The three questions, in one place. Everything that lets a file in asks them here and nowhere else.
//!
//! Each answers with the rule that decided, so that a caller can be told why.

use ai_assist_text::{Decoded, decode};

use crate::{Limits, Reason, Redacted, names, redact};

/// A question answered with no: the reason and the rule within it.
pub(crate) type Refusal = (Reason, String);

/// May it leave, going by its name? Asked of the path inside the root, and of the real path where a symlink led there.
pub(crate) fn name_may_leave(path: &[u8]) -> Result<(), Refusal> {
    match names::secret_name(path) {
        Some(rule) => Err((Reason::SecretName, rule.to_owned())),
        None => Ok(()),
    }
}

/// May it leave, going by its content? The values that may not are taken out.
pub(crate) fn content_may_leave(text: String) -> Redacted {
    redact(text)
}

/// Is it worth it?
pub(crate) fn worth_it(size: u64, limits: &Limits) -> Result<(), Refusal> {
    if size > limits.max_file_bytes {
        return Err((Reason::TooLarge, format!("{size} bytes, limit {}", limits.max_file_bytes)));
    }
    Ok(())
}

/// Can it be read?
pub(crate) fn readable(bytes: &[u8]) -> Result<Decoded<'_>, Refusal> {
    decode(bytes).map_err(|not_text| (Reason::Binary, not_text.to_string()))
}
