use std::path::Path;

use ai_assist_identity::jcs;
use serde_json::{Value, json};

use super::*;
use crate::test_workspace::TestWorkspace;

#[test]
fn an_unchanged_manifest_is_not_written() {
    let place = TestWorkspace::built(&["a", "b"]);
    let mut manifest = place.manifest();
    let first = write_manifest(&manifest).unwrap();
    assert!(first.changed);
    let expected = place.cache_root().join("federation").join(manifest.repo_set_id.as_str()).join(MANIFEST_FILE);
    assert_eq!((&first.path, &first.hash), (&expected, &manifest.manifest_hash));
    assert_eq!(std::fs::read(&first.path).unwrap(), jcs::to_vec(&manifest).unwrap());
    let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&path.metadata().unwrap());
    let before = inode(&first.path);
    manifest.generated_at = "2030-01-01T00:00:00.000Z".to_owned();
    let again = write_manifest(&manifest).unwrap();
    assert_eq!((again.changed, inode(&first.path)), (false, before));
    manifest.repos[0].tags = vec!["new".to_owned()];
    let shown = write_manifest(&manifest).unwrap();
    assert!(shown.changed, "what is only shown is written too");
    assert_eq!(shown.hash, first.hash);
    std::fs::write(&first.path, "torn").unwrap();
    assert!(write_manifest(&manifest).unwrap().changed);
    assert_eq!(read_manifest(&first.path).unwrap(), manifest);
    let left: Vec<_> = std::fs::read_dir(first.path.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "no temporary file stays");
}

#[test]
fn the_workspace_may_name_another_cache() {
    let place = TestWorkspace::new(&["a"]);
    place.configure(&json!({"schemaVersion": 1, "name": "w", "cacheRoot": "a/../own", "repos": [{"root": "a"}]}));
    let manifest = place.manifest();
    assert!(manifest.repos[0].repo_cache_root.to_path_buf().starts_with(place.cache_root()));
    let written = write_manifest(&manifest).unwrap();
    assert!(written.path.starts_with(place.top.join("own/federation")), "{}", written.path.display());
    assert_eq!(place.manifest(), manifest, "it makes no difference that the folder is there now");
}

#[test]
fn what_breaks_the_schema_is_not_read_nor_written() {
    let place = TestWorkspace::built(&["a"]);
    let manifest = place.manifest();
    let path = write_manifest(&manifest).unwrap().path;
    let good = serde_json::to_value(&manifest).unwrap();
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 9] = [
        ("/schemaVersion: it must be 1", |m| m["schemaVersion"] = json!(2)),
        ("/manifestHash: it must match", |m| m["manifestHash"] = json!("x")),
        ("/manifestHash: it is not the hash", |m| m["manifestHash"] = json!(format!("wm1-{}", "0".repeat(40)))),
        ("/repos/0/build: `buildId` is missing", |m| {
            m["repos"][0]["build"].as_object_mut().unwrap().remove("buildId");
        }),
        ("/repos/0/indexes/code/availabilityReason: it must be one of", |m| {
            m["repos"][0]["indexes"]["code"]["availabilityReason"] = json!("fine");
        }),
        ("/repos/0/indexes/binary: this key is not known", |m| m["repos"][0]["indexes"]["binary"] = json!({})),
        ("/repos/0/build/buildRoots/x: this key is not known", |m| {
            m["repos"][0]["build"]["buildRoots"]["x"] = json!("");
        }),
        ("/repoSetId: it is not the id", |m| m["repos"] = json!([])),
        ("is not the id of /elsewhere", |m| m["repos"][0]["repoRootCanonical"] = json!("/elsewhere")),
    ];
    for (expected, change) in changes {
        let mut broken = good.clone();
        change(&mut broken);
        std::fs::write(&path, broken.to_string()).unwrap();
        let error = read_manifest(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let text = good.to_string();
    for broken in ["", "[]", &text[..text.len() / 2], &text.replacen('{', "{\"repos\":[],", 1)] {
        std::fs::write(&path, broken).unwrap();
        assert!(read_manifest(&path).is_err());
    }
    let mut odd = manifest.clone();
    odd.schema_version = 7;
    assert!(matches!(write_manifest(&odd), Err(ManifestError::Invalid { .. })));
    let mut stale = manifest.clone();
    stale.repos[0].build.build_id = Some("b9".to_owned());
    assert!(write_manifest(&stale).is_err(), "its hash is of another state");
    std::fs::write(&path, text).unwrap();
    assert_eq!(read_manifest(&path).unwrap(), manifest);
}
