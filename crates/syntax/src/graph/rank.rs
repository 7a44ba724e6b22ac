use super::weigh::{IMPORTS, Weights};
use super::{CodeGraph, Definition, File};
use crate::ChunkKind;

const DAMPING: f64 = 0.85;

/// Enough for ranks to stand still to three digits: what is left of the first guess is less than .85 to this power.
const ROUNDS: usize = 48;

/// What is asked for takes so much of what is spread anew in each round; the rest goes to everything.
const FOCUS: f64 = 0.9;

#[derive(Debug)]
pub struct Ranks {
    /// The share of each file in the rank of all, less if it is a test or an example.
    pub files: Vec<f64>,
    /// The rank that reaches the file of each definition through its name.
    pub definitions: Vec<f64>,
    /// How many other files use each definition, as far as names and imports tell.
    pub users: Vec<u32>,
}

impl CodeGraph {
    /// Ranks files and definitions. Rank flows from `focus`: files, folders or symbols that the reader cares about.
    pub fn ranks(&self, focus: &[String]) -> Ranks {
        Ranks::new(self, &Weights::new(self), focus)
    }

    /// For each definition, whether a focus names it, its file or a folder around it.
    pub fn focused(&self, focus: &[String]) -> Vec<bool> {
        let named = |file: &File| focus.iter().any(|focus| names_file(focus, file));
        let files: Vec<bool> = self.files.iter().map(named).collect();
        let is_named = |definition: &Definition| {
            files[definition.file as usize] || is_among(focus, self.names.get(definition.name))
        };
        self.definitions.iter().map(is_named).collect()
    }

    /// What of a focus names nothing here.
    pub fn unmatched(&self, focus: &[String]) -> Vec<String> {
        let names_nothing = |focus: &&String| {
            !self.files.iter().any(|file| names_file(focus, file)) && self.names.number(focus).is_none()
        };
        focus.iter().filter(names_nothing).cloned().collect()
    }
}

impl Ranks {
    fn new(graph: &CodeGraph, weights: &Weights, focus: &[String]) -> Self {
        let spread = spread(graph, focus);
        let flow = flow(graph, weights, &spread);
        let mut ranks = Ranks {
            files: flow.iter().zip(&graph.files).map(|(flow, file)| flow * file.worth).collect(),
            definitions: vec![0.0; graph.definitions.len()],
            users: vec![0; graph.definitions.len()],
        };
        for (user, pulls) in weights.pulls.iter().enumerate() {
            for pull in pulls {
                let share = flow[user] * DAMPING * f64::from(pull.weight) / weights.totals[user] as f64;
                ranks.definitions[pull.definition as usize] += share;
                ranks.users[pull.definition as usize] += u32::from(pull.is_use());
            }
        }
        ranks.share(graph);
        ranks.look_at(graph, focus, &spread);
        ranks
    }

    /// What reached the first definition of a name in a file belongs to all of that name there.
    fn share(&mut self, graph: &CodeGraph) {
        let mut start = 0;
        for alike in graph.definitions.chunk_by(|a, b| (a.name, a.file) == (b.name, b.file)) {
            let worth = alike.first().map_or(1.0, |first| graph.files[first.file as usize].worth);
            let each = self.definitions[start] * worth / alike.len() as f64;
            let users = self.users[start];
            // What one file uses is not central, however central that file is.
            let each = each * f64::from(users) / (f64::from(users) + 2.0);
            self.users[start..start + alike.len()].fill(users);
            for (rank, definition) in self.definitions[start..].iter_mut().zip(alike) {
                *rank = each * explains(definition.kind);
            }
            start += alike.len();
        }
    }

    /// A symbol that was asked for by name is worth showing itself.
    fn look_at(&mut self, graph: &CodeGraph, focus: &[String], spread: &[f64]) {
        for (rank, definition) in self.definitions.iter_mut().zip(&graph.definitions) {
            if is_among(focus, graph.names.get(definition.name)) {
                *rank += spread[definition.file as usize];
            }
        }
    }
}

/// How much the definition of a kind explains beside that of a type.
fn explains(kind: ChunkKind) -> f64 {
    match kind {
        ChunkKind::Function => 0.9,
        ChunkKind::Method => 0.8,
        ChunkKind::Constant | ChunkKind::Macro => 0.5,
        _ => 1.0,
    }
}

