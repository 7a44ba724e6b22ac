//! The files that a tool of Claude Code has shown or changed.

use serde_json::Value;

use super::{Seen, shell};

/// The files of a call that did its work. `detail` is what the program itself knows of the result.
pub(super) fn seen(tool: &str, args: &Value, detail: Option<&Value>) -> Vec<(String, Seen)> {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let path = || {
        let from_detail = detail.and_then(|detail| text(detail, "filePath"));
        from_detail.or_else(|| text(args, "file_path")).or_else(|| text(args, "path"))
    };
    let one = |path: Option<String>, seen: Seen| path.map(|path| (path, seen)).into_iter().collect();
    match tool {
        "Read" => {
            let file = detail.and_then(|detail| detail.get("file"));
            let path = file.and_then(|file| text(file, "filePath")).or_else(path);
            one(path, file.and_then(whole_read).map_or(Seen::Named, Seen::Whole))
        }
        "Write" => one(path(), written(args, detail).map_or(Seen::Named, Seen::Whole)),
        "Edit" | "MultiEdit" | "Update" => {
            one(path(), detail.and_then(|detail| edited(args, detail)).map_or(Seen::Named, Seen::Whole))
        }
        "NotebookEdit" => {
            let updated = detail.and_then(|detail| text(detail, "updated_file"));
            one(text(args, "notebook_path"), updated.map_or(Seen::Named, Seen::Whole))
        }
        "NotebookRead" => one(text(args, "notebook_path"), Seen::Named),
        "Grep" | "Glob" => listed(detail),
        "Bash" => text(args, "command").map(|script| shell::files(&script)).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The text of a file that was read from its first line to its last.
fn whole_read(file: &Value) -> Option<String> {
    let number = |name: &str| file.get(name).and_then(Value::as_u64);
    let whole = number("startLine")? == 1 && number("numLines")? == number("totalLines")?;
    whole.then(|| file.get("content")?.as_str().map(str::to_owned)).flatten()
}

/// What was written, unless the person has changed it on the way.
fn written(args: &Value, detail: Option<&Value>) -> Option<String> {
    if detail.is_some_and(by_person) {
        return None;
    }
    let content = detail.and_then(|detail| detail.get("content")).or_else(|| args.get("content"));
    content?.as_str().map(str::to_owned)
}

fn by_person(detail: &Value) -> bool {
    detail.get("userModified").and_then(Value::as_bool) == Some(true)
}

/// The names that a search found.
fn listed(detail: Option<&Value>) -> Vec<(String, Seen)> {
    let names = detail.and_then(|detail| detail.get("filenames")).and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| (name.to_owned(), Seen::Named)).collect()
}

/// The text of a file after an edit: what it was, with the replacements made, if the patch that the program has
/// recorded says the same.
fn edited(args: &Value, detail: &Value) -> Option<String> {
    let original = detail.get("originalFile").or_else(|| detail.get("originalFileContents"))?.as_str()?;
    if by_person(detail) {
        return None;
    }
    let mut text = original.to_owned();
    for (old, new, all) in replacements(args, detail)? {
        text = replaced(&text, old, new, all)?;
    }
    let patch = detail.get("structuredPatch")?.as_array()?;
    agrees(original, &text, patch)?.then_some(text)
}

/// Old text, new text, and whether every occurrence is meant.
fn replacements<'a>(args: &'a Value, detail: &'a Value) -> Option<Vec<(&'a str, &'a str, bool)>> {
    let of = |edit: &'a Value, old: &str, new: &str, all: &str| {
        let all = edit.get(all).and_then(Value::as_bool).unwrap_or(false);
        Some((edit.get(old)?.as_str()?, edit.get(new)?.as_str()?, all))
    };
    match detail.get("edits").or_else(|| args.get("edits")).and_then(Value::as_array) {
        Some(edits) => edits.iter().map(|edit| of(edit, "old_string", "new_string", "replace_all")).collect(),
        // The detail has the old text as it stood in the file, the arguments as the agent remembered it.
        None => of(detail, "oldString", "newString", "replaceAll")
            .or_else(|| of(args, "old_string", "new_string", "replace_all"))
            .map(|edit| vec![edit]),
    }
}

fn replaced(text: &str, old: &str, new: &str, all: bool) -> Option<String> {
    if old.is_empty() {
        return text.is_empty().then(|| new.to_owned());
    }
    match text.matches(old).count() {
        0 => None,
        1 => Some(text.replacen(old, new, 1)),
        _ => all.then(|| text.replace(old, new)),
    }
}

