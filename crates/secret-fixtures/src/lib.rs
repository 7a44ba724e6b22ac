//! Made-up secrets and what looks like them, for tests and benchmarks.
//!
//! What comes in: a seed. What goes out: texts with values in the formats the providers document, in the places people
//! leave them, and texts that only look so; the same for the same seed. No value is written out anywhere, so that no
//! scanner takes this repository for a leak.
//!
//! This room must not know the rules that are to find them: it says what the world is like, not what we can do.

mod encoded;
mod innocent;
mod innocent_places;
mod kinds;
mod labelled;
mod places;
mod project;
mod random;

pub use labelled::{File, Label, labelled};
pub use project::{ProjectFile, Secret, project};
pub use random::Random;
