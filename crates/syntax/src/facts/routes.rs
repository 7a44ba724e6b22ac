//! The paths at which a program answers requests.
//!
//! Many things have a `get`. A call counts as a route if its first argument is a literal that looks like a path and what
//! it is called on is named like a router, or if the name of the call leaves no doubt; a decorator, annotation or
//! attribute counts by its name. So `cache.get("/x")` is none, and neither is a client's `api.get("/x")`: without a
//! handler beside the path, nothing answers.

use tree_sitter::Node;

use super::Place;
use super::nodes::{ATTRIBUTE, CALL, Family, Field};
use super::source::{Call, Source, kept, line};
use crate::{Facts, Route};

/// Names of what answers requests; a name that ends in one of [`ROUTER_ENDS`] is one too.
const ROUTERS: &[&str] = &[
    "app", "router", "routes", "route", "mux", "blueprint", "bp", "fastify", "hono", "express", "koa", "engine", "rg",
    "e", "r", "g", "group", "server", "srv", "api", "web", "v1", "v2", "http", "s", "authorized", "admin", "public",
];
const ROUTER_ENDS: &[&str] = &["router", "routes", "app", "api", "group", "blueprint", "_bp", "mux", "server"];

/// Routers that clients are called as well: beside these, the handler must be a function on the spot.
const UNSURE: &[&str] = &["api", "server", "http", "web", "e", "r", "g", "s", "v1", "v2", "admin", "public"];

/// Functions of a router and the method they stand for.
const METHODS: &[(&str, Option<&str>)] = &[
    ("get", Some("GET")),
    ("post", Some("POST")),
    ("put", Some("PUT")),
    ("patch", Some("PATCH")),
    ("delete", Some("DELETE")),
    ("del", Some("DELETE")),
    ("head", Some("HEAD")),
    ("options", Some("OPTIONS")),
    ("all", None),
    ("any", None),
    ("route", None),
];

/// Names by language that say no method, and names that have one between a beginning and an end.
type Named = (Family, &'static [&'static str], (&'static str, &'static str), &'static [(&'static str, &'static str)]);

const TITLED: &[(&str, &str)] = &[
    ("Get", "GET"),
    ("Post", "POST"),
    ("Put", "PUT"),
    ("Patch", "PATCH"),
    ("Delete", "DELETE"),
    ("Head", "HEAD"),
    ("Options", "OPTIONS"),
];
const LOWER: &[(&str, &str)] =
    &[("get", "GET"), ("post", "POST"), ("put", "PUT"), ("patch", "PATCH"), ("delete", "DELETE")];

/// Functions that only routers have. They take a path and a handler.
const CERTAIN: &[Named] = &[
    (Family::Go, &["HandleFunc", "Handle"], ("", ""), &[]),
    (Family::CSharp, &[], ("Map", ""), TITLED.split_at(5).0),
    (Family::Python, &["add_url_rule", "add_api_route"], ("add_", ""), LOWER),
];

/// Decorators, annotations and attributes. Those without a method say it, if at all, in an argument.
const ATTRIBUTES: &[Named] = &[
    (Family::Script, &["Controller", "All"], ("", ""), TITLED),
    (Family::Java, &["RequestMapping", "Path"], ("", "Mapping"), TITLED.split_at(5).0),
    (Family::CSharp, &["Route"], ("Http", ""), TITLED.split_at(6).0),
    (Family::Php, &["Route"], ("", ""), TITLED.split_at(5).0),
];

/// The method of a name in a table, if it is there and has one.
fn named_method(table: &[Named], family: Family, name: &str) -> Option<Option<&'static str>> {
    let (_, plain, (before, after), methods) = table.iter().find(|row| row.0 == family)?;
    if plain.contains(&name) {
        return Some(None);
    }
    let inner = name.strip_prefix(before)?.strip_suffix(after)?;
    methods.iter().find(|(word, _)| *word == inner).map(|&(_, method)| Some(method))
}

fn method_of(name: &str) -> Option<Option<&'static str>> {
    METHODS.iter().find(|(method, _)| *method == name).map(|&(_, method)| method)
}

fn push(facts: &mut Facts, method: Option<&str>, path: &str, node: Node<'_>) {
    facts.routes.push(Route { method: method.map(str::to_owned), path: kept(path), line: line(node) });
}

pub(super) fn call(place: &Place<'_, '_>, call: &Call<'_, '_>, facts: &mut Facts) {
    let source = place.source;
    let family = source.kinds.family;
    if let Some(method) = named_method(CERTAIN, family, call.name) {
        return certain(source, call, method, facts);
    }
    match family {
        Family::Script => script(source, call, facts),
        Family::Go => go(source, call, facts),
        Family::Rust => rust(source, call, facts),
        Family::Python => django(source, call, facts),
        Family::Ruby => ruby(source, call, facts),
        Family::Php => php(source, call, facts),
        _ => {}
    }
}

