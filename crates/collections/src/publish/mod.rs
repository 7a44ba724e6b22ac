//! Publishing: from a folder with a manifest to a bundle, and from bundles to a registry.

mod check;
mod pack;
mod registry;
mod scaffold;
mod website;

pub use check::{Checked, LintCode, LintFinding, Severity};
pub use pack::{OnSecret, PackOptions, Packed, check_package, pack};
pub use registry::{
    Published, Registry, RegistryHit, RegistryIndex, RegistryInfo, RegistryPackage, RegistryVersion,
    RegistryVersionInfo, Resolution, find_packages, find_published, publish, resolve_package, yank,
};
pub(crate) use registry::{for_dependency, latest_of};
pub use scaffold::{NewManifest, write_manifest};
