//! Files whose place a link takes while they are read: what it leads to may not be read.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Result, ensure};
use serde_json::json;

use super::{Place, Tally};
use crate::mcp::Piped;

/// Stands in everything that may not be read, and nowhere else.
const KEPT_BACK: &str = "TURQUOISE-MARMOT";

/// Reads of each tool for a round of the other attacks.
const READS: usize = 20;

/// Swaps a file, and a folder above one, with links as fast as it goes, while an agent reads them.
pub(super) fn swaps(place: &Place, rounds: usize) -> Result<Tally> {
    let project = place.root.join("project");
    place.write("swap/file.md", "# Plain\n")?;
    place.write("swap/folder/file.md", "# Plain\n")?;
    place.write(".env", &format!("NOTE={KEPT_BACK}\n"))?;
    fs::create_dir_all(project.join(".git"))?;
    place.write(".git/config", &format!("[core]\n\teditor = {KEPT_BACK}\n"))?;
    let outside = place.root.join("outside");
    fs::create_dir_all(&outside)?;
    fs::write(outside.join("file.md"), format!("# {KEPT_BACK}\n"))?;
    let (over, swapped) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if swap(&project.join("swap"), &outside).is_ok() {
                    swapped.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        let read = read(place, rounds * READS, &mut tally);
        over.store(true, Ordering::Relaxed);
        read
    })?;
    ensure!(swapped.into_inner() > 0, "no link could be put in the place of a file");
    for left in [project.join("swap"), project.join(".git"), outside] {
        fs::remove_dir_all(left)?;
    }
    fs::remove_file(project.join(".env"))?;
    Ok(tally)
}

/// Links take the places of the file and the folder, one after the other, and give them back.
fn swap(folder: &Path, outside: &Path) -> Result<()> {
    let (file, aside) = (folder.join("file.md"), folder.join("aside"));
    for target in [folder.join("../.env"), folder.join("../.git/config"), outside.join("file.md")] {
        symlink(target, &aside)?;
        fs::rename(&aside, &file)?;
        fs::write(&aside, "# Plain\n")?;
        fs::rename(&aside, &file)?;
    }
    let (inner, aside) = (folder.join("folder"), folder.join("folder aside"));
    fs::rename(&inner, &aside)?;
    symlink(outside, &inner)?;
    fs::remove_file(&inner)?;
    Ok(fs::rename(&aside, &inner)?)
}

fn read(place: &Place, times: usize, tally: &mut Tally) -> Result<()> {
    let mut command: Command = place.command(&["mcp", "--project"]);
    command.arg(place.root.join("project"));
    let mut client = Piped::new(command)?;
    client.request("tools/call", &json!({ "name": "session_open", "arguments": { "session": "swaps" } }))?;
    for number in 0..times {
        let path = ["swap/file.md", "swap/folder/file.md"][number % 2];
        for (tool, arguments) in
            [("get_document", json!({ "document": path })), ("session_read", json!({ "paths": [path] }))]
        {
            let answer = client.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
            if answer.to_string().contains(KEPT_BACK) {
                println!("{tool} followed a link: {answer}");
                tally.wrong += 1;
            }
            tally.rounds += 1;
        }
    }
    let shown =
        client.request("tools/call", &json!({ "name": "session_show", "arguments": { "session": "swaps" } }))?;
    tally.wrong += usize::from(shown.to_string().contains(KEPT_BACK));
    client.end()
}
