//! The files that a stack trace in a question goes through.

/// The files of all frames, the innermost first, each as the parts of its path.
///
/// Python prints the innermost frame last, everybody else first.
pub(crate) fn frames(text: &str) -> Vec<Vec<String>> {
    let (mut last_first, mut first_first) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(path) = python_frame(line) {
            last_first.push(path);
        } else {
            first_first.extend(other_frame(line));
        }
    }
    let mut frames: Vec<Vec<String>> = Vec::new();
    for path in last_first.into_iter().rev().chain(first_first) {
        let parts: Vec<String> = path.split(['/', '\\']).filter(|part| !part.is_empty()).map(str::to_owned).collect();
        if !frames.contains(&parts) {
            frames.push(parts);
        }
    }
    frames
}

/// `File "/usr/lib/python3/json/decoder.py", line 355, in raw_decode`
fn python_frame(line: &str) -> Option<&str> {
    let (path, rest) = line.trim_start().strip_prefix("File \"")?.split_once('"')?;
    rest.starts_with(", line ").then_some(path)
}

/// `at run (/srv/app/lib/run.js:10:5)`, `at com.acme.Main.run(Main.java:12)`, `  at src/main.rs:4:5`, `	/go/src/x.go:12 +0x1d`,
/// `lib/a.rb:3:in 'b'`, `tests/test_a.py:12: AssertionError`
fn other_frame(line: &str) -> Option<&str> {
    line.split(|c: char| c.is_whitespace() || "()\"'`<>,".contains(c)).find_map(|word| {
        let word = word.strip_prefix("file://").unwrap_or(word);
        let is_place =
            |&at: &usize| has_extension(&word[..at]) && word[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        let end = word.match_indices(':').map(|(at, _)| at).find(is_place)?;
        (!word.contains("://")).then_some(&word[..end])
    })
}

fn has_extension(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    !stem.is_empty()
        && (1..=5).contains(&extension.len())
        && extension.chars().all(is_letter)
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Which frame a file is of, if any: their paths end alike. What lies below a folder must agree in that as well, because every
/// other project has a `utils.py`.
pub(crate) fn frame_of(frames: &[Vec<String>], path: &str) -> Option<usize> {
    frames.iter().position(|frame| {
        let same = frame.iter().rev().zip(path.rsplit('/')).take_while(|(a, b)| a.as_str() == *b).count();
        same >= 2 || same == 1 && (frame.len() == 1 || !path.contains('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_innermost_first() {
        let python = "Traceback (most recent call last):\n  File \"run.py\", line 1, in <module>\n    main()\n  \
                      File \"/usr/lib/site-packages/acme/io.py\", line 10, in read\n    raise ValueError\nValueError: no";
        let javascript = "Error: no\n    at read (/srv/app/lib/io.js:10:5)\n    at /srv/app/run.js:3:1\n    at node:internal/main:3:4";
        let rust = "thread 'main' panicked at src/io.rs:10:5:\nno\n   3: acme::read\n             at ./src/run.rs:4:5";
        let java = "\tat com.acme.Io.read(Io.java:12)\n\tat com.acme.Run.main(Run.java:3)";
        let go = "goroutine 1 [running]:\nmain.read()\n\t/go/src/acme/io.go:12 +0x1d";
        let pytest = "acme/io.py:12: AssertionError";
        for (text, expected) in [
            (python, &["usr/lib/site-packages/acme/io.py", "run.py"][..]),
            (javascript, &["srv/app/lib/io.js", "srv/app/run.js"]),
            (rust, &["src/io.rs", "./src/run.rs"]),
            (java, &["Io.java", "Run.java"]),
            (go, &["go/src/acme/io.go"]),
            (pytest, &["acme/io.py"]),
            ("at 10:30 we met, see a.b.c and 1.5:2 or https://x.org:80/a", &[]),
            ("", &[]),
        ] {
            let found: Vec<String> = frames(text).iter().map(|frame| frame.join("/")).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_file_is_of_a_frame_if_their_paths_end_alike() {
        let frames = frames("  File \"/x/acme/io.py\", line 1, in a\n  File \"y/acme/net.py\", line 1, in b");
        let of = |path: &str| frame_of(&frames, path);
        assert_eq!((of("acme/net.py"), of("src/acme/io.py")), (Some(0), Some(1)));
        assert_eq!((of("other/io.py"), of("io.py"), of("acme/io.pyx")), (None, Some(1), None));
    }
}
