//! `mcp config` with a home folder of its own: what is printed, what is written, and what is left alone.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Run, Sandbox};

const CLIENTS: [&str; 11] = [
    "claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini", "zed", "copilot", "opencode", "qwen",
    "windsurf",
];

fn home(sandbox: &Sandbox) -> PathBuf {
    sandbox.root().join("home")
}

/// The user's settings file of a client, on this platform.
fn file(sandbox: &Sandbox, client: &str) -> PathBuf {
    let answer = sandbox.json(&["mcp", "config", client]);
    PathBuf::from(answer["file"].as_str().unwrap())
}

/// The only entry of a client's settings, whatever the list of servers is called.
fn only_entry(client: &str, text: &str) -> Value {
    if client == "codex" {
        assert!(text.starts_with("[mcp_servers.ai-assist]\n"), "{text}");
        return Value::Null;
    }
    let settings: Value = serde_json::from_str(text).unwrap();
    let list = settings.as_object().unwrap().values().next().unwrap();
    assert_eq!(list.as_object().unwrap().len(), 1);
    list["ai-assist"].clone()
}

#[test]
fn what_is_printed_is_what_is_written() {
    for client in CLIENTS {
        let sandbox = Sandbox::new();
        let printed = sandbox.json(&["mcp", "config", client]);
        assert_eq!(printed["status"], "printed");
        let file = file(&sandbox, client);
        assert!(file.starts_with(home(&sandbox)), "{}", file.display());
        assert!(!home(&sandbox).exists(), "{client}: printing writes nothing");
        let added = sandbox.json(&["mcp", "config", client, "--write"]);
        assert_eq!((&added["status"], &added["backup"]), (&json!("added"), &Value::Null));
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(json!(text), printed["snippet"]);
        if client != "codex" {
            let entry = only_entry(client, &text);
            let (program, args) = (env!("CARGO_BIN_EXE_ai-assist"), ["mcp"]);
            match client {
                "opencode" => assert_eq!(entry["command"], json!([program, args[0]])),
                _ => assert_eq!((&entry["command"], &entry["args"]), (&json!(program), &json!(args)), "{client}"),
            }
        }
        assert_eq!(sandbox.json(&["mcp", "config", client, "--write"])["status"], "unchanged");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        let replaced = sandbox.json(&["mcp", "config", client, "--write", "--read-only"]);
        assert_eq!(replaced["status"], "replaced");
        assert_eq!(std::fs::read_to_string(replaced["backup"].as_str().unwrap()).unwrap(), text);
        assert_eq!(sandbox.json(&["mcp", "config", client, "--remove"])["status"], "removed");
        assert_eq!(sandbox.json(&["mcp", "config", client, "--remove"])["status"], "unchanged");
        assert!(!std::fs::read_to_string(&file).unwrap().contains("ai-assist"));
    }
}

#[test]
fn a_file_that_was_there_is_given_back() {
    for client in CLIENTS {
        let sandbox = Sandbox::new();
        let file = file(&sandbox, client);
        let text = match client {
            "codex" => "# mine\nmodel = \"x\"\n\n[mcp_servers.other] # odd\ncommand = \"y\"\n",
            "vscode" => "{\n\t// mine\n\t\"servers\": {\n\t\t\"other\": {} // odd\n\t},\n}\n",
            "zed" => "// mine\r\n{\r\n  \"vim_mode\": true, // yes\r\n}\r\n",
            _ => "{\n   \"z\": 1,\n   \"mcpServers\": {\"other\": {\"command\": \"y\"}},\n   \"a\": 2\n}",
        };
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        let write = ["mcp", "config", client, "--write", "--project", ".", "--tools", "read"];
        assert_eq!(sandbox.json(&write)["status"], "added");
        let written = std::fs::read_to_string(&file).unwrap();
        for word in ["--project", "--tools", "read", sandbox.project().to_str().unwrap()] {
            assert!(written.contains(&format!("\"{word}\"")), "{client}: {word} is not in\n{written}");
        }
        assert_eq!(sandbox.json(&["mcp", "config", client, "--remove"])["status"], "removed");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "{client}");
    }
}

#[test]
fn people_are_told_what_was_done() {
    let sandbox = Sandbox::new();
    let said = |args: &[&str]| -> (String, String) {
        let run = sandbox.run(&[&["mcp", "config"], args].concat());
        run.assert_code(0);
        let root = sandbox.root().display().to_string();
        (run.stdout().replace(&root, "[BOX]"), run.stderr().replace(&root, "[BOX]"))
    };
    let (stdout, stderr) = said(&["zed", "--write"]);
    assert_eq!(stdout, "Added ai-assist to [BOX]/home/.config/zed/settings.json\n");
    assert_eq!(stderr, "Zed does not tell servers which folder is open: name one with --project PATH.\n");
    let (stdout, stderr) = said(&["zed", "--write", "--project", "."]);
    assert_eq!(stdout, "Replaced ai-assist in [BOX]/home/.config/zed/settings.json\n");
    assert_eq!(
        stderr,
        "Before: [BOX]/home/.config/zed/settings.json.bak\nStart Zed again to have it read its settings.\n"
    );
    let (stdout, _) = said(&["zed", "--remove", "--name", "other"]);
    assert_eq!(stdout, "Unchanged: [BOX]/home/.config/zed/settings.json does not have other\n");
}

