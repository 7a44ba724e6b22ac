//! Working sets: what each trigger changes, activation of stubs, resuming, requests.

use ai_assist_base::Cancel;
use ai_assist_session::indexer::IndexAction;
use ai_assist_session::object::{Role, Status};
use ai_assist_session::{Error, How, NewToolcall, ReadFile, Reconciliation, Session};
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, ObjectId, Objects, RequestId, System};
use serde_json::{Map, json};

use crate::bench::{Bench, file, now, read, sizes};

pub(crate) fn call(tool: &str, output: &str) -> NewToolcall {
    NewToolcall {
        tool: tool.to_owned(),
        args: Map::new(),
        args_display: None,
        content: output.to_owned(),
        status: Status::Ok,
        files: Vec::new(),
        read: Vec::new(),
    }
}

#[test]
fn each_trigger_changes_its_sets() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.md", "# A\n");
    bench.write("b.md", "# B\n");
    read(&mut session, "a.md");
    assert_eq!(sizes(&session), [1, 1, 1, 0]);
    session.discover(&["b.md".into(), "c.md".into()], &now()).unwrap();
    assert_eq!(sizes(&session), [3, 3, 1, 0]);
    session.toolcall(&call("ls", "a.md b.md"), &now()).unwrap();
    assert_eq!(sizes(&session), [4, 4, 2, 0]);
    session.say(Role::User, "hello", &now()).unwrap();
    assert_eq!(sizes(&session), [4, 4, 2, 0]);
    assert_eq!(sizes(&bench.load("s")), [4, 4, 2, 0]);
}

#[test]
fn an_unchanged_read_writes_nothing() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.md", "# A\n");
    read(&mut session, "a.md");
    let before = bench.objects().last().unwrap();
    let again = session.read(&[file("a.md")], &now()).unwrap();
    assert_eq!(again[0].action, IndexAction::Unchanged);
    assert_eq!(bench.objects().last().unwrap(), before);
}

#[test]
fn a_set_change_is_small_however_large_the_session() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    let paths: Vec<std::path::PathBuf> = (0..2000).map(|n| format!("file-{n}.rs").into()).collect();
    session.discover(&paths, &now()).unwrap();
    bench.write("file-7.rs", "fn seven() {}\n");
    let id = session.find("file-7.rs").unwrap();
    session.activate(std::slice::from_ref(&id), &now()).unwrap();
    let deltas = session.objects().deltas(session.id(), AsOf::default()).unwrap();
    let last = deltas.last().unwrap();
    assert!(last.body.len() < 150, "{}", last.body);
}

#[test]
fn activating_a_stub_reads_it() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.md", "# A\n");
    session.discover(&["a.md".into(), "gone.md".into(), ".env".into()], &now()).unwrap();
    bench.write(".env", "TOKEN=1\n");
    let id = session.find("a.md").unwrap();
    session.activate(std::slice::from_ref(&id), &now()).unwrap();
    assert_eq!(session.document(&id, AsOf::default()).unwrap().unwrap()["content"], "# A\n");
    // One that can't be read stays as it is, and takes the others with it.
    let gone = session.find("gone.md").unwrap();
    session.deactivate(std::slice::from_ref(&id), &now()).unwrap();
    let error = session.activate(&[id.clone(), gone.clone()], &now()).unwrap_err();
    assert!(matches!(&error, Error::Unreadable { .. }), "{error}");
    assert_eq!(sizes(&session), [3, 3, 0, 0]);
    let secret = session.find(".env").unwrap();
    let error = session.activate(std::slice::from_ref(&secret), &now()).unwrap_err();
    assert!(matches!(&error, Error::Refused { .. }), "{error}");
    let rendered = session.render(Default::default()).unwrap().prefix;
    assert!(rendered.contains("- file gone.md [unread] "), "{rendered}");
}

