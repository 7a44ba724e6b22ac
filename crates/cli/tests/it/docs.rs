//! The documentation is run, compared and followed: what it shows works, and what it names is there.
//!
//! How a page is written so that it can be tested:
//!
//! - A `console` block is run, all of a page's blocks in one project of its own ([`sample_project`]). Lines that start with
//!   `$ ` are commands; the lines after one must come in its output, in that order. `…` stands for anything. The command
//!   must end with code 0, or with the one the block gives: `console exit=1`.
//! - A block with `file=PATH` is written to that file of the project.
//! - A page may start a service and ask it with `curl`: the port 7411 is one that is free, and the service is ended after the page.
//! - A `sh` block is not run, so nothing in it may start with `ai-assist`.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "clippy does not see that these functions are a test's")]

mod keys;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Run, Sandbox};

/// The documents that the samples of every page are about.
fn sample_project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "docs/retries.md",
        "# Retries\n\n## When a request is sent again\n\nA request that fails with 502, 503 or a timeout is sent again, at \
         most five times.\n\n## Backoff\n\nThe wait doubles each time: 100 ms, 200 ms, 400 ms and so on, up to ten \
         seconds. A random part of up to a fifth is\nadded, so that clients which failed together do not come back \
         together.\n\n## What is never sent again\n\nA request that changes something and carries no idempotency key. \
         The caller decides.\n",
    );
    sandbox.write(
        "docs/deploy.md",
        "# Deploying\n\n## Roll out\n\n`make deploy` builds the image, runs the migrations and moves one server in ten to \
         the new version. The rest follow\nafter five minutes without errors.\n\n## Roll back\n\n`make rollback` moves \
         all servers to the version before. Migrations are never undone: write them so that the old\nversion can run on \
         the new schema.\n",
    );
    sandbox.write(
        "docs/cache.md",
        "# Cache\n\nAnswers are cached for an hour by the hash of the question.\n\n## Throwing entries away\n\nA changed \
         document throws away every answer that quotes it. Nothing else does.\n",
    );
    // In two parts, so that no scanner takes this file for one that leaks a key.
    let key = ["AKIAZ7Q3X5", "RNT6WKD2PY"].concat();
    sandbox.write(
        "docs/guide/onboarding.md",
        format!(
            "# Your first week\n\nAsk for access to the staging servers. Read [Deploying](../deploy.md) before you touch \
             anything.\n\nThe staging key is {key}; it is rotated every Monday.\n"
        ),
    );
    sandbox.write(
        "src/backoff.rs",
        "use std::time::Duration;\n\n/// Waits longer after each failure.\npub struct Backoff {\n    attempt: u32,\n}\n\n\
         impl Backoff {\n    /// How long to wait before the next attempt.\n    pub fn delay(&self) -> Duration {\n        \
         Duration::from_millis(100 << self.attempt.min(6))\n    }\n}\n",
    );
    sandbox.write(".env", "DATABASE_PASSWORD=not-for-others\n");
    sandbox
}

/// A git repository `handbook` beside the project, with a tag `v1.0`, for pages that show one.
fn sample_repository(sandbox: &Sandbox) {
    sandbox.write("../handbook/guide/oncall.md", "# On call\n\nThe pager goes round every Monday.\n");
    sandbox.write("../handbook/README.md", "# Handbook\n\nHow we work.\n");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(sandbox.root().join("handbook")).env("HOME", sandbox.root());
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        command.args(["-c", "user.name=A", "-c", "user.email=a@example.com"]).args(args);
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "A handbook"]);
    git(&["tag", "v1.0"]);
}

/// The port of a service in the documentation.
const SERVICE_PORT: &str = "7411";

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every Markdown file below a folder, relative to the repository, sorted.
fn markdown_below(folder: &str) -> Vec<String> {
    fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                // Copies of pages lead nowhere from where they lie.
                if !name.starts_with('.') && name != "target" && name != "four_formats" {
                    collect(root, &path, found);
                }
            } else if name.ends_with(".md") {
                found.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    let root = repository();
    let mut found = Vec::new();
    collect(&root, &root.join(folder), &mut found);
    found.sort();
    found
}

/// The pages whose blocks are run.
fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    pages.extend(markdown_below("docs"));
    pages
}

