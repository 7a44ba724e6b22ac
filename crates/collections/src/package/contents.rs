//! The bytes of a package's files, asked for without a store: for showing, comparing and keeping them.

use std::ops::ControlFlow;
use std::path::Path;

use ai_assist_admit::{Outcome, admit_bytes};
use ai_assist_base::chain;
use ai_assist_fetch::{Answer, Request, TransportError};
use ai_assist_identity::{DocPath, PackageUrl, Sha256};

use super::{Ask, Looked, Package};
use crate::sync::plan::{Input, Wanted};
use crate::{Error, Result, SyncEvent, SyncOptions};
use ai_assist_base::Cancel;

/// What a file of a package turned out to be.
pub(crate) struct ReadFile {
    pub(crate) outcome: Outcome,
    /// Its bytes as they were published, secrets included, if they could be read at all.
    pub(crate) raw: Option<Vec<u8>>,
}

/// Is handed a file, or the reason why it could not be had.
pub(crate) type TakeFile<'t> = dyn FnMut(&DocPath, std::result::Result<ReadFile, String>) -> Result<()> + 't;

/// Looks at a package of which nothing is known here.
pub(crate) fn open_package(
    url: &PackageUrl,
    revision: Option<&str>,
    hash: Option<Sha256>,
    options: &SyncOptions,
    temporary: &Path,
    progress: &mut dyn FnMut(SyncEvent<'_>),
    cancel: &Cancel,
) -> Result<Package> {
    let ask = Ask { url, client: &options.client, known: None, revision, hash, temporary, cancel };
    match ask.look(progress) {
        Ok(Looked::Found(package)) => Ok(package),
        Ok(Looked::Unchanged(_)) => {
            let reason = "the server answered that it has not changed".to_owned();
            Err(Error::BadPackage { url: url.to_string(), reason })
        }
        Err(_) if cancel.is_cancelled() => Err(Error::Cancelled),
        Err(error) => Err(error),
    }
}

/// Reads some files of a package: those of this machine in their order, then those of servers as they arrive. What can't be had is
/// handed over with the reason.
pub(crate) fn read_each(
    wanted: &[Wanted<'_>],
    requests: &[Request],
    options: &SyncOptions,
    cancel: &Cancel,
    take: &mut TakeFile<'_>,
) -> Result<()> {
    let mut remote: Vec<(&DocPath, Request)> = Vec::new();
    for file in wanted {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let read = match file.input {
            Input::File(candidate) | Input::Program(candidate, _) => {
                let (outcome, raw) = candidate.read_as_published(&options.limits);
                Ok(ReadFile { outcome, raw })
            }
            Input::Packed(staging) => match staging.read(file.path) {
                Ok(Some(bytes)) => Ok(admitted(file.path, bytes, options)),
                Ok(None) => Err("is gone".to_owned()),
                Err(error) => Err(error.to_string()),
            },
            Input::Fetch(at) => {
                remote.extend(requests.get(at).map(|request| (file.path, request.clone())));
                continue;
            }
        };
        take(file.path, read)?;
    }
    let (paths, requests): (Vec<&DocPath>, Vec<Request>) = remote.into_iter().unzip();
    let mut failed = Ok(());
    let fetched = options.client.get_all(&requests, cancel, &mut |number, answer| {
        failed = take(paths[number], arrived(paths[number], answer, options));
        if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    failed?;
    if cancel.is_cancelled() {
        return Err(Error::Cancelled);
    }
    Ok(fetched?)
}

fn arrived(
    path: &DocPath,
    answer: std::result::Result<Answer, TransportError>,
    options: &SyncOptions,
) -> std::result::Result<ReadFile, String> {
    match answer {
        Ok(Answer::Body(body)) => Ok(admitted(path, body.bytes, options)),
        Ok(Answer::NotModified { .. }) => Err("the server sent nothing".to_owned()),
        Err(error) => Err(chain(&error)),
    }
}

fn admitted(path: &DocPath, bytes: Vec<u8>, options: &SyncOptions) -> ReadFile {
    let raw = Some(bytes.clone());
    ReadFile { outcome: admit_bytes(path, bytes, &options.limits), raw }
}