/// Where rank comes from: from every file by its worth, but mostly from what the reader asks for.
fn spread(graph: &CodeGraph, focus: &[String]) -> Vec<f64> {
    let everywhere: Vec<f64> = graph.files.iter().map(|file| file.worth).collect();
    let mut asked: Vec<f64> = vec![0.0; graph.files.len()];
    for (weight, file) in asked.iter_mut().zip(&graph.files) {
        *weight += focus.iter().filter(|focus| names_file(focus, file)).count() as f64;
    }
    for definition in &graph.definitions {
        if is_among(focus, graph.names.get(definition.name)) {
            asked[definition.file as usize] += 1.0;
        }
    }
    let (all, of_asked): (f64, f64) = (everywhere.iter().sum(), asked.iter().sum());
    let share = if of_asked > 0.0 { FOCUS } else { 0.0 };
    let part = |weight: f64, sum: f64| if sum > 0.0 { weight / sum } else { 0.0 };
    let both = everywhere.iter().zip(&asked);
    both.map(|(&every, &asked)| (1.0 - share) * part(every, all) + share * part(asked, of_asked)).collect()
}

fn is_among(focus: &[String], name: &str) -> bool {
    focus.iter().any(|focus| focus == name)
}

/// Whether a text names a file: by its path, the end of it, a folder it is in, or its name without the ending.
fn names_file(focus: &str, file: &File) -> bool {
    let focus = focus.trim_start_matches("./").trim_end_matches('/');
    if focus.is_empty() {
        return false;
    }
    let below = file.path.strip_prefix(focus).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let end = || file.path.strip_suffix(focus).is_some_and(|before| before.ends_with('/'));
    let part = |name: &str| name == focus || name.rsplit_once('.').is_some_and(|(stem, _)| stem == focus);
    below || end() || file.path.split('/').any(part)
}

/// PageRank: in each round a file hands its rank on to those it takes from, and the rest is spread anew.
fn flow(graph: &CodeGraph, weights: &Weights, spread: &[f64]) -> Vec<f64> {
    let edges: Vec<Vec<(u32, f64)>> = (0..graph.files.len()).map(|file| edges(graph, weights, file)).collect();
    let kept: Vec<f64> = edges.iter().map(|edges| 1.0 - edges.iter().map(|(_, share)| share).sum::<f64>()).collect();
    let even = 1.0 / graph.files.len().max(1) as f64;
    let mut rank = vec![even; graph.files.len()];
    let mut next = vec![0.0; rank.len()];
    for _ in 0..ROUNDS {
        // What files keep goes to all alike.
        let idle: f64 = rank.iter().zip(&kept).map(|(rank, kept)| rank * kept).sum();
        for (next, spread) in next.iter_mut().zip(spread) {
            *next = (1.0 - DAMPING) * spread + DAMPING * idle * even;
        }
        for (rank, edges) in rank.iter().zip(&edges) {
            for &(to, share) in edges {
                next[to as usize] += DAMPING * rank * share;
            }
        }
        std::mem::swap(&mut rank, &mut next);
    }
    rank
}

/// The files that a file takes from, sorted, with what part of its rank goes there.
fn edges(graph: &CodeGraph, weights: &Weights, file: usize) -> Vec<(u32, f64)> {
    let taken = weights.pulls[file].iter();
    let taken = taken.map(|pull| (graph.definitions[pull.definition as usize].file, u64::from(pull.weight)));
    let imports = &graph.files[file].imports;
    let each = IMPORTS / imports.len().max(1) as u64;
    let mut to: Vec<(u32, u64)> = taken.chain(imports.iter().map(|&file| (file, each))).collect();
    to.sort_unstable();
    let groups = to.chunk_by(|a, b| a.0 == b.0);
    let sum = |group: &[(u32, u64)]| {
        let weight: u64 = group.iter().map(|(_, weight)| weight).sum();
        group.first().map(|(to, _)| (*to, weight as f64 / weights.totals[file] as f64))
    };
    groups.filter_map(sum).collect()
}
