//! Keeping what is indexed current: sources of files as they change, remote ones every so often.
//!
//! Events are hints, a scan is the truth (`base::watch`). Each project has a thread that waits for its folders to settle and then
//! brings up to date what lies in them; storms become one scan. What is declared may change at any time, so files that say so are
//! looked at as well, and the project is opened anew when they have changed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant, SystemTime};

use ai_assist_app::{CollectionSync, Project, Reach, SyncWanted};
use ai_assist_base::watch::{FolderWatch, Pacing};
use ai_assist_base::{Cancel, chain};
use ai_assist_collections::{Member, Resolved, silent};
use ai_assist_identity::{CollectionKind, Sha256};
use ai_assist_repo::build::{BuildError, BuildRequest, build_repo};
use ai_assist_repo::layout::Mode;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::pointer::read_pointer;
use ai_assist_session::watch::{WatchEvent, WatchOptions, watch as watch_session};

use crate::service::{Change, ChangeKind, Service, Watched};

/// An edit shows within two seconds, of which the scan needs a part.
const PACING: Pacing = Pacing {
    quiet: Duration::from_millis(150),
    patience: Duration::from_secs(1),
    rescan: Duration::from_secs(300),
    rescan_blind: Duration::from_secs(2),
};

/// How often it is looked at whether something else is declared now.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// How long a project is left alone that can't be opened.
const PAUSE: Duration = Duration::from_secs(2);
/// What failed once is told; of a long list the first few.
const MOST_PROBLEMS: usize = 20;

/// Follows every project of a service until it stops. The threads are joined when this is dropped.
#[derive(Debug)]
pub(crate) struct Followers {
    threads: Vec<std::thread::JoinHandle<()>>,
    cancel: Cancel,
}

impl Followers {
    pub(crate) fn start(service: &Arc<Service>) -> Self {
        let cancel = Cancel::default();
        let mut threads = Vec::new();
        for project in &service.projects {
            for work in [follow as fn(&Service, &Path, &Cancel), sync_remote, follow_sessions] {
                let (of, project, cancel) = (Arc::clone(service), project.clone(), cancel.clone());
                let name = "follow".to_owned();
                let run = move || {
                    // What breaks off in one round is tried again in the next.
                    while !cancel.is_cancelled() {
                        // Not `caught`, which keeps the messages of other threads back for as long as it runs.
                        if catch_unwind(AssertUnwindSafe(|| work(&of, &project, &cancel))).is_err() {
                            of.log.warn(|| format!("following {} broke off", project.display()));
                            wait(PAUSE, &cancel);
                        }
                    }
                };
                match std::thread::Builder::new().name(name).spawn(run) {
                    Ok(thread) => threads.push(thread),
                    Err(error) => service.log.warn(|| format!("no thread can be started to follow projects: {error}")),
                }
            }
        }
        Followers { threads, cancel }
    }
}

impl Drop for Followers {
    fn drop(&mut self) {
        self.cancel.cancel();
        for thread in self.threads.drain(..) {
            // One that panicked has nothing left to wait for.
            let _ = thread.join();
        }
    }
}

