//! What the nodes of each grammar are. To add a language: its grammar crate, a row in [`rules`] and a table of its
//! definitions, imports and the nodes that lead or wrap a definition; everything else counts as plain code.

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

type Table = &'static [(&'static str, Role)];

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
        let rows = self.tables.iter().copied().flatten();
        rows.into_iter().find(|(name, _)| *name == kind).map_or(Role::Other, |&(_, role)| role)
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
const EVERY: Table = &[("comment", Lead), ("ERROR", Through)];

const RUST: Table = &[
    ("line_comment", Lead),
    ("block_comment", Lead),
    ("attribute_item", Lead),
    ("function_item", Define(Function, Field)),
    ("function_signature_item", Define(Function, Field)),
    ("struct_item", Define(Struct, Field)),
    ("union_item", Define(Struct, Field)),
    ("enum_item", Define(Enum, Field)),
    ("trait_item", Define(Trait, Field)),
    ("impl_item", Define(Impl, TraitAndType)),
    ("mod_item", Define(Module, Field)),
    ("type_item", Define(Type, Field)),
    ("const_item", Define(Constant, Field)),
    ("static_item", Define(Constant, Field)),
    ("macro_definition", Define(Macro, Field)),
    ("use_declaration", Import),
    ("extern_crate_declaration", Import),
    ("foreign_mod_item", Through),
    ("declaration_list", Through),
    ("extern_modifier", Lead),
];

const PYTHON: Table = &[
    ("decorator", Lead),
    ("decorated_definition", Through),
    ("function_definition", Define(Function, Field)),
    ("class_definition", Define(Class, Field)),
    ("import_statement", Import),
    ("import_from_statement", Import),
    ("future_import_statement", Import),
];

const JAVASCRIPT: Table = &[
    ("decorator", Lead),
    ("export_statement", Through),
    ("lexical_declaration", Through),
    ("variable_declaration", Through),
    ("variable_declarator", Define(Constant, Field)),
    ("function_declaration", Define(Function, Field)),
    ("generator_function_declaration", Define(Function, Field)),
    ("class_declaration", Define(Class, Field)),
    ("method_definition", Define(Method, Field)),
    ("import_statement", Import),
];

const TYPESCRIPT: Table = &[
    ("abstract_class_declaration", Define(Class, Field)),
    ("interface_declaration", Define(Interface, Field)),
    ("enum_declaration", Define(Enum, Field)),
    ("type_alias_declaration", Define(Type, Field)),
    ("function_signature", Define(Function, Field)),
    ("abstract_method_signature", Define(Method, Field)),
    ("internal_module", Define(Module, Field)),
    ("module", Define(Module, Field)),
    ("ambient_declaration", Through),
    ("expression_statement", Through),
];

const GO: Table = &[
    ("function_declaration", Define(Function, Field)),
    ("method_declaration", Define(Method, Receiver)),
    ("type_declaration", Through),
    ("type_spec", Define(Type, Field)),
    ("type_alias", Define(Type, Field)),
    ("const_declaration", Through),
    ("const_spec", Define(Constant, Field)),
    ("var_declaration", Through),
    ("var_spec_list", Through),
    ("var_spec", Define(Constant, Field)),
    ("import_declaration", Import),
];

const JAVA: Table = &[
    ("line_comment", Lead),
    ("block_comment", Lead),
    ("class_declaration", Define(Class, Field)),
    ("interface_declaration", Define(Interface, Field)),
    ("annotation_type_declaration", Define(Interface, Field)),
    ("enum_declaration", Define(Enum, Field)),
    ("enum_body_declarations", Through),
    ("record_declaration", Define(Struct, Field)),
    ("method_declaration", Define(Method, Field)),
    ("constructor_declaration", Define(Method, Field)),
    ("compact_constructor_declaration", Define(Method, Field)),
    ("module_declaration", Define(Module, Field)),
    ("import_declaration", Import),
];

const C: Table = &[
    ("function_definition", Define(Function, Declarator)),
    ("declaration", Define(Constant, Declarator)),
    ("type_definition", Define(Type, Declarator)),
    ("struct_specifier", Define(Struct, Field)),
    ("union_specifier", Define(Struct, Field)),
    ("enum_specifier", Define(Enum, Field)),
    ("preproc_def", Define(Macro, Field)),
    ("preproc_function_def", Define(Macro, Field)),
    ("preproc_include", Import),
    ("preproc_if", Through),
    ("preproc_ifdef", Through),
    ("preproc_else", Through),
    ("preproc_elif", Through),
    ("linkage_specification", Through),
    ("declaration_list", Through),
    ("string_literal", Lead),
];

const CPP: Table = &[
    ("class_specifier", Define(Class, Field)),
    ("namespace_definition", Define(Module, Field)),
    ("template_declaration", Through),
    ("template_parameter_list", Lead),
    ("requires_clause", Lead),
    ("access_specifier", Lead),
    ("alias_declaration", Define(Type, Field)),
    ("concept_definition", Define(Type, Field)),
];

const CSHARP: Table = &[
    ("class_declaration", Define(Class, Field)),
    ("struct_declaration", Define(Struct, Field)),
    ("record_declaration", Define(Class, Field)),
    ("interface_declaration", Define(Interface, Field)),
    ("enum_declaration", Define(Enum, Field)),
    ("namespace_declaration", Define(Module, Field)),
    ("file_scoped_namespace_declaration", Define(Module, Field)),
    ("delegate_declaration", Define(Type, Field)),
    ("method_declaration", Define(Method, Field)),
    ("constructor_declaration", Define(Method, Field)),
    ("destructor_declaration", Define(Method, Field)),
    ("global_statement", Through),
    ("local_function_statement", Define(Function, Field)),
    ("using_directive", Import),
];

const RUBY: Table = &[
    ("class", Define(Class, Field)),
    ("module", Define(Module, Field)),
    ("method", Define(Function, Field)),
    ("singleton_method", Define(Function, Field)),
];

const PHP: Table = &[
    ("class_declaration", Define(Class, Field)),
    ("interface_declaration", Define(Interface, Field)),
    ("trait_declaration", Define(Trait, Field)),
    ("enum_declaration", Define(Enum, Field)),
    ("function_definition", Define(Function, Field)),
    ("method_declaration", Define(Method, Field)),
    ("namespace_definition", Define(Module, Field)),
    ("const_declaration", Through),
    ("const_element", Define(Constant, Child)),
    ("visibility_modifier", Lead),
    ("namespace_use_declaration", Import),
];

const BASH: Table = &[("function_definition", Define(Function, Field))];
