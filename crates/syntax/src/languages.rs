//! What the nodes of each grammar are. To add a language: its grammar crate, a row in [`rules`] and a table of its
//! definitions, imports and the nodes that lead or wrap a definition; everything else counts as plain code.

use std::sync::OnceLock;

use ai_assist_text::Language;

use crate::ChunkKind::{self, *};

/// How the name of a definition is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// The field `name`.
    Field,
    /// Down the fields `declarator`, as in C.
    Declarator,
    /// The fields `trait` and `type` of a Rust `impl`.
    TraitAndType,
    /// The field `name`, owned by the type of the field `receiver`, as for a Go method.
    Receiver,
    /// The first child that is a `name`, as in PHP.
    Child,
}

/// What a node is to the chunker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A definition. If it has a field `body` and its kind is that of a container, members are looked for in there.
    Define(ChunkKind, Name),
    Import,
    /// Belongs to the definition that follows: a comment, an attribute, a decorator.
    Lead,
    /// Wraps definitions: its children count as if they stood in its place.
    Through,
    /// Anything else.
    Other,
}

use Name::*;
use Role::{Define, Import, Lead, Through};

type Table = &'static [(Role, &'static [&'static str])];

/// A grammar and its table.
pub(super) struct Rules {
    /// Loads the grammar: a pointer to static data, so this costs nothing until a text is parsed with it.
    pub grammar: fn() -> tree_sitter::Language,
    /// Whether the grammar must be shown ASCII only: that of Bash 0.25.1 crashes on `{` before U+E2F5A, it seems
    /// because it passes any character to C's `isdigit`.
    pub ascii_only: bool,
    /// Whether a line's end may end a statement.
    pub lines_end_statements: bool,
    /// Whether a string that opens a body is what the body says of itself.
    pub docstrings: bool,
    tables: &'static [Table],
}

impl Rules {
    pub(super) fn role(&self, kind: &str) -> Role {
        let mut rows = self.tables.iter().copied().flatten();
        rows.find(|(_, kinds)| kinds.contains(&kind)).map_or(Role::Other, |&(role, _)| role)
    }
}

/// The rules for a language, if there is a grammar for it.
pub(super) fn rules(language: Language) -> Option<Rules> {
    let (grammar, tables): (fn() -> tree_sitter::Language, &'static [Table]) = match language.name() {
        "rust" => (|| tree_sitter_rust::LANGUAGE.into(), &[EVERY, RUST]),
        "python" => (|| tree_sitter_python::LANGUAGE.into(), &[EVERY, PYTHON]),
        "typescript" => (|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), &[EVERY, JAVASCRIPT, TYPESCRIPT]),
        "tsx" => (|| tree_sitter_typescript::LANGUAGE_TSX.into(), &[EVERY, JAVASCRIPT, TYPESCRIPT]),
        "javascript" => (|| tree_sitter_javascript::LANGUAGE.into(), &[EVERY, JAVASCRIPT]),
        "go" => (|| tree_sitter_go::LANGUAGE.into(), &[EVERY, GO]),
        "java" => (|| tree_sitter_java::LANGUAGE.into(), &[EVERY, JAVA]),
        "c" => (|| tree_sitter_c::LANGUAGE.into(), &[EVERY, C]),
        "cpp" => (|| tree_sitter_cpp::LANGUAGE.into(), &[EVERY, C, CPP]),
        "csharp" => (|| tree_sitter_c_sharp::LANGUAGE.into(), &[EVERY, CSHARP]),
        "ruby" => (|| tree_sitter_ruby::LANGUAGE.into(), &[EVERY, RUBY]),
        "php" => (|| tree_sitter_php::LANGUAGE_PHP.into(), &[EVERY, PHP]),
        "bash" => (|| tree_sitter_bash::LANGUAGE.into(), &[EVERY, BASH]),
        _ => return None,
    };
    let lines_end_statements = !matches!(language.name(), "rust" | "java" | "c" | "cpp" | "csharp" | "php");
    let (ascii_only, docstrings) = (language == Language::BASH, language == Language::PYTHON);
    Some(Rules { grammar, ascii_only, lines_end_statements, docstrings, tables })
}

