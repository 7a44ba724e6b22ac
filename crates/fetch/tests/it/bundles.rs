//! Bundles: honest ones come back as they were, hostile ones do no harm.

mod hostile;
pub(crate) mod made;
mod round_trip;
mod zips;