#[test]
fn what_is_pinned_stays() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.md", "# A\n");
    let id = [read(&mut session, "a.md")];
    session.deactivate(&id, &now()).unwrap();
    assert_eq!(session.pin(&id, &now()).unwrap().len(), 1);
    assert_eq!(sizes(&session), [1, 1, 1, 1]);
    assert!(matches!(session.deactivate(&id, &now()), Err(Error::Pinned(_))));
    assert!(matches!(session.forget(&id, &now()), Err(Error::Pinned(_))));
    session.unpin(&id, &now()).unwrap();
    session.deactivate(&id, &now()).unwrap();
    assert_eq!(sizes(&session), [1, 1, 0, 0]);
    session.forget(&id, &now()).unwrap();
    assert_eq!(sizes(&session), [1, 0, 0, 0]);
    // Reading brings it back, and so does holding it, which is the only way for a call.
    read(&mut session, "a.md");
    assert_eq!(sizes(&session), [1, 1, 1, 0]);
    session.forget(&id, &now()).unwrap();
    session.activate(&id, &now()).unwrap();
    assert_eq!(sizes(&session), [1, 1, 1, 0]);
    let nobody = ["sha256:00".parse().unwrap()];
    assert!(matches!(session.activate(&nobody, &now()), Err(Error::NotInPool(_))));
}

#[test]
fn resuming_compares_with_the_disk() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    for name in ["same.md", "changed.md", "deleted.md", "fifo.md"] {
        bench.write(name, "as it was\n");
        read(&mut session, name);
    }
    session.discover(&["later.md".into(), "never.md".into()], &now()).unwrap();
    let sets = sizes(&session);
    drop(session);
    bench.write("changed.md", "as it is\n");
    bench.write("later.md", "here now\n");
    std::fs::remove_file(bench.root().join("deleted.md")).unwrap();
    let mut session = bench.load("s");
    let found = session.resume(&Cancel::default()).unwrap();
    use Reconciliation::{Changed, Deleted, Upgraded};
    let names = [("changed.md", Changed), ("deleted.md", Deleted), ("later.md", Upgraded), ("never.md", Deleted)];
    let names: Vec<(String, Reconciliation)> = names.map(|(name, found)| (name.to_owned(), found)).to_vec();
    assert_eq!(found.files, names);
    assert_eq!(found.unchanged, 2);
    assert_eq!(sizes(&session), sets);
    let rendered = session.render(Default::default()).unwrap();
    assert!(rendered.prefix.contains("- file deleted.md [deleted] "), "{}", rendered.prefix);
    assert!(rendered.held.contains("as it is"), "{}", rendered.held);
    // A second time there is nothing to do.
    let last = bench.objects().last().unwrap();
    assert!(session.resume(&Cancel::default()).unwrap().files.is_empty());
    assert_eq!(bench.objects().last().unwrap(), last);
}

#[test]
fn files_on_a_disk_that_is_away_keep_their_last_version() {
    let bench = Bench::new();
    let mut new = bench.new_session("s");
    let folder = bench.root().join("disk");
    new.folder = Some(folder.to_str().unwrap().to_owned());
    let mut session = Session::create(Box::new(bench.objects()), new).unwrap();
    bench.write("disk/a.md", "kept\n");
    let id = read(&mut session, "a.md");
    std::fs::rename(&folder, bench.root().join("elsewhere")).unwrap();
    let found = session.resume(&Cancel::default()).unwrap();
    assert_eq!(found.files, [("a.md".to_owned(), Reconciliation::Unreachable)]);
    assert_eq!(session.document(&id, AsOf::default()).unwrap().unwrap()["content"], "kept\n");
}

