//! What every store must do. An implementation gives a [`Site`] and names it in [`conformance!`]; each case is then a test.

pub(crate) mod collections;
pub(crate) mod concurrency;
pub(crate) mod documents;
pub(crate) mod fixture;
pub(crate) mod model;
pub(crate) mod sequence;

use ai_assist_store::Store;

/// A place where one fresh store lives; every `open` is another connection to it.
pub(crate) trait Site: Sync {
    type Store: Store + 'static;

    fn new() -> Self;
    fn open(&self) -> Self::Store;
}

macro_rules! conformance {
    ($site:ty) => {
        $crate::conformance::conformance! { $site;
            collections {
                made_once, sources_that_share_an_id, syncs_are_noted, packages_are_noted, dropped_with_all_it_holds, made_again
            }
            documents {
                read_back, replaced, removed, touched, odd_paths, odd_texts, a_large_text, one_path_twice_in_a_batch,
                a_batch_that_fails_leaves_nothing, listed_in_order, texts_are_shared, chunks_outside_the_text,
                what_is_not_there
            }
            sequence { pages, removals_in_order, pruned, numbers_are_never_given_twice, an_index_follows, texts_as_they_were }
            concurrency { whole_batches_only, many_open_at_once }
            model { any_sequence_of_changes }
        }
    };
    ($site:ty; $($module:ident { $($case:ident),* })*) => {
        $(mod $module {
            use super::*;
            $(#[test] fn $case() { $crate::conformance::$module::$case::<$site>(); })*
        })*
    };
}
pub(crate) use conformance;
