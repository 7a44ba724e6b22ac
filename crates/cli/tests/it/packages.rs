//! Packages from servers, archives and repositories, as the binary meets them.

mod changes;
mod desk;
mod failures;
mod site;
