use ai_assist_base::RealPath;

use super::*;
use crate::client::Client;
use crate::{put, take_out};

fn add(text: &str) -> std::result::Result<Change, Fault> {
    put(Client::Cursor, text, "ai-assist", &serde_json::json!({ "command": "x" }))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_new_file_is_made_with_its_folders() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("a/b/mcp.json");
    let written = change_file(&file, Some(home.path()), add).unwrap();
    assert_eq!((written.kind, written.backup), (Kind::Added, None));
    assert_eq!(names(&home.path().join("a/b")), ["mcp.json"]);
    assert!(fs::read_to_string(&file).unwrap().contains("ai-assist"));
    assert_eq!(change_file(&file, None, add).unwrap().kind, Kind::Unchanged);
    assert_eq!(names(&home.path().join("a/b")), ["mcp.json"]);
}

#[test]
fn backups_never_replace_each_other() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("mcp.json");
    fs::write(&file, "{}").unwrap();
    let first = change_file(&file, None, add).unwrap();
    let second = change_file(&file, None, |text| take_out(Client::Cursor, text, "ai-assist")).unwrap();
    let third = change_file(&file, None, add).unwrap();
    assert_eq!(names(home.path()), ["mcp.json", "mcp.json.bak", "mcp.json.bak.1", "mcp.json.bak.2"]);
    assert_eq!(fs::read_to_string(first.backup.unwrap()).unwrap(), "{}");
    assert!(fs::read_to_string(second.backup.unwrap()).unwrap().contains("ai-assist"));
    assert_eq!(fs::read_to_string(third.backup.unwrap()).unwrap(), "{}");
}

#[test]
fn a_broken_file_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("mcp.json");
    for broken in [&b"{\"mcpServers\": "[..], b"{\"mcpServers\": []}", b"\xff{}"] {
        fs::write(&file, broken).unwrap();
        let error = change_file(&file, None, add).unwrap_err();
        assert!(matches!(error, Error::Broken { .. }), "{error}");
        assert_eq!(fs::read(&file).unwrap(), broken);
        assert_eq!(names(home.path()), ["mcp.json"]);
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(matches!(change_file(&file, None, add), Err(Error::Io { .. })));
}

#[test]
fn a_change_of_somebody_else_is_kept() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("mcp.json");
    fs::write(&file, "{}").unwrap();
    let calls = std::cell::Cell::new(0);
    let meanwhile = |text: &str| {
        calls.set(calls.get() + 1);
        if calls.get() == 1 {
            fs::write(&file, "{\"theirs\": 1}").unwrap();
        }
        add(text)
    };
    change_file(&file, None, meanwhile).unwrap();
    assert_eq!(calls.get(), 2);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("theirs") && text.contains("ai-assist"), "{text}");
    assert_eq!(fs::read_to_string(home.path().join("mcp.json.bak")).unwrap(), "{\"theirs\": 1}");
    let never_still = |text: &str| {
        fs::write(&file, format!("{text} ")).unwrap();
        put(Client::Cursor, text, "other", &serde_json::json!({}))
    };
    assert!(matches!(change_file(&file, None, never_still), Err(Error::Busy { .. })));
    assert_eq!(names(home.path()), ["mcp.json", "mcp.json.bak"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(file: &Path) -> u32 {
        fs::metadata(file).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn permissions_stay_and_new_files_are_private() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("mcp.json");
        change_file(&file, None, add).unwrap();
        assert_eq!(mode(&file), 0o600);
        for wanted in [0o640, 0o600, 0o664] {
            fs::write(&file, "{}").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(wanted)).unwrap();
            let backup = change_file(&file, None, add).unwrap().backup.unwrap();
            assert_eq!((mode(&file), mode(&backup)), (wanted, wanted));
        }
    }

    #[test]
    fn links_stay_links() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().real_path().unwrap();
        fs::create_dir(home.join("dotfiles")).unwrap();
        fs::write(home.join("dotfiles/mcp.json"), "{}").unwrap();
        symlink("dotfiles/mcp.json", home.join("one.json")).unwrap();
        symlink("one.json", home.join("two.json")).unwrap();
        let written = change_file(&home.join("two.json"), None, add).unwrap();
        assert_eq!(written.file, home.join("dotfiles/mcp.json"));
        assert!(home.join("two.json").is_symlink() && home.join("one.json").is_symlink());
        assert_eq!(names(&home.join("dotfiles")), ["mcp.json", "mcp.json.bak"]);
        // To a file that is not there yet.
        symlink("dotfiles/new.json", home.join("three.json")).unwrap();
        change_file(&home.join("three.json"), None, add).unwrap();
        assert!(home.join("three.json").is_symlink() && home.join("dotfiles/new.json").is_file());
        // To itself.
        symlink("loop.json", home.join("loop.json")).unwrap();
        assert!(change_file(&home.join("loop.json"), None, add).is_err());
    }

    #[test]
    fn a_link_of_a_project_does_not_lead_out_of_it() {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("project");
        fs::create_dir_all(&project).unwrap();
        fs::write(home.path().join("precious.json"), "{}").unwrap();
        symlink("../precious.json", project.join(".mcp.json")).unwrap();
        symlink("..", project.join(".cursor")).unwrap();
        symlink("../new.json", project.join("dangling.json")).unwrap();
        for file in [".mcp.json", ".cursor/precious.json", ".cursor/new.json", "dangling.json"] {
            let error = change_file(&project.join(file), Some(&project), add).unwrap_err();
            assert!(matches!(error, Error::LeavesProject { .. }), "{error}");
        }
        assert_eq!(fs::read_to_string(home.path().join("precious.json")).unwrap(), "{}");
        assert_eq!(names(home.path()), ["precious.json", "project"]);
    }
}
