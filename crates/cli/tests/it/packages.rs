//! Packages from servers, archives and repositories, as the binary meets them.

mod archives;
mod bundles;
mod changes;
mod desk;
mod failures;
mod git;
mod held;
mod hostile;
mod manifests;
mod merged;
mod repository;
mod same;
mod secrets;
mod sharing;
mod shown;
pub(crate) mod site;
mod vendored;
mod zips;