#[test]
fn an_agent_in_a_container_sees_other_paths() {
    let bench = Bench::new();
    let mut new = bench.new_session("s");
    new.folder = Some("/work".to_owned());
    new.mounts = vec![ai_assist_session::resolver::MountMapping {
        agent_prefix: "/work".into(),
        canonical_prefix: bench.root(),
        filesystem_id: "host".to_owned(),
    }];
    let mut session = Session::create(Box::new(bench.objects()), new).unwrap();
    bench.write("a.md", "# A\n");
    let id = read(&mut session, "/work/a.md");
    let document = session.document(&id, AsOf::default()).unwrap().unwrap();
    assert_eq!(document["source"]["path"], bench.root().join("a.md").to_str().unwrap());
    assert_eq!(document["source"]["filesystemId"], "host");
    // What no mount maps is inside of the container: it can't be read from here, but its content can be given.
    assert!(matches!(session.read(&[file("/etc/hosts")], &now()), Err(Error::Unreadable { .. })));
    let inner = ReadFile { path: "/etc/hosts".into(), bytes: Some(b"127.0.0.1 localhost\n".to_vec()) };
    let inner = session.read(&[inner], &now()).unwrap();
    assert_eq!((inner[0].action, inner[0].path.as_str()), (IndexAction::Created, "/etc/hosts"));
    let found = session.resume(&Cancel::default()).unwrap();
    assert_eq!(found.files, [("/etc/hosts".to_owned(), Reconciliation::Unreachable)]);
    // Another session on the host itself meets the mounted file, and not the inner one.
    let mut host = bench.new_session("host");
    host.filesystem_id = "host".to_owned();
    let mut host = Session::create(Box::new(bench.objects()), host).unwrap();
    assert_eq!(host.read(&[file("a.md")], &now()).unwrap()[0].action, IndexAction::Unchanged);
}

#[test]
fn nothing_outside_is_read_where_that_is_not_allowed() {
    let bench = Bench::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.txt"), "x").unwrap();
    std::os::unix::fs::symlink(outside.path(), bench.root().join("link")).unwrap();
    let mut session = bench.session("s");
    session.limit_to(bench.root(), |_| None);
    for path in ["/etc/hosts", "link/secret.txt", "../x", "link"] {
        let error = session.read(&[file(path)], &now()).unwrap_err();
        assert!(matches!(&error, Error::Outside { .. }), "{path}: {error}");
    }
}

#[test]
fn a_link_in_the_place_of_a_file_leads_nowhere_outside() {
    let bench = Bench::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.txt"), "marmalade").unwrap();
    bench.write("a/x.txt", "inside\n");
    bench.write("y.txt", "inside\n");
    let mut session = bench.session("s");
    session.limit_to(bench.root(), |_| None);
    let ids = [read(&mut session, "a/x.txt"), read(&mut session, "y.txt")];
    std::fs::remove_dir_all(bench.root().join("a")).unwrap();
    std::fs::remove_file(bench.root().join("y.txt")).unwrap();
    std::fs::write(outside.path().join("x.txt"), "marmalade").unwrap();
    std::os::unix::fs::symlink(outside.path(), bench.root().join("a")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.txt"), bench.root().join("y.txt")).unwrap();
    let found = session.resume(&Cancel::default()).unwrap();
    assert_eq!(found.count(Reconciliation::Unreachable), 2, "{found:?}");
    for id in ids {
        assert_eq!(session.document(&id, AsOf::default()).unwrap().unwrap()["content"], "inside\n");
    }
}

#[test]
fn what_may_not_be_kept_any_more_is_unread_again() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.txt", "small\n");
    let id = read(&mut session, "a.txt");
    bench.write("a.txt", "x".repeat(17 * 1024 * 1024));
    let found = session.resume(&Cancel::default()).unwrap();
    assert_eq!(found.files, [("a.txt".to_owned(), Reconciliation::Changed)]);
    assert!(session.document(&id, AsOf::default()).unwrap().unwrap()["content"].is_null());
    assert_eq!(session.resume(&Cancel::default()).unwrap().unchanged, 1);
}

#[test]
fn a_request_sent_twice_is_done_once() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.md", "# A\n");
    let how = |name: &str| How { request: Some(RequestId(name.to_owned())), ..How::default() };
    let first = session.read(&[file("a.md")], &how("r1")).unwrap();
    assert_eq!(first[0].action, IndexAction::Created);
    let last = bench.objects().last().unwrap();
    assert_eq!(bench.load("s").read(&[file("a.md")], &how("r1")).unwrap(), first);
    assert_eq!(session.say(Role::User, "hello", &how("r2")).unwrap(), 1);
    assert_eq!(session.say(Role::User, "hello", &how("r2")).unwrap(), 1);
    assert_eq!(session.chat().said.len(), 1);
    let error = session.say(Role::User, "another", &how("r2")).unwrap_err();
    assert!(error.to_string().contains("used before for another request"), "{error}");
    assert!(bench.objects().last().unwrap().0 > last.0);
    let one = session.toolcall(&call("ls", "x"), &how("r3")).unwrap();
    assert_eq!(session.toolcall(&call("ls", "x"), &how("r3")).unwrap(), one);
    assert_eq!(sizes(&session), [2, 2, 2, 0]);
}

