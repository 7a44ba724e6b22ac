//! Tasks of agents as scripts of calls over real projects: how many calls, and how many tokens reach the model.
//!
//! Every task has a script for a server that has `context`, `read` and `changes`, and one for a server from before. A script is what an agent does
//! that knows the tools: it takes places from the answer before. It counts as done if the answers have what the task asks for.

use std::path::{Path, PathBuf};
use std::process::Command;

use ai_assist_text::count_tokens;
use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::mcp::Piped;
use crate::timing::run;

#[derive(Args)]
pub(crate) struct Agent {
    /// The sources of a cargo registry, such as ~/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f
    registry: PathBuf,
    /// A clone of this repository, with its history
    repository: PathBuf,
    /// The binary to ask
    #[arg(long)]
    binary: PathBuf,
    /// The name that the client gives of itself
    #[arg(long, default_value = "claude-code")]
    client: String,
    /// Also print every answer
    #[arg(long)]
    show: bool,
}

/// A call: the tool and its arguments. `$1` is the first place of the answer before, `$2` the second; where a server wants document and lines
/// apart, `$1.document` and `$1.lines` are its parts.
type Step = (&'static str, &'static str);

struct Task {
    project: &'static str,
    about: &'static str,
    /// What the answers must have in them.
    wanted: &'static [&'static str],
    now: &'static [Step],
    before: &'static [Step],
}

