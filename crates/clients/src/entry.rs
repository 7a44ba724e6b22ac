//! What our entry looks like in the settings of each client.

use serde_json::{Map, Value, json};
use url::{Host, Url};

use crate::client::Client;
use crate::{Error, Result};

/// The variable that holds the token of a server on another machine, unless another is named.
pub const TOKEN_VARIABLE: &str = "AI_ASSIST_MCP_TOKEN";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    Started {
        command: String,
        args: Vec<String>,
    },
    Url {
        url: String,
        /// The variable whose value is sent as a bearer token.
        token: Option<String>,
    },
}

impl Server {
    /// A server that runs at a URL. Off this machine it wants a token, which is in [`TOKEN_VARIABLE`] if `token` names no
    /// other variable.
    pub fn at(url: &str, token: Option<&str>) -> Result<Server> {
        // The parser's message may quote the URL, and that may hold a password.
        let bad = |problem| Error::BadUrl { problem };
        let parsed = Url::parse(url).map_err(|_| bad("can't be read"))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(bad("starts with neither http:// nor https://"));
        }
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(bad("holds a user or a password, and settings files are read by many"));
        }
        let token = match token {
            Some(name) => Some(variable(name)?),
            None => (!is_loopback(&parsed)).then(|| TOKEN_VARIABLE.to_owned()),
        };
        Ok(Server::Url { url: parsed.into(), token })
    }
}