#[test]
fn writers_that_do_not_know_of_each_other_lose_nothing() {
    let bench = Bench::new();
    bench.session("s");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let mut session = bench.load("s");
            scope.spawn(move || {
                for n in 0..15 {
                    session.discover(&[format!("w{writer}-{n}.rs").into()], &now()).unwrap();
                    session.say(Role::User, &format!("{writer} {n}"), &now()).unwrap();
                }
            });
        }
    });
    let session = bench.load("s");
    assert_eq!(sizes(&session), [60, 60, 0, 0]);
    assert_eq!(session.chat().said.len(), 60);
}

#[test]
fn secrets_do_not_reach_the_store() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    let secret = "db_password = \"x7Kp!2mQz94LwR\"";
    bench.write("settings.toml", secret);
    let read = session.read(&[file("settings.toml")], &now()).unwrap();
    assert_eq!(read[0].redacted, 1);
    session.say(Role::User, secret, &now()).unwrap();
    session.set_system_prompt(secret, &now()).unwrap();
    let mut leaky = call("env", secret);
    leaky.args = Map::from_iter([("db_password".to_owned(), json!("x7Kp!2mQz94LwR"))]);
    leaky.args_display = Some(secret.to_owned());
    session.toolcall(&leaky, &now()).unwrap();
    let everything = std::fs::read(bench.database()).unwrap();
    let log = std::fs::read(bench.database().with_extension("db-wal")).unwrap_or_default();
    for bytes in [everything, log] {
        assert!(!bytes.windows(14).any(|window| window == b"x7Kp!2mQz94LwR"));
    }
    assert!(!session.render(Default::default()).unwrap().text().contains("x7Kp!2mQz94LwR"));
}

#[test]
fn a_raw_session_keeps_everything_and_shares_nothing() {
    let bench = Bench::new();
    let mut new = bench.new_session("raw");
    new.raw = true;
    let mut raw = Session::create(Box::new(bench.objects()), new).unwrap();
    bench.write(".env", "DB_PASSWORD=x7Kp!2mQz94LwR\n");
    bench.write("settings.toml", "db_password = \"x7Kp!2mQz94LwR\"\n");
    raw.read(&[file(".env"), file("settings.toml")], &now()).unwrap();
    assert!(raw.render(Default::default()).unwrap().text().contains("x7Kp!2mQz94LwR"));
    let mut other = bench.session("other");
    let read = other.read(&[file("settings.toml")], &now()).unwrap();
    assert_eq!(read[0].action, IndexAction::Created);
    assert!(!other.render(Default::default()).unwrap().text().contains("x7Kp!2mQz94LwR"));
}

#[test]
fn objects_are_found_by_what_people_call_them() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("src/a/mod.rs", "// a\n");
    bench.write("src/b/mod.rs", "// b\n");
    let id = read(&mut session, "src/a/mod.rs");
    read(&mut session, "src/b/mod.rs");
    let called = session.toolcall(&call("ls", ""), &now()).unwrap();
    let short = ai_assist_session::render::short_id(&called).to_owned();
    let absolute = bench.root().join("src/a/mod.rs");
    for name in
        [id.as_str(), &id.as_str()[..20], &id.as_str()[7..15], "src/a/mod.rs", "a/mod.rs", absolute.to_str().unwrap()]
    {
        assert_eq!(session.find(name).unwrap(), id, "{name}");
    }
    assert_eq!(session.find(&short).unwrap(), called);
    assert_eq!(&session.find("chat").unwrap(), session.chat_id());
    let error = session.find("mod.rs").unwrap_err().to_string();
    assert_eq!(error, "`mod.rs` could be `src/a/mod.rs` or `src/b/mod.rs`");
    assert!(matches!(session.find("none.rs"), Err(Error::UnknownObject { .. })));
}

