//! Collections: what a project wants at hand, and the work of keeping it indexed.
//!
//! What comes in: a project's `context.json`, the application's settings as layers of plain values, and the two folders where
//! data and caches live. What goes out: plans and reports of syncs, statuses, ranked answers with provenance, documents.
//!
//! Data flows one way: a source is admitted, its documents are cut and embedded by workers, written to the store in
//! transactions, and handed on to the index, which can always be made again from the store.
//!
//! This room must not know the terminal: it prints nothing, reads no environment variable, and never exits. Long work takes a
//! [`SyncEvent`] sink to report to and a [`Cancel`](ai_assist_base::Cancel) to ask whether to go on.

mod catch_up;
mod content;
mod credentials;
mod dependency;
mod difference;
mod doctor;
mod edit;
mod error;
mod examine;
mod files;
mod find;
mod library;
mod lock;
mod locked;
mod members;
mod merge;
mod outdated;
mod package;
mod patterns;
mod progress;
mod project;
mod publish;
mod reach;
mod read;
mod readers;
mod schema;
mod settings;
mod site_pages;
mod source;
mod status;
mod suggest;
mod sync;
mod texts;
mod url_kind;
mod vendor;
mod watch;

pub use ai_assist_admit::Freshness;
pub use ai_assist_base::json::{Place, Warning};
pub use ai_assist_ecosystem::Homes;
pub use ai_assist_fetch::site::{FoundBy, Scope as SiteScope};
pub use ai_assist_fetch::{Client, ClientOptions, Credentials, leads_inside};
pub use content::{Content, ContentDocument, LeftOut};
pub use credentials::{CredentialSources, load_credentials};
pub use difference::{Difference, FileDifference, difference_of_packages};
pub use doctor::{CheckedFile, Finding, Health, check_file};
pub use edit::{
    CategoryChange, CollectionChange, ConfigEdit, Declared, EditError, EditResult, Edited, MAX_DESCRIPTION,
    MAX_ENTRIES, init_project, set_user_setting,
};
pub use error::{Error, Result};
pub use find::{CollectionSources, Find};
pub use library::{DATABASE_FILE, Library, Roots};
pub use lock::{Drift, Lock, LockedCollection, LockedFile};
pub use locked::{DependencyName, locked_documents};
pub use members::{DeclaredCollection, Member, Members, members};
pub use merge::{MergedPackage, Side};
pub use outdated::Outdated;
pub use package::{Inspected, InspectedFile, check_package_url, inspect_package};
pub use progress::{Step, SyncEvent, silent};
pub use project::{CategorySpec, CollectionSpec, Declaration, Project, ProjectConfig};
pub use publish::{
    Checked, LintCode, LintFinding, NewManifest, OnSecret, PackOptions, Packed, Published, Registry, RegistryHit,
    RegistryIndex, RegistryInfo, RegistryPackage, RegistryVersion, RegistryVersionInfo, Resolution, Severity,
    check_package, find_packages, find_published, pack, publish, resolve_package, write_manifest, yank,
};
pub use read::{DocumentHead, DocumentRef, ReadDocument};
pub use readers::{one_spelling, reader_of};
pub use schema::schemas;
pub use settings::{Consent, Layer, Origin, RegistryUrl, SETTINGS, SettingSpec, SettingValue, Settings};
pub use site_pages::page_url;
pub use source::{Resolved, portable_url};
pub use status::{Listed, ListedCategory, ListedCollection, Status};
pub use suggest::{
    Action, DependenciesCollection, FoundFiles, NotInstalled, Origin as DocumentsOrigin, Suggestion, Suggestions,
    VersionWarning, suggest, version_warnings,
};
pub use sync::{PackageInfo, Pin, Plan, SiteInfo, Skipped, SyncOptions, SyncReport};
pub use url_kind::{UrlKind, look_at_url};
pub use vendor::{VENDOR_FOLDER, Vendor, VendoredPackage};
pub use watch::{WatchEvent, watch};

#[cfg(test)]
mod shelf_tests;
