//! Building the index of one large repository, and looking for patterns in it.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use ai_assist_identity::CanonicalPath;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::repo_config::BuildCaches;
use ai_assist_repo::repo_index::RepoIndex;
use anyhow::{Context, Result, bail, ensure};

use crate::speed::{header, mb, row, share};
use crate::tantivy_alone::{self, Plain};
use crate::timing::{Sample, files_below, ms, ratio, run, run_with_memory, size_below};

/// The modes that hold whole files, each file once.
const WHOLE: [Mode; 3] = [Mode::Code, Mode::Prose, Mode::Records];

/// Larger files are not taken along.
const LARGEST: u64 = 1 << 20;

/// Patterns from very rare to everywhere, with and without letters to go by.
const PATTERNS: &[&str] = &[
    "RandomState",
    "fn main\\(\\)",
    "Deserialize",
    "xyzzy_not_there",
    "unsafe impl (Send|Sync)",
    "(?i)copyright \\(c\\) 20[0-9]{2}",
    "impl<.*> Drop for",
    "pub fn \\w+_mut\\(&mut self",
    "(Mutex|RwLock)<HashMap",
    "TODO|FIXME|XXX",
    "memchr::memmem::Finder",
    "[A-Z]+_SPURIOUS_[A-Z]+",
    "\\bpanic!\\(\"[^\"]*overflow",
    "(?i)kelvin",
    "tree_sitter_[a-z]+\\(\\)",
    "^use std::collections::BTreeMap;$",
    "0x[0-9a-f]{16}",
    "\\d{4}-\\d{2}-\\d{2}",
    "\\w+\\s+=\\s+\\w+\\.unwrap\\(\\)",
    "[^\\x00-\\x7F]{4}",
];

/// A repository made for measuring, and the binary that works on it.
struct Bench {
    place: tempfile::TempDir,
    binary: PathBuf,
    repo: PathBuf,
}

impl Bench {
    fn ours(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.current_dir(&self.repo).args(args);
        command.env("AI_ASSIST_DATA_DIR", self.place.path().join("data"));
        command.env("AI_ASSIST_CACHE_ROOT", self.cache());
        command
    }

    fn cache(&self) -> PathBuf {
        self.place.path().join("cache")
    }

    fn open(&self, mode: Mode) -> Result<RepoIndex> {
        let root = CanonicalPath::from_absolute(&self.repo)?;
        Ok(RepoIndex::open(&BuildCaches::shared(&self.cache()).of(&root)?, mode)?)
    }
}

pub(crate) fn run_all(tree: &Path, files: usize, binary: Option<PathBuf>) -> Result<()> {
    let binary = match binary {
        Some(binary) => binary,
        None => std::env::current_exe()?.with_file_name("ai-assist"),
    };
    ensure!(binary.is_file(), "{} is not there; build it with `cargo build --release`", binary.display());
    let place = tempfile::tempdir()?;
    let repo = place.path().canonicalize()?.join("repo");
    let copied = copy(tree, &repo, files)?;
    ensure!(copied == files, "{} gives only {copied} files", tree.display());
    let bench = Bench { place, binary, repo };
    // What is not indexed is taken away, so that everybody works on the same bytes.
    run(&mut bench.ours(&["index", "build", "--quiet"]))?;
    let (kept, bytes) = keep_indexed(&bench)?;
    std::fs::remove_dir_all(bench.cache())?;
    std::thread::sleep(Duration::from_millis(2500));
    println!("{kept} files, {:.1} MB.\n", bytes as f64 / 1e6);
    header();
    let first = building(&bench, kept, bytes)?;
    rebuilding(&bench, first)?;
    patterns(&bench)
}

