use serde_json::Value;

use crate::support::{Run, Sandbox};

/// Three repositories beside the project, which has the workspace.
fn workspace() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("../alpha/src/a.rs", "/// Sends a parcel to its receiver.\npub fn send_parcel() {}\n");
    sandbox.write("../alpha/README.md", "# Alpha\n\nParcels are sent here.\n");
    sandbox.write("../beta/src/b.rs", "/// Receives a parcel and opens it.\npub fn receive_parcel() {}\n");
    sandbox
        .write("../gamma/c.py", "def weigh(parcel):\n    \"\"\"The weight of a parcel in grams.\"\"\"\n    return 1\n");
    sandbox.run(&["workspace", "init", "--name", "post"]).assert_code(0);
    sandbox.run(&["workspace", "add", "../alpha", "--alias", "Alpha", "--tag", "Core"]).assert_code(0);
    sandbox.run(&["workspace", "add", "../beta", "--alias", "beta", "--tag", "core", "--priority", "5"]).assert_code(0);
    sandbox.run(&["workspace", "add", "../gamma", "--alias", "gamma", "--disabled"]).assert_code(0);
    sandbox
}

fn built() -> Sandbox {
    let sandbox = workspace();
    sandbox.run(&["workspace", "build", "--include-disabled", "--jobs", "2"]).assert_code(0);
    sandbox
}

fn search(sandbox: &Sandbox, args: &[&str]) -> Run {
    let run = sandbox.run(&[&["workspace", "search", "--json"], args].concat());
    assert!(run.code() < 2, "{args:?}: {}", run.stderr());
    run
}

fn places(answer: &Value) -> Vec<String> {
    let place = |hit: &Value| format!("{}/{}", hit["repo"].as_str().unwrap(), hit["document"].as_str().unwrap());
    answer["hits"].as_array().unwrap().iter().map(place).collect()
}

#[test]
fn a_workspace_is_made_and_listed() {
    let sandbox = workspace();
    let listed = sandbox.json(&["workspace", "list"]);
    let repos = listed["repos"].as_array().unwrap();
    assert_eq!(repos.len(), 3);
    let alpha = repos.iter().find(|repo| repo["alias"] == "Alpha").unwrap();
    assert_eq!((&alpha["tags"][0], &alpha["enabled"]), (&"core".into(), &true.into()));
    assert!(alpha["repoId"].as_str().unwrap().starts_with("alpha-"));
    assert!(listed["repoSetId"].as_str().unwrap().starts_with("ws1-"));
    for (args, said) in [
        (&["workspace", "init"][..], "there already"),
        (&["workspace", "add", "../alpha"], "alpha"),
        (&["workspace", "add", "../nowhere"], "nowhere"),
        (&["workspace", "add", ".", "--alias", "ALPHA"], "ALPHA"),
        (&["workspace", "add", ".", "..", "--alias", "x"], "--alias"),
    ] {
        let run = sandbox.run(args);
        run.assert_code(2);
        assert!(run.stderr().contains(said), "{args:?}: {}", run.stderr());
    }
    assert_eq!(sandbox.json(&["workspace", "list"]), listed, "mistakes change nothing");
    let run = Sandbox::new().run(&["workspace", "list"]);
    run.assert_code(2);
    assert!(run.stderr().contains("workspace init"), "{}", run.stderr());
}

#[test]
fn a_wrong_file_is_refused_with_every_mistake_in_it() {
    let sandbox = Sandbox::new();
    sandbox.write(
        ".ai-assist-workspace.jsonc",
        "{ // a comment\n  \"schemaVersion\": 1, \"name\": \"x\", \"colour\": 1,\n  \"repos\": [{ \"root\": \"./none\" }, { \"rot\": \".\" }],\n}",
    );
    let run = sandbox.run(&["workspace", "manifest"]);
    run.assert_code(2);
    for part in ["colour", "rot"] {
        assert!(run.stderr().contains(part), "{part}: {}", run.stderr());
    }
}

#[test]
fn what_is_stale_is_built_and_the_status_says_why() {
    let sandbox = workspace();
    let status = |args: &[&str]| sandbox.run(&[&["workspace", "status", "--json"], args].concat());
    let state = |run: &Run, name: &str| -> Value {
        let value = run.json();
        let repos = value["repos"].as_array().unwrap().clone();
        repos.into_iter().find(|repo| repo["repo"] == name).unwrap()["freshness"]["state"].clone()
    };
    assert_eq!(state(&status(&[]), "Alpha"), "missing");
    let report = sandbox.json(&["workspace", "build"]);
    assert_eq!(report["repos"].as_array().unwrap().len(), 2, "what is disabled is left alone");
    assert_eq!(status(&[]).code(), 0);
    sandbox.write("../alpha/src/a.rs", "pub fn other() {}\n");
    let run = status(&[]);
    run.assert_code(1);
    assert_eq!((state(&run, "Alpha"), state(&run, "beta")), ("stale".into(), "current".into()));
    let text = sandbox.run(&["workspace", "status"]).stdout();
    assert!(text.contains("1 file changed") && text.contains("code"), "{text}");
    let report = sandbox.json(&["workspace", "build"]);
    let unchanged = |name: &str| {
        report["repos"].as_array().unwrap().iter().find(|repo| repo["repo"] == name).unwrap()["unchanged"].clone()
    };
    assert_eq!((unchanged("Alpha"), unchanged("beta")), (false.into(), true.into()));
}

