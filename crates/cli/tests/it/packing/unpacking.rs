//! Packs that are read back.

use std::fs;

use super::project;

#[test]
fn a_pack_is_checked_and_listed() {
    let sandbox = project();
    for name in ["p.json", "p.msgpack"] {
        sandbox.run(&["pack", "-o", &format!("../{name}")]).assert_code(0);
        let run = sandbox.run(&["unpack", &format!("../{name}")]);
        run.assert_code(0);
        for part in ["till: full pack", "9 files seen, 6 included, 3 left out", "src/money.rs", "receipt"] {
            assert!(run.stdout().contains(part), "{part} in {}", run.stdout());
        }
        let json = sandbox.json(&["unpack", &format!("../{name}")]);
        assert_eq!(json["ok"], true);
        assert_eq!(json["files"].as_array().unwrap().len(), 6);
    }
    sandbox.run(&["pack", "-o", "../s.json", "--type", "summary"]).assert_code(0);
    let run = sandbox.run(&["unpack", "../s.json"]);
    run.assert_code(0);
    assert!(run.stdout().contains("summary pack"), "{}", run.stdout());
}

#[test]
fn what_is_no_pack_is_told_apart() {
    let sandbox = project();
    sandbox.run(&["pack", "-o", "../p.json"]).assert_code(0);
    sandbox.run(&["pack", "-o", "../p.md"]).assert_code(0);
    let whole = fs::read(sandbox.root().join("p.json")).unwrap();
    fs::write(sandbox.root().join("cut.json"), &whole[..whole.len() / 2]).unwrap();
    fs::write(sandbox.root().join("empty"), "").unwrap();
    fs::write(sandbox.root().join("noise"), b"\xc1\xff\x00\x13").unwrap();
    for (name, expected) in [
        ("cut.json", "this is no pack in JSON"),
        ("p.md", "can't be read back"),
        ("empty", "is no pack"),
        ("noise", "is no pack in MessagePack"),
        ("missing.json", "missing.json"),
    ] {
        let run = sandbox.run(&["unpack", &format!("../{name}")]);
        run.assert_code(2);
        assert!(run.stderr().contains(expected), "{name}: {}", run.stderr());
    }
    let text = String::from_utf8(whole).unwrap();
    for (from, to, expected) in [
        ("\"files_included\":6", "\"files_included\":7", "7 are in it"),
        (
            "\"path\":\"src/money.rs\",\"content\"",
            "\"path\":\"../../etc/passwd\",\"content\"",
            "no path inside a project",
        ),
        ("pub struct Money", "pub struct Coin", "bytes of text"),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(sandbox.root().join("bent.json"), text.replace(from, to)).unwrap();
        let run = sandbox.run(&["unpack", "../bent.json"]);
        run.assert_code(1);
        assert!(run.stdout().contains(expected), "{expected} in {}", run.stdout());
        // Nothing of a bent pack is written outside, whatever it says.
        let run = sandbox.run(&["unpack", "../bent.json", "--into", "there"]);
        if to.contains("..") {
            run.assert_code(2);
            assert!(!sandbox.project().join("there").exists());
        }
        let _ = fs::remove_dir_all(sandbox.project().join("there"));
    }
}

#[test]
fn files_can_be_written_out_again() {
    let sandbox = project();
    sandbox.run(&["pack", "-o", "../p.json"]).assert_code(0);
    sandbox.run(&["unpack", "../p.json", "--into", "../copy"]).assert_code(0);
    let copy = sandbox.root().join("copy");
    assert_eq!(fs::read(copy.join("src/money.rs")).unwrap(), fs::read(sandbox.project().join("src/money.rs")).unwrap());
    let again = sandbox.run(&["unpack", "../p.json", "--into", "../copy"]);
    again.assert_code(2);
    assert!(again.stderr().contains("is there already"), "{}", again.stderr());
    let stdin = std::process::Stdio::from(fs::File::open(sandbox.root().join("p.json")).unwrap());
    let output = sandbox.command().args(["unpack", "-"]).stdin(stdin).output().unwrap();
    assert!(output.status.success());
}

#[test]
fn the_executable_bit_survives_unpacking() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = project();
    sandbox.write("run.sh", "#!/bin/sh\necho hello\n");
    let script = sandbox.project().join("run.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["p.json", "p.msgpack"] {
        sandbox.run(&["pack", "-o", &format!("../{name}")]).assert_code(0);
        let into = format!("../{name}.files");
        sandbox.run(&["unpack", &format!("../{name}"), "--into", &into]).assert_code(0);
        let may_run = |path: &str| {
            let file = sandbox.root().join(format!("{name}.files")).join(path);
            fs::metadata(file).unwrap().permissions().mode() & 0o100 != 0
        };
        assert!(may_run("run.sh") && !may_run("src/money.rs"), "{name}");
    }
}