/// Whether a patch makes the one text of the other. White space at the start of lines does not count, because patches
/// are recorded for display, with tabs replaced; nor does the newline at the end.
fn agrees(before: &str, after: &str, patch: &[Value]) -> Option<bool> {
    let old: Vec<&str> = before.lines().map(str::trim_start).collect();
    let new: Vec<&str> = after.lines().map(str::trim_start).collect();
    let mut made: Vec<&str> = Vec::with_capacity(new.len());
    let mut at = 0;
    for hunk in patch {
        let start = usize::try_from(hunk.get("oldStart")?.as_u64()?).ok()?.saturating_sub(1);
        made.extend(old.get(at..start)?);
        at = start;
        for line in hunk.get("lines")?.as_array()? {
            let line = line.as_str()?;
            let (mark, text) = (line.chars().next(), line.get(1..).unwrap_or_default().trim_start());
            match mark {
                Some('+') => made.push(text),
                Some('\\') => {}
                Some('-' | ' ') => {
                    if *old.get(at)? != text {
                        return Some(false);
                    }
                    at += 1;
                    made.extend((mark == Some(' ')).then_some(text));
                }
                _ => return Some(false),
            }
        }
    }
    made.extend(old.get(at..)?);
    Some(made == new && !patch.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn edit(original: &str, old: &str, new: &str, lines: &[&str], start: usize) -> Option<String> {
        let detail = json!({
            "originalFile": original, "oldString": old, "newString": new, "replaceAll": false,
            "structuredPatch": [{ "oldStart": start, "lines": lines }],
        });
        edited(&json!({}), &detail)
    }

    #[test]
    fn an_edit_is_whole_if_replacement_and_patch_agree() {
        assert_eq!(edit("a\nb\n", "b", "c", &[" a", "-b", "+c"], 1).as_deref(), Some("a\nc\n"));
        // Tabs are spaces in the patch.
        assert_eq!(edit("\ta\n\tb", "b", "c", &["     a", "-    b", "+    c"], 1).as_deref(), Some("\ta\n\tc"));
        assert_eq!(edit("a\nb\nx\n", "x\n", "", &["-x"], 3).as_deref(), Some("a\nb\n"));
        let none: [(&str, Option<String>); 6] = [
            ("the patch does something else", edit("a\nb\n", "b", "c", &[" a", "-b", "+d"], 1)),
            ("the patch is for another file", edit("a\nb\n", "b", "c", &[" x", "-b", "+c"], 1)),
            ("the patch is beyond the end", edit("a\nb\n", "b", "c", &["-b", "+c"], 9)),
            ("what is replaced is not there", edit("a\n", "b", "c", &["-b", "+c"], 1)),
            ("it is there twice", edit("b\nb\n", "b", "c", &["-b", "+c"], 1)),
            (
                "there is no patch",
                edited(&json!({}), &json!({"originalFile": "b", "oldString": "b", "newString": "c"})),
            ),
        ];
        for (why, result) in none {
            assert_eq!(result, None, "{why}");
        }
    }

    #[test]
    fn several_edits_are_made_in_order() {
        let detail = json!({
            "originalFileContents": "one\ntwo\ntwo\n",
            "edits": [
                { "old_string": "one", "new_string": "two" },
                { "old_string": "two", "new_string": "zwei", "replace_all": true },
            ],
            "structuredPatch": [{ "oldStart": 1, "lines": ["-one", "-two", "-two", "+zwei", "+zwei", "+zwei"] }],
        });
        assert_eq!(edited(&json!({}), &detail).as_deref(), Some("zwei\nzwei\nzwei\n"));
    }

    #[test]
    fn hunks_that_go_back_or_have_wrong_types_are_refused() {
        for patch in [
            json!([{"oldStart": 2, "lines": [" b"]}, {"oldStart": 1, "lines": ["-a"]}]),
            json!([{"oldStart": -1, "lines": []}]),
            json!([{"oldStart": u64::MAX, "lines": ["-a"]}]),
            json!([{"oldStart": 1, "lines": [1]}]),
            json!([{"oldStart": 1, "lines": ["é"]}]),
            json!(["x"]),
            json!({}),
        ] {
            let detail =
                json!({"originalFile": "a\nb\n", "oldString": "a", "newString": "c", "structuredPatch": patch});
            assert_eq!(edited(&json!({}), &detail), None, "{patch}");
        }
    }
}
