//! Memory functions for the static binary of Linux; see `src/memory.c`.

use std::env::var;

fn main() {
    println!("cargo:rerun-if-changed=src/memory.c");
    if var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    let mut build = cc::Build::new();
    build.file("src/memory.c").opt_level(2).warnings(true);
    // Or the loops of `memcpy` would become calls of `memcpy`.
    build.flag("-ffreestanding").flag("-fno-builtin").flag_if_supported("-fno-tree-loop-distribute-patterns");
    if var("CARGO_CFG_TARGET_ENV").as_deref() != Ok("musl") {
        build.define("NAME(name)", "ai_assist_##name");
    }
    build.compile("ai_assist_memory");
}
