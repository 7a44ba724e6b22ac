//! The language of `CMakeLists.txt`.

/// Longer argument lists end here.
const MAX_ARGUMENTS: usize = 2_000;
const MAX_COMMANDS: usize = 20_000;

/// A command with its arguments, its name in lower case.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) name: String,
    pub(super) arguments: Vec<String>,
}

pub(super) fn commands(text: &str) -> Vec<Command> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '#' || c == '_' || c.is_ascii_alphabetic()) {
        rest = &rest[at..];
        if rest.starts_with('#') {
            rest = after_comment(rest);
            continue;
        }
        let end = rest.find(|c: char| !(c == '_' || c.is_ascii_alphanumeric())).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        rest = after;
        let Some(inside) = after.trim_start_matches([' ', '\t']).strip_prefix('(') else { continue };
        let (arguments, after) = arguments(inside);
        if found.len() < MAX_COMMANDS {
            found.push(Command { name: name.to_ascii_lowercase(), arguments });
        }
        rest = after;
    }
    found
}

/// The arguments up to the bracket that closes them, and what follows it.
fn arguments(mut rest: &str) -> (Vec<String>, &str) {
    let mut found = Vec::new();
    let mut depth = 1_usize;
    while let Some(first) = rest.chars().next() {
        match first {
            '(' => {
                depth += 1;
                rest = &rest[1..];
            }
            ')' => {
                depth -= 1;
                rest = &rest[1..];
                if depth == 0 {
                    break;
                }
            }
            '#' => rest = after_comment(rest),
            c if c.is_whitespace() || c == ';' => rest = &rest[c.len_utf8()..],
            '"' => {
                let end = quote_end(&rest[1..]);
                push(&mut found, &rest[1..1 + end]);
                rest = rest.get(end + 2..).unwrap_or_default();
            }
            _ => {
                let stops = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '#' | ';');
                let end = rest.find(stops).unwrap_or(rest.len());
                push(&mut found, &rest[..end]);
                rest = &rest[end..];
            }
        }
    }
    (found, rest)
}

fn push(found: &mut Vec<String>, argument: &str) {
    if found.len() < MAX_ARGUMENTS {
        found.push(argument.to_owned());
    }
}

fn quote_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    text.len()
}

/// `# …` to the end of the line, `#[[ … ]]` to its brackets.
fn after_comment(text: &str) -> &str {
    let block = text.strip_prefix("#[[").map(|inside| inside.split_once("]]").map_or("", |(_, rest)| rest));
    block.unwrap_or_else(|| text.split_once('\n').map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_with_their_arguments() {
        let text = "#[[ a(b)\n]] Project(\"my app\" # c )\n VERSION 1.0)\nif(NOT (A AND B))\nendif ( )\nset(X a;b \"c\\\"d\")\nopen(a";
        let found = commands(text);
        let shown: Vec<String> =
            found.iter().map(|command| format!("{} {}", command.name, command.arguments.join("|"))).collect();
        let expected = ["project my app|VERSION|1.0", "if NOT|A|AND|B", "endif ", "set X|a|b|c\\\"d", "open a"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn broken_text_ends() {
        for text in ["a(\"", "a(", "#[[", "#", "é(ü)", "a(\"é", "(((", ")))", "a(\\"] {
            commands(text);
        }
    }
}
