//! The pages of the help. The first has what most people need; `help all` has every command.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use clap::{Command, CommandFactory, FromArgMatches};

use crate::args::{Cli, Global};
use crate::commands::Outcome;
use crate::terminal::{Terminal, styled};

/// The commands of the first page, in its order.
const FIRST_PAGE: &[&str] =
    &["search", "add", "sync", "ls", "get", "outline", "map", "pack", "status", "gc", "serve", "mcp", "session"];

const MORE: &str = "`ai-assist help all` lists every command; `ai-assist help COMMAND` says more about one.";

fn is_first(command: &Command) -> bool {
    FIRST_PAGE.contains(&command.get_name())
}

/// The command line as the help shows it. All commands are there; those of the second page are not listed.
pub(crate) fn front() -> Command {
    let hide = |command: Command| if is_first(&command) { command } else { command.hide(true) };
    Cli::command().mut_subcommands(hide).after_help(MORE)
}

/// What was typed. Ends the process where that is no command, or asks for help.
pub(crate) fn parse() -> Cli {
    let mut command = front();
    let mut matches = command.get_matches_mut();
    Cli::from_arg_matches_mut(&mut matches).unwrap_or_else(|error| error.format(&mut command).exit())
}

pub(crate) fn run(global: &Global, command: &[String], all: bool) -> Result<Outcome> {
    let mut root = front();
    root.build();
    let page = if all || command == ["all"] { everything(&mut root) } else { of(&mut root, command)? };
    Terminal::new(global).page(&page)?;
    Ok(Outcome::Done)
}

fn of(root: &mut Command, names: &[String]) -> Result<String> {
    let mut command = root;
    for name in names {
        command = match command.find_subcommand_mut(name) {
            Some(found) => found,
            None => bail!("there is no command `{}`; `ai-assist help all` lists them", names.join(" ")),
        };
    }
    Ok(command.render_long_help().ansi().to_string())
}

/// The first page, and under it every other command with its subcommands.
fn everything(root: &mut Command) -> String {
    let mut page = root.clone().after_help("").render_help().ansi().to_string();
    page.truncate(page.trim_end().len());
    let header = root.get_styles().get_header().to_owned();
    let literal = root.get_styles().get_literal().to_owned();
    let line = |page: &mut String, name: &str, command: &Command| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ =
            writeln!(page, "  {}{}  {about}", styled(literal, name), " ".repeat(26_usize.saturating_sub(name.len())));
    };
    let _ = writeln!(page, "\n\n{}", styled(header, "More commands:"));
    let listed = |command: &&Command| command.get_name() != "reference" && !is_first(command);
    for command in root.get_subcommands().filter(listed).filter(|command| !command.has_subcommands()) {
        line(&mut page, command.get_name(), command);
    }
    for group in root.get_subcommands().filter(|command| command.has_subcommands()) {
        let about = group.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(page, "\n{} {about}", styled(header, format!("{}:", group.get_name())));
        let visible = |command: &&Command| !command.is_hide_set() && command.get_name() != "help";
        for command in group.get_subcommands().filter(visible) {
            line(&mut page, &format!("{} {}", group.get_name(), command.get_name()), command);
        }
    }
    page
}

/// The reference: every command, with the global options said once.
pub(crate) fn reference() -> String {
    let mut page = String::from(
        "# Commands\n\nMade from the code by `ai-assist reference cli`. Exit codes: 0 done, 1 nothing found or partly done, 2 error.\n\
         Every command takes the [global options](#ai-assist), which are listed once, and `--help`.\n",
    );
    let mut root = Cli::command().term_width(100);
    root.build();
    section(&mut page, root, "", true);
    page
}

fn section(page: &mut String, command: Command, prefix: &str, with_globals: bool) {
    let name = format!("{prefix}{}", command.get_name());
    if command.is_hide_set() || (command.get_name() == "help" && !prefix.is_empty() && prefix != "ai-assist ") {
        return;
    }
    let mut command = command.mut_args(|arg| {
        let hidden = !with_globals && (arg.is_global_set() || arg.get_id() == "help");
        if hidden { arg.hide(true) } else { arg }
    });
    let help = command.render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    let _ = write!(page, "\n## `{name}`\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    for sub in command.get_subcommands() {
        section(page, sub.clone(), &format!("{name} "), false);
    }
}
