//! Every procedure, asked of a real service, and every answer held against the description.

use std::collections::BTreeSet;

use ai_assist_base::Cancel;
use ai_assist_client::{Asking, Client, Error, requests};
use serde_json::{Value, json};

use crate::schema::faults;
use crate::support::{Bench, Served, body_of};

/// Asks by method and path, and checks the answer against what the description says of the route.
struct Asker<'s> {
    served: &'s Served,
    description: Value,
    asked: BTreeSet<String>,
}

impl Asker<'_> {
    fn route(&mut self, method: &str, route: &str, path: &str, arguments: Value) -> Value {
        let operation = &self.description["paths"][format!("/api/v1{route}")][method.to_lowercase()];
        assert!(operation.is_object(), "{method} {route} is not described");
        self.asked.insert(format!("{method} {route}"));
        let local = operation["description"].as_str().is_some_and(|about| about.contains("socket"));
        let client = if local { self.served.user() } else { self.served.client() };
        let answer: Value = match method {
            "GET" => client.get(path, &arguments),
            "POST" => client.post(path, &arguments),
            _ => client.delete(path),
        }
        .unwrap_or_else(|error| panic!("{method} {path}: {error:?}"));
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        let found = faults(schema, &answer);
        assert!(found.is_empty(), "{method} {path}: {found:#?}\n{answer:#}");
        answer
    }

    fn get(&mut self, path: &str, arguments: Value) -> Value {
        self.route("GET", path, path, arguments)
    }

    fn post(&mut self, path: &str, arguments: Value) -> Value {
        self.route("POST", path, path, arguments)
    }
}

