//! Remotes that never answer. Whether their processes are gone is read from `/proc`.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_fetch::{GitError, GitOptions, Limits};
use ai_assist_git::RemoteError;

use super::processes::with_ssh;
use super::repository::Place;

/// Ssh that never answers, and has a child that would outlive it.
fn hanging(place: &mut Place) {
    let (ssh, child) = (place.path("ssh.pid"), place.path("child.pid"));
    let script = format!("sleep 600 & echo $! > '{}'; echo $$ > '{}'; wait", child.display(), ssh.display());
    with_ssh(place, &script, "simple");
}

fn is_running(pid_file: &Path) -> bool {
    let pid = std::fs::read_to_string(pid_file).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    // One that nobody has waited for yet is a zombie.
    !stat.is_empty() && !stat.rsplit(')').next().unwrap_or_default().starts_with(" Z")
}

fn wait_for_end(pid_file: &Path) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while is_running(pid_file) {
        assert!(Instant::now() < deadline, "{} is still running", pid_file.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn wait_for_both(place: &Place) {
    wait_for_end(&place.path("ssh.pid"));
    wait_for_end(&place.path("child.pid"));
}

fn once_written(pid_file: &Path) -> Cancel {
    let pid_file = pid_file.to_owned();
    Cancel::when(move || written(&pid_file))
}

fn written(pid_file: &Path) -> bool {
    std::fs::read_to_string(pid_file).is_ok_and(|pid| pid.ends_with('\n'))
}

#[test]
fn a_remote_that_hangs_is_ended_when_told() {
    let mut place = Place::new();
    hanging(&mut place);
    let source = place.ssh_source("#main");
    let pid_file = place.path("ssh.pid");
    let started = once_written(&pid_file);
    let error = place.with_options(|options| source.resolve(&GitOptions { cancel: &started, ..*options })).unwrap_err();
    assert!(matches!(error, GitError::Remote(RemoteError::Stopped)), "{error}");
    wait_for_both(&place);

    std::fs::remove_file(&pid_file).unwrap();
    let started = once_written(&pid_file);
    let into = tempfile::tempdir().unwrap();
    let commit = place.head();
    let error = place
        .with_options(|options| {
            source.check_out(&commit, into.path(), &GitOptions { cancel: &started, ..*options }, &Limits::default())
        })
        .unwrap_err();
    assert!(matches!(error, GitError::Remote(RemoteError::Stopped)), "{error}");
    wait_for_both(&place);
}

#[test]
fn a_remote_that_hangs_is_ended_in_time() {
    let mut place = Place::new();
    hanging(&mut place);
    let source = place.ssh_source("#main");
    // On a busy machine ssh may not have been started in that time; then it is given more.
    let mut timeout = Duration::from_millis(500);
    loop {
        let error = place.with_options(|options| source.resolve(&GitOptions { timeout, ..*options })).unwrap_err();
        assert!(matches!(error, GitError::Remote(RemoteError::TimedOut { .. })), "{error}");
        assert!(error.to_string().contains("seconds"), "{error}");
        if written(&place.path("ssh.pid")) {
            break;
        }
        timeout *= 2;
        assert!(timeout < Duration::from_secs(60), "ssh is never started");
    }
    wait_for_both(&place);
}

/// Where somebody may be asked, git shares our group, which can't be ended as a whole.
#[test]
fn one_that_may_ask_is_ended_too() {
    let mut place = Place::new();
    let pid_file = place.path("ssh.pid");
    with_ssh(&mut place, &format!("echo $$ > '{}'; exec sleep 600", pid_file.display()), "simple");
    let source = place.ssh_source("#main");
    let started = once_written(&pid_file);
    let ended = place.with_options(|o| source.resolve(&GitOptions { cancel: &started, interactive: true, ..*o }));
    assert!(matches!(ended, Err(GitError::Remote(RemoteError::Stopped))), "{ended:?}");
    wait_for_end(&pid_file);
}