#[test]
fn the_past_is_there() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.md", "one\n");
    let id = read(&mut session, "a.md");
    let (then, _) = bench.objects().last().unwrap();
    bench.write("a.md", "two\n");
    read(&mut session, "a.md");
    session.say(Role::User, "later", &now()).unwrap();
    let at = AsOf { system: System::Seq(then), ..AsOf::default() };
    assert_eq!(session.document(&id, at).unwrap().unwrap()["content"], "one\n");
    assert_eq!(session.document(session.chat_id(), at).unwrap().unwrap()["turn_count"], 0);
    let options = ai_assist_session::render::RenderOptions { at, ..Default::default() };
    let rendered = session.render(options).unwrap().text();
    assert!(rendered.contains("one") && !rendered.contains("later"), "{rendered}");
}

#[test]
fn what_happened_earlier_does_not_replace_what_is_so_now() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    let given = |text: &str| ReadFile { path: "a.md".into(), bytes: Some(text.into()) };
    let at = |time: &str| How { at: Some(time.parse().unwrap()), ..How::default() };
    session.read(&[given("now\n")], &now()).unwrap();
    session.read(&[given("in March\n")], &at("2026-03-01T00:00:00Z")).unwrap();
    session.read(&[given("in February\n")], &at("2026-02-01T00:00:00Z")).unwrap();
    let id = session.find("a.md").unwrap();
    let text = |time: &str| {
        let valid = ai_assist_store::objects::Valid::Time(time.parse().unwrap());
        let at = AsOf { valid, ..AsOf::default() };
        session.document(&id, at).unwrap().map(|document| document["content"].as_str().unwrap().to_owned())
    };
    assert_eq!(session.document(&id, AsOf::default()).unwrap().unwrap()["content"], "now\n");
    assert_eq!(text("2026-01-31T00:00:00Z"), None);
    assert_eq!(text("2026-02-15T00:00:00Z").as_deref(), Some("in February\n"));
    assert_eq!(text("2026-03-15T00:00:00Z").as_deref(), Some("in March\n"));
}

#[test]
fn the_future_is_refused() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    let later = How { at: Some("2999-01-01T00:00:00Z".parse().unwrap()), ..How::default() };
    assert!(matches!(session.say(Role::User, "later", &later), Err(Error::InFuture)));
    session.say(Role::User, "now", &now()).unwrap();
    assert_eq!(session.chat().said.len(), 1);
}

#[test]
fn a_time_before_the_session_can_be_asked_for() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    let then = |time: &str| How { at: Some(time.parse().unwrap()), ..How::default() };
    session.say(Role::User, "in March", &then("2026-03-01T00:00:00Z")).unwrap();
    session.toolcall(&call("ls", "x"), &then("2026-03-02T00:00:00Z")).unwrap();
    session.set_system_prompt("Be long.", &then("2026-03-01T00:00:00Z")).unwrap();
    let at =
        |time: &str| AsOf { valid: ai_assist_store::objects::Valid::Time(time.parse().unwrap()), ..AsOf::default() };
    let chat = |time: &str| session.document(session.chat_id(), at(time)).unwrap().unwrap()["turn_count"].clone();
    assert_eq!((chat("2026-02-01T00:00:00Z"), chat("2026-03-15T00:00:00Z")), (json!(0), json!(1)));
    assert_eq!(session.sets_at(at("2026-03-01T12:00:00Z")).unwrap().index().len(), 0);
    assert_eq!(session.sets_at(at("2026-03-03T00:00:00Z")).unwrap().index().len(), 1);
    // When a system prompt was changed is when it was changed.
    let prompt = |at: AsOf| session.document(session.system_prompt_id(), at).unwrap().unwrap()["content"].clone();
    assert_eq!((prompt(AsOf::default()), prompt(at("2026-03-15T00:00:00Z"))), (json!("Be long."), json!("Be brief.")));
}

