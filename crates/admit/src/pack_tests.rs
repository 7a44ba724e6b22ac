//! What a pack's walk takes and what it leaves, on real trees.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use ai_assist_base::Cancel;
use ai_assist_identity::DocPath;

use crate::test_tree::tree;
use crate::{
    Admitted, Globs, Limits, OnSecret, Outcome, PackRules, PathSet, Reason, Receipt, Selection, Walked, Worth, walk,
};

const SECRET: &str = concat!("ghp_", "x7Kq2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo");

fn pack(root: &Path, rules: PackRules) -> Selection {
    let globs = Globs::new(&["**/*", "**/.*", "**/.*/**"]).unwrap();
    Selection { worth: Worth::Packs(rules), ..Selection::new(root, globs, Limits::default()) }
}

fn tracking(paths: &[&str]) -> PackRules {
    let tracked = PathSet::from_ls_files(paths.join("\0").as_bytes());
    PackRules { tracked: Some(Arc::new(tracked)), ..PackRules::default() }
}

fn allowing(paths: &[&str]) -> PackRules {
    PackRules { allow: paths.iter().map(|path| DocPath::parse(path).unwrap()).collect(), ..PackRules::default() }
}

fn walked(selection: &Selection) -> Walked {
    let walked = walk(selection, &Cancel::default(), &|_| {}).unwrap();
    assert!(walked.receipt.is_conserved(), "{:?}", walked.receipt);
    walked
}

fn paths(walked: &Walked) -> Vec<&str> {
    walked.candidates.iter().map(|candidate| candidate.path().as_str()).collect()
}

/// Each excluded path with its reason and rule.
fn excluded(receipt: &Receipt) -> Vec<(&str, Reason, &str)> {
    receipt.exclusions.iter().map(|e| (e.path.as_str(), e.reason, e.rule.as_str())).collect()
}

/// Walks, reads and records, as a pack does.
fn read_all(selection: &Selection) -> (Vec<Admitted>, Receipt) {
    let Walked { candidates, mut receipt } = walked(selection);
    let mut admitted = Vec::new();
    for candidate in &candidates {
        let outcome = candidate.read(&selection.limits);
        receipt.record(&outcome);
        if let Outcome::Admitted(file) = outcome {
            admitted.push(file);
        }
    }
    assert!(receipt.is_conserved(), "{receipt:?}");
    (admitted, receipt)
}

