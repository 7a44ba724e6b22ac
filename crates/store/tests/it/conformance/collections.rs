//! Collections come, are told apart, and go.

use ai_assist_identity::{CollectionKind, DocPath, Sha256};
use ai_assist_store::{Error, FileValidators, NewCollection, PackageRecord, Store, Validators};

use super::Site;
use super::fixture::{all_changes, apply, assert_sound, folder, put};

fn package() -> NewCollection {
    let url = "https://example.com/context/v1/manifest.json";
    NewCollection { id: format!("pkg:{url}").parse().unwrap(), path: None, glob: None, url: Some(url.to_owned()) }
}

pub(crate) fn made_once<S: Site>() {
    let site = S::new();
    let mut store = site.open();
    assert_eq!(store.collections().unwrap(), []);
    let made = store.ensure_collection(&folder("docs")).unwrap();
    let package = store.ensure_collection(&package()).unwrap();
    assert_eq!((made.kind, package.kind), (CollectionKind::File, CollectionKind::Pkg));
    assert_eq!(made.source(), folder("docs").source());
    assert_eq!((&made.manifest_hash, &made.last_sync_at), (&None, &None));
    assert!(made.created_at.ends_with('Z') && made.created_at == made.updated_at, "{}", made.created_at);

    let mut other = site.open();
    assert_eq!(other.ensure_collection(&folder("docs")).unwrap(), made);
    assert_eq!(other.collection(&made.id).unwrap().as_ref(), Some(&made));
    assert_eq!(other.collection(&folder("else").id).unwrap(), None);
    assert_eq!(other.collections().unwrap(), [made, package]);
    assert_sound(&store);
}

pub(crate) fn sources_that_share_an_id<S: Site>() {
    let site = S::new();
    let mut store = site.open();
    let first = folder("docs");
    store.ensure_collection(&first).unwrap();
    let second = NewCollection { path: Some("/work/docs*".into()), glob: Some("*/*.md".into()), ..first.clone() };
    let error = store.ensure_collection(&second).unwrap_err();
    assert!(matches!(&error, Error::IdCollision { id, .. } if *id == first.id), "{error}");
    let message = error.to_string();
    for part in ["`/work/docs`", "`**/*.md`", "`/work/docs*`", "`*/*.md`"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(store.collection(&first.id).unwrap().unwrap().source(), first.source());
}

pub(crate) fn syncs_are_noted<S: Site>() {
    let site = S::new();
    let mut store = site.open();
    let id = store.ensure_collection(&package()).unwrap().id;
    let hash = Sha256::of(b"manifest");
    store.mark_synced(&id, Some(hash)).unwrap();
    let record = site.open().collection(&id).unwrap().unwrap();
    assert_eq!(record.manifest_hash, Some(hash));
    assert!(record.last_sync_at.as_ref().is_some_and(|at| *at >= record.created_at && *at == record.updated_at));
    store.mark_synced(&id, None).unwrap();
    assert_eq!(store.collection(&id).unwrap().unwrap().manifest_hash, None);
    let missing = store.mark_synced(&folder("else").id, None).unwrap_err();
    assert!(matches!(missing, Error::UnknownCollection(id) if id == folder("else").id));
}

pub(crate) fn packages_are_noted<S: Site>() {
    let site = S::new();
    let mut store = site.open();
    let id = store.ensure_collection(&package()).unwrap().id;
    assert_eq!(store.package(&id).unwrap(), None);
    let validators = |text: &str| Validators { etag: Some(text.to_owned()), last_modified: None };
    let file =
        |at: &str, text: &str| FileValidators { path: DocPath::parse(at).unwrap(), validators: validators(text) };
    let first = PackageRecord {
        name: "react".into(),
        version: "18".into(),
        hash: Some(Sha256::of(b"manifest")),
        manifest: "{}".into(),
        validators: validators("\"1\""),
        revision: Some("0a1b".into()),
        private: true,
        complete: true,
        files: vec![file("a.md", "x"), file("b/c.md", "y")],
    };
    store.set_package(&id, &first).unwrap();
    assert_eq!(site.open().package(&id).unwrap(), Some(first));
    let second = PackageRecord { files: vec![file("b/c.md", "z")], ..PackageRecord::default() };
    store.set_package(&id, &second).unwrap();
    assert_eq!(store.package(&id).unwrap(), Some(second));
    assert!(matches!(
        store.set_package(&folder("else").id, &PackageRecord::default()),
        Err(Error::UnknownCollection(_))
    ));
    assert!(store.drop_collection(&id).unwrap());
    assert_eq!(store.package(&id).unwrap(), None);
    store.ensure_collection(&package()).unwrap();
    assert_eq!(store.package(&id).unwrap(), None);
}

pub(crate) fn dropped_with_all_it_holds<S: Site>() {
    let site = S::new();
    let mut store = site.open();
    let (one, two) = (folder("one"), folder("two"));
    store.ensure_collection(&one).unwrap();
    store.ensure_collection(&two).unwrap();
    apply(&mut store, &one.id, vec![put("a", "shared\ntext"), put("b", "of one alone"), put("c", "gone")]);
    apply(&mut store, &one.id, vec![ai_assist_store::Change::Remove(super::fixture::path("c"))]);
    apply(&mut store, &two.id, vec![put("x", "shared\ntext")]);

    assert!(store.drop_collection(&one.id).unwrap());
    assert!(!store.drop_collection(&one.id).unwrap());
    assert_eq!(store.collection(&one.id).unwrap(), None);
    assert_eq!(store.state(&one.id).unwrap(), None);
    assert_eq!(store.heads(&one.id).unwrap(), []);
    assert_eq!(all_changes(&store, &one.id, Default::default(), 10), []);
    assert_eq!(store.document(&two.id, &super::fixture::path("x")).unwrap().unwrap().text, "shared\ntext");
    assert_eq!(store.state(&two.id).unwrap().unwrap().documents, 1);
    // Nothing left over: a text that no document uses would be a defect.
    assert_sound(&store);
}

pub(crate) fn made_again<S: Site>() {
    let site = S::new();
    let mut store = site.open();
    let id = store.ensure_collection(&folder("docs")).unwrap().id;
    let old = apply(&mut store, &id, vec![put("a", "first life")])[0];
    assert_eq!(store.state(&id).unwrap().unwrap().seq, old.1);
    store.drop_collection(&id).unwrap();
    store.ensure_collection(&folder("docs")).unwrap();
    let state = store.state(&id).unwrap().unwrap();
    assert!(state.pruned > old.1 && state.seq >= state.pruned, "{state:?}");
    assert_eq!((state.documents, state.chunks, state.bytes), (0, 0, 0));
    let new = apply(&mut store, &id, vec![put("a", "second life")])[0];
    assert!(new.0 != old.0 && new.1 > state.pruned);
}
