//! `ref search`: what is found, where is looked, and how an answer goes on.

use std::collections::HashSet;

use super::{DOCS, shows};
use crate::support::{Numbers, Run, Sandbox, markdown, place};

#[test]
fn hits_for_people() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    shows!(sandbox, ["ref", "search", "expired", "lease", "--mode", "lexical"], @"
    exit: 0
    --- stdout
    docs/leases.md:1-7  [SCORE]
      Leases
      A lease is renewed every ten seconds.
      
      ## Expiry
      
      An expired lease goes to another worker.

    --- stderr
    1 of 1 hit
    ");
    shows!(sandbox, ["ref", "search", "\"at midnight\"", "--mode", "lexical", "--full"], @"
    exit: 0
    --- stdout
    docs/ops/backups.md:1-3  [SCORE]
      Backups
      Backups run at midnight and are kept for a week.

    --- stderr
    1 of 1 hit
    ");
    sandbox.write("docs/leases.md", "# Leases\n\nGone.\n");
    std::fs::remove_file(sandbox.project().join("docs/ops/backups.md")).unwrap();
    shows!(sandbox, ["ref", "search", "lease midnight", "--mode", "lexical", "--no-sync"], @"
    exit: 0
    --- stdout
    docs/leases.md:1-7  [SCORE]  (changed since)
      Leases
      A lease is renewed every ten seconds.
      
      ## Expiry
      
      An expired lease goes to another worker.

    docs/ops/backups.md:1-3  [SCORE]  (gone since)
      Backups
      Backups run at midnight and are kept for a week.

    --- stderr
    2 of 2 hits
    ");
}

#[test]
fn nothing_found_is_exit_1() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    shows!(sandbox, ["ref", "search", "walrus", "--mode", "lexical"], @"
    exit: 1
    --- stderr
    Nothing found among 2 chunks.
    ");
    shows!(sandbox, ["ref", "search", "lease lang:rust"], @"
    exit: 1
    --- stderr
    Nothing found among 0 chunks (no chunk passes the filters).
    ");
    let run = sandbox.run(&["ref", "search", "walrus", "--mode", "lexical", "--json"]);
    assert_eq!(run.assert_code(1).json()["hits"], serde_json::json!([]));
}

#[test]
fn an_explanation_adds_up() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let run = sandbox.run(&["ref", "search", "lease", "--explain", "-n", "1"]);
    let lines = run.assert_code(0).stdout();
    assert!(lines.contains("score ") && lines.contains("words ") && lines.contains("meaning "), "{lines}");
    let answer = sandbox.json(&["ref", "search", "lease", "--explain", "-n", "1", "--mode", "lexical"]);
    let hit = &answer["hits"][0];
    let sum: f64 =
        hit["explanation"]["terms"].as_array().unwrap().iter().map(|term| term["score"].as_f64().unwrap()).sum();
    assert!((sum - hit["words"].as_f64().unwrap()).abs() < 1e-4, "{hit}");
}

#[test]
fn what_can_not_be_asked() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    shows!(sandbox, ["ref", "search", "lease", "--collection", "dosc"], @"
    exit: 2
    --- stderr
    error: there is no collection `dosc`
    hint: did you mean `docs`?
    ");
    shows!(sandbox, ["ref", "search", "lease collection:dosc"], @"
    exit: 2
    --- stderr
    error: there is no collection `dosc`
    hint: did you mean `docs`?
    ");
    shows!(sandbox, ["ref", "search", "lease lang:klingon"], @"
    exit: 2
    --- stderr
    error: `lang:klingon` is not a filter: `klingon` is not a known language
    ");
    shows!(sandbox, ["ref", "search", ""], @"
    exit: 2
    --- stderr
    error: the query has no words
    ");
    shows!(sandbox, ["ref", "search", "lease", "--limit", "0"], @"
    exit: 2
    --- stderr
    error: invalid value '0' for '--limit <LIMIT>': a whole number of at least 1 is needed

    For more information, try '--help'.
    ");
    shows!(sandbox, ["ref", "search", "lease", "--cursor", "nonsense"], @"
    exit: 2
    --- stderr
    error: invalid value 'nonsense' for '--cursor <CURSOR>': `nonsense` is not a cursor; give the one that the answer before printed, unchanged

    For more information, try '--help'.
    ");
    shows!(sandbox, ["ref", "search"], @"
    exit: 2
    --- stderr
    error: the following required arguments were not provided:
      <QUERY>...

    Usage: ai-assist ref search <QUERY>...

    For more information, try '--help'.
    ");
    sandbox.run(&["collections", "add", "ops", "docs/ops"]).assert_code(0);
    shows!(sandbox, ["ref", "search", "lease", "-c", "ops"], @"
    exit: 2
    --- stderr
    error: the collection `ops` has not been synced yet
    hint: run `ai-assist collections sync ops`
    ");
    shows!(sandbox, ["ref", "search", "lease", "--mode", "lexical"], @"
    exit: 0
    --- stdout
    docs/leases.md:1-7  [SCORE]
      Leases
      A lease is renewed every ten seconds.
      
      ## Expiry
      
      An expired lease goes to another worker.

    --- stderr
    warning: the collection `ops` has not been synced yet and was left out
    1 of 1 hit
    ");
}

#[test]
fn only_what_the_project_declares_unless_all_is_asked_for() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let other = sandbox.root().join("other");
    std::fs::create_dir_all(other.join("notes")).unwrap();
    std::fs::write(other.join("notes/lease.md"), "# Flats\n\nThe lease of the flat ends in May.\n").unwrap();
    let in_other = |args: &[&str]| Run(sandbox.command().args(args).current_dir(&other).output().unwrap());
    in_other(&["collections", "init"]).assert_code(0);
    in_other(&["collections", "add", "notes", "notes"]).assert_code(0);
    in_other(&["collections", "sync"]).assert_code(0);
    let found = |run: Run| -> HashSet<String> {
        run.json()["hits"].as_array().unwrap().iter().map(|hit| hit["document"].as_str().unwrap().to_owned()).collect()
    };
    let search = ["ref", "search", "lease", "--mode", "lexical", "--json"];
    let ours = HashSet::from(["leases.md".to_owned()]);
    let theirs = HashSet::from(["lease.md".to_owned()]);
    let both = HashSet::from(["leases.md".to_owned(), "lease.md".to_owned()]);
    assert_eq!(found(sandbox.run(&search)), ours);
    assert_eq!(found(in_other(&search)), theirs);
    assert_eq!(found(sandbox.run(&[&search[..], &["--all"]].concat())), both);
    let outside = sandbox.command().args(search).current_dir(sandbox.root()).output().unwrap();
    assert_eq!(found(Run(outside)), both);
    // What another project declared is found by the id that a listing shows.
    let listed = sandbox.json(&["ref", "ls", "--all"]);
    let listed = listed["collections"].as_array().unwrap();
    let id = listed.iter().find(|entry| entry["names"].as_array().unwrap().is_empty()).unwrap()["id"].as_str().unwrap();
    assert_eq!(found(sandbox.run(&[&search[..], &["-c", id]].concat())), theirs);
    assert_eq!(found(sandbox.run(&[&search[..], &["-c", &id[..17]]].concat())), theirs);
    let shown = sandbox.run(&["ref", "search", "flat", "--all", "--mode", "lexical"]).stdout();
    let name = shown.lines().next().unwrap().split(':').take(2).collect::<Vec<_>>().join(":");
    assert!(sandbox.run(&["ref", "get", &name, "--all"]).assert_code(0).stdout().contains("ends in May"), "{name}");
}

/// A project with enough to page through.
fn large() -> Sandbox {
    let sandbox = Sandbox::with_docs(&[]);
    let mut numbers = Numbers(7);
    for number in 0..12 {
        sandbox.write(format!("docs/{number:02}.md"), markdown(&mut numbers, &format!("Chapter {number}")));
    }
    // Equal texts have equal scores: pages must not lose or repeat them.
    for number in 0..12 {
        sandbox.write(format!("docs/same-{number:02}.md"), "# Same\n\nThe scheduler discards stale leases.\n");
    }
    sandbox.sync();
    sandbox
}

#[test]
fn pages_give_every_hit_once_and_in_order() {
    let sandbox = large();
    for mode in ["hybrid", "lexical", "dense"] {
        let query = ["ref", "search", "stale leases", "--mode", mode];
        let whole = sandbox.json(&[&query[..], &["--limit", "100000"]].concat());
        assert_eq!(whole["cursor"], serde_json::Value::Null);
        let whole: Vec<String> = whole["hits"].as_array().unwrap().iter().map(place).collect();
        assert!(whole.len() > 30, "{mode}: {}", whole.len());
        assert_eq!(whole.iter().collect::<HashSet<_>>().len(), whole.len());
        let mut paged = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut args = [&query[..], &["--limit", "17"]].concat();
            if let Some(cursor) = &cursor {
                args.extend(["--cursor", cursor]);
            }
            let page = sandbox.json(&args);
            paged.extend(page["hits"].as_array().unwrap().iter().map(place));
            match page["cursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => break,
            }
        }
        assert_eq!(paged, whole, "{mode}");
    }
}

#[test]
fn a_cursor_of_another_question_or_another_state_is_refused() {
    let sandbox = large();
    let cursor = sandbox.json(&["ref", "search", "stale leases", "-n", "5"])["cursor"].as_str().unwrap().to_owned();
    sandbox.run(&["ref", "search", "stale leases", "-n", "5", "--cursor", &cursor]).assert_code(0);
    shows!(sandbox, ["ref", "search", "other words", "-n", "5", "--cursor", &cursor], @"
    exit: 2
    --- stderr
    error: the cursor belongs to another question, or the documents have changed since; ask again without it
    ");
    sandbox.write("docs/new.md", "# Stale leases\n\nStale leases are everywhere.\n");
    sandbox.sync();
    shows!(sandbox, ["ref", "search", "stale leases", "-n", "5", "--cursor", &cursor], @"
    exit: 2
    --- stderr
    error: the cursor belongs to another question, or the documents have changed since; ask again without it
    ");
}

#[test]
fn a_budget_of_tokens_is_kept_and_the_rest_can_be_had() {
    let sandbox = large();
    let whole: Vec<String> = {
        let answer = sandbox.json(&["ref", "search", "stale leases", "-n", "100000"]);
        answer["hits"].as_array().unwrap().iter().map(place).collect()
    };
    for budget in [1, 20, 100, 400, 1000, 3000] {
        let number = budget.to_string();
        let answer = sandbox.json(&["ref", "search", "stale leases", "-n", "1000", "--max-tokens", &number]);
        let hits = answer["hits"].as_array().unwrap();
        let texts = hits.iter().map(|hit| hit["text"].as_str().unwrap());
        let tokens: usize = texts.map(ai_assist_text::count_tokens).sum();
        assert!(tokens <= budget, "{tokens} of {budget}");
        assert_eq!(answer["tokens"], tokens, "{budget}");
        assert_eq!(answer["found"], whole.len());
        assert!(hits.len() < whole.len() && answer["cursor"].is_string(), "{budget}");
        let uncut: Vec<String> = hits.iter().filter(|hit| hit["cut"] == false).map(place).collect();
        assert_eq!(uncut, whole[..uncut.len()], "{budget}");
    }
    let run = sandbox.run(&["ref", "search", "stale leases", "--max-tokens", "60"]);
    insta::with_settings!({ filters => vec![(r"\d+ of \d+ hits, \d+ tokens", "[N] of [N] hits, [N] tokens"), (r"--cursor \d+-[0-9a-f]+", "--cursor [CURSOR]")] }, {
        insta::assert_snapshot!(run.stderr(), @"
        [N] of [N] hits, [N] tokens
        More: --cursor [CURSOR]
        ");
    });
    // The pages of a budget give every document too.
    let mut paged: Vec<String> = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut args = vec!["ref", "search", "stale leases", "-n", "1000", "--max-tokens", "2500"];
        if let Some(cursor) = &cursor {
            args.extend(["--cursor", cursor]);
        }
        let page = sandbox.json(&args);
        paged.extend(page["hits"].as_array().unwrap().iter().map(place));
        match page["cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(paged, whole);
}
