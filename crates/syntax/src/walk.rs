use ai_assist_base::Rounds;
use tree_sitter::{Node, Tree};

use super::languages::{Role, Rules};
use super::names::{Called, called, signature};
use crate::structure::{Section, Structure, Style};
use crate::{ChunkKind, CutFrom};

/// What the children of a node are looked at for.
#[derive(Debug, Clone, Copy)]
enum Frame {
    /// Definitions and other code `depth` containers deep.
    Members {
        depth: usize,
        in_type: bool,
    },
    /// The body of a container, to go into.
    Container {
        depth: usize,
        in_type: bool,
    },
    Statements {
        rank: u8,
        after_comment: bool,
    },
}

/// Comments and attributes seen before the definition they belong to.
#[derive(Debug, Clone, Copy)]
struct LeadIn {
    start: usize,
    end: usize,
    /// Only comments may stand apart from what follows them.
    firm: bool,
}

struct Walk<'a> {
    text: &'a str,
    rules: &'a Rules,
    cut_from: CutFrom,
    found: Structure,
    lead: Option<LeadIn>,
    /// The end of the last node looked at, to tell a comment after a statement from one before the next.
    before: usize,
}

pub(super) fn walk(text: &str, tree: &Tree, rules: &Rules, cut_from: CutFrom) -> Structure {
    let found = Structure::new(Style::Code, ChunkKind::Code);
    let mut walk = Walk { text, rules, cut_from, found, lead: None, before: 0 };
    let mut cursor = tree.walk();
    let mut frames: Vec<Frame> = Vec::new();
    if !cursor.goto_first_child() {
        return walk.found;
    }
    frames.push(Frame::Members { depth: 0, in_type: false });
    let mut rounds = Rounds::default();
    while let Some(frame) = frames.last_mut() {
        if rounds.stopped() {
            break;
        }
        let node = cursor.node();
        let inner = match *frame {
            Frame::Members { depth, in_type } => walk.member(node, depth, in_type),
            Frame::Container { depth, in_type } => {
                (cursor.field_name() == Some("body")).then_some(Frame::Members { depth, in_type })
            }
            Frame::Statements { rank, after_comment } => {
                let is_comment = walk.rules.role(node.kind()) == Role::Lead;
                *frame = Frame::Statements { rank, after_comment: is_comment };
                walk.statement(node, rank, after_comment)
            }
        };
        if let Some(inner) = inner
            && cursor.goto_first_child()
        {
            frames.push(inner);
            continue;
        }
        while !cursor.goto_next_sibling() {
            frames.pop();
            // What is left over at the end of a container is no lead-in to what follows it.
            if let Some(Frame::Members { depth, .. }) = frames.last()
                && let Some(lead) = walk.lead.take()
            {
                walk.other(lead.start, *depth, ChunkKind::Code);
            }
            if frames.is_empty() || !cursor.goto_parent() {
                return walk.found;
            }
        }
    }
    walk.found
}

