//! The objects of a session: their kinds, their fields, and the documents they are outside.

mod document;
mod fields;
mod source;

pub use document::document;
pub(crate) use document::document_of;
pub(crate) use fields::fields;
pub use fields::{ChatFields, FileFields, Role, SessionFields, Status, SystemPromptFields, ToolcallFields, Turn};
pub use source::FilesystemSource;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    File,
    /// A call of a tool, with its result.
    Toolcall,
    Chat,
    /// What the model is told first.
    SystemPrompt,
    Session,
}

impl ObjectKind {
    /// The word for it in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            ObjectKind::File => "file",
            ObjectKind::Toolcall => "toolcall",
            ObjectKind::Chat => "chat",
            ObjectKind::SystemPrompt => "system_prompt",
            ObjectKind::Session => "session",
        }
    }

    pub fn of(word: &str) -> Option<Self> {
        [Self::File, Self::Toolcall, Self::Chat, Self::SystemPrompt, Self::Session]
            .into_iter()
            .find(|kind| kind.as_str() == word)
    }

    /// Whether it can be in a working set. Chat, system prompt and session can't.
    pub const fn is_content(self) -> bool {
        matches!(self, ObjectKind::File | ObjectKind::Toolcall)
    }
}
