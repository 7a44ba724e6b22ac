use super::*;

#[test]
fn every_pattern_compiles_and_stays_within_one_component() {
    let table = &*TABLE;
    assert_eq!(table.folders.rules.len() + table.files.rules.len(), RULES.len());
    assert_eq!(table.folders.globs.len(), table.folders.rules.len());
    assert_eq!(table.files.globs.len(), table.files.rules.len());
    for rule in RULES.iter() {
        let name = rule.folder().or_else(|| rule.file()).unwrap();
        assert!(!name.contains(['/', '{']) && !name.contains("**"), "{}", rule.pattern);
    }
    let mut ids: Vec<_> = RULES.iter().map(Rule::id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), RULES.len(), "each rule once");
}

/// A group, the folders it drops and the files it drops.
const DROPPED: [(&str, &str, &str); 7] = [
    ("version_control", ".git .svn .hg .jj", ".git"),
    ("dependencies", "node_modules vendor .venv venv env __pypackages__ bower_components site-packages .tox .nox", ""),
    ("build_outputs", "dist build out target .next .nuxt coverage .svelte-kit .nyc_output", ""),
    (
        "caches",
        ".cache __pycache__ .pytest_cache .mypy_cache .ruff_cache .parcel-cache .sass-cache .turbo .gradle",
        "a.pyc a.pyo .eslintcache .tsbuildinfo tsconfig.tsbuildinfo .DS_Store",
    ),
    (
        "large_data",
        "logs",
        "a.db a.db-wal a.sqlite a.sqlite2 a.sqlite3 a.sqlite-shm a.sqlite3-journal x.log X.LOG npm-debug.log",
    ),
    (
        "binaries",
        "",
        "a.exe a.DLL liba.so a.dylib a.wasm LOGO.PNG a.jpg a.jpeg a.gif favicon.ico a.mp4 a.mp3 a.pdf a.zip a.tar a.tar.gz \
         a.tar.xz a.gz a.tgz font.woff2 a.jar A.class",
    ),
    (
        "generated",
        "",
        "package-lock.json npm-shrinkwrap.json packages.lock.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock \
         Cargo.lock poetry.lock Pipfile.lock uv.lock pdm.lock composer.lock Gemfile.lock mix.lock pubspec.lock Podfile.lock \
         flake.lock go.sum go.work.sum gradle.lockfile Package.resolved .terraform.lock.hcl jquery.min.js a.min.mjs \
         site.min.css app.js.map site.css.map a.ts.map",
    ),
];

#[test]
fn every_group_drops_its_own() {
    for (group, folders, files) in DROPPED {
        for name in folders.split_ascii_whitespace() {
            assert_eq!(folder_rule(name.as_bytes()).map(|rule| rule.group), Some(group), "folder {name}");
        }
        for name in files.split_ascii_whitespace() {
            assert_eq!(file_rule(name.as_bytes()).map(|rule| rule.group), Some(group), "file {name}");
        }
    }
    assert!(
        DROPPED.iter().map(|(group, ..)| group).eq(GROUPS.iter().map(|(group, ..)| group)),
        "no group without a case"
    );
}

const FILES_THAT_STAY: &str = "environment.ts distance.rs target_type.go vendors.md logs.go output.rs build.rs build target \
    vendor env env.py schema.sql dump.sql logo.svg linux.target.ts db.sqlite.ts sqlite.rs changelog catalog CHANGELOG.md \
    blog.md db.rs a.db.go lock.rs file.lock package.json packages.json Cargo.toml go.mod keyboard.map map min.js admin.js \
    a.minimum.css gzip.go a.tarball.md so also x.pyi py.typed .gitignore .gitattributes git tsbuildinfo logs summary.go \
    go.summary a.logic dialog";

const FOLDERS_THAT_STAY: &str = "output outer builder builds build-tools distance distribution targets Target Build vendors \
    environment envs .env.d logs.d log logging cache caching coverages packages node modules git .github .gitlab src a.log \
    Cargo.lock";

#[test]
fn look_alikes_stay() {
    for name in FILES_THAT_STAY.split_ascii_whitespace() {
        assert_eq!(file_rule(name.as_bytes()).map(Rule::id), None, "file {name}");
    }
    for name in FOLDERS_THAT_STAY.split_ascii_whitespace() {
        assert_eq!(folder_rule(name.as_bytes()).map(Rule::id), None, "folder {name}");
    }
    assert!(file_rule(b"caf\xe9.png").is_some() && file_rule(b"").is_none() && folder_rule(b"\xff").is_none());
}

#[test]
fn git_overrules_just_the_four() {
    let mut names: Vec<_> = RULES.iter().filter(|rule| rule.unless_tracked).filter_map(Rule::folder).collect();
    names.sort_unstable();
    assert_eq!(names, ["build", "env", "logs", "out"]);
    assert!(version_control_rule(b".GIT").is_some() && version_control_rule(b"build").is_none());
}
