//! What every keeper of objects must do. An implementation gives a [`Site`] and names it in [`objects_conformance!`].

pub(crate) mod as_of;
pub(crate) mod concurrency;
pub(crate) mod fixture;
pub(crate) mod forgetting;
pub(crate) mod lists;
mod processes;
pub(crate) mod requests;
mod sqlite;
pub(crate) mod writing;

use ai_assist_store::objects::Objects;

/// A place where objects live, at first none; every `open` is another connection to it.
pub(crate) trait Site: Sync {
    type Objects: Objects + 'static;

    fn new() -> Self;
    fn open(&self) -> Self::Objects;
    /// Fails if anything is damaged.
    fn assert_sound(&self);
}

macro_rules! objects_conformance {
    ($site:ty) => {
        $crate::objects::objects_conformance! { $site;
            writing {
                read_back, deleted, changed_by_deltas, a_batch_that_fails_leaves_nothing, kinds_and_sources,
                spans_that_end_before_they_begin, expected_versions, expected_within_a_batch, deltas_to_nothing,
                nothing_to_write, large_and_odd, texts_are_shared
            }
            as_of {
                known_and_valid, a_correction_stands_beside_what_was_believed, a_bounded_correction, the_future,
                boundaries, deltas_belong_to_their_state, a_deletion_in_the_past
            }
            requests { done_once, reused, without_writes, that_fail, with_a_reply, raced }
            lists { by_kind, by_prefix, events_in_pages, texts_by_hash, many, what_is_not_there }
            forgetting { with_all_history, numbers_are_never_given_twice, requests_are_still_known, a_stamp_tells_every_change }
            concurrency { counted_by_many, whole_batches_only }
        }
    };
    ($site:ty; $($module:ident { $($case:ident),* })*) => {
        $(mod $module {
            use super::*;
            $(#[test] fn $case() { $crate::objects::$module::$case::<$site>(); })*
        })*
    };
}
pub(crate) use objects_conformance;
