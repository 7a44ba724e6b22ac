use std::time::Duration;

/// Bounds that keep a server, an archive or a repository from running away with the machine. Each is a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A larger file is not fetched.
    pub max_file_bytes: u64,
    /// A larger manifest, or index of a registry, is refused.
    pub max_manifest_bytes: u64,
    /// A package of more files than this is refused.
    pub max_files: usize,
    /// All that one sync may download, and all that a bundle may unpack to.
    pub max_total_bytes: u64,
    /// More redirects than this for one request are refused.
    pub max_redirects: usize,
    pub connect_timeout: Duration,
    pub idle_timeout: Duration,
    /// For one request from beginning to end, each attempt anew.
    pub request_timeout: Duration,
    pub total_timeout: Duration,
    /// Requests under way at once.
    pub parallel: usize,
    pub parallel_per_host: usize,
    /// How often a request is made that fails for a reason that may pass.
    pub attempts: u32,
    /// The longest pause before the second attempt; it doubles with each further one, up to ten seconds.
    pub backoff: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_file_bytes: 16 << 20,
            max_manifest_bytes: 32 << 20,
            max_files: 100_000,
            max_total_bytes: 4 << 30,
            max_redirects: 10,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(300),
            total_timeout: Duration::from_secs(3600),
            parallel: 16,
            parallel_per_host: 8,
            attempts: 4,
            backoff: Duration::from_millis(250),
        }
    }
}
