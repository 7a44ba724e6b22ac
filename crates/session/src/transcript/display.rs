//! What a person is shown of the arguments of a call.

use serde_json::Value;

use super::patch;

/// As much as fits on a line.
const LONGEST: usize = 200;

/// The arguments that tell what is done, the best first.
const TELLING: [&str; 16] = [
    "command", "cmd", "pattern", "file_path", "notebook_path", "path", "dir_path", "query", "url", "description",
    "skill", "prompt", "input", "cell_id", "chars", "explanation",
];

/// The first line of the argument that tells most.
pub(super) fn of(args: &Value) -> Option<String> {
    let text = TELLING.iter().find_map(|name| text_of(args.get(name)?))?;
    let text = with_path(text, args);
    // The first line of a patch says only that it is one.
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.ends_with(patch::BEGIN));
    let first = lines.next()?;
    let cut: String = first.chars().take(LONGEST).collect();
    let more = cut.len() < first.len() || lines.next().is_some();
    Some(if more { format!("{cut}…") } else { cut })
}

/// Editors have commands such as `view`, which say little without the path.
fn with_path(text: String, args: &Value) -> String {
    match args.get("path").and_then(Value::as_str) {
        Some(path) if path != text && !text.contains(char::is_whitespace) => format!("{text} {path}"),
        _ => text,
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Array(_) => command(value),
        _ => None,
    }
}

/// A command as one text; `bash -lc SCRIPT` is the script.
pub(super) fn command(value: &Value) -> Option<String> {
    if let Some(text) = value.as_str() {
        return Some(text.to_owned());
    }
    let words: Vec<&str> = value.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    match words.as_slice() {
        [] => None,
        [shell, flag, script] if is_shell(shell) && matches!(*flag, "-c" | "-lc" | "-ic") => Some((*script).to_owned()),
        words => Some(words.join(" ")),
    }
}

fn is_shell(program: &str) -> bool {
    matches!(program.rsplit('/').next(), Some("bash" | "sh" | "zsh"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_most_telling_argument_is_shown_in_one_line() {
        for (args, expected) in [
            (json!({"description": "d", "command": "ls -l"}), Some("ls -l")),
            (json!({"command": ["bash", "-lc", "make test"]}), Some("make test")),
            (json!({"command": ["/usr/bin/git", "log"]}), Some("/usr/bin/git log")),
            (json!({"command": [1, 2], "path": "p"}), Some("p")),
            (json!({"cmd": "\n  a\n b\n"}), Some("a…")),
            (json!({"command": "view", "path": "/a.py"}), Some("view /a.py")),
            (json!({"pattern": "TODO", "path": "src"}), Some("TODO src")),
            (json!({"input": "*** Begin Patch\n*** Delete File: a\n*** End Patch"}), Some("*** Delete File: a…")),
            (json!({"other": "x"}), None),
            (json!({"command": " "}), None),
            (json!([]), None),
        ] {
            assert_eq!(of(&args).as_deref(), expected, "{args}");
        }
        let long = of(&json!({ "query": "ä".repeat(300) })).unwrap();
        assert_eq!(long.chars().count(), LONGEST + 1);
    }
}
