//! Sessions: a replay of many events, against SQLite inserting the same rows and nothing else.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_embed::StaticModel;
use ai_assist_search::RankBy;
use ai_assist_session::object::Status;
use ai_assist_session::render::RenderOptions;
use ai_assist_session::search::Find;
use ai_assist_session::transcript::{Event, Format, Role, Seen, SeenFile, Transcript, What};
use ai_assist_session::{How, NewSession, NewToolcall, ReadFile, Session};
use ai_assist_store::objects::SqliteObjects;
use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::json;

use crate::timing::{files_below, ms, ratio};

/// Events that are written in one transaction, as `Session::replay` does it.
const BATCH: usize = 200;
/// How often a quick thing is done; the middle one counts.
const TIMES: usize = 7;

pub(crate) fn run_all(tree: &Path, events: usize, objects: usize) -> Result<()> {
    let texts = texts(tree, 400)?;
    let place = tempfile::tempdir()?;
    println!("{} texts of {}, {events} events\n", texts.len(), tree.display());
    let transcript = transcript(&texts, events);
    replay(&place.path().join("replay.db"), &transcript)?;
    one_by_one(&place.path().join("single.db"), &transcript, events / 5)?;
    large(&place.path().join("large.db"), place.path(), &texts, objects)
}

/// Source files of a few kilobytes.
pub(crate) fn texts(tree: &Path, most: usize) -> Result<Vec<(String, String)>> {
    let mut texts = Vec::new();
    let mut paths = Vec::new();
    files_below(tree, &mut paths)?;
    paths.sort();
    for path in paths {
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if (1_000..20_000).contains(&text.len()) {
            texts.push((path.display().to_string(), text));
        }
        if texts.len() == most {
            break;
        }
    }
    ensure!(texts.len() > 20, "{} has too few files to work with", tree.display());
    Ok(texts)
}

/// What an agent does: it reads files, some of them again after an edit, looks around, and talks.
pub(crate) fn transcript(texts: &[(String, String)], events: usize) -> Transcript {
    let start = jiff::Timestamp::from_second(1_780_000_000).unwrap_or_default();
    let event = |n: usize| {
        let (path, text) = &texts[n * 7 % texts.len()];
        let lines: Vec<&str> = text.lines().skip(n % 20).take(30).collect();
        let what = match n % 10 {
            0 => What::Turn { role: Role::User, text: format!("Step {n}: look at {path} and say what it does.") },
            5 => What::Turn { role: Role::Assistant, text: format!("In step {n} I found this:\n{}", lines.join("\n")) },
            1 | 2 | 6 => {
                // Every fourth reading finds an edited file.
                let edit = if n.is_multiple_of(4) { format!("// edited in step {n}\n") } else { String::new() };
                let whole = format!("{edit}{text}");
                let files = vec![SeenFile { path: path.clone(), seen: Seen::Whole(whole.clone()) }];
                call(n, "Read", json!({ "file_path": path }), whole, files)
            }
            3 | 7 | 8 => {
                let met = |k: usize| SeenFile { path: texts[(n + k) % texts.len()].0.clone(), seen: Seen::Named };
                let output = lines.join("\n");
                call(n, "Grep", json!({ "pattern": format!("fn step_{n}") }), output, (0..3).map(met).collect())
            }
            _ => call(n, "Bash", json!({ "command": format!("cargo check # {n}") }), lines.join("\n"), Vec::new()),
        };
        let at = start.checked_add(jiff::SignedDuration::from_secs(n as i64)).ok();
        Event { at, key: format!("event-{n}"), what }
    };
    Transcript {
        format: Format::ClaudeCode,
        session: None,
        parent: None,
        agent: None,
        folder: Some("/".to_owned()),
        branch: None,
        system_prompt: None,
        events: (0..events).map(event).collect(),
        skipped: Vec::new(),
        subagents: Vec::new(),
    }
}

fn call(n: usize, tool: &str, args: serde_json::Value, output: String, files: Vec<SeenFile>) -> What {
    What::Toolcall { tool: tool.to_owned(), args, args_display: Some(format!("step {n}")), output, ok: true, files }
}