/// The languages with a grammar.
const NAMES: [&str; 13] =
    ["rust", "python", "typescript", "tsx", "javascript", "go", "java", "c", "cpp", "csharp", "ruby", "php", "bash"];

/// What the kinds of nodes of each grammar are to somebody, by their numbers, worked out on first use: to compare names at each
/// node would take longer than parsing.
pub(super) struct ByKind<T>([OnceLock<Vec<T>>; NAMES.len()]);

impl<T: Copy + Default> ByKind<T> {
    pub(super) const fn new() -> Self {
        ByKind([const { OnceLock::new() }; NAMES.len()])
    }

    /// The table of a language. Kinds that are not named, such as `{`, have the default, and so has `ERROR`, whose number is outside.
    pub(super) fn of(&self, language: Language, what: impl Fn(&Rules, &str) -> T) -> &[T] {
        let index = NAMES.iter().position(|name| *name == language.name());
        let Some((table, rules)) = index.and_then(|index| self.0.get(index)).zip(rules(language)) else { return &[] };
        table.get_or_init(|| {
            let grammar = (rules.grammar)();
            let count = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
            let named = |id: &u16| grammar.node_kind_is_named(*id);
            let name = |id: u16| Some(id).filter(named).and_then(|id| grammar.node_kind_for_id(id));
            (0..count).map(|id| name(id).map_or_else(T::default, |name| what(&rules, name))).collect()
        })
    }
}

/// The kind of a value or a type by the node that makes it up, as in `const f = () => …` or `type T struct { … }`.
pub(super) fn refined(node: &str) -> Option<ChunkKind> {
    Some(match node {
        "arrow_function" | "function_expression" | "function" | "generator_function" | "func_literal" => Function,
        "class" => Class,
        "struct_type" | "struct_specifier" | "union_specifier" => Struct,
        "class_specifier" => Class,
        "interface_type" => Interface,
        "enum_specifier" => Enum,
        _ => return None,
    })
}

/// `ERROR` stands where the parser skipped text; definitions in it are still definitions.
const EVERY: Table = &[(Lead, &["comment"]), (Through, &["ERROR"])];

const RUST: Table = &[
    (Lead, &["line_comment", "block_comment", "attribute_item", "extern_modifier"]),
    (Define(Function, Field), &["function_item", "function_signature_item"]),
    (Define(Struct, Field), &["struct_item", "union_item"]),
    (Define(Enum, Field), &["enum_item"]),
    (Define(Trait, Field), &["trait_item"]),
    (Define(Impl, TraitAndType), &["impl_item"]),
    (Define(Module, Field), &["mod_item"]),
    (Define(Type, Field), &["type_item"]),
    (Define(Constant, Field), &["const_item", "static_item"]),
    (Define(Macro, Field), &["macro_definition"]),
    (Import, &["use_declaration", "extern_crate_declaration"]),
    (Through, &["foreign_mod_item", "declaration_list"]),
];

const PYTHON: Table = &[
    (Lead, &["decorator"]),
    (Through, &["decorated_definition"]),
    (Define(Function, Field), &["function_definition"]),
    (Define(Class, Field), &["class_definition"]),
    (Import, &["import_statement", "import_from_statement", "future_import_statement"]),
];

const JAVASCRIPT: Table = &[
    (Lead, &["decorator"]),
    (Through, &["export_statement", "lexical_declaration", "variable_declaration"]),
    (Define(Constant, Field), &["variable_declarator"]),
    (Define(Function, Field), &["function_declaration", "generator_function_declaration"]),
    (Define(Class, Field), &["class_declaration"]),
    (Define(Method, Field), &["method_definition"]),
    (Import, &["import_statement"]),
];