#[test]
fn a_session_of_the_same_name_is_another_one() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    let how = How { request: Some(RequestId("r".to_owned())), ..How::default() };
    session.say(Role::User, "hello", &how).unwrap();
    let mut objects = bench.objects();
    let unwanted = ai_assist_session::gc::Unwanted { names: vec!["s".to_owned()], before: None };
    ai_assist_session::gc::collect(&mut objects, &unwanted).unwrap();
    let mut session = bench.session("s");
    assert!(session.say(Role::User, "hello", &how).is_err(), "it must not be taken for done");
    assert_eq!(session.chat().said.len(), 0);
}

#[test]
fn a_link_to_a_secret_is_not_followed() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write(".env", "TOKEN=hunter2hunter2\n");
    bench.write("notes.md", "notes\n");
    let id = read(&mut session, "notes.md");
    session.discover(&["stub.md".into()], &now()).unwrap();
    std::fs::remove_file(bench.root().join("notes.md")).unwrap();
    std::os::unix::fs::symlink(".env", bench.root().join("notes.md")).unwrap();
    bench.write("other.md", "other\n");
    std::os::unix::fs::symlink("other.md", bench.root().join("stub.md")).unwrap();
    session.resume(&Cancel::default()).unwrap();
    assert_eq!(session.document(&id, AsOf::default()).unwrap().unwrap()["content"], "notes\n");
    let stub = [session.find("stub.md").or_else(|_| session.find("other.md")).unwrap()];
    assert!(matches!(session.activate(&stub, &now()), Err(Error::Unreadable { .. })));
}

#[test]
fn what_lies_outside_is_not_given_out() {
    let bench = Bench::new();
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().canonicalize().unwrap().join("private.txt");
    std::fs::write(&path, "marmalade\n").unwrap();
    let mut session = bench.session("s");
    let id = session.read(&[file(&path)], &now()).unwrap()[0].id.parse().unwrap();
    let mut limited = bench.load("s");
    limited.limit_to(bench.root(), |_| None);
    assert!(matches!(limited.document(&id, AsOf::default()), Err(Error::Outside { .. })));
    assert!(!limited.render(Default::default()).unwrap().text().contains("marmalade"));
    assert!(limited.seen().unwrap().is_empty());
    assert!(session.render(Default::default()).unwrap().text().contains("marmalade"));
}

#[test]
fn what_is_held_is_looked_at_before_it_is_shown() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    for name in ["same.md", "changed.md", "deleted.md", "let-go.md"] {
        bench.write(name, "as it was\n");
        read(&mut session, name);
    }
    bench.write("unread.md", "never read\n");
    session.discover(&["unread.md".into()], &now()).unwrap();
    let let_go = session.find("let-go.md").unwrap();
    session.deactivate(std::slice::from_ref(&let_go), &now()).unwrap();
    let sets = sizes(&session);
    bench.write("changed.md", "as it is\n");
    bench.write("let-go.md", "as it is\n");
    std::fs::remove_file(bench.root().join("deleted.md")).unwrap();
    let changed = session.freshen_held().unwrap();
    assert_eq!(changed, [session.find("changed.md").unwrap(), session.find("deleted.md").unwrap()]);
    let held = session.render(Default::default()).unwrap().held;
    assert!(held.contains("as it is\n") && held.contains("## file deleted.md [deleted] "), "{held}");
    assert_eq!(held.matches("as it was\n").count(), 1, "{held}");
    assert_eq!(sizes(&session), sets);
    assert_eq!(session.freshen_held().unwrap(), []);
    // What was never read is not read for being shown; what was is looked at, held or not.
    let unread = session.find("unread.md").unwrap();
    assert_eq!(session.freshen(&[unread, let_go.clone()]).unwrap(), [let_go]);
}