fn session(database: &Path, name: &str) -> Result<Session> {
    let new = NewSession {
        name: Some(name.parse()?),
        folder: Some("/".to_owned()),
        system_prompt: "Be brief.".to_owned(),
        filesystem_id: "bench".to_owned(),
        ..NewSession::default()
    };
    Ok(Session::create(Box::new(SqliteObjects::open(database)?), new)?)
}

/// A whole replay in batches.
fn replay(database: &Path, transcript: &Transcript) -> Result<()> {
    let mut session = session(database, "replay")?;
    let start = Instant::now();
    session.replay(transcript, &mut |_| {}, &Cancel::default())?;
    let ours = start.elapsed();
    let start = Instant::now();
    let mut again = Session::load(Box::new(SqliteObjects::open(database)?), "replay")?;
    let loading = start.elapsed();
    let known = again.replay(transcript, &mut |_| {}, &Cancel::default())?.known;
    ensure!(known == transcript.events.len(), "a second replay must find everything known");
    let with = |append| RenderOptions { max_tokens: Some(32_000), append, ..RenderOptions::default() };
    let (plain, added) = (middle(|| Ok(again.render(with(false))?))?, middle(|| Ok(again.render(with(true))?))?);
    drop((session, again));
    let index = database.with_file_name("replayed");
    let open = || Ok(Session::load(Box::new(SqliteObjects::open(database)?), "replay")?);
    let searched = searches(open, &index)?;
    let rows = Rows::read(database)?;
    let per_event = rows.events.len() as f64 / transcript.events.len() as f64;
    let raw = rows.insert(&database.with_extension("raw"), (BATCH as f64 * per_event) as usize)?;
    println!("| {} events in batches of {BATCH} | time | against raw inserts |", transcript.events.len());
    println!("|---|---|---|");
    println!("| SQLite, the same {} rows | {} | 1 |", rows.len(), ms(raw));
    println!("| replay into a session | {} | {} |", ms(ours), ratio(ours, raw));
    println!("| loading that session | {} | {} |", ms(loading), ratio(loading, raw));
    println!("| rendering it in 32,000 tokens | {} | |", ms(plain));
    println!("| the same, only added to | {} | {} of that |", ms(added), ratio(added, plain));
    println!("{searched}");
    size(database, &rows)
}

/// Every event acknowledged on its own.
fn one_by_one(database: &Path, transcript: &Transcript, events: usize) -> Result<()> {
    let mut session = session(database, "single")?;
    let start = Instant::now();
    for event in transcript.events.iter().take(events) {
        match &event.what {
            What::Turn { role, text } => {
                session.say(*role, text, &How::default())?;
            }
            What::Toolcall { tool, args, args_display, output, files, .. } => {
                let read = files.iter().filter_map(|file| match &file.seen {
                    Seen::Whole(text) => Some(ReadFile { path: (&file.path).into(), bytes: Some(text.clone().into()) }),
                    Seen::Named => None,
                });
                let call = NewToolcall {
                    tool: tool.clone(),
                    args: args.as_object().cloned().unwrap_or_default(),
                    args_display: args_display.clone(),
                    content: output.clone(),
                    status: Status::Ok,
                    files: files.iter().filter(|f| f.seen == Seen::Named).map(|f| PathBuf::from(&f.path)).collect(),
                    read: read.collect(),
                };
                session.toolcall(&call, &How::default())?;
            }
        }
    }
    let ours = start.elapsed();
    drop(session);
    let rows = Rows::read(database)?;
    let raw = rows.insert(&database.with_extension("raw"), rows.events.len() / events.max(1))?;
    println!("| {events} events, each acknowledged on its own | time | against raw inserts |");
    println!("|---|---|---|");
    println!("| SQLite, the same {} rows in as many transactions | {} | 1 |", rows.len(), ms(raw));
    println!("| a session | {} | {} |\n", ms(ours), ratio(ours, raw));
    Ok(())
}