fn wait(time: Duration, cancel: &Cancel) {
    let start = Instant::now();
    while start.elapsed() < time && !cancel.is_cancelled() {
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What says which sources a project has, and which of them are indexed: files by when they were changed.
fn declared(project: &Project, repos: &[LocalRepo]) -> Vec<(PathBuf, Option<SystemTime>)> {
    let mut files = vec![project.file(), project.global_file.clone(), project.machine.config_file()];
    files.extend(project.workspace_file().ok());
    // Only whether there is one: every build changes it.
    let of_repos = repos.iter().map(|repo| repo.cache.current_json()).map(|file| {
        let is_there = file.exists().then_some(SystemTime::UNIX_EPOCH);
        (file, is_there)
    });
    let stamped = files.into_iter().map(|file| {
        let changed = file.metadata().and_then(|found| found.modified()).ok();
        (file, changed)
    });
    stamped.chain(of_repos).collect()
}

/// The repositories in reach, whether or not they are indexed.
fn repos_of(project: &Project) -> Vec<LocalRepo> {
    let mut repos: Vec<LocalRepo> = project.own_repo().into_iter().collect();
    for (_, repo) in project.workspace_repos().unwrap_or_default() {
        if !repos.iter().any(|known| known.id == repo.id) {
            repos.push(repo);
        }
    }
    repos
}

/// Follows the folders of a project until something else is declared, or the service stops.
fn follow(service: &Service, folder: &Path, cancel: &Cancel) {
    let project = match service.machine.open(folder) {
        Ok(project) => project,
        Err(error) => return told(service, folder, vec![chain(&error)], cancel),
    };
    let members: Vec<(PathBuf, Member)> = match project.members() {
        Ok(members) => members
            .iter()
            .filter_map(|member| match &member.resolved {
                Resolved::File { folder, .. } => Some((folder.clone(), member.clone())),
                _ => None,
            })
            .collect(),
        Err(error) => return told(service, folder, vec![chain(&error)], cancel),
    };
    let all = repos_of(&project);
    let known = declared(&project, &all);
    // What was never indexed is for the user to say: it may be large.
    let repos: Vec<&LocalRepo> = all.iter().filter(|repo| read_pointer(&repo.cache).exists).collect();
    let mut watched = Watched {
        project: folder.to_owned(),
        folders: members.len() + repos.len(),
        polling: None,
        problems: Vec::new(),
        updates: 0,
    };
    // What we write ourselves is no reason to look again.
    let own: Vec<PathBuf> = [project.roots.data.clone(), project.roots.cache.clone()]
        .into_iter()
        .chain(all.iter().map(|repo| repo.cache.root.clone()))
        .collect();
    let is_hint = |path: &Path| !own.iter().any(|own| path.starts_with(own));
    let roots = members.iter().map(|(folder, _)| folder.clone());
    let roots = roots.chain(repos.iter().map(|repo| repo.root.to_path_buf()));
    let mut folders = FolderWatch::new(roots.collect(), PACING, &is_hint);
    let changed = {
        let (project, all, looked) = (project.clone(), all.clone(), Mutex::new(Instant::now()));
        move || {
            let mut looked = looked.lock().unwrap_or_else(PoisonError::into_inner);
            if looked.elapsed() < LOOK_AGAIN {
                return false;
            }
            *looked = Instant::now();
            declared(&project, &all) != known
        }
    };
    let stop = cancel.clone();
    let until = Cancel::when(move || stop.is_cancelled() || changed());
    service.note_watched(watched.clone());
    while let Some(due) = folders.next(&until) {
        watched.polling = folders.deaf().map(str::to_owned);
        watched.problems.clear();
        for (_, member) in members.iter().filter(|(folder, _)| due.concerns(folder)) {
            let synced = project
                .library()
                .and_then(|mut library| Ok(library.sync(member, &project.sync_options()?, &mut silent, cancel)?));
            match synced {
                Ok(report) if report.is_unchanged() => {}
                Ok(_) => note(service, &mut watched, ChangeKind::Collection, &member.name),
                Err(_) if cancel.is_cancelled() => return,
                Err(error) => watched.problems.push(format!("{}: {}", member.name, chain(&error))),
            }
        }
        for repo in repos.iter().filter(|repo| due.concerns(&repo.root.to_path_buf())) {
            match bring_up_to_date(&project, repo, cancel) {
                Ok(false) => {}
                Ok(true) => note(service, &mut watched, ChangeKind::Repository, repo.name()),
                Err(BuildError::Cancelled) => return,
                Err(error) => watched.problems.push(format!("{}: {}", repo.name(), chain(&error))),
            }
        }
        watched.problems.truncate(MOST_PROBLEMS);
        for problem in &watched.problems {
            service.log.warn(|| problem.clone());
        }
        service.note_watched(watched.clone());
    }
    if !cancel.is_cancelled() {
        let name = folder.display().to_string();
        service.changed(Change { project: folder.to_owned(), kind: ChangeKind::Configuration, name });
    }
}

/// Builds the modes that a repository has, and whether that changed anything.
fn bring_up_to_date(project: &Project, repo: &LocalRepo, cancel: &Cancel) -> Result<bool, BuildError> {
    let pointer = read_pointer(&repo.cache);
    let modes: Vec<Mode> = Mode::ALL.into_iter().filter(|mode| pointer.index_root(*mode).is_some()).collect();
    if modes.is_empty() {
        return Ok(false);
    }
    let request = BuildRequest { quick: true, ..project.build_request(repo, modes, false) };
    Ok(!build_repo(&request, cancel, &mut |_| {})?.unchanged)
}

fn note(service: &Service, watched: &mut Watched, kind: ChangeKind, name: &str) {
    watched.updates += 1;
    service.log.info(|| format!("took in what has changed in {name}"));
    service.changed(Change { project: watched.project.clone(), kind, name: name.to_owned() });
}

/// Notes why a project can't be followed, and leaves it alone for a while.
fn told(service: &Service, folder: &Path, problems: Vec<String>, cancel: &Cancel) {
    for problem in &problems {
        service.log.warn(|| problem.clone());
    }
    let project = folder.to_owned();
    service.note_watched(Watched { project, folders: 0, polling: None, problems, updates: 0 });
    wait(PAUSE, cancel);
}

/// Syncs what comes from elsewhere, when it is time.
fn sync_remote(service: &Service, folder: &Path, cancel: &Cancel) {
    wait(PAUSE, cancel);
    let Ok(project) = service.machine.open(folder) else { return };
    let Some(every) = project.settings.remote_sync_every() else { return };
    let name = Sha256::of(folder.as_os_str().as_encoded_bytes()).hex();
    // Outlives this process: who restarts every day would otherwise never sync.
    let mark = project.roots.data.join("locks").join(format!("remote-{}", &name[..16]));
    let last = mark.metadata().and_then(|found| found.modified()).ok();
    if last.and_then(|last| last.elapsed().ok()).is_some_and(|since| since < every) || cancel.is_cancelled() {
        return;
    }
    let Ok(members) = project.members() else { return };
    let remote: Vec<Member> = members.iter().filter(|it| it.spec.kind() != CollectionKind::File).cloned().collect();
    let marked = std::fs::create_dir_all(project.roots.data.join("locks")).and_then(|()| std::fs::write(&mark, b""));
    if marked.is_err() || remote.is_empty() {
        return;
    }
    // A lock is the user's: what it says is what is synced, and it stays as it is.
    let locked = project.root().join("context.lock").is_file();
    let wanted = SyncWanted { locked, ..SyncWanted::default() };
    let Ok(mut sync) = CollectionSync::new(&project, wanted) else { return };
    for member in &remote {
        match sync.sync(member, &mut silent, cancel) {
            Ok(report) if report.is_unchanged() => {}
            Ok(_) => {
                let (project, name) = (folder.to_owned(), member.name.clone());
                service.changed(Change { project, kind: ChangeKind::Collection, name });
            }
            Err(error) => service.log.warn(|| format!("{}: {}", member.name, chain(&error))),
        }
    }
}

/// Follows the files that the last open session about a project holds.
fn follow_sessions(service: &Service, folder: &Path, cancel: &Cancel) {
    let opened = service.machine.open(folder).and_then(|project| {
        let name = project.last_session(Reach::Project)?;
        let session = name.as_deref().map(|name| project.session(Some(name), Reach::Project)).transpose()?;
        Ok((project, session))
    });
    let Ok((project, Some(mut session))) = opened else { return wait(PAUSE, cancel) };
    let name = session.name().to_owned();
    let (current, looked, stop) = (project.clone(), Mutex::new(Instant::now()), cancel.clone());
    let known = name.clone();
    // Another session may have become the last one.
    let until = Cancel::when(move || {
        let mut looked = looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.elapsed() < PAUSE {
            return stop.is_cancelled();
        }
        *looked = Instant::now();
        stop.is_cancelled() || !current.last_session(Reach::Project).is_ok_and(|last| last.as_ref() == Some(&known))
    });
    let except = vec![project.roots.data.clone(), project.roots.cache.clone()];
    let options = WatchOptions { folders: Vec::new(), except, pacing: PACING };
    let watched = watch_session(&mut session, &options, &until, &mut |event| {
        if let WatchEvent::Changed(changes) = event
            && !changes.is_empty()
        {
            service.changed(Change { project: folder.to_owned(), kind: ChangeKind::Session, name: name.clone() });
        }
    });
    if let Err(error) = watched {
        service.log.warn(|| format!("the session {name} can't be followed: {}", chain(&error)));
        wait(PAUSE, cancel);
    }
}
