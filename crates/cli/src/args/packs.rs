//! What the user may type about packs.

use std::path::PathBuf;

use ai_assist_pack::types::OnDecodeError;
use ai_assist_pack::{Format, Wanted};
use clap::{Args, Subcommand, ValueEnum};

use super::{Choices, at_least_one, choice};

const PACK_TYPES: Choices<Wanted> = &[
    ("auto", "Full if everything fits, otherwise a summary; with --max-tokens, full with what fits", Wanted::Auto),
    ("full", "The text of the files, as far as it fits", Wanted::Full),
    ("summary", "What can be said about the files without sending them", Wanted::Summary),
];

const FORMATS: Choices<Format> = &[
    ("json", "For programs", Format::Json),
    ("msgpack messagepack", "Smaller, for programs", Format::MessagePack),
    ("markdown md", "For a chat", Format::Markdown),
    ("xml", "For a chat with a model that likes tags", Format::Xml),
];

const DECODE_ERRORS: Choices<OnDecodeError> = &[
    ("replace", "Put U+FFFD in their place", OnDecodeError::Replace),
    ("skip", "Leave the file out", OnDecodeError::Skip),
];

/// Which files, for every command that looks at a project.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Which {
    /// The project; the current folder by default
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// Only files that match; may be given several times. Without a `/` it counts in every folder
    #[arg(long, short, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// No files that match; may be given several times
    #[arg(long, short = 'x', value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Take in this file whatever the rules say of it, with its secrets; with `#RULE=REASON` it goes by the rules, but the values
    /// that this rule finds in it stay. The receipt names it, and the reason
    #[arg(long, value_name = "PATH[#RULE][=REASON]")]
    pub(crate) allow: Vec<String>,
    /// What to do with a file that holds a secret value
    #[arg(long, value_enum, default_value = "redact", value_name = "ACTION")]
    pub(crate) on_secret: OnSecretValue,
    /// What to do with a file in which some bytes are no characters of its encoding
    #[arg(long, value_parser = choice(DECODE_ERRORS), default_value = "replace", value_name = "ACTION")]
    pub(crate) on_decode_error: OnDecodeError,
    /// Only files that differ from this revision of git, uncommitted changes and new files included
    #[arg(long, value_name = "REV")]
    pub(crate) changed_since: Option<String>,
}

/// What to do with a file that holds a secret value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnSecretValue {
    #[default]
    /// Take the value out
    Redact,
    /// Leave the file out
    Exclude,
    /// Make no pack
    Fail,
}

#[derive(Debug, Args)]
pub(crate) struct PackProject {
    #[command(flatten)]
    pub(crate) which: Which,
    /// With the files' text, or with what can be said about them
    #[arg(long = "type", value_parser = choice(PACK_TYPES), default_value = "auto", value_name = "TYPE")]
    pub(crate) pack_type: Wanted,
    /// How it is written; follows from the name of the output where that says it [default: json]
    #[arg(long, short, value_parser = choice(FORMATS), value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Where to write it; otherwise it goes to standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// At most so many bytes of text, such as 500000, 2MB or `none` [default: 500000]
    #[arg(long, value_name = "N", value_parser = amount)]
    pub(crate) max_content_bytes: Option<Amount>,
    /// At most so many bytes of each file, its first and last lines [default: 50000]
    #[arg(long, value_name = "N", value_parser = amount)]
    pub(crate) max_file_bytes: Option<Amount>,
    /// How many lines stay at the beginning of a file that is cut
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) preserve_head_lines: usize,
    /// How many lines stay at the end of a file that is cut
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) preserve_tail_lines: usize,
    /// What stands in the place of what was cut, on lines of its own [default: ... [truncated] ...]
    #[arg(long, value_name = "TEXT")]
    pub(crate) truncation_marker: Option<String>,
    /// At most so many files with text [default: 200]
    #[arg(long, value_name = "N", value_parser = amount)]
    pub(crate) max_files: Option<Amount>,
    /// At most so many tokens (o200k) in all: what matters most comes in, then outlines, then names
    #[arg(long, visible_alias = "budget", value_name = "N", value_parser = at_least_one)]
    pub(crate) max_tokens: Option<usize>,
    /// For whom it is; its limit counts
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// A summary, even if everything fits
    #[arg(long)]
    pub(crate) prefer_summary: bool,
    /// Cut it into parts of at most so many tokens, between files
    #[arg(long, value_name = "N", value_parser = at_least_one, requires = "output", conflicts_with = "prefer_summary")]
    pub(crate) split: Option<usize>,
    /// Write more than 20 parts without being asked
    #[arg(long, short, requires = "split")]
    pub(crate) yes: bool,
    /// Leave out times and places, so that the same tree gives the same bytes
    #[arg(long)]
    pub(crate) reproducible: bool,
    /// Where to write the receipt, as YAML or, for a name that ends in .json, as JSON [default: OUTPUT.receipt.yaml]
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,
    /// Write a page that shows what the tokens are spent on
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Count no tokens
    #[arg(long, conflicts_with_all = ["max_tokens", "split"])]
    pub(crate) no_tokens: bool,
    /// How many files and folders the report lists
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,
    /// List the files and lines that secret values were taken out of
    #[arg(long)]
    pub(crate) redactions: bool,
}

