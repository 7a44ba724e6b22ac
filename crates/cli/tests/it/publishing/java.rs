//! Dependencies of Maven and Gradle projects. The archive has three files of commons-lang3 3.12.0 (Apache-2.0) as Debian has them.

use std::path::Path;

use crate::support::Sandbox;

const ARCHIVE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/java/commons-lang3-3.12.0-sources.jar");

const POM: &str = "<project><groupId>org.acme</groupId><artifactId>app</artifactId><version>1</version>\
    <properties><lang.version>3.12.0</lang.version></properties><dependencies>\
    <dependency><groupId>org.apache.commons</groupId><artifactId>commons-lang3</artifactId><version>${lang.version}</version></dependency>\
    <dependency><groupId>org.acme</groupId><artifactId>from-a-parent</artifactId></dependency>\
    </dependencies></project>";

const LOCK: &str = "# This is a Gradle generated file for dependency locking.\norg.apache.commons:commons-lang3:3.12.0=compileClasspath\nempty=\n";

fn put(sandbox: &Sandbox, below_home: &str) {
    let place = sandbox.root().join("home").join(below_home);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::copy(Path::new(ARCHIVE), place).unwrap();
}

/// Adds the documents of the project's dependencies and asks for one.
fn first_hit(sandbox: &Sandbox) -> serde_json::Value {
    sandbox.run(&["collections", "suggest", "--add"]).assert_code(0);
    sandbox.run(&["collections", "sync"]).assert_code(0);
    let answer = sandbox.json(&["ref", "search", "--no-sync", "create an immutable pair of two objects"]);
    answer["hits"][0].clone()
}

#[test]
fn sources_in_mavens_repository_become_items_with_their_comments() {
    let sandbox = Sandbox::new();
    sandbox.write("pom.xml", POM);
    sandbox.write("context.json", r#"{"collections": {}}"#);
    let missing = sandbox.run(&["collections", "suggest", "--json"]).stdout();
    assert!(missing.contains("mvn dependency:sources"), "{missing}");
    put(&sandbox, ".m2/repository/org/apache/commons/commons-lang3/3.12.0/commons-lang3-3.12.0-sources.jar");
    let suggested = sandbox.json(&["collections", "suggest"]);
    assert_eq!(suggested["suggestions"][0]["dependency"], "maven:org.apache.commons:commons-lang3@3.12.0");
    assert!(suggested["warnings"].to_string().contains("`org.acme:from-a-parent`"), "{suggested}");
    let hit = first_hit(&sandbox);
    assert_eq!(
        hit["document"],
        "maven/org.apache.commons/commons-lang3@3.12.0/org/apache/commons/lang3/tuple/Pair.java"
    );
    let expected = "public static <L, R> Pair<L, R> of(final L left, final R right)\n\n\
        Creates an immutable pair of two objects inferring the generic types.\n\n\
        This factory allows the pair to be created using inference to\nobtain the generic types.\n\n\
        Parameters:\n\n- `L`: the left element type\n- `R`: the right element type\n- `left`: the left element, may be null\n\
        - `right`: the right element, may be null\n\nReturns: a pair formed from the two parameters, not null";
    assert_eq!(hit["text"], expected);
    // What is private in it, and what is public in what is private, is nobody's.
    let listed = sandbox.run(&["ref", "search", "--no-sync", "--json", "PairAdapter serialVersionUID"]).stdout();
    assert!(!listed.contains("private static final"), "{listed}");
}

#[test]
fn sources_in_gradles_cache_are_found_by_its_lock_file() {
    let sandbox = Sandbox::new();
    sandbox.write("gradle.lockfile", LOCK);
    sandbox.write("build.gradle", "dependencies { implementation 'org.apache.commons:commons-lang3' }\n");
    sandbox.write("context.json", r#"{"collections": {}}"#);
    put(
        &sandbox,
        ".gradle/caches/modules-2/files-2.1/org.apache.commons/commons-lang3/3.12.0/8f2e/commons-lang3-3.12.0-sources.jar",
    );
    assert!(first_hit(&sandbox)["document"].as_str().unwrap().ends_with("/tuple/Pair.java"));
}

#[test]
fn an_archive_that_is_none_is_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.write("pom.xml", POM);
    sandbox.write("context.json", r#"{"collections": {"dependencies": {"type": "dep"}}}"#);
    let place = sandbox.root().join("home/.m2/repository/org/apache/commons/commons-lang3/3.12.0");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join("commons-lang3-3.12.0-sources.jar"), "not an archive").unwrap();
    let run = sandbox.run(&["collections", "sync"]);
    let said = format!("{}{}", run.stdout(), run.stderr());
    assert!(said.contains("commons-lang3-3.12.0-sources.jar"), "{said}");
}
