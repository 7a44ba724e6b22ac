//! One step of a request: the URL that was asked for, or the one that a redirect names.

use std::net::SocketAddr;

use reqwest::Response;
use reqwest::header::LOCATION;
use url::Url;

use super::connections::Route;
use super::{ClientOptions, CredentialsUse, NamedBy, Request, Result, TransportError, hosts, shown};
use crate::Credential;

/// What servers usually take; the signed URLs that file stores redirect to have two or three thousand.
const LONGEST_URL: usize = 8192;

/// Where a request goes next, and on whose word.
pub(super) struct Redirect {
    pub(super) url: Url,
    pub(super) private_allowed: bool,
    by_user: bool,
    /// No other origin was on the way.
    at_home: bool,
    redirected_by: Option<String>,
}

impl Redirect {
    pub(super) fn first(request: &Request) -> Self {
        let private_allowed = match request.named_by {
            NamedBy::User => true,
            NamedBy::Package { private } => private,
        };
        let mut url = request.url.clone();
        url.set_fragment(None);
        Redirect {
            url,
            private_allowed,
            by_user: request.named_by == NamedBy::User,
            at_home: true,
            redirected_by: None,
        }
    }

    /// Whether this redirect may be made at all. What a name resolves to is left to the resolver.
    pub(super) fn check(&self, options: &ClientOptions) -> Result<()> {
        self.check_form(options).map_err(|error| match &self.redirected_by {
            None => error,
            Some(from) => TransportError::BadRedirect { url: from.clone(), reason: error.to_string() },
        })?;
        let private = self.url.host().is_none_or(|host| hosts::is_private_by_name(&host));
        if private && (options.public_only || !self.private_allowed) { Err(self.private_host()) } else { Ok(()) }
    }

    fn check_form(&self, options: &ClientOptions) -> Result<()> {
        let url = &self.url;
        if url.as_str().len() > LONGEST_URL {
            let reason = format!("it is longer than {LONGEST_URL} bytes");
            return Err(TransportError::BadUrl { url: shown(url), reason });
        }
        let loopback = url.host().is_some_and(|host| hosts::is_loopback(&host));
        match url.scheme() {
            "https" => {}
            "http" if loopback || options.allow_http => {}
            "http" => return Err(TransportError::InsecureHttp { url: shown(url) }),
            scheme => return Err(TransportError::Scheme { url: shown(url), scheme: shown::bounded(scheme) }),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TransportError::UserInfo { host: url.host_str().unwrap_or_default().to_owned() });
        }
        Ok(())
    }

    pub(super) fn private_host(&self) -> TransportError {
        let named_by = match &self.redirected_by {
            Some(from) => format!("a redirect of `{from}`"),
            None => "a package of a public server".to_owned(),
        };
        TransportError::PrivateHost { url: shown(&self.url), named_by }
    }

    /// The credential to send, if any, and what to say of it.
    pub(super) fn credential<'a>(&self, options: &'a ClientOptions) -> (Option<&'a Credential>, CredentialsUse) {
        let Some(credential) = options.credentials.for_url(&self.url, self.by_user) else {
            return (None, CredentialsUse::None);
        };
        let safe = self.url.scheme() == "https" || self.url.host().is_some_and(|host| hosts::is_loopback(&host));
        if safe && self.at_home { (Some(credential), CredentialsUse::Sent) } else { (None, CredentialsUse::Withheld) }
    }

    /// Whether the server that answers is one of this machine or network.
    pub(super) fn is_private(&self, peer: Option<SocketAddr>, route: Route) -> bool {
        match (route, peer) {
            // The peer is the proxy then, which says nothing about the server behind it.
            (Route::Proxied, _) | (_, None) => self.url.host().is_some_and(|host| hosts::is_private_by_name(&host)),
            (_, Some(peer)) => hosts::is_private(peer.ip()),
        }
    }

    pub(super) fn redirected(&self, response: &Response, route: Route) -> Result<Redirect> {
        let bad = |reason: &str| TransportError::BadRedirect { url: shown(&self.url), reason: reason.to_owned() };
        let location = response.headers().get(LOCATION).ok_or_else(|| bad("it names no place to go to"))?;
        let location = std::str::from_utf8(location.as_bytes()).map_err(|_| bad("the place is not UTF-8"))?;
        let mut url = self.url.join(location).map_err(|error| bad(&format!("the place is not a URL ({error})")))?;
        url.set_fragment(None);
        if self.url.scheme() == "https" && url.scheme() == "http" {
            return Err(bad("it leads from `https` to plain HTTP"));
        }
        Ok(Redirect {
            at_home: self.at_home && self.url.origin() == url.origin(),
            private_allowed: self.is_private(response.remote_addr(), route),
            by_user: self.by_user,
            redirected_by: Some(shown(&self.url)),
            url,
        })
    }
}
