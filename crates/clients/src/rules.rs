//! Files that tell an agent how to work in a project, and our part of them: a block between two marks, which is replaced in place.

use crate::change::{Change, Fault, Kind};
use crate::client::Client;
use crate::{Error, Result};

const BEGIN: &str = "<!-- ai-assist: begin -->";
const END: &str = "<!-- ai-assist: end -->";
/// What Cursor wants before the text of a rule that always holds.
const ALWAYS: &str = "---\ndescription: Tools of ai-assist\nalwaysApply: true\n---\n\n";

/// The file of a project that a client reads, as a path in it.
pub fn rules_file(client: Client) -> Result<&'static str> {
    match client {
        Client::ClaudeCode => Ok("CLAUDE.md"),
        Client::Codex | Client::VsCode | Client::Zed => Ok("AGENTS.md"),
        Client::Copilot | Client::OpenCode | Client::Windsurf => Ok("AGENTS.md"),
        Client::Qwen => Ok("QWEN.md"),
        Client::Gemini => Ok("GEMINI.md"),
        Client::Cursor => Ok(".cursor/rules/ai-assist.mdc"),
        Client::ClaudeDesktop => Err(Error::NoRules { client: client.title() }),
    }
}

/// Our part of a file, with its marks.
pub fn rules_block(body: &str) -> String {
    format!("{BEGIN}\n{}\n{END}\n", body.trim())
}

/// Makes the block in a text say `body`; it comes last if there is none yet.
pub fn put_rules(client: Client, text: &str, body: &str) -> std::result::Result<Change, Fault> {
    let block = rules_block(body);
    let (text, kind) = match place(text)? {
        Some((start, end)) if text[start..end] == block => (text.to_owned(), Kind::Unchanged),
        Some((start, end)) => (format!("{}{block}{}", &text[..start], &text[end..]), Kind::Replaced),
        None if text.trim().is_empty() => {
            (format!("{}{block}", if client == Client::Cursor { ALWAYS } else { "" }), Kind::Added)
        }
        None => (format!("{}\n\n{block}", text.trim_end()), Kind::Added),
    };
    Ok(Change { text, kind })
}

/// Takes the block out, and what Cursor has before it if nothing else is left.
pub fn take_out_rules(text: &str) -> std::result::Result<Change, Fault> {
    let Some((start, end)) = place(text)? else { return Ok(Change { text: text.to_owned(), kind: Kind::Unchanged }) };
    let (before, after) = (text[..start].trim_end(), text[end..].trim_start());
    let gap = if before.is_empty() || after.is_empty() { "" } else { "\n\n" };
    let rest = format!("{before}{gap}{after}");
    let is_ours = rest.trim() == ALWAYS.trim() || rest.trim().is_empty();
    let text = if is_ours { String::new() } else { format!("{}\n", rest.trim_end()) };
    Ok(Change { text, kind: Kind::Removed })
}

/// From where to where the block goes, with the newline after it.
fn place(text: &str) -> std::result::Result<Option<(usize, usize)>, Fault> {
    let Some(start) = text.find(BEGIN) else { return Ok(None) };
    let Some(end) = text[start..].find(END).map(|end| start + end + END.len()) else {
        return Err(Fault::at(text, start, format!("the block that begins here has no `{END}`")));
    };
    Ok(Some((start, end + usize::from(text[end..].starts_with('\n')))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_is_replaced_in_place_and_comes_out_whole() {
        let own = "# Rules\n\nUse tabs.\n";
        let put = put_rules(Client::ClaudeCode, own, "Ask first.").unwrap();
        assert_eq!(put.text, format!("# Rules\n\nUse tabs.\n\n{BEGIN}\nAsk first.\n{END}\n"));
        assert_eq!(put_rules(Client::ClaudeCode, &put.text, "Ask first.").unwrap().kind, Kind::Unchanged);
        let more = format!("{}\nMore.\n", put.text);
        let other = put_rules(Client::ClaudeCode, &more, "Ask twice.").unwrap();
        assert_eq!(other.kind, Kind::Replaced);
        assert!(
            other.text.contains("Ask twice.")
                && !other.text.contains("Ask first.")
                && other.text.ends_with("\nMore.\n")
        );
        assert_eq!(take_out_rules(&put.text).unwrap().text, own);
        assert_eq!(take_out_rules(own).unwrap().kind, Kind::Unchanged);
        assert!(put_rules(Client::Codex, BEGIN, "x").is_err());
    }

    #[test]
    fn a_file_of_our_own_is_empty_again() {
        for client in [Client::Cursor, Client::Codex] {
            let put = put_rules(client, "", "Ask first.").unwrap();
            assert_eq!(put.text.starts_with("---\n"), client == Client::Cursor);
            assert_eq!(take_out_rules(&put.text).unwrap().text, "");
        }
    }
}