#[test]
fn the_list_shows_what_is_there() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(home(&sandbox).join(".codex")).unwrap();
    std::fs::create_dir_all(home(&sandbox).join(".gemini")).unwrap();
    std::fs::write(home(&sandbox).join(".gemini/settings.json"), "{ broken").unwrap();
    sandbox.json(&["mcp", "config", "cursor", "--write"]);
    let answer = sandbox.json(&["mcp", "config"]);
    let clients = answer["clients"].as_array().unwrap();
    let of = |key: &str| -> Vec<Value> { clients.iter().map(|client| client[key].clone()).collect() };
    assert_eq!(json!(of("client")), json!(CLIENTS));
    assert_eq!(
        json!(of("installed")),
        json!([false, false, true, false, true, true, false, false, false, false, false])
    );
    assert_eq!(json!(of("setUp")), json!([false, false, true, false, false, null, false, false, false, false, false]));
    let of_project = sandbox.json(&["mcp", "config", "--scope", "project"]);
    assert_eq!(of_project["clients"].as_array().unwrap().len(), 9);
    let table = sandbox.run(&["mcp", "config"]);
    table.assert_code(0);
    assert!(table.stdout().contains("can't be read"), "{}", table.stdout());
}

#[test]
fn settings_of_a_project_hold_in_every_clone() {
    let sandbox = Sandbox::new();
    sandbox.write("context.json", "{}");
    sandbox.write("deep/down/a.md", "# A\n");
    let path = PathBuf::from(env!("CARGO_BIN_EXE_ai-assist")).parent().unwrap().to_owned();
    for (client, name, folder) in [
        ("claude-code", ".mcp.json", "."),
        ("cursor", ".cursor/mcp.json", "${workspaceFolder}"),
        ("vscode", ".vscode/mcp.json", "${workspaceFolder}"),
        ("gemini", ".gemini/settings.json", "."),
        ("zed", ".zed/settings.json", "."),
    ] {
        let mut command = sandbox.command();
        command.env("PATH", &path).args(["-C", "deep/down", "mcp", "config", client, "--scope", "project", "--write"]);
        Run(command.output().unwrap()).assert_code(0);
        let entry = only_entry(client, &std::fs::read_to_string(sandbox.project().join(name)).unwrap());
        assert_eq!(entry["command"], "ai-assist");
        assert_eq!(entry["args"], json!(["mcp", "--project", folder]));
    }
    let answer = sandbox.json(&["mcp", "config", "claude-code", "--scope", "project"]);
    assert!(answer["snippet"].as_str().unwrap().contains(env!("CARGO_BIN_EXE_ai-assist")));
    assert_eq!(answer["notes"], json!(["ai-assist is not in PATH, so the entry has its path on this machine."]));
}

#[test]
fn a_server_at_a_url() {
    let sandbox = Sandbox::new();
    let far = sandbox.json(&["mcp", "config", "gemini", "--http", "https://example.com/mcp"]);
    let entry = only_entry("gemini", far["snippet"].as_str().unwrap());
    assert_eq!(entry["httpUrl"], "https://example.com/mcp");
    assert_eq!(entry["headers"]["Authorization"], "Bearer ${AI_ASSIST_MCP_TOKEN}");
    let near = sandbox.json(&["mcp", "config", "zed", "--http", "http://127.0.0.1:8808/mcp"]);
    assert_eq!(near["notes"], json!([]));
    let zed = sandbox.json(&["mcp", "config", "zed", "--http", "https://example.com/mcp"]);
    let note = "Zed can't take a token from a variable: add the header `Authorization: Bearer TOKEN` to the entry.";
    assert_eq!(zed["notes"], json!([note]));
}

#[test]
fn what_can_not_be_done_is_said_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(home(&sandbox).join(".codex")).unwrap();
    std::fs::write(home(&sandbox).join(".codex/config.toml"), "a = 1\ntoken = hunter2\n").unwrap();
    sandbox.write(".mcp.json", "{\"mcpServers\": {\n");
    for (args, expected) in [
        (&["codex", "--write"][..], "/home/.codex/config.toml:2:9: "),
        (&["codex", "--remove"], "/home/.codex/config.toml:2:9: "),
        (&["claude-code", "--scope", "project", "--write"], "/project/.mcp.json:1:16: unterminated object"),
        (&["claude-desktop", "--scope", "project"], "Claude Desktop has no settings of a project; use --scope user"),
        (&["claude-desktop", "--http", "http://localhost:1/mcp"], "the settings of Claude Desktop can't name a URL"),
        (&["zed", "--http", "https://u:hunter2@example.com"], "holds a user or a password"),
        (&["zed", "--http", "http://localhost", "--token-env", "A B"], "`A B` can't be the name of a variable"),
        (&["zed", "--name", "a.b"], "`a.b` can't be the name of a server"),
        (&["zed", "--project", "nowhere"], "/project/nowhere can't be found"),
        (&["zed", "--project", ".mcp.json"], "/project/.mcp.json is not a folder"),
    ] {
        let run = sandbox.run(&[&["mcp", "config"], args].concat());
        run.assert_code(2);
        assert!(run.stderr().contains(expected), "{args:?}: {}", run.stderr());
        assert!(!run.stderr().contains("hunter2"), "{}", run.stderr());
    }
    let left: Vec<_> = crate::support::bytes_below(&home(&sandbox)).into_iter().map(|(path, _)| path).collect();
    assert_eq!(left, [home(&sandbox).join(".codex/config.toml")]);
}