#[test]
fn repositories_are_searched_as_one_and_selected() {
    let sandbox = built();
    let answer = search(&sandbox, &["parcel", "--mode", "code"]).json();
    assert_eq!(places(&answer).len(), 2, "gamma is disabled");
    assert_eq!(answer["repos"].as_array().unwrap().len(), 2);
    for (args, expected) in [
        (&["--select", "gamma"][..], &["gamma"][..]),
        (&["--include-disabled"], &["Alpha", "beta", "gamma"]),
        (&["--tag", "CORE"], &["Alpha", "beta"]),
        (&["--tag", "core", "--repo-filter", "b*"], &["beta"]),
        (&["--select", "alpha", "--select", "gamma"], &["Alpha", "gamma"]),
    ] {
        let answer = search(&sandbox, &[&["parcel", "--mode", "code"], args].concat()).json();
        let mut found: Vec<String> =
            places(&answer).iter().map(|place| place.split('/').next().unwrap().to_owned()).collect();
        found.sort();
        assert_eq!(found, expected, "{args:?}");
    }
    let by_query = search(&sandbox, &["parcel repo:alpha", "--mode", "code"]).json();
    assert_eq!(places(&by_query), ["Alpha/src/a.rs"]);
    let run = sandbox.run(&["workspace", "search", "parcel", "--select", "gama"]);
    run.assert_code(2);
    assert!(run.stderr().contains("gamma"), "{}", run.stderr());
    let none = sandbox.run(&["workspace", "search", "parcel", "--tag", "none"]);
    none.assert_code(1);
}

#[test]
fn paths_of_the_machine_stay_out_unless_asked_for() {
    let sandbox = built();
    let root = sandbox.root().display().to_string();
    for args in [&["workspace", "search", "parcel"][..], &["workspace", "search", "parcel", "--json", "--explain"]] {
        let run = sandbox.run(args);
        assert!(!run.stdout().contains(&root) && !run.stderr().contains(&root), "{args:?}: {}", run.stdout());
    }
    let asked = search(&sandbox, &["parcel", "--include-paths"]).json();
    assert!(asked["hits"][0]["file"].as_str().unwrap().starts_with(&root));
    assert!(asked["repos"][0]["root"].as_str().unwrap().starts_with(&root));
    // What is said about a failure has no path either.
    for (file, _) in crate::support::bytes_below(&sandbox.root().join("cache/repos")) {
        if file.ends_with("words/meta.json") {
            std::fs::write(file, "{").unwrap();
        }
    }
    let run = search(&sandbox, &["parcel", "--no-cache"]);
    assert_eq!((run.code(), &run.json()["partial"]), (1, &true.into()));
    assert!(!run.stdout().contains(&root) && !run.stderr().contains(&root), "{}{}", run.stdout(), run.stderr());
    let told = search(&sandbox, &["parcel", "--no-cache", "--include-paths"]);
    let reason = told.json()["repos"][0]["indexes"][0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains(&root), "whoever asks for paths gets them: {reason}");
}

#[test]
fn one_broken_repository_does_not_keep_the_others_from_answering() {
    let sandbox = built();
    let cache = sandbox.root().join("cache/repos");
    let beta = std::fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path());
    let beta = beta.into_iter().find(|path| path.file_name().unwrap().to_str().unwrap().starts_with("beta-")).unwrap();
    std::fs::write(beta.join("builds/current.json"), "{\"schemaVersion\":1}").unwrap();
    let run = search(&sandbox, &["parcel", "--mode", "code"]);
    let answer = run.json();
    assert_eq!(places(&answer), ["Alpha/src/a.rs"]);
    let repos = answer["repos"].as_array().unwrap();
    let outcome = repos.iter().find(|repo| repo["repo"] == "beta").unwrap();
    assert_eq!(outcome["indexes"][0]["status"], "unavailable");
    assert_eq!(outcome["indexes"][0]["reason"], "invalid-pointer");
    let strict = sandbox.run(&["workspace", "search", "parcel", "--mode", "code", "--strict"]);
    strict.assert_code(2);
    assert!(strict.stderr().contains("beta"), "{}", strict.stderr());
    let manifest = sandbox.run(&["workspace", "manifest", "--json"]);
    manifest.assert_code(1);
    assert_eq!(manifest.json()["repos"], 3, "it stays listed");
    // The folder of a repository may go, too.
    std::fs::remove_dir_all(sandbox.root().join("gamma")).unwrap();
    let run = sandbox.run(&["workspace", "list"]);
    assert_eq!(run.code(), 0, "{}", run.stderr());
    assert!(run.stderr().contains("gamma"), "{}", run.stderr());
}