fn variable(name: &str) -> Result<String> {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_name = starts_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name { Ok(name.to_owned()) } else { Err(Error::BadVariable(name.to_owned())) }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// How a client refers to a variable of the environment in a header, if it can.
fn reference(client: Client, variable: &str) -> Option<String> {
    match client {
        Client::ClaudeCode | Client::Gemini | Client::Qwen => Some(format!("${{{variable}}}")),
        Client::Cursor | Client::Windsurf => Some(format!("${{env:{variable}}}")),
        Client::OpenCode => Some(format!("{{env:{variable}}}")),
        // Codex has a key of its own for it. VS Code asks for secrets, and Zed takes headers as they are.
        Client::Codex | Client::VsCode | Client::Zed | Client::ClaudeDesktop | Client::Copilot => None,
    }
}

pub fn entry(client: Client, server: &Server) -> Result<Value> {
    match server {
        Server::Started { command, args } if client == Client::OpenCode => {
            let line: Vec<&String> = std::iter::once(command).chain(args).collect();
            Ok(json!({ "type": "local", "command": line }))
        }
        Server::Started { command, args } => {
            let mut entry = Map::new();
            if matches!(client, Client::ClaudeCode | Client::VsCode) {
                entry.insert("type".to_owned(), json!("stdio"));
            }
            entry.insert("command".to_owned(), json!(command));
            entry.insert("args".to_owned(), json!(args));
            if client == Client::Copilot {
                entry.insert("type".to_owned(), json!("local"));
                entry.insert("tools".to_owned(), json!(["*"]));
            }
            Ok(Value::Object(entry))
        }
        Server::Url { url, token } => at_url(client, url, token.as_deref()),
    }
}

fn at_url(client: Client, url: &str, token: Option<&str>) -> Result<Value> {
    let mut entry = match client {
        Client::ClaudeDesktop => return Err(Error::NoUrl { client: client.title() }),
        Client::ClaudeCode | Client::VsCode => json!({ "type": "http", "url": url }),
        Client::Gemini | Client::Qwen => json!({ "httpUrl": url }),
        Client::Copilot => json!({ "type": "http", "url": url, "tools": ["*"] }),
        Client::OpenCode => json!({ "type": "remote", "url": url }),
        Client::Windsurf => json!({ "serverUrl": url }),
        Client::Cursor | Client::Codex | Client::Zed => json!({ "url": url }),
    };
    if let (Some(variable), Some(object)) = (token, entry.as_object_mut()) {
        if client == Client::Codex {
            object.insert("bearer_token_env_var".to_owned(), json!(variable));
        } else if let Some(reference) = reference(client, variable) {
            object.insert("headers".to_owned(), json!({ "Authorization": format!("Bearer {reference}") }));
        }
    }
    Ok(entry)
}

impl Client {
    /// Whether a token can be had from a variable, so that it need not stand in the settings.
    pub fn reads_variables(self) -> bool {
        self == Client::Codex || reference(self, TOKEN_VARIABLE).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started() -> Server {
        Server::Started { command: "/bin/ai-assist".into(), args: vec!["mcp".into()] }
    }

    #[test]
    fn a_server_that_is_started() {
        for client in Client::all() {
            let expected = match client {
                Client::ClaudeCode | Client::VsCode => {
                    json!({ "type": "stdio", "command": "/bin/ai-assist", "args": ["mcp"] })
                }
                Client::Copilot => {
                    json!({ "type": "local", "command": "/bin/ai-assist", "args": ["mcp"], "tools": ["*"] })
                }
                Client::OpenCode => json!({ "type": "local", "command": ["/bin/ai-assist", "mcp"] }),
                _ => json!({ "command": "/bin/ai-assist", "args": ["mcp"] }),
            };
            assert_eq!(entry(client, &started()).unwrap(), expected, "{client:?}");
        }
    }

    #[test]
    fn a_server_that_runs_elsewhere() {
        let far = Server::at("https://example.com/mcp", None).unwrap();
        let entry = |client| entry(client, &far);
        let bearer = |reference: &str| json!({ "Authorization": format!("Bearer {reference}") });
        let url = "https://example.com/mcp";
        let expected = json!({ "type": "http", "url": url, "headers": bearer("${AI_ASSIST_MCP_TOKEN}") });
        assert_eq!(entry(Client::ClaudeCode).unwrap(), expected);
        let expected = json!({ "url": url, "headers": bearer("${env:AI_ASSIST_MCP_TOKEN}") });
        assert_eq!(entry(Client::Cursor).unwrap(), expected);
        let expected = json!({ "httpUrl": url, "headers": bearer("${AI_ASSIST_MCP_TOKEN}") });
        assert_eq!(entry(Client::Gemini).unwrap(), expected);
        let expected = json!({ "url": url, "bearer_token_env_var": "AI_ASSIST_MCP_TOKEN" });
        assert_eq!(entry(Client::Codex).unwrap(), expected);
        let expected = json!({ "httpUrl": url, "headers": bearer("${AI_ASSIST_MCP_TOKEN}") });
        assert_eq!(entry(Client::Qwen).unwrap(), expected);
        let expected = json!({ "type": "remote", "url": url, "headers": bearer("{env:AI_ASSIST_MCP_TOKEN}") });
        assert_eq!(entry(Client::OpenCode).unwrap(), expected);
        let expected = json!({ "serverUrl": url, "headers": bearer("${env:AI_ASSIST_MCP_TOKEN}") });
        assert_eq!(entry(Client::Windsurf).unwrap(), expected);
        assert_eq!(entry(Client::Copilot).unwrap(), json!({ "type": "http", "url": url, "tools": ["*"] }));
        assert_eq!(entry(Client::VsCode).unwrap(), json!({ "type": "http", "url": url }));
        assert_eq!(entry(Client::Zed).unwrap(), json!({ "url": url }));
        assert!(matches!(entry(Client::ClaudeDesktop), Err(Error::NoUrl { .. })));
    }

    #[test]
    fn a_token_is_wanted_off_this_machine_only() {
        let token = |url, name| match Server::at(url, name).unwrap() {
            Server::Url { token, .. } => token,
            Server::Started { .. } => panic!("not a URL"),
        };
        for near in ["http://127.0.0.1:1/mcp", "http://127.9.9.9/", "http://localhost:1", "http://[::1]:1/mcp"] {
            assert_eq!(token(near, None), None, "{near}");
            assert_eq!(token(near, Some("MY_1")).as_deref(), Some("MY_1"), "{near}");
        }
        for far in ["http://127.0.0.1.example.com/", "https://localhost.example.com", "http://192.168.0.1"] {
            assert_eq!(token(far, None).as_deref(), Some(TOKEN_VARIABLE), "{far}");
        }
    }

    #[test]
    fn urls_and_variables_that_can_not_be() {
        for url in ["", "example.com", "ftp://example.com", "https://me@example.com", "https://:hunter2@example.com"] {
            let error = Server::at(url, None).unwrap_err();
            assert!(matches!(error, Error::BadUrl { .. }), "{url}");
            assert!(!error.to_string().contains("hunter2"));
        }
        for name in ["", "1A", "A B", "A}", "Ä"] {
            assert!(matches!(Server::at("http://localhost", Some(name)), Err(Error::BadVariable(_))), "{name}");
        }
    }
}