#[test]
fn a_change_of_another_version_than_the_expected_one_is_refused() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    let expecting = |seq: Seq| How { expect: Some(seq), ..How::default() };
    let last = |session: &Session, id: &ObjectId| session.objects().last_of(id).unwrap().unwrap();
    bench.write("a.md", "one\n");
    session.read(&[file("a.md")], &expecting(Seq(0))).unwrap();
    let id = session.find("a.md").unwrap();
    let first = last(&session, &id);
    bench.write("a.md", "two\n");
    session.read(&[file("a.md")], &expecting(first)).unwrap();
    let (chat, sets, prompt) = (session.chat_id().clone(), session.id().clone(), session.system_prompt_id().clone());
    let known = [last(&session, &chat), last(&session, &sets), last(&session, &prompt)];
    // Somebody else is faster.
    let mut other = bench.load("s");
    other.say(Role::User, "first", &now()).unwrap();
    other.pin(std::slice::from_ref(&id), &now()).unwrap();
    other.set_system_prompt("Be long.", &now()).unwrap();
    let refused = |result: Result<(), Error>, what: &str| {
        let error = result.unwrap_err();
        assert!(matches!(&error, Error::Conflict { found, .. } if *found > Seq(0)), "{what}: {error}");
    };
    refused(session.read(&[file("a.md")], &expecting(first)).map(drop), "read");
    refused(session.discover(&["a.md".into()], &expecting(Seq(0))).map(drop), "discover");
    refused(session.say(Role::User, "second", &expecting(known[0])).map(drop), "say");
    refused(session.toolcall(&call("ls", "x"), &expecting(known[0])).map(drop), "toolcall");
    refused(session.unpin(std::slice::from_ref(&id), &expecting(known[1])).map(drop), "unpin");
    refused(session.activate(std::slice::from_ref(&id), &expecting(known[1])).map(drop), "activate");
    refused(session.close(&expecting(known[1])).map(drop), "close");
    refused(session.set_system_prompt("Be kind.", &expecting(known[2])).map(drop), "system prompt");
    // With the version that there is, it is done; and a request that was done is not refused when it comes again.
    let how = How { request: Some(RequestId("r".to_owned())), ..expecting(last(&session, &chat)) };
    assert_eq!(session.say(Role::User, "second", &how).unwrap(), 2);
    assert_eq!(session.say(Role::User, "second", &how).unwrap(), 2);
    // What holds now is what counts, not what was put right of the past since.
    let now_at = last(&session, &id);
    let then = How { at: Some("2026-03-01T00:00:00Z".parse().unwrap()), ..How::default() };
    session.read(&[ReadFile { path: "a.md".into(), bytes: Some(b"zero\n".to_vec()) }], &then).unwrap();
    bench.write("a.md", "three\n");
    session.read(&[file("a.md")], &expecting(now_at)).unwrap();
}

#[test]
fn a_diff_is_of_what_held_one_after_the_other() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    let given = |text: &str| ReadFile { path: "a.md".into(), bytes: Some(text.into()) };
    let at = |time: &str| How { at: Some(time.parse().unwrap()), ..How::default() };
    session.read(&[given("today\n")], &now()).unwrap();
    let id = session.find("a.md").unwrap();
    assert_eq!(session.compared(&id, None, None).unwrap(), None);
    session.read(&[given("in March\n")], &at("2026-03-01T00:00:00Z")).unwrap();
    session.read(&[given("in February\n")], &at("2026-02-01T00:00:00Z")).unwrap();
    let [today, march, february] = session.puts(&id).unwrap()[..] else { panic!("three versions") };
    assert_eq!(session.compared(&id, None, None).unwrap(), Some((march, today)));
    assert_eq!(session.compared(&id, None, Some(march)).unwrap(), Some((february, march)));
    assert_eq!(session.compared(&id, None, Some(february)).unwrap(), None);
    assert_eq!(session.compared(&id, Some(february), None).unwrap(), Some((february, today)));
    session.read(&[given("tomorrow\n")], &now()).unwrap();
    let tomorrow = session.puts(&id).unwrap()[3];
    assert_eq!(session.compared(&id, None, None).unwrap(), Some((today, tomorrow)));
}