/// A session of many objects: rendering, searching, resuming.
fn large(database: &Path, place: &Path, texts: &[(String, String)], objects: usize) -> Result<()> {
    let folder = place.join("files");
    std::fs::create_dir_all(&folder)?;
    let mut session = session(database, "large")?;
    let mut paths = Vec::with_capacity(objects);
    for n in 0..objects {
        let path = folder.join(format!("module_{n}.rs"));
        std::fs::write(&path, format!("// module {n}\n{}", texts[n % texts.len()].1))?;
        paths.push(path);
    }
    for batch in paths.chunks(500) {
        let files: Vec<ReadFile> = batch.iter().map(|path| ReadFile { path: path.clone(), bytes: None }).collect();
        session.read(&files, &How::default())?;
    }
    let ids: Vec<_> = session.sets().index().map(|member| member.id.clone()).collect();
    let all = session.render(RenderOptions::default())?.text().len();
    let everything = middle(|| Ok(session.render(RenderOptions::default())?))?;
    session.deactivate(&ids[50..], &How::default())?;
    let some = session.render(RenderOptions::default())?.text().len();
    let held = middle(|| Ok(session.render(RenderOptions::default())?))?;
    let options = RenderOptions { max_tokens: Some(32_000), ..RenderOptions::default() };
    let budget = middle(|| Ok(session.render(options)?))?;
    let appended = middle(|| Ok(session.render(RenderOptions { append: true, ..options })?))?;
    let texts_of = middle(|| {
        let versions = ai_assist_store::objects::Objects::get_many(
            &SqliteObjects::open(database)?,
            &ids,
            ai_assist_store::objects::AsOf::default(),
            true,
        )?;
        Ok(versions)
    })?;
    println!("| a session of {objects} files | time | bytes |");
    println!("|---|---|---|");
    println!("| reading the texts of all of them from the store | {} | |", ms(texts_of));
    println!("| render, all of them held | {} ({}) | {all} |", ms(everything), ratio(everything, texts_of));
    println!("| render, 50 of them held | {} | {some} |", ms(held));
    println!("| render, 50 of them held, 32,000 tokens at most | {} | |", ms(budget));
    println!("| the same, only added to | {} | |", ms(appended));
    let start = Instant::now();
    session.resume(&Cancel::default())?;
    println!("| resume, nothing changed | {} | |", ms(start.elapsed()));
    drop(session);
    let open = || Ok(Session::load(Box::new(SqliteObjects::open(database)?), "large")?);
    println!("{}", searches(open, &place.join("index"))?);
    Ok(())
}

/// The rows of searches in a session, its index kept open as a server does.
fn searches(open: impl Fn() -> Result<Session>, index: &Path) -> Result<String> {
    ai_assist_index::keep_open();
    let model = StaticModel::bundled();
    let find = Find {
        query: "module name resolution",
        limit: 10,
        since: None,
        until: None,
        kinds: &[],
        rank_by: RankBy::default(),
        full: false,
    };
    let mut session = open()?;
    let start = Instant::now();
    session.search(&find, index, model)?;
    let first = start.elapsed();
    let warm = middle(|| Ok(session.search(&find, index, model)?))?;
    let mut turn = 0;
    let after_a_turn = middle(|| {
        turn += 1;
        session.say(Role::User, &format!("Turn {turn}."), &How::default())?;
        Ok(session.search(&find, index, model)?)
    })?;
    drop(session);
    let anew = middle(|| Ok(open()?.search(&find, index, model)?))?;
    Ok(format!(
        "| first search, which makes the index | {} | |\n| search | {} | |\n| something said, and a search | {} | |\n\
         | opened anew, and a search | {} | |\n",
        ms(first),
        ms(warm),
        ms(after_a_turn),
        ms(anew)
    ))
}

fn middle<T>(mut job: impl FnMut() -> Result<T>) -> Result<Duration> {
    let mut taken = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let start = Instant::now();
        drop(job()?);
        taken.push(start.elapsed());
    }
    taken.sort();
    Ok(taken[TIMES / 2])
}

