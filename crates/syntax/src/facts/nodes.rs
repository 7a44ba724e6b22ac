//! What the nodes of each grammar are to the collection of facts. To add a language: a row in [`FAMILIES`] and a table.

use std::sync::OnceLock;

use ai_assist_text::Language;
use tree_sitter::Node;

use super::super::languages::{Role, Rules};

/// What is done at a node; several can be said of one.
pub(super) type Acts = u32;

/// A call, or the making of an object.
pub(super) const CALL: Acts = 1;
pub(super) const IMPORT: Acts = 1 << 1;
/// A function or method, if it has a body.
pub(super) const FUNCTION: Acts = 1 << 2;
/// A function without a name of its own: counted where it is given one, as in `const f = () => …`.
pub(super) const CLOSURE: Acts = 1 << 3;
/// A place where the way forks.
pub(super) const BRANCH: Acts = 1 << 4;
/// A block that forks, to be nested in others.
pub(super) const NEST: Acts = 1 << 5;
const FORK: Acts = BRANCH | NEST;
pub(super) const STRING: Acts = 1 << 6;
/// In a string, a part that is computed.
pub(super) const INSERT: Acts = 1 << 7;
/// Joins two values with an operator.
pub(super) const JOIN: Acts = 1 << 8;
pub(super) const ATTRIBUTE: Acts = 1 << 9;
/// Gives a name a value: an assignment, a named argument, a pair of an object.
pub(super) const SETTING: Acts = 1 << 10;
pub(super) const EXPORT: Acts = 1 << 11;
pub(super) const MACRO: Acts = 1 << 12;
/// Turns the compiler's checks off.
pub(super) const UNSAFE: Acts = 1 << 13;
/// Runs its text in a shell.
pub(super) const SHELL: Acts = 1 << 14;
/// A name, which may be that of a constant worth a look.
pub(super) const WORD: Acts = 1 << 15;
/// A definition by the table of the chunker.
pub(super) const DEFINE: Acts = 1 << 16;
pub(super) const VARIANT: Acts = 1 << 17;
pub(super) const COMMENT: Acts = 1 << 18;

/// Languages that are told apart here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Rust,
    Python,
    Script,
    Go,
    Java,
    C,
    CSharp,
    Ruby,
    Php,
    Bash,
}

