//! Time, processor time and memory of another program.
//!
//! The kernel counts these for the children of a process, all together. So each program is started by a small process of
//! its own, this one run again, which has no other child.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde::{Deserialize, Serialize};

use super::Job;

/// What a program took.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) wall_seconds: f64,
    /// User and system, of all its processes.
    pub(crate) cpu_seconds: f64,
    /// Of the largest of its processes.
    pub(crate) peak_bytes: u64,
    pub(crate) exit_code: Option<i32>,
}

/// Runs a job in a process that measures it. What it keeps of its own goes into `out` too.
pub(super) fn measure(job: &Job, out: &Path) -> Result<Measured> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("measured").arg(&job.program).args(&job.args);
    command.env("AI_ASSIST_DATA_DIR", out.join("data")).env("AI_ASSIST_CACHE_ROOT", out.join("cache"));
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output()?;
    ensure!(output.status.success(), "{} could not be run", job.program.display());
    serde_json::from_slice(&output.stdout).context("the measuring process wrote no JSON")
}

/// Runs a program here and prints what it took.
pub(crate) fn measure_here(program: &Path, args: &[String]) -> Result<()> {
    let start = Instant::now();
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().with_context(|| format!("running {}", program.display()))?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let measured = Measured {
        wall_seconds,
        cpu_seconds: seconds(usage.user_time()) + seconds(usage.system_time()),
        // In kilobytes on Linux.
        peak_bytes: u64::try_from(usage.max_rss()).unwrap_or_default() * 1024,
        exit_code: status.code(),
    };
    println!("{}", serde_json::to_string(&measured)?);
    Ok(())
}

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}
