//! What to type about an error: the one place where errors of the crates below lead to commands and flags.

use ai_assist_admit::Reason;
use ai_assist_app as app;
use ai_assist_collections::{self as collections, EditError};
use ai_assist_pack::PackError;
use ai_assist_repo::build::BuildError;
use ai_assist_session as session;
use anyhow::Error;

use crate::commands::repos::repo::is_too_large;

/// The way out of an error, where there is one.
pub(crate) fn hint(error: &Error) -> Option<String> {
    error.chain().find_map(|cause| {
        if let Some(error) = cause.downcast_ref::<app::Error>() {
            return of_app(error);
        }
        if cause.is::<ai_assist_base::BrokeOff>() {
            let hint =
                "this should not be: `ai-assist doctor` looks for damaged files; if all are sound, please report it";
            return Some(hint.to_owned());
        }
        if let Some(ai_assist_clients::Error::NoHooks { .. }) = cause.downcast_ref() {
            let hint = "`ai-assist session import --all --watch` takes in what clients record by themselves";
            return Some(hint.to_owned());
        }
        let of_collections = || of_collections(cause.downcast_ref()?);
        let of_session = || of_session(cause.downcast_ref()?);
        let of_build = || of_build(cause.downcast_ref()?);
        let of_store = || of_store(cause.downcast_ref()?);
        let of_pack = || of_pack(cause.downcast_ref()?);
        of_collections().or_else(of_session).or_else(of_build).or_else(of_store).or_else(of_pack)
    })
}

const SPELLINGS: &str = "name a folder or file (./docs), a site or package (https://…), a repository (github:OWNER/NAME, \
    git+https://…), a dependency (npm:NAME, pypi:NAME, crate:NAME), or a package of a registry (NAME@RANGE)";

fn of_app(error: &app::Error) -> Option<String> {
    match error {
        app::Error::Collections(error) => of_collections(error),
        app::Error::Session(error) => of_session(error),
        // Nobody means to index the whole disk, or all of a home.
        app::Error::NothingIndexed { root, .. } if is_too_large(root) => {
            Some("go to a project, or name one with -C DIR".to_owned())
        }
        app::Error::NothingIndexed { .. } => Some("index documents and code with `ai-assist sync`".to_owned()),
        app::Error::UnknownSource { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
        app::Error::UnknownSource { known, .. } if !known.is_empty() => {
            Some(format!("there are: {}", known.join(", ")))
        }
        app::Error::Build(error) => of_build(error),
        app::Error::NoSource(_) | app::Error::UnknownScheme { .. } | app::Error::BadSpelling { .. } => {
            Some(SPELLINGS.to_owned())
        }
        app::Error::NoPlace(_) => Some("`ai-assist ls NAME` lists documents; a hit's first line is a place".to_owned()),
        app::Error::AmbiguousPlace { .. } => Some("give one of these".to_owned()),
        app::Error::PlaceIsFolder(_) => Some("for an overview of a repository: `ai-assist map`".to_owned()),
        app::Error::Pack(error) => of_pack(error),
        app::Error::NoWorkspace(_) => Some("make one with `ai-assist workspace init`".to_owned()),
        app::Error::NoSession(_) => {
            Some("start one with `ai-assist session open`, or name one with --session".to_owned())
        }
        _ => None,
    }
}

fn of_collections(error: &collections::Error) -> Option<String> {
    use collections::Error;
    let hint = match error {
        Error::NoProject { .. } => "make one with `ai-assist collections init`",
        Error::AlreadyInitialised(_) => "`--force` replaces it",
        Error::Edit(EditError::AlreadyExists { kind, name }) => {
            return Some(format!("choose another name, or `ai-assist {} remove {name}` first", kind.plural()));
        }
        Error::Edit(EditError::NotFound { kind, nearest: None, .. }) => {
            return Some(format!("`ai-assist {} list` shows the names", kind.plural()));
        }
        Error::Edit(EditError::CategoryNotFound { .. }) => {
            "`ai-assist categories list` shows the names, `ai-assist categories add` makes new ones"
        }
        Error::Edit(EditError::Lock(error) | EditError::Write(error)) => return of_collections(error),
        Error::UnknownCollection { nearest: None, .. } => "`ai-assist collections list` shows the names",
        Error::NotSynced(name) => return Some(format!("run `ai-assist collections sync {name}`")),
        Error::BadLock { .. } => "restore it, or delete it and run `ai-assist collections sync`",
        Error::LockConflict { .. } => {
            "`ai-assist collections sync` takes for each package the side that the configuration admits, and writes a clean lock"
        }
        Error::NotLocked { .. } | Error::LockChanged { .. } => {
            "`ai-assist collections sync` without --locked or --frozen takes the change in and writes the lock"
        }
        Error::Unsound { manifest, .. } => {
            let check = format!("`ai-assist collections pack --check --manifest {}`", manifest.display());
            return Some(format!("{check} lists everything; `--on-secret redact` takes secret values out"));
        }
        Error::NoPackage { nearest: None, .. } => "`ai-assist collections search-registry WORD` looks for packages",
        Error::UnknownDocument(_) => "`ai-assist ref search` prints documents in the form that `ref get` takes",
        Error::Store(error) => return of_store(error),
        error if error.rebuild_helps() => "`ai-assist doctor --repair` builds it anew",
        error => return error.hint(),
    };
    Some(hint.to_owned())
}

fn of_session(error: &session::Error) -> Option<String> {
    use session::Error;
    use session::file_reader::Refusal;
    let hint = match error {
        Error::Store(error) => return of_store(error),
        Error::UnknownSession { .. } => {
            "`ai-assist session list` shows those that there are; `ai-assist session open` starts one"
        }
        Error::SessionExists(name) => {
            return Some(format!("`ai-assist session resume --session {name}` goes on with it"));
        }
        Error::UnknownObject { .. } => {
            "`ai-assist session show` lists what it knows; a file is named by its path, anything by its id or the start of it"
        }
        Error::Pinned(_) => "`ai-assist session unpin` lets go of it",
        Error::Refused { why: Refusal::Excluded { reason: Reason::SecretName, .. }, .. } => {
            "a session opened with --raw keeps everything as it is"
        }
        error => return error.hint(),
    };
    Some(hint.to_owned())
}

fn of_build(error: &BuildError) -> Option<String> {
    match error {
        BuildError::NoBuild(_) | BuildError::NotPlain(_) | BuildError::Damaged { .. } => {
            Some("run `ai-assist index build`".to_owned())
        }
        _ => None,
    }
}

fn of_store(error: &ai_assist_store::Error) -> Option<String> {
    match error {
        error if error.recovery_helps() => Some(
            "`ai-assist doctor --repair` makes it anew out of what can be read, and keeps the damaged file".to_owned(),
        ),
        _ => None,
    }
}

fn of_pack(error: &PackError) -> Option<String> {
    let hint = match error {
        PackError::SecretFound { .. } => "take the value out of the file, or let it be redacted (--on-secret redact)",
        PackError::LimitTooSmall { .. } | PackError::BytesTooFew { .. } => "allow more, or choose fewer files",
        PackError::NotReadable { .. } => "ask for --format json or msgpack when you pack",
        _ => return None,
    };
    Some(hint.to_owned())
}
