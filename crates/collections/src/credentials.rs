//! What opens which host: from the environment, the user's configuration and `.netrc`, in this order.

use std::path::Path;

use ai_assist_fetch::{Credential, CredentialError, Credentials};
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use crate::files::read_text;
use crate::{Error, Result};
use ai_assist_base::json::JsonFile;

#[derive(Clone, Copy)]
pub struct CredentialSources<'s> {
    /// The value of `AI_ASSIST_CREDENTIALS`: `HOST=bearer:TOKEN` and `HOST=basic:USER:PASSWORD`, with spaces between them.
    pub list: Option<&'s str>,
    /// The user's `config.json`, with `credentials` in it: host → `bearer:TOKEN`, `basic:USER:PASSWORD` or `{ "env": NAME }`.
    pub config: &'s Path,
    /// A `.netrc`.
    pub netrc: Option<&'s Path>,
    /// Looks up an environment variable that the configuration names.
    pub variable: &'s dyn Fn(&str) -> Option<String>,
}

/// Reads all credentials. No error shows a value.
pub fn load_credentials(sources: &CredentialSources<'_>) -> Result<Credentials> {
    let mut credentials = match sources.list {
        Some(list) => Credentials::from_list(list).map_err(bad("AI_ASSIST_CREDENTIALS"))?,
        None => Credentials::default(),
    };
    if sources.config.is_file() {
        credentials.merge(from_config(sources)?);
    }
    if let Some(netrc) = sources.netrc.filter(|netrc| netrc.is_file()) {
        let text = read_text(netrc)?;
        credentials.merge(Credentials::from_netrc(&text).map_err(bad(&netrc.display().to_string()))?);
    }
    Ok(credentials)
}

fn bad(place: &str) -> impl Fn(CredentialError) -> Error + use<> {
    let place = place.to_owned();
    move |source| Error::Credentials { place: place.clone(), source }
}

fn from_config(sources: &CredentialSources<'_>) -> Result<Credentials> {
    let mut credentials = Credentials::default();
    let text = read_text(sources.config)?;
    let name = sources.config.display().to_string();
    let json = JsonFile::new(&name, &text);
    let Some(property) = json.object()?.and_then(|mut object| object.take("credentials")) else {
        return Ok(credentials);
    };
    let Value::Object(hosts) = property.value else {
        return Err(json.error(property.range, "`credentials` must be an object of host → credential").into());
    };
    for property in hosts.properties {
        let host = property.name.as_str();
        let range = property.value.range();
        let text = match &property.value {
            Value::StringLit(text) => text.value.clone().into_owned(),
            Value::Object(object) => {
                let variable = object.get("env").map(|env| json.string(env)).transpose()?;
                let Some(variable) = variable else {
                    return Err(json.error(range, format!("the credential of {host} has no `env`")).into());
                };
                // A variable that is not set here is no reason to stop what needs no credentials.
                let Some(value) = (sources.variable)(&variable) else { continue };
                if value.contains(':') { value } else { format!("bearer:{value}") }
            }
            _ => {
                let message = format!("the credential of {host} is a text or {{ \"env\": NAME }}");
                return Err(json.error(range, message).into());
            }
        };
        let parsed = Credential::parse(&text).and_then(|credential| credentials.insert(host, credential));
        parsed.map_err(|error| json.error(range, format!("the credential of {host}: {error}")))?;
    }
    Ok(credentials)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_merged_and_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let (config, netrc) = (folder.path().join("config.json"), folder.path().join("netrc"));
        std::fs::write(
            &config,
            r#"{"credentials": {"a.example": "basic:me:hunter2", "b.example:8443": {"env": "B"}, "c.example": {"env": "NONE"}}}"#,
        )
        .unwrap();
        std::fs::write(
            &netrc,
            "machine a.example login x password netrc-secret\nmachine d.example login x password y\n",
        )
        .unwrap();
        let variable = |name: &str| (name == "B").then(|| "token-of-b".to_owned());
        let sources = CredentialSources {
            list: Some("e.example=bearer:token-of-e"),
            config: &config,
            netrc: Some(&netrc),
            variable: &variable,
        };
        let mut expected = Credentials::from_list(
            "e.example=bearer:token-of-e a.example=basic:me:hunter2 b.example:8443=bearer:token-of-b",
        )
        .unwrap();
        expected.merge(Credentials::from_netrc("machine d.example login x password y").unwrap());
        let found = load_credentials(&sources).unwrap();
        assert_eq!(found, expected);
        let shown = format!("{found:?}");
        for secret in ["hunter2", "token-of", "netrc-secret"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_without_the_value() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.json");
        for text in [r#"{"credentials": {"a": "hunter2"}}"#, r#"{"credentials": {"a b": "bearer:hunter2"}}"#] {
            std::fs::write(&config, text).unwrap();
            let sources = CredentialSources { list: None, config: &config, netrc: None, variable: &|_| None };
            let error = load_credentials(&sources).unwrap_err().to_string();
            assert!(error.contains("config.json:1:") && !error.contains("hunter2"), "{error}");
        }
        let sources = CredentialSources { list: Some("hunter2"), config: &config, netrc: None, variable: &|_| None };
        let error = ai_assist_base::chain(&load_credentials(&sources).unwrap_err());
        assert!(error.contains("AI_ASSIST_CREDENTIALS") && !error.contains("hunter2"), "{error}");
    }
}
