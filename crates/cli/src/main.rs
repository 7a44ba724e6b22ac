//! The binary: flags, tables, progress and exit codes. Everything is called from here, nothing is implemented here.
//!
//! [`args`] is what the user may type; [`context`] turns it, the environment and the configuration files into one checked
//! form; each command is a file under [`commands`], grouped as it is typed, or stands in one with its twins.

mod allocator;
#[allow(rustdoc::broken_intra_doc_links, rustdoc::bare_urls, reason = "the comments are the help that people read")]
mod args;
mod commands;
mod complete;
mod context;
mod daemon;
mod failure;
mod help;
mod hints;
mod interrupt;
#[cfg(all(test, target_os = "linux", not(target_env = "musl")))]
mod memory_tests;
mod pager;
mod progress;
mod reference;
mod terminal;

use std::process::ExitCode;

/// How this program is started to read risky formats in a process of its own; not for people.
const CONVERT_WORKER: &str = "convert-worker";

/// Whether a client has started us to tell something, in the words that `session hook` writes. The same words elsewhere are somebody's
/// question, and who asks for help is no client.
fn is_hook() -> bool {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let is_help = words.iter().any(|word| word == "--help" || word == "-h");
    !is_help && words.len() >= 2 && words[0] == "session" && words[1] == "record"
}

/// A hook must never fail or hold up an agent: some clients take an exit code of 2 for a refusal. So whatever happens, it ends well.
fn hook(cli: Option<args::Cli>) -> ExitCode {
    if let Some(args::Cli { global, command: args::Command::Session(args::Sessions::Record { client }) }) = cli {
        ai_assist_base::private_by_default();
        let _ = ai_assist_base::caught(|| commands::session::hook::record(&global, client));
    }
    ExitCode::SUCCESS
}

fn main() -> ExitCode {
    allocator::for_parsers();
    if std::env::args_os().nth(1).is_some_and(|word| word == CONVERT_WORKER) {
        return match ai_assist_convert::worker_main(std::io::stdin(), std::io::stdout()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(2),
        };
    }
    if let Ok(program) = std::env::current_exe() {
        ai_assist_convert::isolate(ai_assist_convert::Isolated::new(program, [CONVERT_WORKER]));
    }
    complete::answer_shell();
    if is_hook() {
        return hook(<args::Cli as clap::Parser>::try_parse().ok());
    }
    let cli = help::parse();
    if matches!(cli.command, args::Command::Session(args::Sessions::Record { .. })) {
        return hook(Some(cli));
    }
    cli.global.color.write_global();
    // A workspace of hundreds of repositories holds thousands of files open, and the usual limit is a thousand.
    ai_assist_base::platform::raise_open_files();
    let json = cli.global.json;
    // Whatever a damaged file makes of a library of others, nobody is left with a trace of the stack.
    let run = ai_assist_base::caught(|| commands::run(cli));
    match run.unwrap_or_else(|broke_off| Err(broke_off.into())) {
        Ok(commands::Outcome::Done) => ExitCode::SUCCESS,
        Ok(commands::Outcome::Partial) => ExitCode::from(1),
        // Whoever reads our output has had enough, such as `head`.
        Err(error) if failure::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            failure::report(&error, json);
            ExitCode::from(if failure::is_nothing_found(&error) { 1 } else { 2 })
        }
    }
}