#[test]
fn every_procedure_answers_as_it_is_described() {
    let bench = Bench::new();
    bench.write("docs/named/<b>&amp;.md", "# Odd <script>alert(1)</script>\n\nText about an oddly named elm.\n");
    bench.write(".ai-assist-workspace.jsonc", r#"{"schemaVersion": 1, "name": "ws", "repos": [{"root": "."}]}"#);
    let served = bench.serve();
    let description: Value = served.client().get("/openapi.json", &json!({})).unwrap();
    assert_eq!(description["openapi"], "3.1.0");
    let mut ask = Asker { served: &served, description, asked: BTreeSet::new() };

    let service = ask.get("/service", json!({}));
    assert_eq!((&service["version"], &service["readOnly"]), (&json!(env!("CARGO_PKG_VERSION")), &json!(false)));
    assert_eq!(ask.get("/projects", json!({}))["projects"][0]["name"], "project");
    ask.post("/collections/sync", json!({ "force": true }));
    ask.route("POST", "/repositories/{repo}/build", "/repositories/project/build", json!({}));

    let found = ask.get("/search", json!({ "query": "acorn tree", "explain": true, "limit": 1 }));
    assert_eq!(found["hits"][0]["document"], "oak.md");
    assert!(found["cursor"].is_string(), "{found:#}");
    let next = json!({ "query": "acorn tree", "explain": true, "limit": 1, "cursor": found["cursor"] });
    assert_ne!(found["hits"][0]["hash"], ask.get("/search", next)["hits"][0]["hash"]);
    let odd = ask.get("/search", json!({ "query": "oddly named elm", "limit": 1 }));
    assert_eq!(odd["hits"][0]["document"], "named/<b>&amp;.md", "names come as they are, in JSON");
    let by_words =
        json!({ "query": "plant", "rank": "words", "kind": ["function"], "language": ["rust"], "mode": ["code"] });
    assert_eq!(ask.get("/search", by_words)["hits"][0]["document"], "src/lib.rs");
    assert_eq!(
        ask.get("/grep", json!({ "pattern": "OAK", "ignoreCase": true, "limit": 2 }))["lines"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(ask.get("/symbols", json!({ "name": "plant" }))["symbols"][0]["path"], "src/lib.rs");
    assert_eq!(ask.get("/map", json!({ "repository": "project" }))["shown"], 1);
    assert_eq!(ask.get("/place", json!({ "place": "docs/oak.md:1" }))["text"], "# Oaks\n");
    let call = |tool: &str| {
        let arguments = json!({ "pattern": "Oaks" });
        json!({ "tool": tool, "arguments": arguments, "text": true, "structured": false, "tools": "all", "readOnly": true })
    };
    let text = ask.post("/tool", call("grep"))["answered"]["text"].to_string();
    assert!(text.contains("oak.md"), "{text}");
    assert_eq!(ask.post("/tool", call("read"))["failed"]["error_type"], "validation_error");
    // What changes something is not answered for others.
    let refused = served.user().post::<Value>("/tool", &call("collection_remove"));
    assert!(matches!(refused, Err(Error::Problem(_))), "{refused:?}");

    assert_eq!(ask.get("/entries", json!({}))["entries"][0]["name"], "docs");
    assert!(ask.get("/status", json!({}))["bytes"].as_u64().unwrap() > 0);
    assert_eq!(ask.get("/doctor", json!({}))["healthy"], true);
    ask.post("/doctor/repair", json!({}));
    assert_eq!(ask.get("/repositories", json!({}))["repositories"][0]["own"], true);
    let one = ask.route("GET", "/repositories/{repo}", "/repositories/project", json!({}));
    assert_eq!(one["freshness"]["state"], "current");
    assert_eq!(ask.get("/workspace", json!({}))["workspace"], "ws");

    let listed = ask.get("/documents", json!({}));
    let document = listed["documents"][0]["document"].clone();
    ask.get("/document", json!({ "document": document }));
    assert_eq!(ask.get("/document", json!({ "document": "src/lib.rs", "lines": "1" }))["lines"], "1");
    assert_eq!(ask.get("/read", json!({ "place": "docs/oak.md:1-1" }))["text"], "# Oaks\n");
    let context = ask.get("/context", json!({ "query": "acorn" }));
    assert!(context["passages"][0]["text"].as_str().unwrap().contains("acorn"), "{context:#}");
    ask.get("/changed", json!({}));
    ask.get("/outline", json!({ "document": "docs/oak.md" }));
    ask.get("/content", json!({ "expression": "docs" }));
    ask.get("/related", json!({ "document": "docs/oak.md" }));
    assert_eq!(ask.get("/explain", json!({ "path": "src/lib.rs" }))["included"], true);

    assert_eq!(ask.get("/collections", json!({}))["collections"][0]["name"], "docs");
    ask.route("GET", "/collections/{name}", "/collections/docs", json!({}));
    ask.post("/categories", json!({ "name": "guides", "dir": "docs", "patterns": ["*.md"] }));
    ask.get("/categories", json!({}));
    ask.route("POST", "/categories/{name}/update", "/categories/guides/update", json!({ "addPatterns": ["**/*.txt"] }));
    ask.route("POST", "/categories/{name}/change", "/categories/guides/change", json!({ "newName": "books" }));
    ask.post("/collections", json!({ "name": "both", "categories": ["books"] }));
    ask.route(
        "POST",
        "/collections/{name}/update",
        "/collections/both/update",
        json!({ "removeCategories": ["books"] }),
    );
    ask.route("POST", "/collections/{name}/change", "/collections/both/change", json!({ "newName": "all" }));
    ask.route("DELETE", "/collections/{name}", "/collections/all", json!({}));
    ask.route("DELETE", "/categories/{name}", "/categories/books", json!({}));
    ask.get("/suggestions", json!({}));

    let preview = ask.post("/packs", json!({ "type": "full", "preview": true }));
    assert!(preview["files"].as_array().unwrap().iter().any(|file| file["path"] == "src/lib.rs"), "{preview:#}");
    assert!(preview.get("pack").is_none() && preview.get("receipt").is_none());
    assert_eq!(ask.get("/receipts", json!({}))["receipts"], json!([]), "nothing has left");
    let pack = ask.post("/packs", json!({ "type": "full", "format": "xml" }));
    assert!(pack["pack"].as_str().unwrap().contains("pub fn plant"));
    assert_eq!(ask.get("/receipts", json!({}))["receipts"][0]["number"], pack["receipt"]);
    let record: Value = served.client().get("/receipts/1", &json!({})).unwrap();
    assert_eq!(record["pack_bytes"], pack["bytes"]);
    ask.asked.insert("GET /receipts/{number}".to_owned());

    assert_eq!(ask.get("/sessions", json!({}))["sessions"], json!([]));
    let link = ask.post("/service/link", json!({}));
    assert!(link["url"].as_str().unwrap().contains("/open/"));

    // Of those that need a session, or the network, a test below or none is meant.
    let elsewhere = [
        "POST /service/stop",
        "POST /sources",
        "GET /registry",
        "GET /sessions/{session}/objects",
        "GET /sessions/{session}/object",
        "GET /sessions/{session}/search",
        "GET /sessions/{session}/render",
    ];
    let mut described: BTreeSet<String> = BTreeSet::new();
    for (path, operations) in ask.description["paths"].as_object().unwrap() {
        let path = path.strip_prefix("/api/v1").unwrap();
        described
            .extend(operations.as_object().unwrap().keys().map(|method| format!("{} {path}", method.to_uppercase())));
    }
    described.remove("GET /changes");
    let left: Vec<&String> =
        described.iter().filter(|it| !ask.asked.contains(*it) && !elsewhere.contains(&it.as_str())).collect();
    assert!(left.is_empty(), "not asked: {left:?}");
    ask.post("/service/stop", json!({}));
    served.stop();
}

#[test]
fn what_is_wrong_is_a_problem() {
    let bench = Bench::new();
    let served = bench.serve();
    let problem = |error: Error| match error {
        Error::Problem(problem) => *problem,
        other => panic!("{other:?}"),
    };
    let get = |path: &str, arguments: Value| problem(served.client().get::<Value>(path, &arguments).unwrap_err());
    let missing = get("/search", json!({}));
    assert_eq!((missing.status, missing.error_type.as_str()), (400, "validation_error"));
    let wrong = get("/search", json!({ "query": "x", "limit": "many" }));
    assert_eq!((wrong.status, wrong.field.as_deref()), (400, Some("limit")));
    let unknown = get("/search", json!({ "query": "x", "limmit": 1 }));
    assert!(unknown.detail.contains("did you mean `limit`?"), "{}", unknown.detail);
    let cursor = get("/search", json!({ "query": "x", "cursor": "nonsense" }));
    assert_eq!(cursor.status, 400);
    assert_eq!(get("/document", json!({ "document": "none.md" })).status, 404);
    assert_eq!(get("/collections/none", json!({})).status, 404);
    assert_eq!(get("/receipts/7", json!({})).status, 404);
    assert_eq!(get("/map", json!({})).error_type, "not_indexed");
    assert_eq!(get("/sessions/none/objects", json!({ "set": "pool" })).status, 404);
    let other = get("/search", json!({ "query": "x", "project": "elsewhere" }));
    assert!(other.status == 404 && other.instruction.contains("project"), "{other:?}");
    // What to do names addresses, not tools.
    let way = get("/document", json!({ "document": "none.md" })).instruction;
    assert!(way.contains("`GET /api/v1/search?query=none.md`"), "{way}");
    let (status, answer) = served.ask("POST", "/api/v1/search?query=x", &[], "");
    assert_eq!(status, 400, "{answer}");
    let (status, answer) = served.ask("POST", "/api/v1/collections", &[], "[1]");
    assert!(status == 400 && body_of(&answer)["field"] == "body", "{answer}");
    let (status, answer) = served.ask("GET", "/api/v1/nothing/here", &[], "");
    assert!(status == 404 && answer.contains("application/problem+json"), "{answer}");
}

#[test]
fn an_answer_that_is_known_is_not_sent_again() {
    let bench = Bench::new();
    let served = bench.serve().indexed();
    let target = "/api/v1/search?query=oak";
    let (status, answer) = served.ask("GET", target, &[], "");
    assert_eq!(status, 200);
    let tag = answer.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let (status, answer) = served.ask("GET", target, &[("If-None-Match", &tag)], "");
    assert!(status == 304 && body_of(&answer).is_null(), "{answer}");
    bench.write("docs/oak.md", "# Oaks\n\nThe oak has fallen.\n");
    let (status, answer) = served.ask("GET", target, &[("If-None-Match", &tag)], "");
    assert!(status == 200 && answer.contains("fallen"), "an edit is taken in first: {answer}");
}

#[test]
fn work_tells_how_far_it_is() {
    let bench = Bench::new();
    for number in 0..50 {
        bench.write(&format!("docs/{number}.md"), &format!("# Tree {number}\n\nOf its own kind.\n"));
    }
    let served = bench.serve();
    let mut events = Vec::new();
    let done: Value = served
        .client()
        .follow("/collections/sync", &json!({ "force": true }), &mut |event| events.push(event))
        .unwrap();
    assert_eq!(done["collections"][0]["documents"], 52);
    assert!(!events.is_empty() && events.iter().all(|event| event.kind == "progress"), "{events:?}");
    assert!(events[0].data["message"].as_str().unwrap().starts_with("docs: "), "{events:?}");
    let failed = served.client().follow::<Value>("/collections/sync", &json!({ "collections": ["no"] }), &mut |_| {});
    assert!(matches!(failed, Err(Error::Problem(problem)) if problem.status == 404));
}

#[test]
fn a_client_gets_what_the_library_gives() {
    let bench = Bench::new();
    let served = bench.serve().indexed();
    let over_tcp =
        served.client().search(&requests::Search { query: "acorn".to_owned(), ..Default::default() }).unwrap();
    let over_socket =
        served.user().search(&requests::Search { query: "acorn".to_owned(), ..Default::default() }).unwrap();
    assert_eq!(over_tcp, over_socket);
    let grep = requests::Grep { pattern: "oak".to_owned(), ..Default::default() };
    assert_eq!(served.client().grep(&grep).unwrap().found, 2);
    let symbols = requests::Symbols { name: "plant".to_owned(), ..Default::default() };
    assert_eq!(served.client().symbols(&symbols).unwrap().symbols.len(), 1);
    assert_eq!(served.client().map(&requests::Map::default()).unwrap().shown, 1);
    // Many questions over one connection.
    let client = served.client();
    for _ in 0..200 {
        assert_eq!(
            client.search(&requests::Search { query: "acorn".to_owned(), ..Default::default() }).unwrap(),
            over_tcp
        );
    }
    let place = requests::Place { place: "oak.md:1".to_owned() };
    let from = |folder: &str| Asking { folder: Some(bench.project().join(folder)), settings: None };
    assert_eq!(served.user().asking(from("docs")).place(&place).unwrap().text, "# Oaks\n");
    let outside = Asking { folder: Some(bench.root()), settings: None };
    assert!(served.user().asking(outside).place(&place).is_err(), "a folder that is not served");
    let other = Asking { folder: None, settings: Some("others".to_owned()) };
    assert!(served.user().asking(other).place(&place).is_err(), "other settings");
    let gone = Client::at_socket(bench.root().join("none.sock"));
    assert!(matches!(gone.service(), Err(Error::Io(_))));
}

#[test]
fn there_is_one_service_for_a_data_folder() {
    let bench = Bench::new();
    let served = bench.serve();
    let second = bench.serve_with(false, Default::default());
    assert!(matches!(second, Err(ai_assist_server::RunError::RunsAlready(_))));
    assert!(served.user().service().is_ok(), "the first one's socket is left alone");
    served.user().stop().unwrap();
    let socket = served.socket.clone();
    served.stop();
    assert!(!crate::support::exists(&socket), "the socket goes with the service");
    let third = bench.serve().indexed();
    let found = third.client().search(&requests::Search { query: "acorn".to_owned(), ..Default::default() }).unwrap();
    assert_eq!(found.hits[0].document, "oak.md");
}

#[test]
fn sessions_are_shown() {
    let bench = Bench::new();
    let served = bench.serve();
    // Agents make them, with tools that the API does not have.
    let project = served.service.machine.open(&bench.project()).unwrap();
    let tool = |name: &str, arguments: Value| {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        let prepared = ai_assist_mcp::Verb::named(name).unwrap().prepare(arguments).unwrap();
        prepared(project.clone(), &Cancel::default(), &|_, _, _| {}).unwrap()
    };
    tool("session_open", json!({ "session": "work" }));
    tool("session_read", json!({ "session": "work", "paths": ["docs/oak.md"] }));
    let description: Value = served.client().get("/openapi.json", &json!({})).unwrap();
    let mut ask = Asker { served: &served, description, asked: BTreeSet::new() };
    assert_eq!(ask.get("/sessions", json!({}))["sessions"][0]["session"], "work");
    let listed = ask.route("GET", "/sessions/{session}/objects", "/sessions/work/objects", json!({}));
    assert!(listed.to_string().contains("docs/oak.md"), "{listed:#}");
    let shown =
        ask.route("GET", "/sessions/{session}/object", "/sessions/work/object", json!({ "object": "docs/oak.md" }));
    assert!(shown.to_string().contains("acorn"), "{shown:#}");
    let found = ask.route("GET", "/sessions/{session}/search", "/sessions/work/search", json!({ "query": "acorn" }));
    assert!(found.to_string().contains("docs/oak.md"), "{found:#}");
    ask.route("GET", "/sessions/{session}/render", "/sessions/work/render", json!({}));
}