impl Walk<'_> {
    /// Looks at a node among members; gives back how to look at its children, if they matter.
    fn member(&mut self, node: Node<'_>, depth: usize, in_type: bool) -> Option<Frame> {
        if !node.is_named() {
            self.before = self.before.max(self.trimmed_end(node));
            return None;
        }
        let inner = match self.rules.role(node.kind()) {
            Role::Lead => {
                self.lead_in(node, depth);
                None
            }
            Role::Through => {
                let start = self.start_of(node, depth);
                self.lead = Some(LeadIn { start, end: node.start_byte(), firm: true });
                return Some(Frame::Members { depth, in_type });
            }
            Role::Import => {
                let start = self.start_of(node, depth);
                self.other(start, depth, ChunkKind::Imports);
                self.oversized(node)
            }
            Role::Define(kind, how) => match called(self.text, node, kind, how) {
                Some(called) => self.define(node, called, depth, in_type),
                None => self.plain(node, depth),
            },
            Role::Other => self.plain(node, depth),
        };
        // Going into a node, what comes next is compared with where it starts.
        self.before = if inner.is_some() { node.start_byte() } else { self.trimmed_end(node) };
        inner
    }

    fn define(&mut self, node: Node<'_>, called: Called, depth: usize, in_type: bool) -> Option<Frame> {
        use ChunkKind::{Class, Enum, Function, Impl, Interface, Method, Module, Struct, Trait};
        let start = self.start_of(node, depth);
        let kind = if called.kind == Function && in_type { Method } else { called.kind };
        let section = Section {
            at: node.start_byte(),
            owner: called.owner,
            end: Some(node.end_byte()),
            signature: signature(self.text, node),
            // A named section is bare only once its first member has shown where its heading ends.
            ..Section::named(start, start, depth + 1, &called.name, kind)
        };
        self.open(section, depth);
        let is_type = matches!(kind, Class | Enum | Impl | Interface | Struct | Trait);
        if (is_type || kind == Module) && node.child_by_field_name("body").is_some() {
            return Some(Frame::Container { depth: depth + 1, in_type: is_type });
        }
        self.oversized(node)
    }

    fn plain(&mut self, node: Node<'_>, depth: usize) -> Option<Frame> {
        let start = self.start_of(node, depth);
        self.other(start, depth, ChunkKind::Code);
        self.oversized(node)
    }

    /// Whether a node is so large that it must be cut in itself.
    fn oversized(&self, node: Node<'_>) -> Option<Frame> {
        let large = node.end_byte() - node.start_byte() > self.cut_from.definition;
        large.then_some(Frame::Statements { rank: 1, after_comment: false })
    }

    fn statement(&mut self, node: Node<'_>, rank: u8, after_comment: bool) -> Option<Frame> {
        if !node.is_named() {
            return None;
        }
        let (start, on_own_line) = self.line_start(node.start_byte());
        if on_own_line && !after_comment {
            self.cut(start, rank);
        }
        let large = node.end_byte() - node.start_byte() > self.cut_from.statement;
        large.then_some(Frame::Statements { rank: rank.saturating_add(1), after_comment: false })
    }

    /// Takes note of a comment or an attribute.
    fn lead_in(&mut self, node: Node<'_>, depth: usize) {
        let firm = !node.kind().contains("comment");
        let (start, end) = (node.start_byte(), self.trimmed_end(node));
        if let Some(lead) = self.lead.filter(|lead| lead.firm || self.lines_between(lead.end, start) < 2) {
            self.lead = Some(LeadIn { start: lead.start, end, firm: lead.firm || firm });
            return;
        }
        if let Some(apart) = self.lead.take() {
            self.other(apart.start, depth, ChunkKind::Code);
        }
        let trails = self.before > 0 && self.lines_between(self.before, start) == 0;
        if !trails || firm {
            self.lead = Some(LeadIn { start: self.line_start(start).0, end, firm });
        }
    }

    /// Where a node starts with the comments and attributes that belong to it.
    fn start_of(&mut self, node: Node<'_>, depth: usize) -> usize {
        let start = node.start_byte();
        if let Some(lead) = self.lead.take() {
            if lead.firm || self.lines_between(lead.end, start) < 2 {
                return lead.start;
            }
            self.other(lead.start, depth, ChunkKind::Code);
        }
        self.line_start(start).0
    }

    /// Code without a name: joined with what is before it if that is its container's head or code like it.
    fn other(&mut self, start: usize, depth: usize, kind: ChunkKind) {
        let joins = self.found.sections.last().is_some_and(|last| {
            let is_head = last.name.is_some() && last.level == depth;
            is_head || (last.name.is_none() && last.level == depth + 1 && last.kind == kind)
        });
        if joins {
            if self.line_start(start).1 {
                self.cut(start, 0);
            }
        } else {
            self.open(Section { level: depth + 1, ..Section::unnamed(start, kind) }, depth);
        }
    }

    fn open(&mut self, mut section: Section, depth: usize) {
        if let Some(last) = self.found.sections.last_mut() {
            section.start = section.start.max(last.start);
            section.body = section.body.max(section.start);
            let is_first_member = last.name.is_some() && last.level == depth;
            // One line, or two if the brace has its own, says no more than the name does.
            let header = self.text[last.start..section.start].trim().trim_end_matches('{').trim_end();
            if is_first_member && !header.contains('\n') {
                last.body = section.start;
            }
        }
        let start = section.start;
        self.found.sections.push(section);
        self.cut(start, 0);
    }

    /// Breaks must be in order; a place that was seen keeps its first rank, which is that of the outermost node.
    fn cut(&mut self, at: usize, rank: u8) {
        if self.found.breaks.last().is_none_or(|last| last.at < at) {
            self.found.cut(at, rank);
        }
    }

    /// The start of the line, if there is only white space before `at` on it, else `at`; and which of the two it is.
    fn line_start(&self, at: usize) -> (usize, bool) {
        let at = self.text.floor_char_boundary(at);
        let before = self.text.as_bytes()[..at].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let start = at - before;
        let on_own_line = start == 0 || self.text.as_bytes()[start - 1] == b'\n';
        if on_own_line { (start, true) } else { (at, false) }
    }

    /// How many line ends lie between two places.
    fn lines_between(&self, from: usize, to: usize) -> usize {
        let between = self.text.as_bytes().get(from..to).unwrap_or_default();
        between.iter().filter(|&&byte| byte == b'\n').count()
    }

    /// The end of a node without the line end that some grammars count in.
    fn trimmed_end(&self, node: Node<'_>) -> usize {
        let end = node.end_byte();
        let bytes = &self.text.as_bytes()[node.start_byte()..end];
        end - bytes.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count()
    }
}
