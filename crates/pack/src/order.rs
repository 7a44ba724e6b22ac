//! Which files go first when not all of them fit.

use crate::categories::is_side_file;
use crate::types::{FileCategory, FileMetadata};

/// How much a file is worth sending, going by its name and size: source first, then the small and the shallow.
pub fn default_rank(file: &FileMetadata) -> f64 {
    let category = match file.category {
        FileCategory::Entrypoint | FileCategory::Auth | FileCategory::Api | FileCategory::Database => 6.0,
        FileCategory::Source => 5.0,
        FileCategory::Config | FileCategory::Documentation => 4.0,
        FileCategory::Test => 2.0,
        FileCategory::Other => 1.0,
        FileCategory::Build | FileCategory::Dependency => 0.0,
    };
    let side = if is_side_file(&file.relative_path) { 2.0 } else { 0.0 };
    let depth = file.relative_path.matches('/').count() as f64;
    // A doubling in size costs as much as two folders more.
    let size = (file.size_bytes.max(64) as f64).log2();
    4.0 * (category - side) - size - depth / 2.0
}
