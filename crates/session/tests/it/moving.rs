//! Export, import of exports, replays of transcripts, cleaning up.

use ai_assist_base::Cancel;
use ai_assist_session::export::{is_export, restore};
use ai_assist_session::gc::{Unwanted, collect, plan};
use ai_assist_session::object::Role;
use ai_assist_session::transcript;
use ai_assist_session::{Error, Filesystem, NewSession, Reconciliation, Session};
use ai_assist_store::Store;
use ai_assist_store::objects::{AsOf, Objects, Valid};

use crate::bench::{Bench, file, now, read, sizes};
use crate::working::call;

pub(crate) fn busy(bench: &Bench) -> Session {
    let mut session = bench.session("s");
    bench.write("a.md", "one\n");
    read(&mut session, "a.md");
    bench.write("a.md", "two\n");
    read(&mut session, "a.md");
    session.say(Role::User, "What is in it?", &now()).unwrap();
    session.toolcall(&call("cat", "two\n"), &now()).unwrap();
    session.discover(&["b.md".into()], &now()).unwrap();
    let id = session.find("a.md").unwrap();
    session.pin(&[id], &now()).unwrap();
    std::fs::remove_file(bench.root().join("a.md")).unwrap();
    session.resume(&Cancel::default()).unwrap();
    session
}

pub(crate) fn exported(session: &Session) -> Vec<u8> {
    let mut out = Vec::new();
    session.export(&mut out).unwrap();
    out
}

#[test]
fn an_export_comes_back_as_it_was() {
    let bench = Bench::new();
    let session = busy(&bench);
    let lines = exported(&session);
    assert!(is_export(std::str::from_utf8(&lines).unwrap().lines().next().unwrap()));
    let other = Bench::new();
    assert_eq!(restore(&mut other.objects(), &mut lines.as_slice(), false, "fs1").unwrap(), "s");
    let back = other.load("s");
    assert_eq!(sizes(&back), sizes(&session));
    for id in [session.id(), session.chat_id(), session.system_prompt_id()]
        .into_iter()
        .chain(session.sets().index().map(|member| &member.id))
    {
        assert_eq!(session.document(id, AsOf::default()).unwrap(), back.document(id, AsOf::default()).unwrap(), "{id}");
        assert_eq!(session.puts(id).unwrap().len(), back.puts(id).unwrap().len(), "{id}");
    }
    assert_eq!(back.render(Default::default()).unwrap(), session.render(Default::default()).unwrap());
    assert!(other.objects().last().unwrap().0 > Default::default());
    // Once is enough.
    let error = restore(&mut other.objects(), &mut lines.as_slice(), false, "fs1").unwrap_err();
    assert!(matches!(error, Error::SessionExists(_)), "{error}");
}

#[test]
fn an_export_that_is_not_one_writes_nothing() {
    let bench = Bench::new();
    let lines = String::from_utf8(exported(&busy(&bench))).unwrap();
    let other = Bench::new();
    let mut objects = other.objects();
    let broken = [
        ("", "line 1"),
        ("{\"format\":\"x\",\"version\":1,\"session\":\"s\"}\n", "line 1"),
        (&lines[..lines.len() / 2], "line"),
        (&lines.replace("session:s", "session:t"), "line 2"),
        (&lines.replace("/a.md", "/c.md"), "its hashes are not those of what it has"),
        (&lines.replacen("\"event\":\"put\"", "\"event\":\"drop\"", 1), "it is no event that a session has"),
    ];
    for (text, expected) in broken {
        let error = restore(&mut objects, &mut text.as_bytes(), false, "fs1").unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
        assert_eq!(objects.last().unwrap().0, Default::default());
    }
}