#[test]
fn an_answer_is_kept_until_something_changes() {
    let sandbox = built();
    let ask = || search(&sandbox, &["parcel", "--mode", "code"]).json();
    let strip = |mut answer: Value| {
        answer["timing"] = Value::Null;
        answer["workspace"]["cached"] = Value::Null;
        answer
    };
    let first = ask();
    let second = ask();
    assert_eq!((&first["workspace"]["cached"], &second["workspace"]["cached"]), (&false.into(), &true.into()));
    assert_eq!(strip(first.clone()), strip(second));
    assert_eq!(search(&sandbox, &["parcel", "--mode", "code", "--no-cache"]).json()["workspace"]["cached"], false);
    sandbox.write("../alpha/src/a.rs", "/// Sends a parcel, and a letter.\npub fn send_parcel() {}\n");
    let kept = ask();
    assert_eq!(kept["workspace"]["cached"], true, "only what is indexed counts");
    let alpha = kept["hits"].as_array().unwrap().iter().find(|hit| hit["repo"] == "Alpha").unwrap();
    assert_eq!(alpha["freshness"], "changed", "but a hit says that its file is another now");
    sandbox.run(&["workspace", "build"]).assert_code(0);
    let after = ask();
    assert_eq!(after["workspace"]["cached"], false);
    assert_ne!(after["workspace"]["manifestHash"], first["workspace"]["manifestHash"]);
}

#[test]
fn the_manifest_is_written_once_for_one_state() {
    let sandbox = built();
    let manifest = |code: i32| {
        let run = sandbox.run(&["workspace", "manifest", "--json"]);
        run.assert_code(code);
        run.json()
    };
    let first = manifest(0);
    let path = first["path"].as_str().unwrap().to_owned();
    let bytes = std::fs::read(&path).unwrap();
    assert!(path.ends_with(&format!("federation/{}/workspace_manifest.json", first["repoSetId"].as_str().unwrap())));
    let again = manifest(0);
    assert_eq!((&again["changed"], &again["manifestHash"]), (&false.into(), &first["manifestHash"]));
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    sandbox.write("../alpha/src/a.rs", "pub fn other() {}\n");
    sandbox.run(&["workspace", "build"]).assert_code(0);
    let changed = manifest(0);
    assert_eq!(changed["changed"], true);
    assert_ne!(changed["manifestHash"], first["manifestHash"]);
    let text = sandbox.run(&["workspace", "manifest"]).stdout();
    assert_eq!(text.lines().count(), 2, "the path and the hash, and nothing else: {text}");
}

#[test]
fn no_time_is_a_partial_answer() {
    let sandbox = built();
    let run = search(&sandbox, &["parcel", "--timeout", "0", "--no-cache"]);
    let answer = run.json();
    assert_eq!((run.code(), &answer["partial"]), (1, &true.into()));
    let status = &answer["repos"][0]["indexes"][0]["status"];
    assert_eq!(status, "timed-out", "{answer}");
}

#[test]
fn rankings_merge_either_way() {
    let sandbox = built();
    for args in [&["--merge", "rrf"][..], &["--merge", "global"], &["--top-per-repo", "1"], &["--concurrency", "1"]] {
        let answer = search(&sandbox, &[&["receive a parcel", "--mode", "code", "--no-cache"], args].concat()).json();
        let found = places(&answer);
        assert_eq!(found.len(), 2, "{args:?}");
        assert_eq!(found[0], "beta/src/b.rs", "{args:?}");
    }
}

#[test]
fn patterns_and_names_leave_out_what_is_disabled_unless_it_is_named() {
    let sandbox = workspace();
    sandbox.write("../gamma/src/only.rs", "pub fn only_in_gamma() {}\n");
    let gamma = sandbox.project().join("../gamma");
    sandbox.run(&["index", "build", "--repo", gamma.to_str().unwrap()]).assert_code(0);
    sandbox.run(&["workspace", "build"]).assert_code(0);
    for how in ["--regex", "--symbol"] {
        let run = sandbox.run(&["search", how, "only_in_gamma"]);
        assert_eq!(run.code(), 1, "{how}: {}", run.stdout());
        let run = sandbox.run(&["search", how, "only_in_gamma", "--in", "gamma"]);
        assert_eq!(run.code(), 0, "{how}: {}", run.stderr());
    }
}
