//! What one pack has worked out and the next need not: counts of tokens, and what code says about itself.

use std::io;
use std::path::Path;

use ai_assist_syntax::SyntaxCache;

use crate::{TokenCache, TokenCounter};

/// [`Default`] knows nothing and keeps nothing.
#[derive(Debug, Default)]
pub struct Caches {
    pub tokens: TokenCounter,
    pub syntax: SyntaxCache,
}

impl Caches {
    /// Those of this machine, below the root of all caches.
    pub fn open(root: &Path) -> Self {
        Caches {
            tokens: TokenCounter::with_cache(TokenCache::new(root.join("tokens.o200k"))),
            syntax: SyntaxCache::open(root),
        }
    }

    pub fn save(&self) -> io::Result<()> {
        self.tokens.save().and(self.syntax.save())
    }
}
