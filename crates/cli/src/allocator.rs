//! One allocator for everything on Unix: mimalloc, for Rust and for the parsers in C.
//!
//! Building an index makes and drops millions of small things on all cores. The allocator of musl, which the published binary is
//! linked with, has one lock for that, and the one of glibc keeps an arena for each thread and gives little of it back.
//! Elsewhere the system's own does.
#![allow(unsafe_code)]

#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Has the parsers use the same. To be called before anything is parsed.
pub(crate) fn for_parsers() {
    #[cfg(unix)]
    {
        use libmimalloc_sys::{mi_calloc, mi_free, mi_malloc, mi_realloc};
        let allocator =
            tree_sitter::Allocator { malloc: mi_malloc, calloc: mi_calloc, realloc: mi_realloc, free: mi_free };
        // SAFETY: the four belong together and do what those of C do, and nothing was allocated by a parser before, since this is
        // called first of all by the only thread.
        unsafe { tree_sitter::set_allocator(Some(allocator)) };
    }
}
