use super::*;

/// The items of a text, each as its path and what of the text it is.
fn items(text: &str, language: Language) -> Vec<(String, String)> {
    let program = Program::parse(text, language).unwrap();
    let shown = |item: PublicItem| (item.path.join("."), text[item.bytes].to_owned());
    program.public_items().unwrap().into_iter().map(shown).collect()
}

fn names(text: &str, language: Language) -> Vec<String> {
    items(text, language).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn rust_offers_what_is_pub() {
    let text = r#"//! A router.
//!
//! # Example

use std::fmt;

/// Routes requests.
#[derive(Debug)]
pub struct Router<S> {
    /// Its routes.
    pub routes: Vec<S>,
}

impl<S: Clone> Router<S> {
    /// Adds a route.
    #[must_use]
    pub fn route(
        self,
        path: &str,
    ) -> Self {
        todo!()
    }
    fn private(&self) {}
    pub(crate) fn ours(&self) {}
}

impl<S> fmt::Debug for Router<S> {
    fn fmt(&self) -> fmt::Result { Ok(()) }
}

/// What answers.
pub trait Handler {
    type Out;
    /// Calls it.
    fn call(&self) -> Self::Out;
}

#[doc(hidden)]
pub fn hidden() {}

pub mod inner {
    //! Within.
    pub const LIMIT: usize = 3;
    fn not() {}
}

mod private { pub fn unseen() {} }

#[cfg(test)]
pub mod tests { pub fn t() {} }

/// Makes one.
#[macro_export]
macro_rules! router { () => {} }
macro_rules! own { () => {} }

cfg_rt! {
    /// Spawns a task.
    pub fn spawn<T>(task: T) -> T { task }
    cfg_io! { pub struct Io; }
}
"#;
    let found = items(text, Language::RUST);
    let at = |name: &str| found.iter().find(|(path, _)| path == name).map(|(_, text)| text.as_str()).unwrap();
    assert_eq!(
        names(text, Language::RUST),
        [
            "", "Router", "Router.route", "Handler", "Handler.Out", "Handler.call", "inner", "inner.LIMIT", "router",
            "spawn", "Io"
        ]
    );
    assert_eq!(at(""), "//! A router.\n//!\n//! # Example");
    assert!(at("Router").starts_with("/// Routes requests.") && at("Router").ends_with('}'), "{}", at("Router"));
    assert!(at("Router.route").starts_with("    /// Adds a route.") && at("Router.route").ends_with(") -> Self"));
    assert_eq!(at("inner.LIMIT"), "    pub const LIMIT: usize =");
    assert_eq!(at("spawn"), "    /// Spawns a task.\n    pub fn spawn<T>(task: T) -> T");
}

#[test]
fn python_offers_names_without_an_underscore() {
    let text = r#"# -*- coding: utf-8 -*-
"""Sends requests."""
__all__ = ["get", "_kept"]

def get(url, **kwargs):
    """Sends a GET.

    :param url: where
    """
    return _send(url)

def _kept(): ...
def _send(url): pass

class Session(Base):
    """Keeps cookies."""
    def __init__(self, retries: int = 3) -> None:
        self.retries = retries
    @property
    def auth(self):
        "Who asks."
    def _own(self): pass
    def __repr__(self): return ""
    def __enter__(self):
        """Opens it."""

if True:
    @overload
    async def stream(x: int) -> int: ...
"#;
    let found = items(text, Language::PYTHON);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let expected = ["", "get", "_kept", "Session", "Session.__init__", "Session.auth", "Session.__enter__", "stream"];
    assert_eq!(names, expected);
    assert_eq!(found[1].1, "def get(url, **kwargs):\n    \"\"\"Sends a GET.\n\n    :param url: where\n    \"\"\"");
    assert_eq!(found[4].1, "    def __init__(self, retries: int = 3) -> None:");
    assert_eq!(found[5].1, "    @property\n    def auth(self):\n        \"Who asks.\"");
    assert_eq!(found[7].1, "    @overload\n    async def stream(x: int) -> int: ...");
}

#[test]
fn go_offers_capitals() {
    let text = "// Copyright.\n\n// Package mux routes.\npackage mux\n\n// NewRouter makes a router.\n// It is empty.\nfunc NewRouter() *Router {\n\treturn nil\n}\n\n// own\nfunc own() {}\n\n// Router routes.\ntype Router struct {\n\tA int\n}\n\n// Handle adds.\nfunc (r *Router) Handle(path string) *Route {\n\treturn nil\n}\nfunc (r *small) Handle() {}\n\ntype (\n\tA int\n\tb int\n)\n\n// Limits.\nconst (\n\tMax = 1\n\tmin = 2\n)\n";
    let found = items(text, Language::GO);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["", "NewRouter", "Router", "Router.Handle", "A", "Max"]);
    assert_eq!(found[0].1, "// Package mux routes.\npackage mux");
    assert_eq!(found[1].1, "// NewRouter makes a router.\n// It is empty.\nfunc NewRouter() *Router");
    assert_eq!(found[3].1, "// Handle adds.\nfunc (r *Router) Handle(path string) *Route");
}

