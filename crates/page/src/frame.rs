//! What stands around every view: where one is, where one can go, light or dark.

use std::fmt;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::response::{IntoResponse, Response};

use crate::links;
use crate::pages::{Open, Pages};
use crate::params::{Asked, Params};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    Auto,
    Light,
    Dark,
}

const COOKIE_NAME: &str = "ai-assist-theme";

impl Theme {
    pub(crate) fn of_cookie(cookie: &str) -> Option<Theme> {
        Theme::named(cookie.strip_prefix(COOKIE_NAME)?.strip_prefix('=')?)
    }

    fn named(name: &str) -> Option<Theme> {
        [Theme::Auto, Theme::Light, Theme::Dark].into_iter().find(|theme| theme.to_string() == name)
    }

    fn next(self) -> Theme {
        match self {
            Theme::Auto => Theme::Dark,
            Theme::Dark => Theme::Light,
            Theme::Light => Theme::Auto,
        }
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Theme::Auto => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
        })
    }
}

/// A view that has a place in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Search,
    Repository,
    Workspace,
    Collections,
    Pack,
    Sessions,
    Status,
    Other,
}

pub(crate) struct Tab {
    pub(crate) label: &'static str,
    pub(crate) address: String,
    pub(crate) is_current: bool,
}

pub(crate) struct Frame {
    pub(crate) title: String,
    /// The project, if one is open.
    pub(crate) project: Option<String>,
    /// Where a search of it goes, and what was searched for.
    pub(crate) search: String,
    pub(crate) query: String,
    pub(crate) is_search: bool,
    pub(crate) tabs: Vec<Tab>,
    /// The projects beside it, with their addresses.
    pub(crate) others: Vec<(String, String)>,
    pub(crate) theme: Theme,
    pub(crate) next_theme: Theme,
    pub(crate) back: String,
}

impl Frame {
    pub(crate) fn bare(title: &str, asked: &Asked) -> Frame {
        Frame {
            title: title.to_owned(),
            project: None,
            search: String::new(),
            query: String::new(),
            is_search: false,
            tabs: Vec::new(),
            others: Vec::new(),
            theme: asked.theme,
            next_theme: asked.theme.next(),
            back: asked.address.clone(),
        }
    }

    pub(crate) fn new(open: &Open, title: &str, view: View) -> Frame {
        let name = &open.name;
        let mut tabs = vec![("Search", "", View::Search), ("Repository", "repo", View::Repository)];
        if open.project.workspace_file().is_ok() {
            tabs.push(("Workspace", "workspace", View::Workspace));
        }
        tabs.extend([
            ("Collections", "collections", View::Collections),
            ("Pack", "pack", View::Pack),
            ("Sessions", "sessions", View::Sessions),
            ("Status", "status", View::Status),
        ]);
        let tab = |(label, path, of): (&'static str, &str, View)| Tab {
            label,
            address: links::view(name, path),
            is_current: of == view,
        };
        let others = open.pages.projects().iter().map(|project| project.name.clone()).filter(|other| other != name);
        Frame {
            project: Some(name.clone()),
            search: links::view(name, ""),
            query: open.asked.params.get("q").unwrap_or_default().to_owned(),
            is_search: view == View::Search,
            tabs: tabs.into_iter().map(tab).collect(),
            others: others.map(|other| (links::view(&other, ""), other)).collect(),
            ..Frame::bare(title, &open.asked)
        }
    }
}

/// Remembers light or dark in a cookie and goes back to where the switch was, so that it works without scripts and no page is shown
/// in the wrong colours first.
pub(crate) async fn choose_theme(State(_): State<Arc<Pages>>, body: String) -> Response {
    let params = Params::parse(&body);
    let theme = params.get("theme").and_then(Theme::named).unwrap_or_default();
    let cookie = format!("{COOKIE_NAME}={theme}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict");
    (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, own_address(params.get("back")))]).into_response()
}

/// An address of this page, whatever was asked for.
pub(crate) fn own_address(asked: Option<&str>) -> String {
    let is_own = |address: &&str| {
        address.starts_with('/')
            && !address.starts_with("//")
            && address.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    };
    asked.filter(is_own).unwrap_or("/").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_leads_nowhere_else() {
        for (asked, expected) in [
            (Some("/p/x?q=a"), "/p/x?q=a"),
            (Some("//evil.example/"), "/"),
            (Some("/\\evil.example"), "/"),
            (Some("https://evil.example"), "/"),
            (Some("/a\r\nSet-Cookie: x"), "/"),
            (None, "/"),
        ] {
            assert_eq!(own_address(asked), expected, "{asked:?}");
        }
    }
}