const TYPESCRIPT: Table = &[
    (Define(Class, Field), &["abstract_class_declaration"]),
    (Define(Interface, Field), &["interface_declaration"]),
    (Define(Enum, Field), &["enum_declaration"]),
    (Define(Type, Field), &["type_alias_declaration"]),
    (Define(Function, Field), &["function_signature"]),
    (Define(Method, Field), &["abstract_method_signature"]),
    (Define(Module, Field), &["internal_module", "module"]),
    (Through, &["ambient_declaration", "expression_statement"]),
];

const GO: Table = &[
    (Define(Function, Field), &["function_declaration"]),
    (Define(Method, Receiver), &["method_declaration"]),
    (Through, &["type_declaration", "const_declaration", "var_declaration", "var_spec_list"]),
    (Define(Type, Field), &["type_spec", "type_alias"]),
    (Define(Constant, Field), &["const_spec", "var_spec"]),
    (Import, &["import_declaration"]),
];

const JAVA: Table = &[
    (Lead, &["line_comment", "block_comment"]),
    (Define(Class, Field), &["class_declaration"]),
    (Define(Interface, Field), &["interface_declaration", "annotation_type_declaration"]),
    (Define(Enum, Field), &["enum_declaration"]),
    (Through, &["enum_body_declarations"]),
    (Define(Struct, Field), &["record_declaration"]),
    (Define(Method, Field), &["method_declaration", "constructor_declaration", "compact_constructor_declaration"]),
    (Define(Module, Field), &["module_declaration"]),
    (Import, &["import_declaration"]),
];

const C: Table = &[
    (Define(Function, Declarator), &["function_definition"]),
    (Define(Constant, Declarator), &["declaration"]),
    (Define(Type, Declarator), &["type_definition"]),
    (Define(Struct, Field), &["struct_specifier", "union_specifier"]),
    (Define(Enum, Field), &["enum_specifier"]),
    (Define(Macro, Field), &["preproc_def", "preproc_function_def"]),
    (Import, &["preproc_include"]),
    (Through, &["preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "linkage_specification"]),
    (Through, &["declaration_list"]),
    (Lead, &["string_literal"]),
];

const CPP: Table = &[
    (Define(Class, Field), &["class_specifier"]),
    (Define(Module, Field), &["namespace_definition"]),
    (Through, &["template_declaration"]),
    (Lead, &["template_parameter_list", "requires_clause", "access_specifier"]),
    (Define(Type, Field), &["alias_declaration", "concept_definition"]),
];

const CSHARP: Table = &[
    (Define(Class, Field), &["class_declaration", "record_declaration"]),
    (Define(Struct, Field), &["struct_declaration"]),
    (Define(Interface, Field), &["interface_declaration"]),
    (Define(Enum, Field), &["enum_declaration"]),
    (Define(Module, Field), &["namespace_declaration", "file_scoped_namespace_declaration"]),
    (Define(Type, Field), &["delegate_declaration"]),
    (Define(Method, Field), &["method_declaration", "constructor_declaration", "destructor_declaration"]),
    (Through, &["global_statement"]),
    (Define(Function, Field), &["local_function_statement"]),
    (Import, &["using_directive"]),
];

const RUBY: Table = &[
    (Define(Class, Field), &["class"]),
    (Define(Module, Field), &["module"]),
    (Define(Function, Field), &["method", "singleton_method"]),
];

const PHP: Table = &[
    (Define(Class, Field), &["class_declaration"]),
    (Define(Interface, Field), &["interface_declaration"]),
    (Define(Trait, Field), &["trait_declaration"]),
    (Define(Enum, Field), &["enum_declaration"]),
    (Define(Function, Field), &["function_definition"]),
    (Define(Method, Field), &["method_declaration"]),
    (Define(Module, Field), &["namespace_definition"]),
    (Through, &["const_declaration"]),
    (Define(Constant, Child), &["const_element"]),
    (Lead, &["visibility_modifier"]),
    (Import, &["namespace_use_declaration"]),
];

const BASH: Table = &[(Define(Function, Field), &["function_definition"])];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grammar_has_its_tables() {
        for language in Language::all() {
            assert_eq!(rules(language).is_some(), NAMES.contains(&language.name()), "{language}");
        }
    }
}
