//! Files that a shell command shows by name, as far as that can be seen without running it.
//!
//! Only what is plain is taken: programs that print files, with names written out. A name that is missed costs little;
//! one that is none would be a file that never was.

use super::Seen;
use super::patch;

/// The files of a script that ran in a folder, and whose paths are relative to it.
pub(super) fn files(script: &str) -> Vec<(String, Seen)> {
    if let Some(patched) = patched(script) {
        return patched;
    }
    let mut found = Vec::new();
    let mut folder: Option<String> = None;
    for words in commands(script) {
        match words.split_first().map(|(program, rest)| (program.as_str(), rest)) {
            Some(("cd", [to])) if is_plain(to) => folder = Some(below(folder.as_deref(), to)),
            // Somewhere else from here on, and nobody knows where.
            Some(("cd" | "pushd" | "popd", _)) => break,
            Some((program, rest)) => {
                found
                    .extend(shown(program, rest).into_iter().map(|name| (below(folder.as_deref(), name), Seen::Named)));
            }
            None => {}
        }
    }
    found
}

/// `apply_patch` with the patch in a here document, after a `cd` maybe.
fn patched(script: &str) -> Option<Vec<(String, Seen)>> {
    let (before, _) = script.split_once(patch::BEGIN)?;
    before.contains("apply_patch").then_some(())?;
    let folder = before
        .trim_start()
        .strip_prefix("cd ")
        .and_then(|rest| rest.split_once("&&"))
        .map(|(folder, _)| folder.trim().trim_matches(['\'', '"']).to_owned());
    let files = patch::files(script);
    Some(files.into_iter().map(|(name, seen)| (below(folder.as_deref(), &name), seen)).collect())
}

fn below(folder: Option<&str>, name: &str) -> String {
    match folder {
        Some(folder) if !name.starts_with('/') => format!("{}/{name}", folder.trim_end_matches('/')),
        _ => name.to_owned(),
    }
}

/// The names among the arguments of programs that print files.
fn shown<'a>(program: &str, args: &'a [String]) -> Vec<&'a str> {
    let takes_value: &[&str] = match program {
        "cat" | "nl" | "bat" | "less" | "more" | "tac" => &[],
        "head" | "tail" => &["-n", "-c", "--lines", "--bytes"],
        "sed" => return sed(args),
        _ => return Vec::new(),
    };
    names(args, takes_value)
}

/// `sed -n SCRIPT FILE…`; with `-i` or a script in another place it is not looked at.
fn sed(args: &[String]) -> Vec<&str> {
    match args {
        [flag, _, files @ ..] if flag == "-n" && files.iter().all(|file| !file.starts_with('-')) => names(files, &[]),
        _ => Vec::new(),
    }
}

fn names<'a>(args: &'a [String], takes_value: &[&str]) -> Vec<&'a str> {
    let mut names = Vec::new();
    let mut args = args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        if takes_value.contains(&arg) {
            args.next();
        } else if !arg.starts_with('-') && is_plain(arg) {
            names.push(arg);
        }
    }
    names
}

/// Nothing that the shell replaces by something else.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && !word.contains(['$', '`', '*', '?', '[', '{', '~', '\\', '\0', '\n', '(', ')', '#', '!'])
}

/// The words of each simple command, up to the first thing that is not simple.
fn commands(script: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut ignored = false;
    let mut chars = script.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                let mut closed = false;
                for inner in chars.by_ref() {
                    if inner == char {
                        closed = true;
                        break;
                    }
                    word.push(inner);
                }
                if !closed {
                    return Vec::new();
                }
            }
            ' ' | '\t' => end_word(&mut commands, &mut word, ignored),
            // What follows are other commands, and what was printed before went somewhere else or to the next.
            '&' | ';' | '|' | '\n' => {
                end_word(&mut commands, &mut word, ignored);
                ignored = false;
                commands.push(Vec::new());
            }
            '<' if chars.peek() == Some(&'<') => {
                commands.pop();
                return commands;
            }
            // The rest of this command is about where its output goes.
            '<' | '>' => {
                word = None;
                ignored = true;
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    end_word(&mut commands, &mut word, ignored);
    commands
}

fn end_word(commands: &mut [Vec<String>], word: &mut Option<String>, ignored: bool) {
    if let (Some(word), Some(command), false) = (word.take(), commands.last_mut(), ignored) {
        command.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_written_out_are_taken() {
        for (script, expected) in [
            ("cat a.rs", &["a.rs"][..]),
            ("cat 'a b.rs' \"c d\" -n", &["a b.rs", "c d"]),
            ("cd src && cat a.rs; head -n 20 b.rs | tail -5", &["src/a.rs", "src/b.rs"]),
            ("cd src && cd ../lib && cat /abs x", &["/abs", "src/../lib/x"]),
            ("cd \"$HOME\" && cat a.rs", &[]),
            ("sed -n '1,20p' a.rs", &["a.rs"]),
            ("sed -i s/a/b/ a.rs", &[]),
            ("cat a.rs > b.rs", &["a.rs"]),
            ("cat a.rs 2>/dev/null || true", &["a.rs"]),
            ("cat <<'EOF' > a.rs\ncat b.rs\nEOF", &[]),
            ("cat *.rs $X `ls` ~/a", &[]),
            ("cat 'a.rs", &[]),
            ("echo cat a.rs", &[]),
            ("", &[]),
        ] {
            let found: Vec<String> = files(script).into_iter().map(|(name, _)| name).collect();
            assert_eq!(found, expected, "{script}");
        }
    }

    #[test]
    fn a_patch_in_a_here_document_is_a_patch() {
        let script = "cd sub && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\nEOF\n";
        assert_eq!(files(script), [("sub/a.txt".to_owned(), Seen::Whole("x\n".to_owned()))]);
    }
}
