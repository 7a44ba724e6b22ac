//! What is kept of a file's facts.

use ai_assist_syntax::{ChunkKind, Command, Facts, Measured, Risky, Route};

/// No more of a file's routes, commands and risky calls are kept; how many there are is.
const KEPT: usize = 60;

/// Whether a file was parsed, and why not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Parsing {
    /// It is no code, or its text can't be had.
    #[default]
    NoCode,
    Parsed,
    NoGrammar,
    TooLarge,
    /// There is more code than is parsed in all.
    NotReached,
    GivenUp,
    Panicked,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Measure {
    pub(crate) parsing: Parsing,
    /// How many files import it.
    pub(crate) fan_in: usize,
    /// How many files of the project it imports.
    pub(crate) fan_out: usize,
    /// How many commits changed it.
    pub(crate) churn: usize,
    pub(crate) functions: usize,
    pub(crate) branches: usize,
    pub(crate) has_tests_inside: bool,
    /// What only few files have.
    pub(crate) more: Option<Box<More>>,
}

/// What is not worth holding for a file without any of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct More {
    pub(crate) longest: Option<Measured>,
    pub(crate) deepest: Option<Measured>,
    pub(crate) risky: Vec<Risky>,
    pub(crate) risky_count: usize,
    pub(crate) routes: Vec<Route>,
    pub(crate) route_count: usize,
    pub(crate) commands: Vec<Command>,
    pub(crate) command_count: usize,
}

impl Measure {
    pub(crate) const NOTHING: Measure = Measure {
        parsing: Parsing::NoCode,
        fan_in: 0,
        fan_out: 0,
        churn: 0,
        functions: 0,
        branches: 0,
        has_tests_inside: false,
        more: None,
    };

    pub(crate) fn new(facts: Facts) -> Self {
        let is_tests = |kind: ChunkKind, name: &str| kind == ChunkKind::Module && matches!(name, "tests" | "test");
        Measure {
            parsing: Parsing::Parsed,
            functions: facts.functions,
            branches: facts.branches,
            has_tests_inside: facts.definitions.iter().any(|entry| is_tests(entry.kind, &entry.name)),
            more: More::new(facts),
            ..Measure::default()
        }
    }
}

impl More {
    fn new(facts: Facts) -> Option<Box<More>> {
        let kept = More {
            risky_count: facts.risky.len(),
            route_count: facts.routes.len(),
            command_count: facts.commands.len(),
            risky: first(facts.risky),
            routes: first(facts.routes),
            commands: first(facts.commands),
            longest: facts.longest_function,
            deepest: facts.deepest_nesting,
        };
        let is_empty = kept.risky.is_empty()
            && kept.routes.is_empty()
            && kept.commands.is_empty()
            && kept.longest.is_none()
            && kept.deepest.is_none();
        (!is_empty).then(|| Box::new(kept))
    }
}

fn first<T>(mut all: Vec<T>) -> Vec<T> {
    all.truncate(KEPT);
    all.shrink_to_fit();
    all
}
