//! One allocator for everything on Unix: mimalloc, for Rust and for the parsers in C.
//!
//! Building an index makes and drops millions of small things on all cores. The allocator of musl, which the published binary is
//! linked with, has one lock for that, and the one of glibc keeps an arena for each thread and gives little of it back.
//! Elsewhere the system's own does.
#![allow(unsafe_code)]

#[cfg(unix)]
use std::ffi::c_long;

#[cfg(unix)]
use libmimalloc_sys::{
    mi_calloc, mi_free, mi_malloc, mi_option_set_default, mi_option_t, mi_option_use_numa_nodes, mi_realloc,
};

#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long what is not needed any more waits for somebody who needs it, in milliseconds, before the system has it back. With the
/// second that is the allocator's default the first build of a repository of 130 MB takes 380 MB, with this 300, and no longer.
#[cfg(unix)]
const PURGE_DELAY: (mi_option_t, c_long) = (mi_option_use_numa_nodes - 1, 10);

/// Sets the allocator up and has the parsers use it. To be called before anything is parsed.
pub(crate) fn set_up() {
    #[cfg(unix)]
    {
        // SAFETY: an option that there is, and that `MIMALLOC_PURGE_DELAY` goes before.
        unsafe { mi_option_set_default(PURGE_DELAY.0, PURGE_DELAY.1) };
        let allocator =
            tree_sitter::Allocator { malloc: mi_malloc, calloc: mi_calloc, realloc: mi_realloc, free: mi_free };
        // SAFETY: the four belong together and do what those of C do, and nothing was allocated by a parser before, since this is
        // called first of all by the only thread.
        unsafe { tree_sitter::set_allocator(Some(allocator)) };
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// It has no name in Rust, and its number may change with the allocator's version. It alone is a second by default.
    #[test]
    fn the_option_is_the_one_that_is_meant() {
        // SAFETY: reads a number.
        let default = unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY.0) };
        assert_eq!(default, 1000);
    }
}
