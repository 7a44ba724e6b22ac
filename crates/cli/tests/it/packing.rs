//! Packs from outside: what is sent, what is not, and what is said about it.

mod asking;
mod budget;
mod choosing;

mod receipts;
mod reports;
mod unpacking;

use std::path::Path;
use std::process::Command;

use crate::support::Sandbox;

/// A key that no scanner finds in this file, because it is put together here.
pub(crate) fn aws_key() -> String {
    ["AKIA", "Z7QX", "M4PL", "T5RW", "KD2V"].concat()
}

/// A small program with a secret, a test, a build output and a picture.
pub(crate) fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", "[package]\nname = \"till\"\nversion = \"1.2.0\"\ndescription = \"Counts money.\"\n\n[dependencies]\nserde = \"1\"\n");
    sandbox.write("README.md", "# Till\n\nCounts money.\n");
    sandbox.write("src/main.rs", "mod auth;\n\nfn main() {\n    auth::login();\n}\n");
    sandbox.write(
        "src/auth.rs",
        format!("/// Lets people in.\npub fn login() {{\n    let key = \"{}\";\n    drop(key);\n}}\n", aws_key()),
    );
    sandbox.write("src/money.rs", "pub struct Money(pub i64);\n");
    sandbox.write("tests/login.rs", "#[test]\nfn login() {}\n");
    sandbox.write("target/debug/out.txt", "made by a build");
    sandbox.write(".env", "PASSWORD=hunter2hunter2\n");
    sandbox.write("logo.png", b"\x89PNG\r\n\x1a\n\0\0\0\0");
    sandbox
}

/// Runs git in a folder, with nobody's settings.
pub(crate) fn git(folder: &Path, args: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The paths of all texts in a full pack.
pub(crate) fn sent(pack: &serde_json::Value) -> Vec<String> {
    let list = |key: &str| pack[key].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap().to_owned());
    let mut paths: Vec<String> = list("key_files").chain(list("contents")).collect();
    paths.sort();
    paths
}
