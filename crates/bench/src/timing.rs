//! Running programs and reading the clock.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// How long something takes.
pub(crate) fn time<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let start = Instant::now();
    let done = work()?;
    Ok((done, start.elapsed()))
}

/// Runs a command to its end, which must be a success.
pub(crate) fn run(command: &mut Command) -> Result<Duration> {
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("running {command:?}"))?;
    let taken = start.elapsed();
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(taken)
}

/// Runs a command to its end and gives its time and the most memory it had, in bytes.
pub(crate) fn run_with_memory(command: &mut Command) -> Result<(Duration, u64)> {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    let code = loop {
        // The high-water mark of the kernel: reading it now and then misses only what is reached after the last look.
        most = most.max(high_water(Path::new(&status)).unwrap_or(0));
        if let Some(code) = child.try_wait()? {
            break code;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    ensure!(code.success(), "{command:?} ended with {code}");
    Ok((start.elapsed(), most))
}

fn high_water(status: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// Durations of one kind.
pub(crate) struct Sample(Vec<Duration>);

impl Sample {
    pub(crate) fn new(mut durations: Vec<Duration>) -> Self {
        durations.sort();
        Sample(durations)
    }

    /// The duration that a share of all stays under.
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        let at = ((self.0.len() as f64 * share) as usize).min(self.0.len().saturating_sub(1));
        self.0.get(at).copied().unwrap_or_default()
    }

    pub(crate) fn median(&self) -> Duration {
        self.quantile(0.5)
    }
}

/// Milliseconds with two digits.
pub(crate) fn ms(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1e3)
}

/// `a` as a multiple of `b`.
pub(crate) fn ratio(a: Duration, b: Duration) -> String {
    format!("{:.2}×", a.as_secs_f64() / b.as_secs_f64().max(f64::MIN_POSITIVE))
}

/// The size of everything below a folder.
pub(crate) fn size_below(folder: &Path) -> Result<u64> {
    let mut size = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        size += if metadata.is_dir() { size_below(&entry.path())? } else { metadata.len() };
    }
    Ok(size)
}

/// Every regular file below a folder.
pub(crate) fn files_below(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            files_below(&entry.path(), paths)?;
        } else if kind.is_file() {
            paths.push(entry.path());
        }
    }
    Ok(())
}
