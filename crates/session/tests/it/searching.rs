//! Search over what a session has seen.

use ai_assist_embed::StaticModel;
use ai_assist_search::RankBy;
use ai_assist_session::Session;
use ai_assist_session::object::{ObjectKind, Role};
use ai_assist_session::search::{Answer, Find};
use ai_assist_store::objects::{Moment, Objects};

use crate::bench::{Bench, now, read};
use crate::working::call;

fn find(query: &str) -> Find<'_> {
    Find { query, limit: 10, since: None, until: None, kinds: &[], rank_by: RankBy::default(), full: false }
}

fn ask(bench: &Bench, session: &mut Session, find: &Find<'_>) -> Answer {
    session.search(find, &bench.database().with_file_name("index"), StaticModel::bundled()).unwrap()
}

fn labels(answer: &Answer) -> Vec<&str> {
    answer.found.iter().map(|found| found.label.as_str()).collect()
}

fn moment(bench: &Bench) -> Moment {
    // Times of two writes may be equal; of what comes after this they are not.
    let (_, last) = bench.objects().last().unwrap();
    while Moment::now() <= last {}
    std::thread::sleep(std::time::Duration::from_millis(2));
    Moment::now()
}

#[test]
fn everything_that_was_seen_is_found() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    assert!(ask(&bench, &mut session, &find("lease")).found.is_empty());
    bench.write("lease.rs", "/// Renews the lease of a worker.\nfn renew_lease() {}\n");
    bench.write("other.rs", "fn unrelated() {}\n");
    read(&mut session, "lease.rs");
    read(&mut session, "other.rs");
    session.say(Role::User, "Why does the flux capacitor overheat?", &now()).unwrap();
    let mut grep = call("grep", "src/engine.rs:12: turbine spins backwards\n");
    grep.args_display = Some("grep -n quasar".to_owned());
    session.toolcall(&grep, &now()).unwrap();
    session.toolcall(&call("true", ""), &now()).unwrap();
    let mut first =
        |query: &str| labels(&ask(&bench, &mut session, &find(query))).first().map(|label| (*label).to_owned());
    assert_eq!(first("renew lease").as_deref(), Some("lease.rs"));
    assert_eq!(first("flux capacitor").as_deref(), Some("chat, turn 1 (user)"));
    assert_eq!(first("turbine").as_deref(), Some("grep: grep -n quasar"));
    assert_eq!(first("quasar").as_deref(), Some("grep: grep -n quasar"));
    let only = Find { kinds: &[ObjectKind::File], ..find("turbine lease capacitor") };
    let answer = ask(&bench, &mut session, &only);
    assert!(answer.found.iter().all(|found| found.kind == ObjectKind::File) && answer.searched == 2, "{answer:?}");
    assert_eq!(labels(&ask(&bench, &mut session, &find("fn path:other.rs"))), ["other.rs"]);
}

#[test]
fn versions_and_times() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    let start = moment(&bench);
    bench.write("plan.md", "# Plan\n\nUse the zeppelin for transport.\n");
    read(&mut session, "plan.md");
    let middle = moment(&bench);
    bench.write("plan.md", "# Plan\n\nUse the submarine for transport.\n");
    read(&mut session, "plan.md");
    let answer = ask(&bench, &mut session, &Find { rank_by: RankBy::Words, ..find("zeppelin") });
    assert_eq!((answer.found.len(), answer.found[0].current), (1, false));
    assert!(answer.found[0].text.contains("zeppelin"));
    // Both versions speak of transport; the later one is shown, once.
    let transport = Find { rank_by: RankBy::Words, ..find("transport") };
    let answer = ask(&bench, &mut session, &transport);
    assert_eq!((answer.found.len(), answer.found[0].current, answer.found[0].others), (1, true, 1));
    // Until it is not what lies on the disk any more.
    bench.write("plan.md", "# Plan\n\nUse the mule.\n");
    assert!(!ask(&bench, &mut session, &transport).found[0].current);
    let early = Find { until: Some(middle), ..find("transport") };
    assert!(ask(&bench, &mut session, &early).found[0].text.contains("zeppelin"));
    let late = Find { since: Some(middle), rank_by: RankBy::Words, ..find("zeppelin") };
    assert!(ask(&bench, &mut session, &late).found.is_empty());
    let never = Find { until: Some(start), ..find("transport") };
    assert_eq!(ask(&bench, &mut session, &never).searched, 0);
}

#[test]
fn what_others_saw_before_is_not_seen() {
    let bench = Bench::new();
    let mut earlier = bench.session("earlier");
    bench.write("a.md", "the walrus\n");
    read(&mut earlier, "a.md");
    bench.write("a.md", "the narwhal\n");
    read(&mut earlier, "a.md");
    let mut session = bench.session("s");
    read(&mut session, "a.md");
    bench.write("a.md", "the beluga\n");
    read(&mut earlier, "a.md");
    let lexical = |query| Find { rank_by: RankBy::Words, ..find(query) };
    assert!(ask(&bench, &mut session, &lexical("walrus")).found.is_empty());
    assert_eq!(ask(&bench, &mut session, &lexical("narwhal")).found.len(), 1);
    assert_eq!(ask(&bench, &mut session, &lexical("beluga")).found.len(), 1);
}

#[test]
fn the_index_may_be_lost() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.md", "the walrus\n");
    read(&mut session, "a.md");
    let folder = bench.database().with_file_name("index");
    assert_eq!(ask(&bench, &mut session, &find("walrus")).found.len(), 1);
    let damaged = std::fs::read_to_string(folder.join("CURRENT")).unwrap();
    std::fs::write(folder.join("CURRENT"), "g99").unwrap();
    assert_eq!(ask(&bench, &mut session, &find("walrus")).found.len(), 1, "{damaged}");
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(ask(&bench, &mut session, &find("walrus")).found.len(), 1);
}
