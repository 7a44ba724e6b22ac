//! Publishing: from a folder with a manifest to a bundle, and from bundles to a registry.

mod check;
mod pack;
mod registry;
mod scaffold;
mod website;

pub use check::{Checked, LintCode, LintFinding, Severity};
pub use pack::{OnSecret, PackOptions, Packed, check_package, pack};
pub(crate) use registry::for_dependency;
pub use registry::{
    Published, Registry, RegistryHit, RegistryIndex, RegistryPackage, RegistryVersion, Resolution, find_packages,
    publish, resolve_package, yank,
};
pub use scaffold::{NewManifest, write_manifest};