/// Copies text files of a tree, spread evenly over it.
fn copy(tree: &Path, repo: &Path, wanted: usize) -> Result<usize> {
    let mut all = Vec::new();
    files_below(tree, &mut all)?;
    all.retain(|path| path.metadata().is_ok_and(|found| found.len() > 0 && found.len() < LARGEST));
    all.sort();
    // A quarter more than wanted: some will turn out to be binary or generated, and are not indexed.
    let take = (wanted + wanted / 4).min(all.len());
    let mut copied = 0;
    for number in 0..take {
        let path = &all[number * all.len() / take];
        let Ok(text) = std::fs::read(path) else { continue };
        if copied == wanted || std::str::from_utf8(&text).is_err() {
            continue;
        }
        let to = repo.join(path.strip_prefix(tree)?);
        std::fs::create_dir_all(to.parent().context("a file has a folder")?)?;
        std::fs::write(to, text)?;
        copied += 1;
    }
    Ok(copied)
}

/// Removes every file that is not indexed as it stands. Gives how many are left, and their bytes.
fn keep_indexed(bench: &Bench) -> Result<(usize, u64)> {
    let mut indexed = BTreeSet::new();
    for mode in WHOLE {
        let documents = bench.open(mode)?.db.documents()?;
        indexed.extend(documents.into_iter().filter(|it| it.redacted == 0).map(|it| it.path));
    }
    let mut files = Vec::new();
    files_below(&bench.repo, &mut files)?;
    let (mut kept, mut bytes) = (0, 0);
    for file in files {
        let path = file.strip_prefix(&bench.repo)?.to_str().context("a name is UTF-8")?;
        if indexed.contains(path) {
            kept += 1;
            bytes += file.metadata()?.len();
        } else {
            std::fs::remove_file(&file)?;
        }
    }
    Ok((kept, bytes))
}

fn building(bench: &Bench, files: usize, bytes: u64) -> Result<Duration> {
    // Reads every file, so that nobody pays for the disk.
    let mut reading = Vec::new();
    for _ in 0..5 {
        reading.push(run_any(&mut rg(bench, "xyzzy_not_there"))?.1);
    }
    let reading = Sample::new(reading).median();
    let (first, memory) = run_with_memory(&mut bench.ours(&["index", "build", "--quiet"]))?;
    let chunks = chunks(bench)?;
    let count = chunks.len();
    let (_, raw) = tantivy_alone::index(&bench.place.path().join("raw"), chunks)?;
    let size = size_below(&bench.cache().join("repos"))?;
    let per_second = |what: f64| what / first.as_secs_f64();
    let speed =
        format!("{}, {:.0} files/s, {:.2} MB/s", ms(first), per_second(files as f64), per_second(bytes as f64) / 1e6);
    row(
        &format!("first build ({count} chunks)"),
        &speed,
        "tantivy indexing the same chunks",
        &ms(raw),
        &ratio(first, raw),
    );
    row("first build", &ms(first), "rg reading the same files", &ms(reading), &ratio(first, reading));
    row("memory at the first build", &mb(memory), "source", &mb(bytes), &share(memory, bytes));
    row("size of the index", &mb(size), "source", &mb(bytes), &share(size, bytes));
    Ok(first)
}

fn rebuilding(bench: &Bench, first: Duration) -> Result<()> {
    let mut quiet = Vec::new();
    for _ in 0..5 {
        quiet.push(run(&mut bench.ours(&["index", "build", "--quiet"]))?);
    }
    let quiet = Sample::new(quiet).median();
    row("build without changes", &ms(quiet), "first build", &ms(first), &percent(quiet, first));
    let mut all = Vec::new();
    files_below(&bench.repo, &mut all)?;
    all.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    all.sort();
    let mut second = Vec::new();
    for round in 0..5 {
        for number in 0..10 {
            let path = &all[(number * all.len() / 10 + round) % all.len()];
            let mut file = std::fs::OpenOptions::new().append(true).open(path)?;
            writeln!(file, "// touched {round}")?;
        }
        second.push(run(&mut bench.ours(&["index", "build", "--quiet"]))?);
    }
    let second = Sample::new(second).median();
    row("build after touching 10 files", &ms(second), "first build", &ms(first), &percent(second, first));
    for (name, args) in [
        ("`map`", &["map", "--quiet"][..]),
        ("`search --no-sync`, a new process", &["search", "parse the header of a request", "--no-sync", "--quiet"]),
        ("`search`, which may look for changes first", &["search", "parse the header of a request", "--quiet"]),
        ("`search --symbol`, a new process", &["search", "--symbol", "Reader", "--quiet"]),
    ] {
        let times = (0..5).map(|_| run(&mut bench.ours(args))).collect::<Result<Vec<_>>>()?;
        let taken = Sample::new(times).median();
        row(name, &ms(taken), "first build", &ms(first), &percent(taken, first));
    }
    Ok(())
}

