//! Tasks of agents as scripts of calls over real projects: how many calls, and how many tokens reach the model, with the tools of today
//! and with those of another binary from before there were `context`, `read` and `changes`.
//!
//! A script is what an agent does that knows the tools well: of the ways to what the task asks for the one with the fewest tokens, a search
//! only where no name is known, and no call for what an answer has had already. It counts as done if its answers have all that is wanted, none
//! of which stands in a call: by their texts, and for a client that gets data, too, by either form.

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
    /// A binary from before, such as one of commit 8dd6dada, to be asked the same with its own tools
    #[arg(long)]
    before: Option<PathBuf>,
    /// Only tasks whose description has this in it
    #[arg(long)]
    only: Option<String>,
    /// Also print every answer
    #[arg(long)]
    show: bool,
}

/// A call: the tool and its arguments. `$1` is the first place of the answer before; where a server wants document and lines apart,
/// `$1.document` and `$1.lines` are its parts.
type Step = (&'static str, &'static str);

struct Task {
    project: &'static str,
    about: &'static str,
    /// What the answers must have in them.
    wanted: &'static [&'static str],
    now: &'static [Step],
    /// None where there was no tool for it.
    before: &'static [Step],
}

/// Clients to be: one that is known to show its model the text alone, and one that nothing is known of.
const CLIENTS: [&str; 2] = ["claude-code", "bench"];