fn certain(source: Source<'_>, call: &Call<'_, '_>, method: Option<&str>, facts: &mut Facts) {
    let Some(path) = source.first_literal(call).filter(|_| source.arguments(call.arguments).len() > 1) else { return };
    // Go's own router takes `GET /x` as well.
    match path.split_once(' ') {
        Some((method, path)) if path.starts_with('/') && is_method(method) => {
            push(facts, Some(method), path, call.at());
        }
        _ if path.starts_with('/') => push(facts, method, path, call.at()),
        _ => {}
    }
}

fn is_method(word: &str) -> bool {
    !word.is_empty() && word.len() < 12 && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn is_router(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ROUTERS.contains(&name.as_str()) || ROUTER_ENDS.iter().any(|end| name.ends_with(end))
}

fn is_unsure(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    UNSURE.contains(&name.as_str()) || name.ends_with("api") || name.ends_with("server")
}

fn script(source: Source<'_>, call: &Call<'_, '_>, facts: &mut Facts) {
    let Some(method) = method_of(call.name).filter(|_| is_router(call.receiver)) else { return };
    let arguments = source.arguments(call.arguments);
    let path = source.first_literal(call).filter(|path| path.starts_with('/'));
    let Some(path) = path else { return };
    let is_function = |node: &Node<'_>| matches!(node.kind(), "arrow_function" | "function_expression");
    let handler = arguments.last().filter(|_| arguments.len() > 1);
    let unsure = is_unsure(call.receiver);
    let answers = match handler {
        None => call.name == "route" && !unsure,
        Some(handler) if is_function(handler) => true,
        Some(handler) => !unsure && !matches!(handler.kind(), "object" | "string" | "template_string" | "number"),
    };
    if answers {
        push(facts, method, path, call.at());
    }
}

fn go(source: Source<'_>, call: &Call<'_, '_>, facts: &mut Facts) {
    let lower = call.name.to_ascii_lowercase();
    let Some(method) = method_of(&lower).filter(|_| lower != "route" && is_router(call.receiver)) else { return };
    let handles = source.arguments(call.arguments).len() > 1 && call.name.starts_with(char::is_uppercase);
    if let Some(path) = source.first_literal(call).filter(|path| path.starts_with('/') && handles) {
        push(facts, method, path, call.at());
    }
}

/// `.route("/x", get(a).post(b))` and `.route("/x", web::get().to(a))`.
fn rust(source: Source<'_>, call: &Call<'_, '_>, facts: &mut Facts) {
    if !matches!(call.name, "route" | "at" | "resource") || call.on.is_none() {
        return;
    }
    let Some(path) = source.first_literal(call).filter(|path| path.starts_with('/')) else { return };
    if call.name == "resource" {
        if call.receiver == "web" {
            push(facts, None, path, call.at());
        }
        return;
    }
    let Some(handler) = source.arguments(call.arguments).get(1).copied() else { return };
    let mut methods = Vec::new();
    let mut next = Some(handler);
    for _ in 0..8 {
        let Some(inner) = next.filter(|node| source.kinds.is(*node, CALL)).and_then(|node| source.call(node)) else {
            break;
        };
        methods.extend(method_of(inner.name).flatten());
        next = inner.on;
    }
    if methods.is_empty() && call.name == "route" && source.kinds.is(handler, CALL) {
        push(facts, None, path, call.at());
    }
    for method in methods.iter().rev() {
        push(facts, Some(method), path, call.at());
    }
}

fn django(source: Source<'_>, call: &Call<'_, '_>, facts: &mut Facts) {
    let path = source.first_literal(call);
    let Some(path) = path.filter(|_| call.on.is_none() && source.arguments(call.arguments).len() > 1) else { return };
    let is_route = match call.name {
        "path" => !path.contains(char::is_whitespace),
        "re_path" => true,
        "url" => path.starts_with('^'),
        "Route" | "Mount" | "WebSocketRoute" => path.starts_with('/'),
        _ => false,
    };
    if is_route {
        push(facts, None, path, call.at());
    }
}

/// Rails and Sinatra. Tests call `get '/x'` too, but with neither a block nor `to:`.
fn ruby(source: Source<'_>, call: &Call<'_, '_>, facts: &mut Facts) {
    if call.on.is_some() {
        return;
    }
    let arguments = source.arguments(call.arguments);
    if matches!(call.name, "resources" | "resource") {
        for name in arguments.iter().take_while(|argument| argument.kind() == "simple_symbol") {
            push(facts, None, &format!("/{}", kept(source.of(*name).trim_start_matches(':'))), call.at());
        }
        return;
    }
    if call.name == "root" {
        let aim = source.named_argument(&arguments, "to").or(arguments.first().copied());
        if aim.and_then(|aim| source.literal(aim)).is_some_and(|aim| aim.contains('#')) {
            push(facts, Some("GET"), "/", call.at());
        }
        return;
    }
    let Some(method) = method_of(call.name).or((call.name == "match").then_some(None)) else { return };
    let Some(first) = arguments.first().copied() else { return };
    // `get 'x' => 'controller#action'`
    if let (Some(key), Some(value)) = (source.kinds.child(first, Field::Key), source.kinds.child(first, Field::Value)) {
        let aim = source.literal(value).is_some_and(|aim| aim.contains('#'));
        if let Some(path) = source.literal(key).filter(|_| aim) {
            push(facts, method, path, call.at());
        }
        return;
    }
    let Some(path) = source.literal(first) else { return };
    let has_block = source.kinds.child(call.node, Field::Block).is_some();
    let to = source.named_argument(&arguments, "to").is_some();
    if to || has_block && path.starts_with('/') {
        push(facts, method, path, call.at());
    }
}

fn php(source: Source<'_>, call: &Call<'_, '_>, facts: &mut Facts) {
    let arguments = source.arguments(call.arguments);
    let is_laravel = call.receiver == "Route" && call.node.kind() == "scoped_call_expression";
    let method = match call.name {
        "resource" | "apiResource" | "view" | "redirect" if is_laravel => Some(None),
        "match" if is_laravel => {
            let path = arguments.get(1).and_then(|path| source.literal(*path));
            let methods = arguments.first().map(|methods| source.literals(*methods)).unwrap_or_default();
            for method in methods {
                path.iter().for_each(|path| push(facts, Some(&method.to_ascii_uppercase()), path, call.at()));
            }
            return;
        }
        name => method_of(name),
    };
    let (Some(method), Some(path), true) = (method, source.first_literal(call), arguments.len() > 1) else { return };
    if is_laravel || path.starts_with('/') && is_router(call.receiver) && !is_unsure(call.receiver) {
        push(facts, method, path, call.at());
    }
}

/// Takes the routes of a decorator, annotation or attribute.
pub(super) fn attribute(place: &Place<'_, '_>, facts: &mut Facts) {
    let (source, node) = (place.source, place.node);
    if place.acts & ATTRIBUTE == 0 {
        return;
    }
    match source.kinds.family {
        Family::Rust => rust_attribute(source, node, facts),
        Family::Python => {
            let call = node.named_child(0).filter(|inner| source.kinds.is(*inner, CALL));
            let Some(call) = call.and_then(|call| source.call(call)) else { return };
            let Some(method) = method_of(call.name).filter(|_| call.on.is_some()) else { return };
            let Some(path) = source.first_literal(&call).filter(|path| path.starts_with('/')) else { return };
            each_method(source, &source.arguments(call.arguments), method, path, node, facts);
        }
        family => {
            let (name, arguments) = match family {
                Family::Script => {
                    let call = node.named_child(0).filter(|inner| source.kinds.is(*inner, CALL));
                    let Some(call) = call.and_then(|call| source.call(call)) else { return };
                    (call.name, call.arguments)
                }
                Family::Java => (named(source, node), source.kinds.child(node, Field::Arguments)),
                Family::Php => (named(source, node), source.kinds.child(node, Field::Parameters)),
                _ => (named(source, node), node.named_child(1)),
            };
            let Some(method) = named_method(ATTRIBUTES, family, name) else { return };
            let arguments = source.arguments(arguments);
            let named = || ["value", "path", "uri"].iter().find_map(|name| source.named_argument(&arguments, name));
            let Some(first) = named().or(arguments.first().copied()) else { return };
            for path in source.literals(first) {
                each_method(source, &arguments, method, path, node, facts);
            }
        }
    }
}

fn named<'a>(source: Source<'a>, node: Node<'_>) -> &'a str {
    source.kinds.child(node, Field::Name).or_else(|| node.named_child(0)).map_or("", |name| source.last_name(name))
}

/// A route for each method that the arguments name.
fn each_method(
    source: Source<'_>,
    arguments: &[Node<'_>],
    method: Option<&str>,
    path: &str,
    node: Node<'_>,
    facts: &mut Facts,
) {
    let listed = ["methods", "method"].iter().find_map(|name| source.named_argument(arguments, name));
    let mut methods: Vec<&str> = listed.map(|listed| source.literals(listed)).unwrap_or_default();
    // Spring names a constant.
    methods.extend(listed.map(|listed| source.last_name(listed)).filter(|name| is_method(name)));
    if methods.is_empty() {
        push(facts, method, path, node);
    }
    for method in methods {
        push(facts, Some(&kept(method).to_ascii_uppercase()), path, node);
    }
}

/// `#[get("/x")]`: the path is the first token of the attribute.
fn rust_attribute(source: Source<'_>, node: Node<'_>, facts: &mut Facts) {
    let Some(attribute) = node.named_child(0) else { return };
    let Some(method) = attribute.named_child(0).and_then(|name| method_of(source.last_name(name))) else { return };
    let tokens = source.kinds.child(attribute, Field::Arguments);
    let first = tokens.and_then(|tokens| tokens.named_child(0)).and_then(|first| source.literal(first));
    if let Some(path) = first.filter(|path| path.starts_with('/')) {
        push(facts, method, path, node);
    }
}
