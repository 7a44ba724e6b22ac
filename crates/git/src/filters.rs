//! Filters: programs that a repository's settings name and git runs over the files it compares.

use std::collections::BTreeSet;
use std::process::Command;

use ai_assist_base::platform;

/// More than this are refused, because a command can't be longer than the system allows.
pub(crate) const LIMIT: usize = 256;

/// An empty variable.
const NOTHING: &str = "AI_ASSIST_NOTHING";

/// The names of the filters, given the names of all settings of filters, each followed by a NUL.
pub(crate) fn names(settings: &[u8]) -> BTreeSet<&[u8]> {
    let names = settings.split(|&b| b == 0).filter_map(|setting| {
        let rest = setting.strip_prefix(b"filter.")?;
        Some(&rest[..rest.iter().rposition(|&b| b == b'.')?])
    });
    names.collect()
}

/// Makes a command run none of the filters: an empty program is none.
///
/// A name may have a `=` in it, which `-c` would take for the end of the name; `--config-env` goes by the last one.
pub(crate) fn switch_off(command: &mut Command, names: &BTreeSet<&[u8]>) {
    command.env(NOTHING, "");
    for name in names {
        for key in ["clean", "smudge", "process", "required"] {
            let mut argument = b"--config-env=filter.".to_vec();
            argument.extend_from_slice(name);
            argument.extend_from_slice(format!(".{key}={NOTHING}").as_bytes());
            command.arg(platform::os_string(argument));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_between_the_first_and_the_last_dot() {
        let settings = b"filter.lfs.clean\0filter.lfs.process\0filter.a.b=c.smudge\0filter.clean\0filter..clean\0";
        let found: Vec<&[u8]> = names(settings).into_iter().collect();
        assert_eq!(found, [&b""[..], b"a.b=c", b"lfs"]);
    }
}
