//! What a view says when it has nothing to show, and the way out of it.

use ai_assist_app::Error;
use ai_assist_base::chain;
use ai_assist_collections::Error as CollectionsError;
use ai_assist_repo::build::BuildError;
use ai_assist_repo::one_file::FileError;
use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::frame::{Frame, View};
use crate::links;
use crate::pages::{Open, html};
use crate::params::Asked;

#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    said: String,
    way_out: WayOut,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum WayOut {
    Words(String),
    /// Index everything, by a button.
    Sync,
    Search,
    Status,
}

impl Failure {
    fn new(status: StatusCode, said: impl Into<String>, way_out: WayOut) -> Self {
        Failure { status, said: said.into(), way_out }
    }

    pub(crate) fn missing(said: impl Into<String>) -> Self {
        Failure::new(StatusCode::NOT_FOUND, said, WayOut::Search)
    }

    pub(crate) fn bad(said: impl Into<String>, way_out: impl Into<String>) -> Self {
        Failure::new(StatusCode::BAD_REQUEST, said, WayOut::Words(way_out.into()))
    }

    pub(crate) fn broken(said: impl Into<String>) -> Self {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, said, WayOut::Status)
    }

    /// What is wrong, in one sentence.
    pub(crate) fn said(&self) -> &str {
        &self.said
    }

    pub(crate) fn page(self, open: Option<&Open>, asked: &Asked) -> Response {
        let title = match self.status {
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::CONFLICT => "Not indexed yet",
            StatusCode::BAD_REQUEST => "That can't be asked",
            _ => "This did not work",
        };
        let frame = open.map_or_else(|| Frame::bare(title, asked), |open| Frame::new(open, title, View::Other));
        let project = open.map(|open| open.name.as_str());
        let page = FailurePage {
            frame,
            title,
            words: match &self.way_out {
                WayOut::Words(words) => words.clone(),
                _ => String::new(),
            },
            sync: project.filter(|_| self.way_out == WayOut::Sync).map(|name| links::view(name, "sync")),
            search: project.filter(|_| self.way_out == WayOut::Search).map(|name| links::view(name, "")),
            doctor: project.filter(|_| self.way_out == WayOut::Status).map(|name| links::view(name, "status")),
            said: self.said,
        };
        match html(&page) {
            Ok(response) => (self.status, response).into_response(),
            Err(failure) => (StatusCode::INTERNAL_SERVER_ERROR, failure.said).into_response(),
        }
    }
}

#[derive(Template)]
#[template(path = "failure.html")]
struct FailurePage {
    frame: Frame,
    title: &'static str,
    said: String,
    words: String,
    sync: Option<String>,
    search: Option<String>,
    doctor: Option<String>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let said = sentence(&chain(&error));
        let known = |known: &[String], nearest: &Option<String>| {
            let meant = nearest.as_ref().map_or(String::new(), |near| format!("Did you mean {near}? "));
            WayOut::Words(if known.is_empty() { meant } else { format!("{meant}There are: {}.", known.join(", ")) })
        };
        let (status, way_out) = match &error {
            Error::NothingIndexed { .. } => (StatusCode::CONFLICT, WayOut::Sync),
            Error::Build(BuildError::NoBuild(_)) => (StatusCode::CONFLICT, WayOut::Sync),
            Error::Collections(CollectionsError::NotSynced(_)) => (StatusCode::CONFLICT, WayOut::Sync),
            Error::UnknownSource { nearest, known: names, .. } | Error::UnknownRepo { nearest, known: names, .. } => {
                (StatusCode::NOT_FOUND, known(names, nearest))
            }
            Error::NoFile { .. } | Error::NoDocument(_) | Error::NoPlace(_) | Error::NoSession(_) => {
                (StatusCode::NOT_FOUND, WayOut::Search)
            }
            Error::File(FileError::Missing(_)) | Error::OtherFolder(_) | Error::RawSession(_) => {
                (StatusCode::NOT_FOUND, WayOut::Search)
            }
            Error::Collections(CollectionsError::UnknownDocument(_) | CollectionsError::UnknownCollection { .. }) => {
                (StatusCode::NOT_FOUND, WayOut::Search)
            }
            Error::Session(ai_assist_session::Error::UnknownSession { .. }) => (StatusCode::NOT_FOUND, WayOut::Search),
            Error::NoWorkspace(_) => {
                (StatusCode::NOT_FOUND, WayOut::Words("Make one with: ai-assist workspace init".to_owned()))
            }
            Error::File(_) | Error::Path(_) => (StatusCode::NOT_FOUND, WayOut::Search),
            Error::Search(_) => (StatusCode::BAD_REQUEST, WayOut::Words("Put the question in other words.".to_owned())),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, WayOut::Status),
        };
        Failure::new(status, said, way_out)
    }
}

/// An error's words as a sentence.
fn sentence(said: &str) -> String {
    let mut letters = said.chars();
    let first = letters.next().map_or(String::new(), |first| first.to_uppercase().collect());
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

macro_rules! through_app {
    ($($error:ty),*) => { $(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Error::from(error).into()
            }
        }
    )* };
}

through_app!(
    ai_assist_session::Error,
    BuildError,
    ai_assist_pack::PackError,
    ai_assist_pack::LedgerError,
    ai_assist_search::Error
);

impl From<ai_assist_store::Error> for Failure {
    fn from(error: ai_assist_store::Error) -> Self {
        ai_assist_session::Error::from(error).into()
    }
}