const READ_FIRST: Step = ("get_document", r#"{"document":"$1.document","lines":"$1.lines"}"#);
const READ_SECOND: Step = ("get_document", r#"{"document":"$2.document","lines":"$2.lines"}"#);

const TASKS: [Task; 12] = [
    Task {
        project: "axum",
        about: "find an implementation: `fallback_service` of the router",
        wanted: &["pub fn fallback_service"],
        now: &[("search", r#"{"query":"Router::fallback_service"}"#), ("read", r#"{"place":"$1"}"#)],
        before: &[("symbol", r#"{"name":"Router::fallback_service"}"#), READ_FIRST],
    },
    Task {
        project: "axum",
        about: "find code by what it does: limiting the size of a body",
        wanted: &["DefaultBodyLimit"],
        now: &[("search", r#"{"query":"where is the size of request bodies limited by default"}"#)],
        before: &[("search", r#"{"query":"where is the size of request bodies limited by default"}"#)],
    },
    Task {
        project: "axum",
        about: "answer from documents: the order of extractors",
        wanted: &["last"],
        now: &[("search", r#"{"query":"does the order of extractors matter","scope":"collections"}"#)],
        before: &[("search", r#"{"query":"does the order of extractors matter","scope":"collections"}"#), READ_FIRST],
    },
    Task {
        project: "axum",
        about: "trace a definition: `PathRouter`, and who uses it",
        wanted: &["struct PathRouter", "path_router: PathRouter"],
        now: &[("search", r#"{"query":"PathRouter"}"#), ("grep", r#"{"pattern":"PathRouter"}"#)],
        before: &[("symbol", r#"{"name":"PathRouter"}"#), READ_FIRST, ("grep", r#"{"pattern":"PathRouter"}"#)],
    },
    Task {
        project: "axum",
        about: "gather for a question: how a handler becomes a service",
        wanted: &["HandlerService"],
        now: &[("context", r#"{"query":"how does a handler function become a tower service"}"#)],
        before: &[
            ("search", r#"{"query":"how does a handler function become a tower service"}"#),
            READ_FIRST,
            ("search", r#"{"query":"how does a handler function become a tower service"}"#),
            READ_SECOND,
            ("outline", r#"{"document":"src/handler/service.rs"}"#),
        ],
    },
    Task {
        project: "axum",
        about: "unknown code: what matters here",
        wanted: &["Router"],
        now: &[("map", r#"{"max_tokens":2000}"#)],
        before: &[("repo_map", r#"{"max_tokens":2000}"#)],
    },
    Task {
        project: "clap_builder",
        about: "find an implementation: how suggestions for mistyped flags are made",
        wanted: &["did_you_mean"],
        now: &[("search", r#"{"query":"suggest a similar flag for a mistyped one did_you_mean"}"#)],
        before: &[
            ("search", r#"{"query":"suggest a similar flag for a mistyped one did_you_mean"}"#),
            ("symbol", r#"{"name":"did_you_mean"}"#),
            READ_FIRST,
        ],
    },
    Task {
        project: "clap_builder",
        about: "read a definition that is named in code: `ArgMatcher::check_explicit`",
        wanted: &["fn check_explicit"],
        now: &[("read", r#"{"place":"ArgMatcher::check_explicit"}"#)],
        before: &[("symbol", r#"{"name":"ArgMatcher::check_explicit"}"#), READ_FIRST],
    },
    Task {
        project: "clap_builder",
        about: "gather for a change: default values of arguments",
        wanted: &["default_vals"],
        now: &[(
            "context",
            r#"{"query":"how default values of arguments are applied when parsing","max_tokens":5000}"#,
        )],
        before: &[
            ("search", r#"{"query":"how default values of arguments are applied when parsing"}"#),
            READ_FIRST,
            ("grep", r#"{"pattern":"default_vals"}"#),
            ("outline", r#"{"document":"src/parser/parser.rs"}"#),
        ],
    },
    Task {
        project: "ai-assist",
        about: "find an implementation: how scores of words and meaning are joined",
        wanted: &["Fusion"],
        now: &[("search", r#"{"query":"Fusion of scores by words and by meaning"}"#)],
        before: &[("search", r#"{"query":"Fusion of scores by words and by meaning"}"#), READ_FIRST],
    },
    Task {
        project: "ai-assist",
        about: "answer from documents: which tools change nothing",
        wanted: &["read-only"],
        now: &[(
            "search",
            r#"{"query":"start the MCP server so that no tool changes anything","scope":"collections"}"#,
        )],
        before: &[(
            "search",
            r#"{"query":"start the MCP server so that no tool changes anything","scope":"collections"}"#,
        )],
    },
    Task {
        project: "ai-assist",
        about: "what changed in the last commit",
        wanted: &["commit"],
        now: &[("changes", "{}")],
        before: &[],
    },
];

/// What a script came to.
struct Ran {
    calls: usize,
    tokens: usize,
    done: bool,
}

pub(crate) fn agent(args: &Agent) -> Result<()> {
    let binary = args.binary.canonicalize().with_context(|| format!("{}", args.binary.display()))?;
    let temporary = tempfile::tempdir()?;
    let root = temporary.path().canonicalize()?;
    println!("| project | task | calls | tokens | done |\n|---|---|---|---|---|");
    let (mut calls, mut tokens, mut listed) = (0, 0, 0);
    for (name, source) in projects(args)? {
        let project = root.join(name);
        prepare(&binary, &root, &source, &project)?;
        for task in TASKS.iter().filter(|task| task.project == name) {
            let mut command = ours(&binary, &root);
            command.args(["mcp", "--project"]).arg(&project);
            let mut client = Piped::named(command, &args.client)?;
            let tools = client.request("tools/list", &json!({}))?["result"].take();
            listed = count_tokens(&tools.to_string());
            let is_new =
                tools["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool["name"] == "context"));
            let script = if is_new { task.now } else { task.before };
            let ran = follow(&mut client, task, script, args.show)?;
            client.end()?;
            let done = if ran.done { "yes" } else { "no" };
            println!("| {name} | {} | {} | {} | {done} |", task.about, ran.calls, ran.tokens);
            calls += ran.calls;
            tokens += ran.tokens;
        }
    }
    println!("| all | | {calls} | {tokens} | |");
    println!("\nThe list of tools: {listed} tokens, once for each conversation. As the client `{}`.", args.client);
    Ok(())
}

/// The projects, and where their sources are.
fn projects(args: &Agent) -> Result<Vec<(&'static str, PathBuf)>> {
    let of_registry = |name: &str| -> Result<PathBuf> {
        let entries = std::fs::read_dir(&args.registry)?.filter_map(|entry| Some(entry.ok()?.path()));
        let is_it = |path: &PathBuf| {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            file.strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('-'))
                .is_some_and(|rest| rest.starts_with(char::is_numeric))
        };
        entries.into_iter().find(is_it).with_context(|| format!("{} has no {name}", args.registry.display()))
    };
    Ok(vec![
        ("axum", of_registry("axum")?),
        ("clap_builder", of_registry("clap_builder")?),
        ("ai-assist", args.repository.clone()),
    ])
}

fn ours(binary: &Path, root: &Path) -> Command {
    let mut command = Command::new(binary);
    command
        .current_dir(root)
        .env("AI_ASSIST_DATA_DIR", root.join("data"))
        .env("AI_ASSIST_CACHE_ROOT", root.join("cache"));
    command
}

/// A copy of a project, indexed, with its Markdown as a collection.
fn prepare(binary: &Path, root: &Path, source: &Path, project: &Path) -> Result<()> {
    match source.join(".git").exists() {
        true => run(Command::new("git").args(["clone", "--quiet"]).arg(source).arg(project))?,
        false => run(Command::new("cp").arg("-r").arg(source).arg(project))?,
    };
    let config = "{ \"collections\": { \"docs\": { \"type\": \"file\", \"path\": \".\", \"glob\": \"**/*.md\" } } }";
    std::fs::write(project.join("context.json"), config)?;
    run(ours(binary, root).arg("-C").arg(project).args(["--quiet", "collections", "sync"]))?;
    run(ours(binary, root).arg("-C").arg(project).args(["--quiet", "index", "build"]))?;
    Ok(())
}

fn follow(client: &mut Piped, task: &Task, script: &[Step], show: bool) -> Result<Ran> {
    let mut ran = Ran { calls: 0, tokens: 0, done: false };
    let (mut all, mut places): (String, Vec<(String, String)>) = Default::default();
    for (tool, template) in script {
        let mut arguments = (*template).to_owned();
        for (number, (document, lines)) in places.iter().enumerate().take(2) {
            let number = number + 1;
            arguments = arguments.replace(&format!("${number}.document"), document);
            arguments = arguments.replace(&format!("${number}.lines"), lines);
            arguments = arguments.replace(&format!("${number}"), &format!("{document}:{lines}"));
        }
        let arguments: Value = serde_json::from_str(&arguments)?;
        let answer = client.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?["result"].take();
        ensure!(answer["isError"] != true, "{tool} {arguments}: {answer}");
        let text = answer.to_string();
        if show {
            let shown = answer["content"][0]["text"].as_str().unwrap_or(&text);
            println!("\n>>> {tool} {arguments}: {} tokens\n{shown}\n", count_tokens(&text));
        }
        ran.calls += 1;
        ran.tokens += count_tokens(&text);
        all.push_str(&text);
        places = places_of(&answer);
    }
    ran.done = !script.is_empty() && task.wanted.iter().all(|wanted| all.contains(wanted));
    Ok(ran)
}

/// The places of an answer: of its items if it has them as data, else as its text shows them.
fn places_of(answer: &Value) -> Vec<(String, String)> {
    let value = &answer["structuredContent"]["value"];
    for list in ["definitions", "hits"] {
        let items = value[list].as_array().into_iter().flatten();
        let places: Vec<(String, String)> = items
            .filter_map(|item| Some((item["document"].as_str()?.to_owned(), item["lines"].as_str()?.to_owned())))
            .collect();
        if !places.is_empty() {
            return places;
        }
    }
    let text = answer["content"][0]["text"].as_str().unwrap_or_default();
    let items = text.lines().filter_map(|line| line.strip_prefix("=== ").or_else(|| line.strip_prefix("- ")));
    let place = |item: &str| {
        let (document, lines) = item.split([' ', '\u{b7}']).next()?.rsplit_once(':')?;
        Some((document.to_owned(), lines.to_owned()))
    };
    items.filter_map(place).collect()
}
