//! What is asked for: the parameters of an address, in their order.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header::COOKIE;
use axum::http::request::Parts;
use url::form_urlencoded;

use crate::frame::Theme;

#[derive(Debug, Clone, Default)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    pub(crate) fn parse(text: &str) -> Self {
        Params(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    /// The first value of a name, if it is not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    pub(crate) fn all<'p, 'n>(&'p self, name: &'n str) -> impl Iterator<Item = &'p str> + use<'p, 'n> {
        self.0.iter().filter(move |(known, value)| known == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }

    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.trim().parse().ok()
    }

    pub(crate) fn has(&self, name: &str, value: &str) -> bool {
        self.all(name).any(|known| known == value)
    }

    pub(crate) fn without(&self, names: &[&str]) -> Params {
        Params(
            self.0
                .iter()
                .filter(|(name, value)| !names.contains(&name.as_str()) && !value.is_empty())
                .cloned()
                .collect(),
        )
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Params {
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With a value if it is not there, and without it if it is.
    pub(crate) fn toggled(&self, name: &str, value: &str) -> Params {
        if !self.has(name, value) {
            return self.clone().with(name, value);
        }
        Params(self.0.iter().filter(|(known, had)| known != name || had != value).cloned().collect())
    }

    pub(crate) fn to_query(&self) -> String {
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.0).finish();
        if query.is_empty() { query } else { format!("?{query}") }
    }
}

/// A request, as far as views care for it.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// The address without the host.
    pub(crate) address: String,
    pub(crate) params: Params,
    pub(crate) theme: Theme,
}

impl<S: Sync> FromRequestParts<S> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let address = parts.uri.path_and_query().map_or("/", |address| address.as_str()).to_owned();
        let params = Params::parse(parts.uri.query().unwrap_or_default());
        let cookies = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let theme = cookies.flat_map(|line| line.split(';')).find_map(|cookie| Theme::of_cookie(cookie.trim()));
        Ok(Asked { address, params, theme: theme.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chip_is_switched_on_and_off_again() {
        let params = Params::parse("q=a%20b&in=docs&in=repo&kind=");
        assert_eq!((params.get("q"), params.get("kind")), (Some("a b"), None));
        let off = params.toggled("in", "docs");
        assert_eq!(off.without(&[]).to_query(), "?q=a+b&in=repo");
        assert!(off.toggled("in", "docs").has("in", "docs"));
    }
}