fn read(page: &str) -> String {
    std::fs::read_to_string(repository().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// A fenced block.
struct Block {
    /// What stands behind the fence.
    info: String,
    /// The line of the fence, from 1.
    line: usize,
    body: Vec<String>,
}

impl Block {
    fn is(&self, language: &str) -> bool {
        self.info.split_whitespace().next() == Some(language)
    }

    /// The value of `key=value` behind the language.
    fn option(&self, key: &str) -> Option<&str> {
        self.info.split_whitespace().skip(1).find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }
}

/// The fenced blocks of a page, and the page with their lines left empty.
fn blocks(text: &str) -> (Vec<Block>, String) {
    let mut blocks: Vec<Block> = Vec::new();
    let mut prose = String::new();
    let mut open: Option<(String, usize)> = None;
    for (number, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let fence: String = line.trim_start().chars().take_while(|&c| c == '`').collect();
        match &open {
            Some((opening, _)) if fence.len() >= opening.len() && line.trim() == fence => open = None,
            Some((_, indent)) => {
                let body = &mut blocks.last_mut().unwrap().body;
                body.push(line.get(*indent..).unwrap_or_default().trim_end().to_owned());
            }
            None if fence.len() >= 3 => {
                let info = line.trim_start()[fence.len()..].trim().to_owned();
                blocks.push(Block { info, line: number + 1, body: Vec::new() });
                open = Some((fence, indent));
            }
            None => prose.push_str(line),
        }
        prose.push('\n');
    }
    assert!(open.is_none(), "a block is not closed");
    (blocks, prose)
}

/// A command of a block and the lines shown as its output.
struct Shown {
    command: String,
    output: Vec<String>,
}

fn shown(block: &Block) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    for line in &block.body {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push(Shown { command: command.to_owned(), output: Vec::new() }),
            (None, Some(last)) => last.output.push(line.clone()),
            (None, None) => panic!("a block starts with `{line}` and not with a command"),
        }
    }
    commands
}

/// Runs a line as a reader would, with both streams in the order in which a terminal shows them.
fn run_line(sandbox: &Sandbox, line: &str) -> Run {
    let like = sandbox.command();
    let binary = Path::new(like.get_program()).parent().unwrap().to_owned();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("exec 2>&1\n{line}")).current_dir(sandbox.project()).env_clear();
    for (key, value) in like.get_envs() {
        if let Some(value) = value {
            shell.env(key, value);
        }
    }
    let mut path = vec![binary];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    shell.env("PATH", std::env::join_paths(path).unwrap());
    Run(shell.output().unwrap())
}

/// Whether a line is what a pattern says, where `…` stands for anything.
fn matches(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('…');
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

/// The first of some patterns that does not come in the output, in order.
fn first_missing<'p>(patterns: &'p [String], output: &str) -> Option<&'p str> {
    let mut lines = output.lines().map(str::trim_end);
    patterns
        .iter()
        .filter(|pattern| !pattern.trim().is_empty())
        .find(|pattern| !lines.any(|line| matches(pattern, line)))
        .map(String::as_str)
}

#[test]
fn patterns_match_what_they_should() {
    for (pattern, line, expected) in [
        ("abc", "abc", true),
        ("abc", "abcd", false),
        ("ab…", "abcd", true),
        ("…cd", "abcd", true),
        ("a…d", "abcd", true),
        ("a…x…d", "abcd", false),
        ("a…b…d", "abcd", true),
        ("ab…bc", "abc", false),
        ("…", "", true),
    ] {
        assert_eq!(matches(pattern, line), expected, "{pattern} against {line}");
    }
    let patterns = ["one".to_owned(), String::new(), "t…o".to_owned()];
    assert_eq!(first_missing(&patterns, "zero\none\ntwo\n"), None);
    assert_eq!(first_missing(&patterns, "two\none\n"), Some("t…o"), "the order counts");
}

