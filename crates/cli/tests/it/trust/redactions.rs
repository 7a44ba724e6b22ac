//! What is taken out of a text depends on where it stands, today.

use crate::support::Sandbox;

/// 16.22: a weak password is one in settings and a word elsewhere. A file that becomes settings by its name is judged anew.
#[test]
fn a_renamed_file_is_judged_by_its_new_name() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/notes.txt", "channel: oaks\npassword: Pass!12345\n");
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "docs", "./docs", "--glob", "**/*"]).assert_code(0);
    let shown = |path: &str| {
        sandbox.sync();
        sandbox.run(&["index", "build"]).assert_code(0);
        let read = sandbox.run(&["ref", "get", path]);
        let found = sandbox.run(&["search", "--regex", "channel|password"]);
        let searched = sandbox.run(&["search", "--no-sync", "channel oaks", "--full"]);
        [read, found, searched].map(|run| run.stdout()).concat()
    };
    let from = sandbox.project().join("docs/notes.txt");
    assert!(shown("docs/notes.txt").contains("oaks"));
    // The same bytes under both names at once, then only under the other: nothing that is kept for the one serves the other.
    std::fs::copy(&from, sandbox.project().join("docs/settings.yml")).unwrap();
    let both = sandbox.run(&["ref", "get", "docs/settings.yml"]);
    assert!(!both.stdout().contains("Pass!12345"), "{}", both.stdout());
    shown("docs/settings.yml");
    let settings = sandbox.run(&["ref", "get", "docs/settings.yml"]).stdout();
    assert!(settings.contains("[redacted:") && !settings.contains("Pass!12345"), "{settings}");
    std::fs::remove_file(sandbox.project().join("docs/settings.yml")).unwrap();
    std::fs::rename(&from, sandbox.project().join("docs/notes.yml")).unwrap();
    let renamed = shown("docs/notes.yml");
    assert!(renamed.contains("[redacted:") && !renamed.contains("Pass!12345"), "{renamed}");
}
