//! The same tree gives the same bytes, wherever it lies and however many threads read it.

use std::path::Path;
use std::process::Command;

use ai_assist_secret_fixtures::project;

use crate::support::Sandbox;

/// Code with imports, routes and tests, and files of every kind.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> =
        project(11, 120, 120).into_iter().map(|file| (file.path, file.bytes)).collect();
    for n in 0..60 {
        let text = format!(
            "from .m{} import f{}\n\n\ndef f{n}(x):\n    if x:\n        return f{}(x - 1)\n    return {n}\n",
            (n + 7) % 60,
            (n + 7) % 60,
            (n + 7) % 60
        );
        files.push((format!("pkg/m{n}.py"), text.into_bytes()));
    }
    files.push(("package.json".to_owned(), b"{\"name\":\"orders\",\"dependencies\":{\"express\":\"4\"}}".to_vec()));
    files.push(("server.js".to_owned(), b"const app = require('express')();\napp.get('/items', list);\n".to_vec()));
    files
}

fn write(root: &Path, files: &[(String, Vec<u8>)]) {
    for (path, bytes) in files {
        let file = root.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
    for args in [&["init", "-q"][..], &["add", "-A", "-f"], &["commit", "-q", "-m", "all"]] {
        let mut git = Command::new("git");
        git.current_dir(root).args(["-c", "user.name=a", "-c", "user.email=a@b.io"]).args(args);
        git.env("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z").env("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z");
        assert!(git.status().unwrap().success());
    }
}

#[test]
fn place_and_threads_make_no_difference() {
    let sandbox = Sandbox::new();
    let (here, there) = (sandbox.root().join("here/orders"), sandbox.root().join("some/where/else/orders"));
    let mut files = files();
    write(&here, &files);
    files.reverse();
    write(&there, &files);
    let bytes = |root: &Path, threads: &str, args: &[&str]| {
        let output = sandbox.outside("pack");
        let mut command = sandbox.command();
        command.arg("pack").arg(root).args(args).args(["--reproducible", "--output"]).arg(&output);
        let run = crate::support::Run(command.env("RAYON_NUM_THREADS", threads).output().unwrap());
        assert_eq!(run.code(), 0, "{}", run.stderr());
        std::fs::read(output).unwrap()
    };
    for format in ["json", "msgpack", "markdown", "xml"] {
        for more in [&["--type", "full"][..], &["--type", "summary"], &["--max-tokens", "20000"]] {
            let args = [&["--format", format], more].concat();
            let first = bytes(&here, "1", &args);
            assert!(first.len() > 1000);
            for (root, threads) in [(&here, "4"), (&there, "1"), (&there, "4")] {
                assert!(bytes(root, threads, &args) == first, "{args:?} of {} with {threads}", root.display());
            }
        }
    }
}

#[test]
fn times_are_the_only_difference_without_it() {
    let sandbox = Sandbox::new();
    sandbox.write("src/main.rs", "fn main() {}\n");
    let (mut one, mut two) = (sandbox.pack(&[]).pack, sandbox.pack(&[]).pack);
    for pack in [&mut one, &mut two] {
        assert!(pack["metadata"]["created_at"].is_string());
        pack["metadata"]["created_at"].take();
    }
    assert_eq!(one, two);
}
