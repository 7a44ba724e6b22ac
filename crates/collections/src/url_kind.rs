//! What lies at a URL, found out by asking for it.

use ai_assist_base::Cancel;
use ai_assist_fetch::site::{Scope, SiteError, SiteLimits, page_manner};
use ai_assist_fetch::{Answer, Client, Manner, NamedBy, Request, TransportError, leads_inside};
use url::Url;

use crate::{Error, Result};

/// Redirects that are followed from what was typed to where the site is.
const MOST_REDIRECTS: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UrlKind {
    /// A page or another document; where it is in the end.
    Site(String),
    /// The manifest of a package.
    Package,
}

/// Asks what a URL is. A site that has moved is named by its new place, which a person typed as little as they meant the old one.
pub fn look_at_url(url: &str, client: &Client, cancel: &Cancel) -> Result<UrlKind> {
    let scope = Scope::new(url, &[], &[]).map_err(|error| Error::Unusable(error.to_string()))?;
    let mut at: Url = scope.start().clone();
    let pace = SiteLimits::default().pace(&at);
    let mut named_by = NamedBy::User;
    for _ in 0..=MOST_REDIRECTS {
        // Lists of pages are no documents, and stand for their sites.
        let is_list = at.path().ends_with(".xml") || at.path().ends_with(".xml.gz");
        let manner = Manner { documents_only: !is_list, ..page_manner(pace) };
        let request = Request { manner, named_by, ..Request::by_user(at.clone()) };
        match client.get(&request, client.limits().max_file_bytes, cancel) {
            Ok(Answer::Body(_) | Answer::NotModified { .. }) => {
                return Ok(UrlKind::Site(shown_place(url, &scope, &at)));
            }
            Err(TransportError::Moved { to, .. }) => {
                if at.scheme() == "https" && to.scheme() != "https" {
                    return Err(SiteError::Moved { url: at.to_string(), to: to.to_string() }.into());
                }
                // Only somebody of this network may lead to one of its machines.
                named_by = NamedBy::Package { private: leads_inside(at.as_str()) };
                at = *to;
            }
            Err(TransportError::OtherType { kind, .. }) if kind == "application/json" => return Ok(UrlKind::Package),
            Err(TransportError::OtherType { url, kind }) => return Err(SiteError::NotAPage { url, kind }.into()),
            // Nobody can tell, and the name says nothing else.
            Err(TransportError::Offline { .. }) => return Ok(UrlKind::Site(url.to_owned())),
            // Its folder may have pages all the same: its lists say so.
            Err(error) if error.is_missing() && at.path().ends_with('/') => {
                return Ok(UrlKind::Site(shown_place(url, &scope, &at)));
            }
            Err(TransportError::Status { url, status: status @ (404 | 410), .. }) => {
                let why = format!(": the server answered with status {status}");
                return Err(SiteError::NoPages { url, why }.into());
            }
            Err(TransportError::Cancelled) => return Err(Error::Cancelled),
            Err(error) => return Err(error.into()),
        }
    }
    Err(TransportError::Redirects { url: url.to_owned(), limit: MOST_REDIRECTS }.into())
}

/// The URL as it was typed, if it still stands for the place that was found.
fn shown_place(typed: &str, scope: &Scope, at: &Url) -> String {
    let inside = at.origin() == scope.start().origin()
        && Scope::new(at.as_str(), &[], &[]).is_ok_and(|it| it.name() == scope.name());
    if inside { typed.split('#').next().unwrap_or(typed).to_owned() } else { at.to_string() }
}