type Table = &'static [(Acts, &'static [&'static str])];

const FAMILIES: &[(&str, Family, &[Table])] = &[
    ("rust", Family::Rust, &[RUST]),
    ("python", Family::Python, &[PYTHON]),
    ("javascript", Family::Script, &[SCRIPT]),
    ("typescript", Family::Script, &[SCRIPT]),
    ("tsx", Family::Script, &[SCRIPT]),
    ("go", Family::Go, &[GO]),
    ("java", Family::Java, &[JAVA]),
    ("c", Family::C, &[C]),
    ("cpp", Family::C, &[C, CPP]),
    ("csharp", Family::CSharp, &[CSHARP]),
    ("ruby", Family::Ruby, &[RUBY]),
    ("php", Family::Php, &[PHP]),
    ("bash", Family::Bash, &[BASH]),
];

const RUST: Table = &[
    (CALL, &["call_expression"]),
    (IMPORT, &["use_declaration", "extern_crate_declaration", "mod_item"]),
    (FUNCTION, &["function_item"]),
    (FORK, &["if_expression", "while_expression", "for_expression", "loop_expression"]),
    (NEST, &["match_expression"]),
    (BRANCH, &["match_arm"]),
    (STRING, &["string_literal", "raw_string_literal"]),
    (JOIN, &["binary_expression"]),
    (ATTRIBUTE, &["attribute_item"]),
    (MACRO, &["macro_invocation"]),
    (UNSAFE, &["unsafe_block"]),
    (VARIANT, &["enum_variant"]),
    (COMMENT, &["line_comment", "block_comment"]),
];

const PYTHON: Table = &[
    (CALL, &["call"]),
    (IMPORT, &["import_statement", "import_from_statement", "future_import_statement"]),
    (FUNCTION, &["function_definition"]),
    (FORK, &["if_statement", "for_statement", "while_statement"]),
    (NEST, &["match_statement"]),
    (BRANCH, &["case_clause", "elif_clause", "except_clause", "conditional_expression"]),
    (STRING, &["string", "concatenated_string"]),
    (INSERT, &["interpolation"]),
    (JOIN, &["binary_operator"]),
    (ATTRIBUTE, &["decorator"]),
    (SETTING, &["keyword_argument", "assignment", "augmented_assignment"]),
    (WORD, &["identifier"]),
    (COMMENT, &["comment"]),
];

const SCRIPT: Table = &[
    (CALL, &["call_expression", "new_expression"]),
    (IMPORT, &["import_statement"]),
    (EXPORT, &["export_statement"]),
    (FUNCTION, &["function_declaration", "generator_function_declaration", "method_definition"]),
    (CLOSURE, &["arrow_function", "function_expression", "generator_function"]),
    (FORK, &["if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement"]),
    (NEST, &["switch_statement"]),
    (BRANCH, &["switch_case", "ternary_expression", "catch_clause"]),
    (STRING, &["string", "template_string"]),
    (INSERT, &["template_substitution"]),
    (JOIN, &["binary_expression"]),
    (ATTRIBUTE, &["decorator"]),
    (SETTING, &["pair", "assignment_expression", "jsx_attribute"]),
    (COMMENT, &["comment"]),
];

const GO: Table = &[
    (CALL, &["call_expression"]),
    (IMPORT, &["import_spec"]),
    (FUNCTION, &["function_declaration", "method_declaration"]),
    (FORK, &["if_statement", "for_statement"]),
    (NEST, &["expression_switch_statement", "type_switch_statement", "select_statement"]),
    (BRANCH, &["expression_case", "type_case", "communication_case"]),
    (STRING, &["interpreted_string_literal", "raw_string_literal"]),
    (JOIN, &["binary_expression"]),
    (SETTING, &["keyed_element"]),
    (COMMENT, &["comment"]),
];

const JAVA: Table = &[
    (CALL, &["method_invocation", "object_creation_expression"]),
    (IMPORT, &["import_declaration"]),
    (FUNCTION, &["method_declaration", "constructor_declaration", "compact_constructor_declaration"]),
    (FORK, &["if_statement", "for_statement", "enhanced_for_statement", "while_statement", "do_statement"]),
    (NEST, &["switch_expression"]),
    (BRANCH, &["switch_block_statement_group", "switch_rule", "catch_clause", "ternary_expression"]),
    (STRING, &["string_literal"]),
    (JOIN, &["binary_expression"]),
    (ATTRIBUTE, &["annotation"]),
    (WORD, &["identifier"]),
    (COMMENT, &["line_comment", "block_comment"]),
];

const C: Table = &[
    (CALL, &["call_expression"]),
    (IMPORT, &["preproc_include"]),
    (FUNCTION, &["function_definition"]),
    (FORK, &["if_statement", "for_statement", "while_statement", "do_statement"]),
    (NEST, &["switch_statement"]),
    (BRANCH, &["case_statement", "conditional_expression"]),
    (STRING, &["string_literal", "concatenated_string"]),
    (JOIN, &["binary_expression"]),
    (COMMENT, &["comment"]),
];

const CPP: Table = &[(FORK, &["for_range_loop"]), (BRANCH, &["catch_clause"]), (STRING, &["raw_string_literal"])];

const CSHARP: Table = &[
    (CALL, &["invocation_expression", "object_creation_expression"]),
    (IMPORT, &["using_directive"]),
    (
        FUNCTION,
        &["method_declaration", "constructor_declaration", "destructor_declaration", "local_function_statement"],
    ),
    (FORK, &["if_statement", "for_statement", "foreach_statement", "while_statement", "do_statement"]),
    (NEST, &["switch_statement", "switch_expression"]),
    (BRANCH, &["switch_section", "switch_expression_arm", "catch_clause", "conditional_expression"]),
    (STRING, &["string_literal", "verbatim_string_literal", "raw_string_literal", "interpolated_string_expression"]),
    (INSERT, &["interpolation"]),
    (JOIN, &["binary_expression"]),
    (ATTRIBUTE, &["attribute"]),
    (UNSAFE, &["unsafe_statement"]),
    (WORD, &["identifier"]),
    (COMMENT, &["comment"]),
];

const RUBY: Table = &[
    (CALL, &["call"]),
    (FUNCTION, &["method", "singleton_method"]),
    (FORK, &["if", "unless", "while", "until", "for"]),
    (NEST, &["case", "case_match"]),
    (BRANCH, &["when", "in_clause", "elsif", "rescue", "conditional"]),
    (BRANCH, &["if_modifier", "unless_modifier", "while_modifier", "until_modifier"]),
    (STRING, &["string"]),
    (INSERT, &["interpolation"]),
    (JOIN, &["binary"]),
    (SHELL, &["subshell"]),
    (WORD, &["constant", "identifier"]),
    (COMMENT, &["comment"]),
];

const PHP: Table = &[
    (CALL, &["function_call_expression", "member_call_expression", "nullsafe_member_call_expression"]),
    (CALL, &["scoped_call_expression", "object_creation_expression"]),
    (IMPORT, &["namespace_use_declaration", "include_expression", "include_once_expression"]),
    (IMPORT, &["require_expression", "require_once_expression"]),
    (FUNCTION, &["function_definition", "method_declaration"]),
    (FORK, &["if_statement", "for_statement", "foreach_statement", "while_statement", "do_statement"]),
    (NEST, &["switch_statement", "match_expression"]),
    (BRANCH, &["else_if_clause", "case_statement", "match_conditional_expression"]),
    (BRANCH, &["conditional_expression", "catch_clause"]),
    (STRING, &["string", "encapsed_string"]),
    (INSERT, &["variable_name", "member_access_expression", "subscript_expression"]),
    (JOIN, &["binary_expression"]),
    (ATTRIBUTE, &["attribute"]),
    (SHELL, &["shell_command_expression"]),
    (COMMENT, &["comment"]),
];

const BASH: Table = &[
    (CALL, &["command"]),
    (FUNCTION, &["function_definition"]),
    (FORK, &["if_statement", "for_statement", "c_style_for_statement", "while_statement"]),
    (NEST, &["case_statement"]),
    (BRANCH, &["elif_clause", "case_item"]),
    (STRING, &["string", "raw_string", "word"]),
    (INSERT, &["simple_expansion", "expansion", "command_substitution"]),
    (COMMENT, &["comment"]),
];

macro_rules! fields {
    ($($field:ident $name:literal),* $(,)?) => {
        /// Fields that are asked for, by their place in [`Kinds::fields`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Field { $($field),* }
        const FIELDS: &[&str] = &[$($name),*];
    };
}
fields! {
    Alias "alias", Alternative "alternative", Argument "argument", Arguments "arguments", Attribute "attribute",
    Block "block", Body "body", Constructor "constructor", Definition "definition", Expression "expression",
    Member "field", Function "function", Key "key", Left "left", List "list", Method "method", ModuleName "module_name",
    Name "name", Object "object", Operand "operand", Operator "operator", Parameters "parameters", Path "path",
    Property "property", Receiver "receiver", Right "right", Scope "scope", Source "source", Type "type", Value "value",
}

/// A grammar's kinds of nodes and fields by number: to compare names at each node would take longer than parsing.
pub(super) struct Kinds {
    pub family: Family,
    acts: Vec<Acts>,
    fields: Vec<u16>,
}

impl Kinds {
    /// What is done at a node. `ERROR` has a number outside the table, and nothing is done at it.
    pub(super) fn acts(&self, node: Node<'_>) -> Acts {
        self.acts.get(usize::from(node.kind_id())).copied().unwrap_or(0)
    }

    /// Whether any of `acts` is said of a node.
    pub(super) fn is(&self, node: Node<'_>, acts: Acts) -> bool {
        self.acts(node) & acts != 0
    }

    pub(super) fn child<'t>(&self, node: Node<'t>, field: Field) -> Option<Node<'t>> {
        match self.fields.get(field as usize).copied().unwrap_or(0) {
            0 => None,
            id => node.child_by_field_id(id),
        }
    }

    /// The child in the first of some fields that has one.
    pub(super) fn any_child<'t>(&self, node: Node<'t>, fields: &[Field]) -> Option<Node<'t>> {
        fields.iter().find_map(|&field| self.child(node, field))
    }

    fn new(family: Family, tables: &[Table], rules: &Rules) -> Kinds {
        let grammar = (rules.grammar)();
        let acts_of = |id: u16| {
            let Some(kind) = grammar.node_kind_for_id(id).filter(|_| grammar.node_kind_is_named(id)) else { return 0 };
            let rows = tables.iter().copied().flatten().filter(|(_, kinds)| kinds.contains(&kind));
            let define = if matches!(rules.role(kind), Role::Define(..)) { DEFINE } else { 0 };
            rows.fold(define, |all, (acts, _)| all | acts)
        };
        let count = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        let fields = FIELDS.iter().map(|name| grammar.field_id_for_name(name).map_or(0, Into::into)).collect();
        Kinds { family, acts: (0..count).map(acts_of).collect(), fields }
    }
}