#[test]
fn the_groups_go_and_their_look_alikes_stay() {
    let stay = [
        "Target/lib.rs", "catalog.md", "distance.rs", "dump.sql", "environment.ts", "logo.svg", "logs.go",
        "output/a.rs", "src/linux.target.ts", "target_type.go", "vendors.md",
    ];
    let go = [
        ("Cargo.lock", Reason::Generated, "spec group generated: **/Cargo.lock"),
        ("app.log", Reason::LargeData, "spec group large_data: **/*.log"),
        ("coverage", Reason::BuildOutput, "spec group build_outputs: **/coverage/**"),
        ("dist", Reason::BuildOutput, "spec group build_outputs: **/dist/**"),
        ("js/jquery.min.js", Reason::Generated, "spec group generated: **/*.min.js"),
        ("lib/__pycache__", Reason::Cache, "spec group caches: **/__pycache__/**"),
        ("lib/x.pyc", Reason::Cache, "spec group caches: **/*.py[co]"),
        ("logo.PNG", Reason::Binary, "spec group binaries: **/*.png"),
        ("node_modules", Reason::Dependency, "spec group dependencies: **/node_modules/**"),
        ("packages/a/node_modules", Reason::Dependency, "spec group dependencies: **/node_modules/**"),
        ("vendor", Reason::Dependency, "spec group dependencies: **/vendor/**"),
    ];
    let mut lines: Vec<String> = stay.iter().map(ToString::to_string).collect();
    for (path, ..) in go {
        let is_folder = !path.contains('.');
        lines.push(if is_folder { format!("{path}/a/file.js") } else { path.to_owned() });
    }
    let tree = tree(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let result = walked(&pack(tree.path(), PackRules::default()));
    assert_eq!(paths(&result), stay);
    let told = excluded(&result.receipt);
    assert_eq!(told.len(), go.len(), "{told:?}");
    for ((path, reason, rule), expected) in told.iter().zip(go) {
        assert_eq!((*path, *reason, *rule), expected);
    }
    let everything = Selection { worth: Worth::Everything, ..pack(tree.path(), PackRules::default()) };
    assert_eq!(walked(&everything).candidates.len(), lines.len(), "an index wants all of it");
}

#[test]
fn logs_that_git_tracks_stay_where_they_are_wanted() {
    let tree = tree(&["a.log", "b.log", "logs/c.log", "logs/d.log", "e.db"]);
    let tracked = ["a.log", "logs/c.log", "e.db"];
    assert!(walked(&pack(tree.path(), tracking(&tracked))).candidates.is_empty());
    let rules = PackRules { tracked_logs: true, ..tracking(&tracked) };
    assert_eq!(paths(&walked(&pack(tree.path(), rules))), ["a.log", "logs/c.log"]);
    let untold = PackRules { tracked_logs: true, ..PackRules::default() };
    assert!(walked(&pack(tree.path(), untold)).candidates.is_empty());
}

#[test]
fn what_git_tracks_stays_in_the_four_folders() {
    let lines = [
        "src/build/mod.rs", "src/build/made.o.txt", "src/build/deep/kept.rs", "src/build/stale/x.txt", "build/a.txt",
        "out/a.rs", "env/settings.py", "env/lib/x.py", "logs/readme.md", "dist/tracked.js", "src/new.rs",
    ];
    let tree = tree(&lines);
    let tracked = ["src/build/mod.rs", "src/build/deep/kept.rs", "env/settings.py", "out/a.rs", "dist/tracked.js"];
    let result = walked(&pack(tree.path(), tracking(&tracked)));
    let kept = ["env/settings.py", "out/a.rs", "src/build/deep/kept.rs", "src/build/mod.rs", "src/new.rs"];
    assert_eq!(paths(&result), kept);
    let build = "spec group build_outputs: **/build/**";
    assert_eq!(
        excluded(&result.receipt),
        [
            ("build", Reason::BuildOutput, build),
            ("dist", Reason::BuildOutput, "spec group build_outputs: **/dist/**"),
            ("env/lib", Reason::Dependency, "spec group dependencies: **/env/**"),
            ("logs", Reason::LargeData, "spec group large_data: **/logs/**"),
            ("src/build/made.o.txt", Reason::BuildOutput, build),
            ("src/build/stale", Reason::BuildOutput, build),
        ]
    );
    assert_eq!(paths(&walked(&pack(tree.path(), PackRules::default()))), ["src/new.rs"], "without git all of them go");
    let submodule = walked(&pack(tree.path(), tracking(&["src/build"])));
    assert_eq!(submodule.candidates.len(), 5, "what git sees as one thing is tracked as a whole");
}

#[test]
fn what_git_tracks_stays_though_it_is_ignored() {
    let tree = tree(&["gen/kept.rs", "gen/new.rs", "gen/deep/kept.rs", "gen/other/x.rs", "a.tmp", "b.tmp", "ai.rs"]);
    fs::write(tree.path().join(".gitignore"), "gen/\n*.tmp\nai.rs\n").unwrap();
    fs::write(tree.path().join(".aiignore"), "ai.rs\n").unwrap();
    let result = walked(&pack(tree.path(), tracking(&["gen/kept.rs", "gen/deep/kept.rs", "a.tmp", "ai.rs"])));
    assert_eq!(paths(&result), [".aiignore", ".gitignore", "a.tmp", "gen/deep/kept.rs", "gen/kept.rs"]);
    assert_eq!(
        excluded(&result.receipt),
        [
            ("ai.rs", Reason::IgnoreFile, ".aiignore:1: ai.rs"),
            ("b.tmp", Reason::IgnoreFile, ".gitignore:2: *.tmp"),
            ("gen/new.rs", Reason::IgnoreFile, ".gitignore:1: gen/"),
            ("gen/other", Reason::IgnoreFile, ".gitignore:1: gen/"),
        ]
    );
    assert!(!paths(&walked(&pack(tree.path(), PackRules::default()))).contains(&"a.tmp"), "without git all of them go");
}

#[test]
fn the_folder_of_git_is_listed() {
    let tree = tree(&["a.rs", ".git/config", "sub/.git/config"]);
    let result = walked(&pack(tree.path(), PackRules::default()));
    let rule = "spec group version_control: **/.git/**";
    let expected = [(".git", Reason::VersionControl, rule), ("sub/.git", Reason::VersionControl, rule)];
    assert_eq!(excluded(&result.receipt), expected);
}

#[test]
fn a_folder_that_is_dropped_costs_nothing() {
    let tree = tree(&["src/a.rs"]);
    let modules = tree.path().join("web/node_modules");
    fs::create_dir_all(&modules).unwrap();
    for number in 0..20_000 {
        fs::write(modules.join(format!("{number}.js")), "").unwrap();
    }
    let result = walked(&pack(tree.path(), PackRules::default()));
    assert_eq!(paths(&result), ["src/a.rs"]);
    assert_eq!(result.receipt.seen, 4, "two folders, one file, and the folder that was not entered");
    assert_eq!(result.receipt.excluded.get(&Reason::Dependency), Some(&1));
}

#[test]
fn attributes_narrow_and_the_nearest_wins() {
    let lines = [
        ".gitattributes = *.txt text\\n*.pb.go linguist-generated\\nthird/** linguist-vendored=true\\nkeep.pb.go -linguist-generated\\n",
        "a.pb.go",
        "keep.pb.go",
        "third/party.c",
        "third/deep/party.c",
        "third/ours/.gitattributes = * -linguist-vendored\\n*.pb.go !linguist-generated\\n",
        "third/ours/a.c",
        "third/ours/b.pb.go",
        "api/.gitattributes = *.ts linguist-generated\\nCargo.lock -linguist-generated\\n/only.rs linguist-vendored\\n",
        "api/a.ts",
        "api/Cargo.lock",
        "api/only.rs",
        "api/sub/only.rs",
        "a.ts",
        // No name on Windows may have a quote.
        #[cfg(unix)]
        "z/\"quoted",
    ];
    let tree = tree(&lines);
    let result = walked(&pack(tree.path(), PackRules::default()));
    let visible: Vec<&str> = paths(&result).into_iter().filter(|path| !path.ends_with(".gitattributes")).collect();
    let expected = [
        "a.ts",
        "api/sub/only.rs",
        "keep.pb.go",
        "third/ours/a.c",
        "third/ours/b.pb.go",
        #[cfg(unix)]
        "z/\"quoted",
    ];
    assert_eq!(visible, expected);
    let vendored = ".gitattributes:3: third/** linguist-vendored";
    let lock = "spec group generated: **/Cargo.lock";
    assert_eq!(
        excluded(&result.receipt),
        [
            ("a.pb.go", Reason::Generated, ".gitattributes:2: *.pb.go linguist-generated"),
            ("api/Cargo.lock", Reason::Generated, lock),
            ("api/a.ts", Reason::Generated, "api/.gitattributes:1: *.ts linguist-generated"),
            ("api/only.rs", Reason::Vendored, "api/.gitattributes:3: /only.rs linguist-vendored"),
            ("third/deep/party.c", Reason::Vendored, vendored),
            ("third/party.c", Reason::Vendored, vendored),
        ],
        "and no attribute brings back what the table drops"
    );
    let everything = Selection { worth: Worth::Everything, ..pack(tree.path(), PackRules::default()) };
    assert_eq!(walked(&everything).candidates.len(), lines.len(), "an index does not ask");
}

#[cfg(unix)]
#[test]
fn attributes_outside_the_root_and_faulty_ones_do_not_count() {
    let tree = tree(&[
        ".gitattributes = * linguist-generated",
        "rules = * linguist-generated",
        "root/.gitattributes -> ../rules",
        "root/a.rs",
        "root/b/.gitattributes = !x linguist-generated\\ny linguist-generated",
        "root/b/x",
        "root/b/y",
    ]);
    let result = walked(&pack(&tree.path().join("root"), PackRules::default()));
    let visible: Vec<&str> = paths(&result).into_iter().filter(|path| !path.ends_with(".gitattributes")).collect();
    assert_eq!(visible, ["a.rs", "b/x"]);
    let told: Vec<&str> = result.receipt.problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(told, [".gitattributes", "b/.gitattributes"]);
}

#[cfg(unix)]
#[test]
fn a_symlink_is_no_way_around_the_worth() {
    let tree = tree(&[
        "node_modules/x/a.js",
        "lib -> node_modules/x",
        "a.js -> node_modules/x/a.js",
        "src/build/b.js",
        "src/build/c.js",
        "made -> src/build",
        "made.js -> src/build/b.js",
        ".gitattributes = real.rs linguist-generated",
        "real.rs",
        "alias.rs -> real.rs",
        "shot.txt -> logo.png",
        "logo.png",
    ]);
    let result = walked(&pack(tree.path(), tracking(&["src/build/c.js", "made"])));
    assert_eq!(paths(&result), [".gitattributes", "src/build/c.js"]);
    let told: Vec<(&str, Reason)> = result.receipt.exclusions.iter().map(|e| (e.path.as_str(), e.reason)).collect();
    for expected in [
        ("lib", Reason::Dependency),
        ("a.js", Reason::Dependency),
        ("made.js", Reason::BuildOutput),
        ("alias.rs", Reason::Generated),
        ("shot.txt", Reason::Binary),
        ("made", Reason::SymlinkLoop),
    ] {
        assert!(told.contains(&expected), "{expected:?} not in {told:?}");
    }
}

#[test]
fn generated_content_is_refused_when_read() {
    let tree = tree(&[
        "gen.go = // Code generated by x. DO NOT EDIT.\\npackage x\\n",
        "hand.go = package x\\n",
        "talk.go = package x\\nvar s = \"Code generated by x. DO NOT EDIT.\"\\n",
    ]);
    let (admitted, receipt) = read_all(&pack(tree.path(), PackRules::default()));
    assert_eq!(admitted.iter().map(|file| file.path().as_str()).collect::<Vec<_>>(), ["hand.go", "talk.go"]);
    assert_eq!(excluded(&receipt), [("gen.go", Reason::Generated, "gen.go:1: Code generated … DO NOT EDIT")]);
    assert_eq!((receipt.admitted, receipt.refused.get(&Reason::Generated)), (2, Some(&1)));
    let everything = Selection { worth: Worth::Everything, ..pack(tree.path(), PackRules::default()) };
    assert_eq!(read_all(&everything).0.len(), 3);
}

#[test]
fn files_with_secrets_can_stay_out_as_a_whole() {
    let tree = tree(&[&format!("a.md = use {SECRET}\\n"), "b.md = nothing\\n"]);
    let (admitted, receipt) = read_all(&pack(tree.path(), PackRules::default()));
    assert_eq!(admitted.len(), 2);
    assert_eq!(receipt.redacted.get("github-token"), Some(&1));
    let (admitted, receipt) =
        read_all(&pack(tree.path(), PackRules { on_secret: OnSecret::Exclude, ..PackRules::default() }));
    assert_eq!(admitted.len(), 1);
    assert_eq!(excluded(&receipt), [("a.md", Reason::SecretValue, "github-token (1)")]);
    assert!(receipt.redacted.is_empty() && !format!("{receipt:?}").contains(&SECRET[4..]));
}

#[test]
fn what_is_named_by_hand_comes_in_past_every_rule() {
    let secret = format!(".env = TOKEN={SECRET}\\n");
    let tree = tree(&[
        &secret,
        ".env.local",
        ".gitignore = ignored.md\\n",
        "ignored.md",
        "node_modules/x/index.js",
        "node_modules/x/other.js",
        "gen.go = // Code generated by x. DO NOT EDIT.\\n",
        "gen2.go = // Code generated by x. DO NOT EDIT.\\n",
        "src/a.rs",
        ".git/config",
        "build/a/b.rs",
    ]);
    let allow = [".env", "ignored.md", "node_modules/x/index.js", "gen.go", "build/a/b.rs", ".git/config"];
    let narrow = Selection {
        globs: Globs::new(&["**/*", "!gen*.go"]).unwrap(),
        ..pack(tree.path(), PackRules { on_secret: OnSecret::Exclude, ..allowing(&allow) })
    };
    let (admitted, receipt) = read_all(&narrow);
    let mut expected = allow.to_vec();
    expected.sort_unstable();
    assert_eq!(receipt.allowed.iter().map(DocPath::as_str).collect::<Vec<_>>(), expected);
    let env = admitted.iter().find(|file| file.path().as_str() == ".env").unwrap();
    assert!(env.is_allowed() && env.text().contains(SECRET), "{}", env.text());
    let all: Vec<&str> = admitted.iter().map(|file| file.path().as_str()).collect();
    assert_eq!(
        all,
        [".env", ".git/config", "build/a/b.rs", "gen.go", "ignored.md", "node_modules/x/index.js", "src/a.rs"]
    );
    assert!(!admitted.iter().any(|file| file.path().as_str() == "src/a.rs" && file.is_allowed()));
}

#[cfg(unix)]
#[test]
fn no_hand_brings_in_what_is_outside_binary_or_too_large() {
    let outside = tree(&["secret.md", "folder/x.md"]);
    let tree = tree(&[
        ".env = X=1",
        "link.md -> .env",
        "fine.md -> notes.md",
        &format!("notes.md = {SECRET}\\n"),
        "src/a.rs",
        "folder -> src",
        "both.md -> named.md",
        &format!("named.md = {SECRET}\\n"),
    ]);
    std::os::unix::fs::symlink(outside.path().join("secret.md"), tree.path().join("out.md")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("folder"), tree.path().join("outdir")).unwrap();
    fs::write(tree.path().join("image.md"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0").unwrap();
    fs::write(tree.path().join("large.md"), "x".repeat(1000)).unwrap();
    let allow = [
        "both.md", "fine.md", "folder", "image.md", "large.md", "link.md", "missing.md", "named.md", "out.md",
        "outdir/x.md", "src",
    ];
    let mut selection = pack(tree.path(), allowing(&allow));
    selection.limits.max_file_bytes = 500;
    let (admitted, receipt) = read_all(&selection);
    assert_eq!(receipt.allowed.iter().map(DocPath::as_str).collect::<Vec<_>>(), ["both.md", "named.md"]);
    let text = |name: &str| admitted.iter().find(|file| file.path().as_str() == name).unwrap().text();
    assert!(text("both.md").contains(SECRET) && text("named.md").contains(SECRET));
    assert_eq!(text("fine.md"), "[redacted:github-token]\n", "the name of a symlink does not speak for its target");
    let told: Vec<(&str, Reason)> = receipt.exclusions.iter().map(|e| (e.path.as_str(), e.reason)).collect();
    for expected in [
        ("folder", Reason::NotAFile),
        ("image.md", Reason::Binary),
        ("large.md", Reason::TooLarge),
        ("link.md", Reason::SecretName),
        ("out.md", Reason::SymlinkOutside),
        ("outdir/x.md", Reason::SymlinkOutside),
    ] {
        assert!(told.contains(&expected), "{expected:?} not in {told:?}");
    }
    assert!(text("src/a.rs") == "text\n", "a folder that was named goes by the rules");
    let problems: Vec<&str> = receipt.problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(problems, ["missing.md", "src"]);
}
