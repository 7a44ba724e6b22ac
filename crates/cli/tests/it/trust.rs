//! What must hold at the seams: between projects, users, spellings of a path and damaged files.

mod broken_members;
mod consent;
mod damage;
mod edits;
mod private;
mod redactions;
mod two_projects;
