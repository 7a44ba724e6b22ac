//! Attacks on the binary from outside, again and again: damaged files, killed processes, hostile files, links that take the place of
//! files, clients that hang or never leave. What may not happen is counted, and the run fails if anything did.

mod clients;
mod links;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::numbers::Numbers;

/// A command that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(60);
const FILES: usize = 60;

/// What was done and what may not happen.
#[derive(Default)]
struct Tally {
    rounds: usize,
    panics: usize,
    wrong: usize,
    hung: usize,
    unmended: usize,
}

impl Tally {
    fn row(&self, name: &str) {
        let Tally { rounds, panics, wrong, hung, unmended } = self;
        println!("| {name} | {rounds} | {panics} | {wrong} | {hung} | {unmended} |");
    }

    fn is_clean(&self) -> bool {
        self.panics + self.wrong + self.hung + self.unmended == 0
    }
}

/// A project with documents, code and a session.
struct Place {
    binary: PathBuf,
    root: PathBuf,
}

impl Place {
    fn new(binary: &Path, root: PathBuf) -> Result<Self> {
        let place = Place { binary: binary.to_owned(), root };
        for number in 0..FILES {
            let code = format!(
                "/// Retries number {number} with a backoff of its own.\npub fn retry_{number}(delay: u64) -> u64 {{\n    delay * {number}\n}}\n"
            );
            place.write(&format!("src/retry_{number}.rs"), &code)?;
            place
                .write(&format!("docs/{number}.md"), &format!("# Recipe {number}\n\nStir the pot {number} times.\n"))?;
        }
        for args in [
            &["collections", "init"][..],
            &["collections", "add", "docs", "./docs"],
            &["sync"],
            &["session", "open", "work"],
            &["session", "read", "src/retry_7.rs"],
        ] {
            let (output, _) = place.run(args)?;
            ensure!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(place)
    }

    fn write(&self, path: &str, text: &str) -> Result<()> {
        let file = self.root.join("project").join(path);
        fs::create_dir_all(file.parent().context("a file is in a folder")?)?;
        Ok(fs::write(file, text)?)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(args)
            .current_dir(self.root.join("project"))
            .env("HOME", self.root.join("home"))
            .env("AI_ASSIST_DATA_DIR", self.root.join("data"))
            .env("AI_ASSIST_CACHE_ROOT", self.root.join("cache"))
            .env("AI_ASSIST_CONFIG_DIR", self.root.join("config"))
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end; says whether it had to be ended.
    fn run(&self, args: &[&str]) -> Result<(Output, bool)> {
        let mut child = self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
        let read = |from: &mut Option<_>| -> Vec<u8> {
            let mut bytes = Vec::new();
            if let Some(from) = from {
                let _ = Read::read_to_end(from, &mut bytes);
            }
            bytes
        };
        std::thread::scope(|scope| {
            let errors = scope.spawn(|| {
                let mut bytes = Vec::new();
                if let Some(from) = &mut stderr {
                    let _ = from.read_to_end(&mut bytes);
                }
                bytes
            });
            let watched = scope.spawn(|| ended_within(&mut child, PATIENCE));
            let stdout = read(&mut stdout);
            let stderr = errors.join().unwrap_or_default();
            let (status, hung) = watched.join().map_err(|_| anyhow::anyhow!("the watch broke off"))??;
            Ok((Output { status, stdout, stderr }, hung))
        })
    }

    /// What a question finds, with scores: any silent change shows.
    fn answer(&self) -> Result<String> {
        let (output, _) = self.run(&["search", "--no-sync", "--json", "-n", "20", "retries with a backoff"])?;
        let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let hits = value["hits"].as_array().cloned().unwrap_or_default();
        Ok(hits.iter().map(|hit| format!("{} {}\n", hit["document"], hit["score"])).collect())
    }

    /// Asks everything once, and counts what breaks off or hangs.
    fn ask_everything(&self, tally: &mut Tally) -> Result<()> {
        for args in [
            &["search", "--no-sync", "retries with a backoff"][..],
            &["search", "--regex", "retry_1."],
            &["search", "--symbol", "retry_7"],
            &["ref", "search", "--no-sync", "stir"],
            &["ref", "get", "docs/7.md"],
            &["index", "status"],
            &["session", "show"],
            &["ls"],
            &["map"],
        ] {
            let (output, hung) = self.run(args)?;
            let panicked = output.status.code() == Some(101) || contains(&output.stderr, b"panicked");
            if panicked {
                println!("{args:?} broke off: {}", String::from_utf8_lossy(&output.stderr));
            }
            tally.panics += usize::from(panicked);
            tally.hung += usize::from(hung);
        }
        Ok(())
    }

    /// Mends what can be mended; then everything must be sound and answer as before, or as if all had been made anew.
    fn repair(&self, before: Option<&str>, what: &str, tally: &mut Tally) -> Result<()> {
        let (repaired, _) = self.run(&["doctor", "--repair"])?;
        let (_, hung) = self.run(&["sync"])?;
        let (sound, _) = self.run(&["doctor"])?;
        if !sound.status.success() {
            let said = [repaired.stdout, repaired.stderr, sound.stdout, sound.stderr].concat();
            println!("not mended after {what}: {}", String::from_utf8_lossy(&said));
            tally.unmended += 1;
        }
        let now = self.answer()?;
        let expected = match before {
            Some(before) => before.to_owned(),
            None => {
                self.run(&["collections", "sync", "--force"])?;
                self.run(&["index", "build", "--force"])?;
                self.answer()?
            }
        };
        if now != expected {
            println!("another answer after {what}:\n{now}");
            tally.wrong += 1;
        }
        tally.hung += usize::from(hung);
        Ok(())
    }
}

fn ended_within(child: &mut Child, patience: Duration) -> Result<(std::process::ExitStatus, bool)> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, false));
        }
        if start.elapsed() > patience {
            child.kill()?;
            return Ok((child.wait()?, true));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

pub(crate) fn run(rounds: usize, seed: u64, binary: Option<PathBuf>) -> Result<()> {
    let binary = match binary {
        Some(binary) => binary.canonicalize()?,
        None => std::env::current_exe()?.with_file_name("ai-assist"),
    };
    ensure!(binary.is_file(), "{} is not there; build it with `cargo build --release`", binary.display());
    let temporary = tempfile::tempdir()?;
    let place = Place::new(&binary, temporary.path().canonicalize()?)?;
    let mut numbers = Numbers(seed);
    println!(
        "Seed {seed}.\n\n| attack | rounds | broke off | wrong answers | hung | not mended |\n|---|---|---|---|---|---|"
    );
    let tallies = [
        ("random damage", damage(&place, rounds, &mut numbers)?),
        ("killed at any time", kills(&place, rounds, &mut numbers)?),
        ("hostile files", hostile(&place)?),
        ("stopped within a file", stops(&place)?),
        ("links swapped in during a read", links::swaps(&place, rounds)?),
        ("half-open connections", clients::half_open(&place)?),
        ("clients without a goodbye", clients::without_goodbye(&place, rounds)?),
    ];
    tallies.iter().for_each(|(name, tally)| tally.row(name));
    if !tallies.iter().all(|(_, tally)| tally.is_clean()) {
        bail!("something happened that may not happen");
    }
    Ok(())
}

/// Every file of ours that could be damaged.
fn our_files(place: &Place) -> Result<Vec<PathBuf>> {
    let mut folders = vec![place.root.join("data"), place.root.join("cache")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !name.ends_with(".lock") && !name.contains(".broken-") && path.metadata()?.len() > 0 {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Flips a byte, cuts a file short, empties it, fills a part with noise, or takes it away.
fn damage(place: &Place, rounds: usize, numbers: &mut Numbers) -> Result<Tally> {
    let before = place.answer()?;
    let mut tally = Tally::default();
    for round in 0..rounds {
        let files = our_files(place)?;
        let path = &files[numbers.at(files.len())];
        let mut bytes = fs::read(path)?;
        let (at, kind) = (numbers.at(bytes.len()), numbers.below(5));
        match kind {
            0 => bytes[at] ^= 1 << numbers.below(8),
            1 => bytes.truncate(at),
            2 => bytes.clear(),
            3 => bytes.iter_mut().skip(at).take(512).for_each(|byte| *byte = numbers.below(256) as u8),
            _ => {}
        }
        if kind == 4 {
            fs::remove_file(path)?;
        } else {
            // In place, as a disk that forgets would.
            fs::write(path, bytes)?;
        }
        let what = format!("round {round}: damage {kind} of {} at {at}", path.display());
        place.ask_everything(&mut tally)?;
        place.repair(Some(&before), &what, &mut tally)?;
        tally.rounds += 1;
        for kept in fs::read_dir(place.root.join("data"))?.flatten() {
            if kept.file_name().to_string_lossy().contains(".broken-") {
                fs::remove_file(kept.path())?;
            }
        }
    }
    Ok(tally)
}

/// Kills a sync or a build after a while that is too short for it, or just long enough.
fn kills(place: &Place, rounds: usize, numbers: &mut Numbers) -> Result<Tally> {
    let mut tally = Tally::default();
    for round in 0..rounds {
        let touched = numbers.at(FILES);
        place.write(&format!("docs/{touched}.md"), &format!("# Recipe {touched}\n\nStir {round} times.\n"))?;
        let args: &[&str] = if round % 2 == 0 { &["sync"] } else { &["index", "build", "--force"] };
        let mut child = place.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        std::thread::sleep(Duration::from_millis(numbers.below(400)));
        child.kill()?;
        child.wait()?;
        place.ask_everything(&mut tally)?;
        place.repair(None, &format!("kill {round} of {args:?}"), &mut tally)?;
        tally.rounds += 1;
    }
    Ok(tally)
}

/// Files that are deep, wide or long, each of which once took minutes.
fn hostile(place: &Place) -> Result<Tally> {
    let mut tally = Tally::default();
    let shapes = [
        ("deep.py", format!("x={}1\n", "1+".repeat(50_000))),
        ("wide.js", format!("x = [{}];\n", "{a: 1}, ".repeat(30_000))),
        ("long.rs", "\"a\" +\n".repeat(20_000)),
        ("brackets.json", "[".repeat(100_000)),
        ("quotes.md", "> ".repeat(50_000)),
        ("open.html", "<div>".repeat(50_000)),
    ];
    for (name, text) in shapes {
        place.write(&format!("hostile/{name}"), &text)?;
        let (output, hung) = place.run(&["index", "build"])?;
        tally.hung += usize::from(hung);
        tally.panics += usize::from(contains(&output.stderr, b"panicked"));
        tally.unmended += usize::from(!output.status.success());
        tally.rounds += 1;
    }
    fs::remove_dir_all(place.root.join("project/hostile"))?;
    place.run(&["index", "build"])?;
    Ok(tally)
}

/// Large files of many shapes, each of which takes seconds; a build that is asked to stop within one does so at once.
fn stops(place: &Place) -> Result<Tally> {
    const HEARD_WITHIN: Duration = Duration::from_secs(2);
    let mut tally = Tally::default();
    let line =
        |number: usize| format!("def f{number}(a, b):\n    \"\"\"Does {number}.\"\"\"\n    return a + g{number}(b)\n");
    let shapes = [
        ("large.py", (0..50_000).map(line).collect()),
        (
            "large.js",
            (0..40_000).map(|n| format!("function f{n}(a) {{ return g(a, {{ x: [1, {n}] }}); }}\n")).collect(),
        ),
        ("large.txt", (0..300_000).map(|n| format!("password{n} = \"{n:x}\" and some more words {n}\n")).collect()),
        (
            "large.md",
            (0..200_000).map(|n| format!("# Part {n}\n\nOf the whole there are {n} parts.\n\n")).collect::<String>(),
        ),
    ];
    for (name, text) in shapes {
        place.write(&format!("large/{name}"), &text)?;
        for after in [300, 700, 1500] {
            let mut child =
                place.command(&["index", "build", "--force"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
            std::thread::sleep(Duration::from_millis(after));
            let start = Instant::now();
            Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
            ended_within(&mut child, PATIENCE)?;
            if start.elapsed() > HEARD_WITHIN {
                println!(
                    "a build was stopped {after} ms after it began to read {name}, and ended {:?} later",
                    start.elapsed()
                );
                tally.hung += 1;
            }
            tally.rounds += 1;
        }
        fs::remove_dir_all(place.root.join("project/large"))?;
    }
    place.run(&["index", "build"])?;
    Ok(tally)
}
