//! What is kept is the user's alone, and can be read where it can't be written.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::support::{Run, Sandbox};

fn walk(folder: &Path, look: &mut dyn FnMut(&Path, u32)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        look(&path, metadata.permissions().mode() & 0o777);
        if metadata.is_dir() {
            walk(&path, look);
        }
    }
}

/// Documents, code and a session, all indexed.
fn everything() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "# Kettles\n\nA kettle whistles when the water boils.\n");
    sandbox.write("src/kettle.rs", "/// Whistles when it boils.\npub fn whistle() {}\n");
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "docs", "./docs"]).assert_code(0);
    sandbox.sync();
    sandbox.run(&["index", "build"]).assert_code(0);
    sandbox.run(&["session", "open", "work"]).assert_code(0);
    sandbox.run(&["session", "read", "src/kettle.rs"]).assert_code(0);
    sandbox.run(&["search", "whistles"]).assert_code(0);
    sandbox
}

#[test]
fn what_is_kept_is_the_users_alone_and_what_is_written_for_them_is_not() {
    let sandbox = everything();
    for folder in ["data", "cache"] {
        walk(&sandbox.root().join(folder), &mut |path, mode| {
            let expected = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode & 0o077, 0, "{} has {mode:o}, expected was {expected:o}", path.display());
        });
    }
    let mode = |path: &str| std::fs::metadata(sandbox.project().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("context.json"), 0o644 & !users_mask());
    sandbox.write("pkg/manifest.json", r#"{"name": "p", "version": "1.0.0", "sources": {"glob": ["*.md"]}}"#);
    sandbox.write("pkg/a.md", "# A\n\nText.\n");
    sandbox.run(&["collections", "publish", "reg", "--manifest", "pkg/manifest.json"]).assert_code(0);
    walk(&sandbox.project().join("reg"), &mut |path, mode| {
        let expected = if path.is_dir() { 0o777 } else { 0o644 };
        assert_eq!(mode, expected & !users_mask(), "{}", path.display());
    });
}

/// What new files of this process lose.
fn users_mask() -> u32 {
    let folder = tempfile::tempdir().unwrap();
    std::fs::File::create(folder.path().join("probe")).unwrap();
    let mode = std::fs::metadata(folder.path().join("probe")).unwrap().permissions().mode() & 0o777;
    0o666 & !mode
}

/// Runs a command as somebody who may read everything and write nothing.
fn as_a_reader(sandbox: &Sandbox, args: &[&str]) -> Run {
    let usual = sandbox.command();
    // The folder of the build may be root's alone.
    let mut command = Command::new(sandbox.root().join("ai-assist"));
    command.env_clear().current_dir(sandbox.project());
    command.envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if rustix::process::geteuid().is_root() {
        command.uid(65_534).gid(65_534);
    }
    Run(command.args(args).output().unwrap())
}

/// Lets everybody read everything of a sandbox and nobody write, while `look` is at work.
fn while_only_readable(sandbox: &Sandbox, look: impl FnOnce()) {
    std::fs::copy(env!("CARGO_BIN_EXE_ai-assist"), sandbox.root().join("ai-assist")).unwrap();
    let set = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let mut all = vec![sandbox.root()];
    walk(&sandbox.root(), &mut |path, _| all.push(path.to_owned()));
    for path in all.iter().rev() {
        set(path, if path.is_dir() || path.ends_with("ai-assist") { 0o555 } else { 0o444 });
    }
    look();
    // So that it can be cleaned up.
    all.iter().for_each(|path| set(path, if path.is_dir() { 0o755 } else { 0o644 }));
}

#[test]
fn what_can_not_be_written_can_be_read() {
    let sandbox = everything();
    while_only_readable(&sandbox, || {
        for (args, found) in [
            (&["search", "whistles"][..], "kettle"),
            (&["search", "whistles", "--no-sync"], "kettle"),
            (&["ref", "search", "whistles"], "kettle"),
            (&["search", "--regex", "whistle"], "kettle"),
            (&["search", "--symbol", "whistle"], "kettle"),
            (&["ref", "get", "docs/a.md"], "boils"),
            (&["get", "src/kettle.rs"], "whistle"),
            (&["collections", "list"], "docs"),
            (&["index", "status"], ""),
            (&["ls"], "docs"),
            (&["map"], "whistle"),
            (&["session", "list"], "work"),
            (&["session", "show"], "kettle"),
            (&["status"], ""),
        ] {
            let run = as_a_reader(&sandbox, args);
            assert!(run.code() < 2, "{args:?}: {}{}", run.stdout(), run.stderr());
            assert!(run.stdout().contains(found), "{args:?}: {}{}", run.stdout(), run.stderr());
        }
        let refused = as_a_reader(&sandbox, &["collections", "sync"]);
        assert!(refused.code() > 0, "{}", refused.stdout());
    });
}

/// 16.13: where no version of what a file says now can be kept, the one before is not given out as what there is.
#[test]
fn an_old_version_is_marked_where_the_new_one_can_not_be_kept() {
    let sandbox = everything();
    for args in [&["session", "show", "src/kettle.rs"][..], &["session", "render"]] {
        let run = sandbox.run(args);
        assert!(!run.stdout().contains("changed on disk") && !run.stderr().contains("changed on disk"), "{args:?}");
    }
    sandbox.write("src/kettle.rs", "/// Hums.\npub fn hum() {}\n");
    while_only_readable(&sandbox, || {
        for args in [&["session", "show", "src/kettle.rs"][..], &["session", "render"]] {
            let run = as_a_reader(&sandbox, args);
            let said = run.stdout() + &run.stderr();
            assert!(said.contains("whistle") && said.contains("changed on disk"), "{args:?}: {said}");
        }
    });
}
