//! The shapes of the spec, field for field. What is added to them is optional and left out where it has nothing to say.

mod config;
mod full;
mod kinds;
mod snapshot;
mod summary;

pub use config::{KeyFileLimits, OnDecodeError, PackConstraints, ProviderLimit, TruncationConfig, known_providers};
pub use full::{
    ContextPack, Dependency, Detail, EncodingNote, FileContent, FileIndexEntry, FileOutline, FullPack, Importance,
    KeyFile, Manifest, PackMetadata, PackType, Part,
};
pub use kinds::{ExclusionReason, FileCategory, FileType};
pub(crate) use snapshot::is_zero;
pub use snapshot::{DirectoryNode, ExcludedFile, ExclusionStats, FileMetadata, FileNode, Node, ProjectSnapshot};
pub use summary::{EntrypointSummary, KeyFileSummary, RepoSummary, RiskHotspot, RiskType, SummaryPack};
