//! Packages from servers, archives and repositories, as the binary meets them.

mod archives;
mod bundles;
mod changes;
mod desk;
mod failures;
mod hostile;
mod manifests;
mod secrets;
mod site;
