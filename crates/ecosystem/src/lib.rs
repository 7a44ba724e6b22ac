//! What a project depends on, read from its own lock files, and where the documents of those dependencies lie on this machine.