fn patterns(bench: &Bench) -> Result<()> {
    println!("\n| pattern | lines | files read | ai-assist | rg | rg / ai-assist |\n|---|---|---|---|---|---|");
    let (mut ours_all, mut rg_all) = (Duration::ZERO, Duration::ZERO);
    let mut unequal = Vec::new();
    for pattern in PATTERNS {
        let args = ["search", "--regex", pattern, "--limit", "10000000"];
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut answers = None;
        for round in 0..4 {
            let (found, taken) = run_any(&mut bench.ours(&args))?;
            let (lines, reference) = run_any(&mut rg(bench, pattern))?;
            // The first round warms both up.
            if round > 0 {
                ours.push(taken);
                theirs.push(reference);
            }
            answers = Some((found, lines));
        }
        let (found, lines) = answers.context("there was a round")?;
        let (mine, theirs_lines) = (places(&found.stdout), places(&lines.stdout));
        let scanned = String::from_utf8_lossy(&found.stderr).rsplit("; ").next().unwrap_or_default().trim().to_owned();
        if mine != theirs_lines {
            unequal.push((*pattern).to_owned());
        }
        let (ours, theirs) = (Sample::new(ours).median(), Sample::new(theirs).median());
        ours_all += ours;
        rg_all += theirs;
        let shown = pattern.replace('|', "\\|");
        let count = theirs_lines.len();
        let scanned = scanned.split(' ').next().unwrap_or_default();
        println!("| `{shown}` | {count} | {scanned} | {} | {} | {} |", ms(ours), ms(theirs), ratio(theirs, ours));
    }
    println!("| all | | | {} | {} | {} |", ms(ours_all), ms(rg_all), ratio(rg_all, ours_all));
    if unequal.is_empty() {
        println!("\nThe lines are the same for all {} patterns.", PATTERNS.len());
        Ok(())
    } else {
        bail!("other lines than rg for {unequal:?}")
    }
}

/// `rg` over every file of the repository.
fn rg(bench: &Bench, pattern: &str) -> Command {
    let mut command = Command::new("rg");
    command.current_dir(&bench.repo).args(["--no-config", "--no-ignore", "--hidden", "-n", "--no-heading"]);
    command.args(["-e", pattern, "."]);
    command
}

/// Runs a program that may say by its code that it found nothing.
fn run_any(command: &mut Command) -> Result<(Output, Duration)> {
    let start = std::time::Instant::now();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("running {command:?}"))?;
    let taken = start.elapsed();
    let fine = output.status.code().is_some_and(|code| code < 2);
    ensure!(fine, "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok((output, taken))
}

/// `path:line` of every line.
fn places(output: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(output);
    let place = |line: &str| {
        let mut parts = line.trim_start_matches("./").splitn(3, ':');
        let (path, number) = (parts.next()?, parts.next()?);
        Some(format!("{path}:{number}"))
    };
    text.split('\n').filter_map(place).collect()
}

/// The chunks that were indexed, in the modes that hold whole files.
fn chunks(bench: &Bench) -> Result<Vec<Plain>> {
    let mut chunks = Vec::new();
    for mode in Mode::ALL {
        let reader = bench.open(mode)?.reader;
        for position in reader.live().iter() {
            let chunk = reader.chunk(position)?;
            chunks.push(Plain { path: chunk.document, heading: chunk.path.join(" "), text: chunk.text });
        }
    }
    Ok(chunks)
}

fn percent(part: Duration, whole: Duration) -> String {
    format!("{:.2} %", part.as_secs_f64() / whole.as_secs_f64() * 100.0)
}
