//! What a worker gives up before it reads anything.

use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};

/// Memory of a worker in bytes.
pub const MAX_MEMORY: u64 = 512 << 20;

/// Bounds memory, and takes away what reading a document does not need: opening files and sockets, writing files, new
/// processes, more rights. A limit that the system refuses is one less; the others hold all the same.
pub(super) fn restrict() {
    let limits = [
        // Memory that can be written; the program's own text and tables don't count.
        (Resource::Data, MAX_MEMORY),
        (Resource::Core, 0),
        (Resource::Fsize, 0),
        // What is open stays open.
        (Resource::Nofile, 0),
        (Resource::Nproc, 0),
    ];
    for (resource, limit) in limits {
        let _ = setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) });
    }
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_no_new_privs(true);
}

/// Bounds the processor time from now on. The program that started the worker counts as well, but may be gone.
pub(super) fn limit_time(time: Duration) {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).tv_sec;
    let until = u64::try_from(used).unwrap_or(0) + time.as_secs() + 1;
    let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(until), maximum: None });
}