const TRANSCRIPT: &str = r##"{"type":"user","uuid":"u1","timestamp":"2026-05-01T10:00:00Z","cwd":"FOLDER","sessionId":"abc","message":{"role":"user","content":"Please read a.md"}}
{"type":"assistant","uuid":"u2","timestamp":"2026-05-01T10:00:01Z","cwd":"FOLDER","sessionId":"abc","message":{"role":"assistant","content":[{"type":"text","text":"Reading it."},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"FOLDER/a.md"}}]}}
{"type":"user","uuid":"u3","timestamp":"2026-05-01T10:00:02Z","cwd":"FOLDER","sessionId":"abc","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"     1→# May\n"}]},"toolUseResult":{"type":"text","file":{"filePath":"FOLDER/a.md","content":"# May\n","numLines":1,"startLine":1,"totalLines":1}}}
"##;

#[test]
fn a_transcript_is_replayed_once_and_at_its_own_time() {
    let bench = Bench::new();
    bench.write("a.md", "# Now\n");
    let mut session = bench.session("s");
    session.read(&[file("a.md")], &now()).unwrap();
    let text = TRANSCRIPT.replace("FOLDER", bench.root().to_str().unwrap());
    let transcript = transcript::read(&mut text.as_bytes(), None).unwrap();
    let replayed = session.replay(&transcript, &mut |_| {}, &Cancel::default()).unwrap();
    assert_eq!((replayed.turns, replayed.toolcalls, replayed.known), (2, 1, 0));
    let before = sizes(&session);
    let again = bench.load("s").replay(&transcript, &mut |_| {}, &Cancel::default()).unwrap();
    assert_eq!((again.turns, again.toolcalls, again.known), (0, 0, 3));
    let session = bench.load("s");
    assert_eq!(sizes(&session), before);
    assert_eq!(session.chat().said.len(), 2);
    let id = session.find("a.md").unwrap();
    let then = AsOf { valid: Valid::Time("2026-06-01T00:00:00Z".parse().unwrap()), ..AsOf::default() };
    assert_eq!(session.document(&id, then).unwrap().unwrap()["content"], "# May\n");
    assert_eq!(session.document(&id, AsOf::default()).unwrap().unwrap()["content"], "# Now\n");
}

#[test]
fn cleaning_up_takes_what_nobody_else_knows() {
    let bench = Bench::new();
    let mut first = bench.session("first");
    let mut second = bench.session("second");
    bench.write("shared.md", "shared\n");
    bench.write("own.md", "own\n");
    read(&mut first, "shared.md");
    let own = read(&mut first, "own.md");
    first.say(Role::User, "hello", &now()).unwrap();
    first.toolcall(&call("ls", "own.md"), &now()).unwrap();
    let shared = read(&mut second, "shared.md");
    let mut objects = bench.objects();
    let unwanted = Unwanted { names: vec!["first".to_owned()], before: None };
    let planned = plan(&objects, &unwanted).unwrap();
    assert_eq!(planned.sessions, ["first"]);
    assert!(planned.objects.contains(&own) && !planned.objects.contains(&shared));
    // The session, its chat and its prompt, a call, a file.
    let (swept, gone) = collect(&mut objects, &unwanted).unwrap();
    assert_eq!((swept.sessions, gone.objects), (planned.sessions, 5));
    assert!(matches!(Session::load(Box::new(bench.objects()), "first"), Err(Error::UnknownSession { .. })));
    assert_eq!(second.document(&shared, AsOf::default()).unwrap().unwrap()["content"], "shared\n");
    assert!(first.say(Role::User, "still there?", &now()).is_err());
    let left = plan(&objects, &Unwanted::default()).unwrap();
    assert!(left.objects.is_empty() && left.sessions.is_empty());
    let nobody = Unwanted { names: vec!["nobody".to_owned()], before: None };
    assert!(matches!(plan(&objects, &nobody), Err(Error::UnknownSession { .. })));
    let store = ai_assist_store::SqliteStore::open(&bench.database()).unwrap();
    assert_eq!(store.check().unwrap().len(), 0);
}

#[test]
fn what_is_acknowledged_while_it_is_cleaned_up_stays() {
    let bench = Bench::new();
    for n in 0..40 {
        bench.write(&format!("f{n}.md"), format!("file {n}\n"));
    }
    let files: Vec<_> = (0..40).map(|n| file(format!("f{n}.md"))).collect();
    let unwanted = |name: &str| Unwanted { names: vec![name.to_owned()], before: None };
    for round in 0..10 {
        bench.session("a").read(&files, &now()).unwrap();
        bench.session("b");
        std::thread::scope(|scope| {
            scope.spawn(|| collect(&mut bench.objects(), &unwanted("a")).unwrap());
            scope.spawn(|| bench.load("b").read(&files, &now()).unwrap());
        });
        let session = bench.load("b");
        assert_eq!(sizes(&session)[2], 40);
        for member in session.sets().active() {
            assert!(session.document(&member.id, AsOf::default()).unwrap().is_some(), "{} in round {round}", member.id);
        }
        collect(&mut bench.objects(), &unwanted("b")).unwrap();
    }
}

fn replayed(bench: &Bench, name: &str, filesystem: Filesystem, text: &str) -> Session {
    let new = NewSession { filesystem, ..bench.new_session(name) };
    let mut session = Session::create(Box::new(bench.objects()), new).unwrap();
    let text = TRANSCRIPT.replace("FOLDER", bench.root().to_str().unwrap()).replace("# May", text);
    let transcript = transcript::read(&mut text.as_bytes(), None).unwrap();
    session.replay(&transcript, &mut |_| {}, &Cancel::default()).unwrap();
    session
}

fn held(session: &Session) -> String {
    session.render(Default::default()).unwrap().held
}

/// Two containers and this machine have the same path, and not the same file.
#[test]
fn the_same_path_of_another_machine_is_another_file() {
    let bench = Bench::new();
    bench.write("a.md", "# Here\n");
    let mut here = bench.session("here");
    read(&mut here, "a.md");
    let mut ca = replayed(&bench, "ca", Filesystem::Own, "# In A");
    let cb = replayed(&bench, "cb", Filesystem::Own, "# In B");
    for (session, own) in [(&ca, "# In A"), (&cb, "# In B"), (&here, "# Here")] {
        let texts = ["# In A", "# In B", "# Here"].map(|text| held(session).contains(text));
        assert_eq!(texts, ["# In A", "# In B", "# Here"].map(|text| text == own), "{}", held(session));
    }
    // What lies at its path here is none of its business.
    let found = ca.resume(&Cancel::default()).unwrap();
    assert_eq!(found.files, [("a.md".to_owned(), Reconciliation::Unreachable)]);
    assert!(ca.freshen_held().unwrap().is_empty() && held(&ca).contains("# In A"));
    assert!(matches!(ca.read(&[file("a.md")], &now()), Err(Error::Unreadable { .. })));
    // Several transcripts of one machine have its files in common, and so have those of this one.
    let shared = |name: &str| Filesystem::Named(name.to_owned());
    let one = replayed(&bench, "one", shared("box"), "# One");
    let two = replayed(&bench, "two", shared("box"), "# Two");
    assert_eq!(one.find("a.md").unwrap(), two.find("a.md").unwrap());
    let local = replayed(&bench, "local", Filesystem::Here, "# May");
    assert_eq!(local.find("a.md").unwrap(), here.find("a.md").unwrap());
    for odd in ["", "a b", "fs#raw"] {
        assert!(matches!(odd.parse::<Filesystem>(), Err(Error::BadFilesystem(_))), "{odd}");
    }
}

#[test]
fn an_export_of_another_machine_is_not_compared_with_this_one() {
    let bench = Bench::new();
    bench.write("a.md", "one\n");
    let mut session = bench.session("s");
    read(&mut session, "a.md");
    let lines = exported(&session);
    bench.write("a.md", "two\n");
    for (here, expected) in [("fs1", Reconciliation::Changed), ("fs2", Reconciliation::Unreachable)] {
        let other = Bench::new();
        restore(&mut other.objects(), &mut lines.as_slice(), false, here).unwrap();
        let mut back = other.load("s");
        assert_eq!(back.resume(&Cancel::default()).unwrap().files, [("a.md".to_owned(), expected)], "{here}");
        // And home again.
        let home = Bench::new();
        restore(&mut home.objects(), &mut exported(&back).as_slice(), false, "fs1").unwrap();
        assert!(home.load("s").about().sees_this_machine());
    }
}