#[test]
fn commands_in_the_documentation_work() {
    let mut commands = 0;
    let mut failures = Vec::new();
    for page in pages() {
        let sandbox = sample_project();
        let text = read(&page);
        if text.contains("git+file://") {
            sample_repository(&sandbox);
        }
        let port = free_port().to_string();
        for block in blocks(&text).0 {
            let place = format!("{page}:{}", block.line);
            if let Some(file) = block.option("file") {
                sandbox.write(file, format!("{}\n", block.body.join("\n")));
            }
            if !block.is("console") {
                continue;
            }
            let code = block.option("exit").map_or(0, |code| code.parse().unwrap());
            let shown = shown(&block);
            assert!(!shown.is_empty(), "{place}: a block without commands");
            for Shown { command, output } in shown {
                // Variables may be set in front of it.
                let program = command.split_whitespace().find(|word| !word.contains('='));
                let is_known = program == Some("ai-assist") || (program == Some("curl") && text.contains(SERVICE_PORT));
                assert!(is_known, "{place}: `{command}` is not a command of ours");
                let run = run_line(&sandbox, &command.replace(SERVICE_PORT, &port));
                let output: Vec<String> = output.iter().map(|line| line.replace(SERVICE_PORT, &port)).collect();
                if run.code() != code {
                    failures.push(format!(
                        "{place}: `{command}` ends with {}, not {code}\n{}",
                        run.code(),
                        run.stdout()
                    ));
                } else if let Some(missing) = first_missing(&output, &run.stdout()) {
                    failures.push(format!("{place}: `{command}` does not print `{missing}` there\n{}", run.stdout()));
                }
                commands += 1;
            }
        }
        if text.contains(SERVICE_PORT) {
            sandbox.run(&["serve", "--stop"]);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(commands > 30, "only {commands} commands were found: are the blocks still called `console`?");
}

#[test]
fn blocks_that_are_not_run_show_no_command_of_ours() {
    for page in pages().into_iter().chain(["ARCHITECTURE.md".to_owned()]) {
        for block in blocks(&read(&page)).0 {
            let place = format!("{page}:{}", block.line);
            assert!(!block.info.is_empty(), "{place}: a block without a language; say `text` if it has none");
            for line in block.body.iter().filter(|_| block.is("sh")) {
                let ours = line.split_whitespace().any(|word| word == "ai-assist");
                assert!(!ours, "{place}: `{line}` belongs into a `console` block");
            }
        }
    }
}

#[test]
fn generated_pages_are_what_the_binary_prints() {
    let sandbox = Sandbox::new();
    for name in ["cli", "settings", "mcp"] {
        let run = sandbox.run(&["reference", name]);
        run.assert_code(0);
        let file = repository().join(format!("docs/reference/{name}.md"));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&file, run.stdout()).unwrap();
        }
        let written = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(written == run.stdout(), "docs/reference/{name}.md is out of date: run this test with UPDATE_DOCS=1");
    }
}

/// Links of a page: text outside blocks and outside `code`.
fn links(text: &str) -> Vec<String> {
    let prose = blocks(text).1;
    let without_code: String = prose.split('`').step_by(2).collect::<Vec<_>>().join("``");
    let targets = without_code.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.trim().to_owned()).collect()
}

/// The anchor that GitHub makes of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_lead_somewhere() {
    let root = repository();
    let mut followed = 0;
    for page in markdown_below("") {
        let text = read(&page);
        let folder = root.join(&page).parent().unwrap().to_owned();
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, fragment) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { root.join(&page) } else { folder.join(file) };
            assert!(target.exists(), "{page} links to {link}, which is not there");
            if !fragment.is_empty() {
                let prose = blocks(&std::fs::read_to_string(&target).unwrap()).1;
                let mut headings = prose.lines().filter(|line| line.starts_with('#'));
                let found = headings.any(|line| anchor(line.trim_start_matches('#')) == fragment);
                assert!(found, "{page} links to {link}, but there is no such heading");
            }
            followed += 1;
        }
    }
    assert!(followed > 30, "only {followed} links were found");
}

#[test]
fn the_documents_of_the_quickstart_are_those_of_the_repository() {
    let list = read("crates/cli/src/documents.in");
    let mut listed = Vec::new();
    for line in list.lines().map(str::trim).filter(|line| !matches!(*line, "[" | "]" | "")) {
        let (name, rest) = line.strip_prefix("(\"").and_then(|rest| rest.split_once('"')).unwrap();
        assert_eq!(rest, format!(", include_str!(\"../../../{name}\")),"), "{line}");
        listed.push(name.to_owned());
    }
    let mut expected: Vec<String> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned).to_vec();
    // The reference of the commands is a long list of flags: `--help` shows it better than a search does.
    expected.extend(markdown_below("docs").into_iter().filter(|page| page != "docs/reference/cli.md"));
    listed.sort();
    expected.sort();
    assert_eq!(listed, expected, "crates/cli/src/documents.in is not what is in the repository");
}

#[test]
fn the_quickstart_finds_its_answers() {
    let run = Sandbox::new().run(&["quickstart"]);
    run.assert_code(0);
    let output = run.stdout();
    let places: Vec<&str> = output.lines().filter(|line| line.starts_with("manual/")).collect();
    assert_eq!(places.len(), 6, "two searches with three hits each\n{output}");
    assert!(places[0].starts_with("manual/docs/concepts/ranking.md:"), "{places:#?}");
    assert!(places[3].starts_with("manual/docs/concepts/storage.md:"), "{places:#?}");
}
