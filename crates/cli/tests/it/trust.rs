//! What must hold at the seams: between projects, users, spellings of a path and damaged files.

mod edits;
