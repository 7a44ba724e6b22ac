//! What a worker gives up before it reads anything.

use std::io;
use std::time::Duration;

use ai_assist_base::platform;

/// Memory of a worker in bytes.
pub const MAX_MEMORY: u64 = 512 << 20;

/// Bounds memory, and takes away what reading a document does not need, as far as the system can: see
/// [`platform::give_up_rights`].
pub(super) fn restrict() -> io::Result<()> {
    platform::give_up_rights(MAX_MEMORY)
}

/// Bounds the processor time from now on. The program that started the worker counts as well, but may be gone.
pub(super) fn limit_time(time: Duration) -> io::Result<()> {
    platform::limit_time(time)
}