#[test]
fn javascript_offers_what_has_a_comment_for_users() {
    let text = r"/*!
 * express
 */
'use strict';

/**
 * Module dependencies.
 */
var debug = require('debug');

/**
 * Own.
 * @private
 */
function own() {}

/**
 * Map the given param placeholder.
 *
 * @public
 */
app.param = function param(name, fn) {
  return this;
};

/** Get it. */
req.get =
req.header = function header(name) {};

function plain() {}

/** A class. */
export class Command extends Base {
  /** Adds an option. */
  option(flags) { return 1; }
  other() {}
}

module.exports = {
  /** In an object. */
  parse: (text) => { },
};

/**
 * Expose `Router`.
 */
module.exports = Router;

/** Expose the prototypes. */
exports.application = proto.app;

/**
 * How long to wait.
 * @type {number}
 */
exports.wait = defaults.wait;
";
    let found = items(text, Language::JAVASCRIPT);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["app.param", "req.get", "Command", "Command.option", "parse", "wait"]);
    assert!(found[0].1.ends_with("app.param = function param(name, fn)"), "{}", found[0].1);
    assert!(found[1].1.ends_with("function header(name)"), "{}", found[1].1);
    assert!(found[2].1.ends_with("export class Command extends Base"), "{}", found[2].1);
}

#[test]
fn java_offers_what_is_public_and_protected() {
    let text = "package a;

/** Not shown: it is of the package. */
class Own { public void unseen() {} }

/**
 * Holds {@link Thing things}.
 *
 * @param <T> what it holds
 */
@Deprecated
public abstract class Box<T> extends Base implements Comparable<Box<T>> {
    /** How many. */
    public static final int LIMIT = 3, OTHER = 4;
    private int count;
    int ofThePackage;

    /** Makes one. */
    public Box(int size) { this.count = size; }

    /** Gets it. @since 2 */
    @Override
    protected abstract <R> R get(int at, R other) throws IllegalStateException;

    private static class Hidden { public void no() {} }

    /** What is in it. */
    public interface Part {
        /** Its name. */
        String name();
        private void own() {}
        int SIZE = 1;
    }

    public enum Kind {
        /** The first. */
        ONE, TWO;
        /** Says it. */
        public String said() { return null; }
    }

    public record Pair(int a, int b) {}

    public @interface Mark { int value() default 0; }
}
";
    let names = names(text, Language::JAVA);
    let expected = [
        "Box", "Box.LIMIT", "Box.Box", "Box.get", "Box.Part", "Box.Part.name", "Box.Part.SIZE", "Box.Kind",
        "Box.Kind.ONE", "Box.Kind.TWO", "Box.Kind.said", "Box.Pair", "Box.Mark", "Box.Mark.value",
    ];
    assert_eq!(names, expected);
    let items = Program::parse(text, Language::JAVA).unwrap().public_items().unwrap();
    let readable = |name: &str| {
        let item = items.iter().find(|item| item.path.last().is_some_and(|last| last == name));
        item.and_then(|item| item.readable.clone()).unwrap_or_default()
    };
    assert_eq!(
        readable("Box").lines().next(),
        Some("@Deprecated public abstract class Box<T> extends Base implements Comparable<Box<T>>")
    );
    assert!(
        readable("get").starts_with("protected abstract <R> R get(int at, R other) throws IllegalStateException\n\n")
    );
    assert_eq!(readable("LIMIT"), "public static final int LIMIT = 3, OTHER = 4\n\nHow many.");
}

#[test]
fn other_languages_have_none_and_odd_texts_do_no_harm() {
    let ruby: Language = "ruby".parse().unwrap();
    assert!(Program::parse("class A\nend", ruby).unwrap().public_items().is_none());
    assert!(!has_public_items(ruby) && has_public_items(Language::RUST));
    for language in [Language::RUST, Language::PYTHON, Language::GO, Language::JAVASCRIPT, Language::JAVA] {
        for text in ["", "\n", "/** \u{e9}", "pub fn", "class", "é = (", "}}}}", "//! é\n//!", "func (", "/**é*/é"]
        {
            if let Some(program) = Program::parse(text, language) {
                for item in program.public_items().unwrap() {
                    assert!(text.get(item.bytes.clone()).is_some_and(|text| !text.is_empty()), "{text:?} {item:?}");
                }
            }
        }
    }
}
