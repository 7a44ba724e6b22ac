//! Edits of one file from several places at once.

use std::process::Stdio;

use crate::support::Sandbox;

const MANIFEST: &str = r#"{"name": "NAME", "version": "1.0.0", "sources": {"glob": ["*.md"]}}"#;

fn package(sandbox: &Sandbox, folder: &str, name: &str) {
    sandbox.write(format!("{folder}/manifest.json"), MANIFEST.replace("NAME", name));
    sandbox.write(format!("{folder}/a.md"), format!("# {name}\n\nWhat {name} says.\n"));
}

/// The names of the packages in a registry below the project.
fn published(sandbox: &Sandbox) -> Vec<String> {
    let index = std::fs::read_to_string(sandbox.project().join("reg/index.json")).unwrap();
    let index: serde_json::Value = serde_json::from_str(&index).unwrap();
    index["packages"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn parallel_edits_share_a_lock_whatever_the_spelling_and_the_data_folder() {
    let sandbox = Sandbox::new();
    let project = sandbox.project();
    std::os::unix::fs::symlink(&project, sandbox.root().join("link")).unwrap();
    let absolute = project.join("reg").display().to_string();
    let link = sandbox.root().join("link/reg").display().to_string();
    let spellings = ["../../reg", "../../p0/../reg", absolute.as_str(), link.as_str()];
    for number in 0..20 {
        package(&sandbox, &format!("p{number}/in"), &format!("p{number}"));
    }
    sandbox.run(&["collections", "init"]).assert_code(0);
    let both = (0..20).flat_map(|number| {
        let data = sandbox.root().join(format!("data{}", number % 3));
        let mut publish = sandbox.command();
        publish.current_dir(project.join(format!("p{number}/in"))).env("AI_ASSIST_DATA_DIR", &data);
        publish.args(["collections", "publish", spellings[number % 4]]);
        let mut add = sandbox.command();
        let folder = if number % 2 == 0 { project.clone() } else { sandbox.root().join("link") };
        add.env("AI_ASSIST_DATA_DIR", &data).arg("-C").arg(folder);
        add.args(["collections", "add", &format!("c{number}"), &format!("./p{number}")]);
        [publish, add]
    });
    let children: Vec<_> = both.map(|mut one| one.stdout(Stdio::null()).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(published(&sandbox).len(), 20);
    let listed = sandbox.json(&["collections", "list"]);
    assert_eq!(listed["collections"].as_array().unwrap().len(), 20, "{listed}");
    let left = std::fs::read_dir(&project).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| name.contains("lock")).collect::<Vec<_>>(), [""; 0], "nothing is left beside them");
}

#[test]
fn packages_of_a_registry_have_a_folder_each_and_a_newer_index_is_left_alone() {
    let sandbox = Sandbox::new();
    package(&sandbox, "one", "@s/p");
    package(&sandbox, "two", "s-p");
    let publish = |folder: &str| {
        let manifest = format!("{folder}/manifest.json");
        sandbox.run(&["collections", "publish", "reg", "--manifest", &manifest])
    };
    publish("one").assert_code(0);
    publish("two").assert_code(0);
    assert_eq!(published(&sandbox), ["@s/p", "s-p"]);
    sandbox.run(&["collections", "init"]).assert_code(0);
    let registry = format!("file://{}/reg", sandbox.project().display());
    for (alias, name, word) in [("one", "@s/p@1.0.0", "@s/p"), ("two", "s-p@1.0.0", "s-p")] {
        let mut add = sandbox.command();
        add.env("AI_ASSIST_REGISTRY_URLS", &registry).args(["collections", "add", alias, name]);
        let run = add.output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        sandbox.sync();
        let listed = sandbox.json(&["collections", "list"]);
        let names = listed["collections"].as_array().unwrap().iter().map(|found| found["name"].as_str().unwrap());
        let texts: String = names.map(|name| sandbox.run(&["ref", "get", &format!("{name}/a.md")]).stdout()).collect();
        assert!(texts.contains(&format!("What {word} says")), "{texts}");
    }
    let index = sandbox.project().join("reg/index.json");
    let newer = r#"{"schemaVersion": 2, "packages": {}, "signed": "yes"}"#;
    std::fs::write(&index, newer).unwrap();
    for args in [
        &["collections", "publish", "reg", "--manifest", "one/manifest.json"][..],
        &["collections", "publish", "reg", "--yank", "s-p@1.0.0"],
    ] {
        let run = sandbox.run(args);
        run.assert_code(2);
        assert!(run.stderr().contains("its format is 2"), "{}", run.stderr());
    }
    assert_eq!(std::fs::read_to_string(&index).unwrap(), newer);
}