/// The kinds of a language's grammar, worked out on first use.
pub(super) fn kinds(language: Language, rules: &Rules) -> Option<&'static Kinds> {
    static ALL: [OnceLock<Kinds>; FAMILIES.len()] = [const { OnceLock::new() }; FAMILIES.len()];
    let index = FAMILIES.iter().position(|(name, ..)| *name == language.name())?;
    let (_, family, tables) = FAMILIES[index];
    Some(ALL[index].get_or_init(|| Kinds::new(family, tables, rules)))
}

#[cfg(test)]
mod tests {
    use super::super::super::languages::rules;
    use super::*;

    /// A misspelt kind would never be met, and nothing else would tell.
    #[test]
    fn every_kind_and_field_is_in_a_grammar() {
        let mut fields = vec![false; FIELDS.len()];
        for (name, _, tables) in FAMILIES {
            let language = Language::all().find(|language| language.name() == *name).unwrap();
            let rules = rules(language).unwrap();
            let grammar = (rules.grammar)();
            for kind in tables.iter().copied().flatten().flat_map(|(_, kinds)| *kinds) {
                let only_typed = *kind == "jsx_attribute" && *name == "typescript";
                assert!(only_typed || grammar.id_for_node_kind(kind, true) != 0, "{name} has no {kind}");
            }
            for (index, &field) in kinds(language, &rules).unwrap().fields.iter().enumerate() {
                fields[index] |= field != 0;
            }
        }
        assert!(fields.iter().all(|found| *found), "{fields:?}");
        assert_eq!(FIELDS.len(), Field::Value as usize + 1);
        assert_eq!(FIELDS[Field::ModuleName as usize], "module_name");
    }
}