/// Stands for the subject of the last commit.
const SUBJECT: &str = "$subject";
const READ_FIRST: Step = ("get_document", r#"{"document":"$1.document","lines":"$1.lines"}"#);

const TASKS: [Task; 12] = [
    Task {
        project: "axum",
        about: "find an implementation: `fallback_service` of the router",
        wanted: &["pub fn fallback_service", "catch_all_fallback = Fallback::Service"],
        now: &[("read", r#"{"place":"Router::fallback_service"}"#)],
        before: &[("symbol", r#"{"name":"Router::fallback_service"}"#), READ_FIRST],
    },
    Task {
        project: "axum",
        about: "find code by what it does: limiting the size of a body",
        wanted: &["DefaultBodyLimit", "2MB"],
        now: &[("search", r#"{"query":"where is the size of request bodies limited by default"}"#)],
        before: &[("search", r#"{"query":"where is the size of request bodies limited by default"}"#)],
    },
    Task {
        project: "axum",
        about: "answer from documents: the order of extractors",
        wanted: &["you can only have one extractor that consumes the request body", "must be the last"],
        now: &[("search", r#"{"query":"does the order of extractors matter","scope":"collections"}"#)],
        before: &[("search", r#"{"query":"does the order of extractors matter","scope":"collections"}"#)],
    },
    Task {
        project: "axum",
        about: "trace a definition: `PathRouter`, and who uses it",
        wanted: &["prev_route_id: RouteId,", "path_router: PathRouter<S, false>"],
        // The first line that has it in this file is where it is defined.
        now: &[("grep", r#"{"pattern":"PathRouter"}"#), ("read", r#"{"place":"src/routing/path_router.rs:16-40"}"#)],
        before: &[
            ("grep", r#"{"pattern":"PathRouter"}"#),
            ("get_document", r#"{"document":"src/routing/path_router.rs","lines":"16-40"}"#),
        ],
    },
    Task {
        project: "axum",
        about: "gather for a question: how a handler becomes a service",
        wanted: &["pub struct HandlerService<H, T, S>", "fn with_state(self, state: S) -> HandlerService<Self, T, S>"],
        now: &[("context", r#"{"query":"how does a handler function become a tower service"}"#)],
        // The search names the type, and not what makes it.
        before: &[
            ("search", r#"{"query":"how does a handler function become a tower service"}"#),
            ("grep", r#"{"pattern":"HandlerService"}"#),
        ],
    },
    Task {
        project: "axum",
        about: "unknown code: what matters here",
        wanted: &["pub struct Router<S = ()>", "pub trait Handler<T, S>", "pub struct MethodRouter<"],
        now: &[("map", r#"{"max_tokens":2000}"#)],
        before: &[("repo_map", r#"{"max_tokens":2000}"#)],
    },
    Task {
        project: "clap_builder",
        about: "find an implementation: how suggestions for mistyped flags are made",
        wanted: &["strsim::jaro"],
        now: &[("search", r#"{"query":"suggest a similar flag for a mistyped one"}"#)],
        before: &[("search", r#"{"query":"suggest a similar flag for a mistyped one"}"#)],
    },
    Task {
        project: "clap_builder",
        about: "read a definition that is named in code: `ArgMatcher::check_explicit`",
        wanted: &["fn check_explicit(&self, arg: &Id", ".map(|a| a.check_explicit(predicate))"],
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
        before: &[("search", r#"{"query":"how default values of arguments are applied when parsing"}"#)],
    },
    Task {
        project: "ai-assist",
        about: "find out how scores of words and meaning are joined",
        wanted: &["words / max(words)", "cosine - min(cosine)"],
        now: &[("search", r#"{"query":"Fusion of scores by words and by meaning"}"#)],
        before: &[("search", r#"{"query":"Fusion of scores by words and by meaning"}"#)],
    },
    Task {
        project: "ai-assist",
        about: "answer from documents: which tools change nothing",
        wanted: &["--read-only", "Offer no tool that changes anything"],
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
        wanted: &[SUBJECT],
        now: &[("changes", "{}")],
        before: &[],
    },
];

/// What a script came to.
#[derive(Debug, Clone, Copy, Default)]
struct Ran {
    calls: usize,
    /// Tokens of the results as JSON.
    whole: usize,
    /// Tokens of their texts.
    text: usize,
    done: bool,
    /// Whether the texts alone have all that is wanted.
    by_text: bool,
}

impl std::ops::AddAssign for Ran {
    fn add_assign(&mut self, other: Ran) {
        self.calls += other.calls;
        self.whole += other.whole;
        self.text += other.text;
    }
}

/// A binary with a folder of its own for what it keeps.
struct Asked {
    binary: PathBuf,
    root: PathBuf,
}

pub(crate) fn agent(args: &Agent) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let place = |binary: &PathBuf, name: &str| -> Result<Asked> {
        let binary = binary.canonicalize().with_context(|| format!("{}", binary.display()))?;
        let root = temporary.path().canonicalize()?.join(name);
        std::fs::create_dir_all(&root)?;
        Ok(Asked { binary, root })
    };
    let now = place(&args.binary, "now")?;
    let before = args.before.as_ref().map(|binary| place(binary, "before")).transpose()?;
    println!(
        "| project | task | calls | whole | text | done | calls | whole | text | both forms | done | whole | text | both forms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut all_before, mut all_now, mut all_both) = (Ran::default(), Ran::default(), Ran::default());
    let mut short: Vec<&str> = Vec::new();
    for (name, source) in projects(args)? {
        for asked in before.iter().chain([&now]) {
            prepare(asked, &source, name)?;
        }
        let wanted = |task: &&Task| args.only.as_ref().is_none_or(|only| task.about.contains(only.as_str()));
        for task in TASKS.iter().filter(|task| task.project == name).filter(wanted) {
            let [text_alone, both] =
                CLIENTS.map(|client| follow(&now, task, task.now, client, args.show && client == CLIENTS[0]));
            let (text_alone, both) = (text_alone?, both?);
            if !both.by_text {
                short.push(task.about);
            }
            let was = match &before {
                Some(asked) if !task.before.is_empty() => {
                    Some(follow(asked, task, task.before, CLIENTS[0], args.show)?)
                }
                _ => None,
            };
            if was.is_some() || before.is_none() {
                all_before += was.unwrap_or_default();
                all_now += text_alone;
                all_both += both;
            }
            row(name, task.about, was, text_alone, both);
        }
    }
    row("all that both can", "", before.is_some().then_some(all_before), all_now, all_both);
    println!();
    println!("Not done by the text alone that stands beside data: {}", short.join("; "));
    for asked in before.iter().chain([&now]) {
        println!(
            "{}: the list of tools has {} tokens, once for each conversation.",
            asked.binary.display(),
            listed(asked)?
        );
    }
    Ok(())
}

fn row(project: &str, about: &str, before: Option<Ran>, now: Ran, both: Ran) {
    let yes = |done: bool| {
        if about.is_empty() {
            ""
        } else if done {
            "yes"
        } else {
            "**no**"
        }
    };
    let was = match before {
        Some(Ran { calls, whole, text, done, .. }) => format!("{calls} | {whole} | {text} | {}", yes(done)),
        None => "– | – | – | ".to_owned(),
    };
    let share = |now: usize, was: fn(Ran) -> usize| {
        before.map_or("–".to_owned(), |before| format!("{:.2}", now as f64 / was(before).max(1) as f64))
    };
    println!(
        "| {project} | {about} | {was} | {} | {} | {} | {} | {} | {} | {} | {} |",
        now.calls,
        now.whole,
        now.text,
        both.whole,
        yes(now.done && both.done),
        share(now.whole, |was| was.whole),
        share(now.text, |was| was.text),
        share(both.whole, |was| was.whole),
    );
}

fn listed(asked: &Asked) -> Result<usize> {
    let mut client = serve(asked, TASKS[0].project, CLIENTS[0])?;
    let tools = client.request("tools/list", &json!({}))?["result"].take();
    client.end()?;
    Ok(count_tokens(&tools.to_string()))
}

fn serve(asked: &Asked, project: &str, client: &str) -> Result<Piped> {
    let mut command = ours(asked);
    command.args(["mcp", "--project"]).arg(asked.root.join(project));
    Piped::named(command, client)
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

fn ours(Asked { binary, root }: &Asked) -> Command {
    let mut command = Command::new(binary);
    command
        .current_dir(root)
        .env("AI_ASSIST_DATA_DIR", root.join("data"))
        .env("AI_ASSIST_CACHE_ROOT", root.join("cache"));
    command
}

/// A copy of a project, indexed, with its Markdown as a collection.
fn prepare(asked: &Asked, source: &Path, name: &str) -> Result<()> {
    let project = asked.root.join(name);
    match source.join(".git").exists() {
        true => run(Command::new("git").args(["clone", "--quiet"]).arg(source).arg(&project))?,
        false => run(Command::new("cp").arg("-r").arg(source).arg(&project))?,
    };
    let config = "{ \"collections\": { \"docs\": { \"type\": \"file\", \"path\": \".\", \"glob\": \"**/*.md\" } } }";
    std::fs::write(project.join("context.json"), config)?;
    run(ours(asked).arg("-C").arg(&project).args(["--quiet", "collections", "sync"]))?;
    run(ours(asked).arg("-C").arg(&project).args(["--quiet", "index", "build"]))?;
    Ok(())
}

fn follow(asked: &Asked, task: &Task, script: &[Step], client: &str, show: bool) -> Result<Ran> {
    let mut client = serve(asked, task.project, client)?;
    let mut ran = Ran::default();
    let (mut all, mut places): (String, Vec<(String, String)>) = Default::default();
    let mut data = String::new();
    for (tool, template) in script {
        let mut arguments = (*template).to_owned();
        if let Some((document, lines)) = places.first() {
            arguments = arguments.replace("$1.document", document).replace("$1.lines", lines);
            arguments = arguments.replace("$1", &format!("{document}:{lines}"));
        }
        let given = task.wanted.iter().find(|wanted| arguments.contains(*wanted));
        ensure!(given.is_none(), "{}: {given:?} stands in a call, so it would be no answer", task.about);
        let arguments: Value = serde_json::from_str(&arguments)?;
        let answer = client.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?["result"].take();
        ensure!(answer["isError"] != true, "{tool} {arguments}: {answer}");
        let texts = answer["content"].as_array().into_iter().flatten().filter_map(|content| content["text"].as_str());
        let text: String = texts.collect();
        let (whole, alone) = (count_tokens(&answer.to_string()), count_tokens(&text));
        if show {
            println!("\n>>> {tool} {arguments}: {whole} tokens, {alone} of them text\n{text}\n");
        }
        ran.calls += 1;
        ran.whole += whole;
        ran.text += alone;
        all.push_str(&text);
        texts_of(&answer["structuredContent"], &mut data);
        places = places_of(&answer);
    }
    client.end()?;
    let subject =
        Command::new("git").args(["log", "-1", "--format=%s"]).current_dir(asked.root.join(task.project)).output()?;
    let subject = String::from_utf8_lossy(&subject.stdout).trim().to_owned();
    let wanted = |text: &str, wanted: &str| match wanted {
        SUBJECT => !subject.is_empty() && text.contains(&subject),
        wanted => text.contains(wanted),
    };
    ran.by_text = task.wanted.iter().all(|it| wanted(&all, it));
    ran.done = task.wanted.iter().all(|it| wanted(&all, it) || wanted(&data, it));
    Ok(ran)
}

/// Every text that stands in data.
fn texts_of(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| texts_of(item, out)),
        Value::Object(object) => object.values().for_each(|item| texts_of(item, out)),
        _ => {}
    }
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