fn size(database: &Path, rows: &Rows) -> Result<()> {
    let connection = Connection::open(database)?;
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    drop(connection);
    let file = std::fs::metadata(database)?.len();
    let (mut plain, mut packed) = (0u64, 0u64);
    let connection = Connection::open(database)?;
    let mut statement = connection.prepare("SELECT size, length(data) FROM contents")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        plain += row.get::<_, i64>(0)?.unsigned_abs();
        packed += row.get::<_, i64>(1)?.unsigned_abs();
    }
    println!("| on disk | bytes | against the contents compressed |");
    println!("|---|---|---|");
    println!("| {} distinct contents, plain | {plain} | {:.2} |", rows.contents.len(), plain as f64 / packed as f64);
    println!("| the same, each compressed | {packed} | 1 |");
    println!("| the database with {} events | {file} | {:.2} |\n", rows.events.len(), file as f64 / packed as f64);
    Ok(())
}

/// The rows that a session has written.
struct Rows {
    schema: Vec<String>,
    objects: Vec<Vec<Value>>,
    contents: Vec<Vec<Value>>,
    events: Vec<Vec<Value>>,
}

impl Rows {
    fn read(database: &Path) -> Result<Self> {
        let connection = Connection::open(database)?;
        let schema = connection
            .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name IN ('objects', 'contents', 'object_events') ORDER BY type DESC")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let table = |name: &str, key: &str| -> Result<Vec<Vec<Value>>> {
            let mut statement = connection.prepare(&format!("SELECT * FROM {name} ORDER BY {key}"))?;
            let columns = statement.column_count();
            let mut rows = statement.query([])?;
            let mut all = Vec::new();
            while let Some(row) = rows.next()? {
                all.push((0..columns).map(|column| row.get(column)).collect::<Result<_, _>>()?);
            }
            Ok(all)
        };
        Ok(Rows {
            schema,
            objects: table("objects", "id")?,
            contents: table("contents", "id")?,
            events: table("object_events", "seq")?,
        })
    }

    fn len(&self) -> usize {
        self.objects.len() + self.contents.len() + self.events.len()
    }

    /// Inserts them in the order of the events, so many events to a transaction, as durably as a session does.
    fn insert(&self, database: &Path, batch: usize) -> Result<Duration> {
        let connection = Connection::open(database)?;
        connection.execute_batch(
            "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
             PRAGMA cache_size = -32768;",
        )?;
        self.schema.iter().try_for_each(|sql| connection.execute_batch(sql))?;
        let insert = |table: &str, row: &[Value]| -> Result<()> {
            let marks = vec!["?"; row.len()].join(", ");
            let mut statement = connection.prepare_cached(&format!("INSERT INTO {table} VALUES ({marks})"))?;
            statement.execute(rusqlite::params_from_iter(row))?;
            Ok(())
        };
        let number = |value: &Value| if let Value::Integer(number) = value { *number } else { 0 };
        let (mut objects, mut contents) = (self.objects.iter().peekable(), self.contents.iter().peekable());
        let columns: Vec<String> = connection
            .prepare("SELECT name FROM pragma_table_info('object_events')")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let column = |name: &str| columns.iter().position(|column| column == name).context("a column is missing");
        let (object, content) = (column("object")?, column("content")?);
        let mut done: HashSet<i64> = HashSet::new();
        let start = Instant::now();
        for part in self.events.chunks(batch.max(1)) {
            connection.execute_batch("BEGIN IMMEDIATE")?;
            for event in part {
                while let Some(row) = objects.next_if(|row| number(&row[0]) <= number(&event[object])) {
                    insert("objects", row)?;
                }
                let needed = number(&event[content]);
                if needed > 0 && done.insert(needed) {
                    while let Some(row) = contents.next_if(|row| number(&row[0]) <= needed) {
                        insert("contents", row)?;
                    }
                }
                insert("object_events", event)?;
            }
            connection.execute_batch("COMMIT")?;
        }
        Ok(start.elapsed())
    }
}
