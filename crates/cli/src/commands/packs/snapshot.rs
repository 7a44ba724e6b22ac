use std::collections::BTreeMap;

use ai_assist_base::json::word;
use ai_assist_pack::types::{ExcludedFile, ExclusionReason, FileCategory, ProjectSnapshot};
use ai_assist_pack::{ScanOptions, Snapshot, scan};

use super::chosen::chosen;
use crate::args::{OnSecretValue, Which};
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, which: &Which) -> Result<Outcome> {
    let chosen = chosen(context, which)?;
    let snapshot = {
        let spinner = Spinner::new(context.terminal, "looking at the files");
        // Only the texts' sizes and hashes are wanted, so none is held.
        let options =
            ScanOptions { max_held_bytes: 0, on_decode_error: which.on_decode_error, ..ScanOptions::default() };
        let progress = |done| spinner.say(|| format!("{done} files"));
        scan(&chosen.choice.selection()?, &options, &cancel(), &progress)?
    };
    if which.on_secret == OnSecretValue::Fail {
        snapshot.refuse_secrets()?;
    }
    context.terminal.show(|| &snapshot.project, || say(context, &snapshot))?;
    Ok(if snapshot.project.files.is_empty() { Outcome::Partial } else { Outcome::Done })
}

fn say(context: &Context, snapshot: &Snapshot) -> Result<()> {
    let project = &snapshot.project;
    let bytes = indicatif::HumanBytes(project.total_size_bytes);
    let readable = project.files.iter().filter(|file| file.content_extractable).count();
    let folders = count(project.total_directories, "folder");
    context.terminal.say(one_line(&project.root_path))?;
    context.terminal.say(format!(
        "{} in {folders}, {bytes}: {} to send, {} left out",
        count(project.total_files, "file"),
        readable,
        project.exclusion_stats.total()
    ))?;
    if context.terminal.quiet {
        return Ok(());
    }
    if readable > 0 {
        context.terminal.say("")?;
        context.terminal.table(&["Category", "Files", "Bytes"], by_category(project))?;
    }
    let keys = &snapshot.key_files;
    if !keys.is_empty() {
        let rows = keys.iter().map(|pick| {
            let file = &project.files[pick.index];
            vec![file.relative_path.clone(), word(&pick.category), word(&pick.importance), file.size_bytes.to_string()]
        });
        context.terminal.say("")?;
        context.terminal.table(&["Key file", "Category", "Importance", "Bytes"], rows.collect())?;
    }
    let left_out = exclusions(&snapshot.exclusions_by_reason, &project.excluded_files);
    if !left_out.is_empty() {
        context.terminal.say("")?;
        context.terminal.table(&["Left out", "Files", "Such as"], left_out)?;
    }
    Ok(())
}

fn by_category(project: &ProjectSnapshot) -> Vec<Vec<String>> {
    let mut sums: Vec<(FileCategory, usize, u64)> = Vec::new();
    for file in project.files.iter().filter(|file| file.content_extractable) {
        match sums.iter_mut().find(|(category, ..)| *category == file.category) {
            Some(sum) => *sum = (sum.0, sum.1 + 1, sum.2 + file.size_bytes),
            None => sums.push((file.category, 1, file.size_bytes)),
        }
    }
    sums.sort_by_key(|&(category, _, bytes)| (std::cmp::Reverse(bytes), category));
    sums.into_iter()
        .map(|(category, files, bytes)| vec![word(&category), files.to_string(), bytes.to_string()])
        .collect()
}

/// Rows of a table: a reason, how many files, and one of them with the rule.
pub(super) fn exclusions(counts: &BTreeMap<ExclusionReason, usize>, files: &[ExcludedFile]) -> Vec<Vec<String>> {
    let mut rows: Vec<(usize, Vec<String>)> = Vec::new();
    for (reason, &count) in counts.iter().filter(|(_, count)| **count > 0) {
        let example =
            files.iter().find(|file| file.reason == *reason).map(|file| format!("{}: {}", file.path, file.rule));
        rows.push((count, vec![word(reason), count.to_string(), example.unwrap_or_default()]));
    }
    rows.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    rows.into_iter().map(|(_, row)| row).collect()
}
