//! What users see, command by command: the whole output and the exit code, with paths, ids and times taken out.

mod configure;
mod list;
mod output;
mod print;
mod read;
mod search;
mod settings;
mod sync;

use crate::support::{Run, Sandbox};

/// What differs from run to run.
const FILTERS: &[(&str, &str)] = &[
    (r"file:[0-9a-f]{64}", "file:[ID]"),
    (r"file:[0-9a-f]{12}\b", "file:[ID]"),
    (r"sha256:[0-9a-f]{64}", "sha256:[HASH]"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[TIME]"),
    (r"(?m)  \d\.\d{3}(  \(|$)", "  [SCORE]$1"),
    (r"--cursor \d+-[0-9a-f]+", "--cursor [CURSOR]"),
];

/// Runs the binary and compares everything it shows.
macro_rules! shows {
    ($sandbox:expr, $args:expr, @$snapshot:literal) => {
        $crate::commands::shows!(run $sandbox, $sandbox.run(&$args), @$snapshot)
    };
    (run $sandbox:expr, $run:expr, @$snapshot:literal) => {
        ::insta::with_settings!({ filters => $crate::commands::FILTERS.to_vec() }, {
            ::insta::assert_snapshot!($crate::commands::shown(&$sandbox, &$run), @$snapshot);
        })
    };
}
use shows;

/// Two small documents.
const DOCS: &[(&str, &str)] = &[
    (
        "leases.md",
        "# Leases\n\nA lease is renewed every ten seconds.\n\n## Expiry\n\nAn expired lease goes to another worker.\n",
    ),
    ("ops/backups.md", "# Backups\n\nBackups run at midnight and are kept for a week.\n"),
];

/// The exit code and both streams.
fn shown(sandbox: &Sandbox, run: &Run) -> String {
    let mut text = format!("exit: {}\n", run.code());
    for (name, stream) in [("stdout", run.stdout()), ("stderr", run.stderr())] {
        if !stream.is_empty() {
            text.push_str(&format!("--- {name}\n{}", settled(sandbox, &stream)));
        }
    }
    text
}

/// Without this sandbox's place, the widths that follow from it, and the order in which threads finish.
fn settled(sandbox: &Sandbox, stream: &str) -> String {
    let root = sandbox.root().display().to_string();
    let mut lines: Vec<String> = stream.lines().map(|line| line.replace(&root, "[BOX]")).collect();
    if stream.contains(&root) {
        for line in lines.iter_mut().filter(|line| line.starts_with(['┌', '├', '│', '└'])) {
            let cells: Vec<&str> = line.split('│').map(str::trim).collect();
            *line =
                if line.starts_with('│') { cells.join(" │ ").trim().to_owned() } else { "├──".to_owned() };
        }
    }
    let is_step = |line: &String| ["  + ", "  ~ ", "  - "].iter().any(|sign| line.starts_with(sign));
    for steps in lines.chunk_by_mut(|a, b| is_step(a) && is_step(b)) {
        steps.sort();
    }
    lines.join("\n") + "\n"
}