/// A number of bytes or files, or no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Amount {
    Limit(usize),
    None,
}

impl Amount {
    /// The number; the largest there is for no limit.
    pub(crate) fn most(self) -> usize {
        match self {
            Amount::Limit(limit) => limit,
            Amount::None => usize::MAX,
        }
    }
}

fn amount(text: &str) -> Result<Amount, String> {
    if text.eq_ignore_ascii_case("none") {
        return Ok(Amount::None);
    }
    let unfit = || "a whole number such as 500000, 64kB or 2MB is needed, or `none`".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let factor = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "kib" => 1 << 10,
        "m" | "mb" => 1_000_000,
        "mib" => 1 << 20,
        "g" | "gb" => 1_000_000_000,
        "gib" => 1 << 30,
        _ => return Err(unfit()),
    };
    let number: usize = text[..digits].parse().map_err(|_| unfit())?;
    number.checked_mul(factor).map(Amount::Limit).ok_or_else(unfit)
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The file or folder to ask about
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// The folder that would be packed; the current one by default, or the project around the path from outside any
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Only files that match
    #[arg(long, short, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// No files that match
    #[arg(long, short = 'x', value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// As if this file had been allowed, or the values of a rule in it
    #[arg(long, value_name = "PATH[#RULE][=REASON]")]
    pub(crate) allow: Vec<String>,
}

/// Commands about receipts.
#[derive(Debug, Subcommand)]
pub(crate) enum Receipts {
    /// List what was packed on this machine, the newest last
    #[command(visible_alias = "ls")]
    List {
        /// Only the last so many
        #[arg(long, short = 'n', value_name = "N", value_parser = at_least_one)]
        limit: Option<usize>,
    },
    /// Print a receipt
    Show {
        /// Its number, or `last`
        #[arg(value_name = "NUMBER", default_value = "last")]
        number: String,
    },
    /// Check that no receipt was changed, taken out or put in; and whether a pack is one of those sent
    Verify {
        /// A pack to look up by its hash
        #[arg(value_name = "PACK")]
        pack: Option<PathBuf>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_units() {
        for (text, expected) in [
            ("0", Some(Amount::Limit(0))),
            ("500000", Some(Amount::Limit(500_000))),
            ("64kB", Some(Amount::Limit(64_000))),
            ("2 MiB", Some(Amount::Limit(2 << 20))),
            ("none", Some(Amount::None)),
            ("", None),
            ("-1", None),
            ("1.5MB", None),
            ("99999999999999999999", None),
            ("99999999999g", None),
            ("ten", None),
        ] {
            assert_eq!(amount(text).ok(), expected, "{text}");
        }
    }
}
