//! Jobs: processes that are bounded and ended together.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::time::Duration;

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
    JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_PROCESS_MEMORY, JOB_OBJECT_LIMIT_PROCESS_TIME,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes};

#[derive(Debug)]
struct Job(OwnedHandle);

impl Job {
    fn new() -> io::Result<Job> {
        // SAFETY: a job without a name and with the usual rights needs neither.
        let job = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was just made, and is nobody else's.
        Ok(Job(unsafe { OwnedHandle::from_raw_handle(job) }))
    }

    fn limit(&self, limits: &JOBOBJECT_EXTENDED_LIMIT_INFORMATION) -> io::Result<()> {
        let size = u32::try_from(size_of_val(limits)).unwrap_or(0);
        // SAFETY: the job is open, and the limits are of the kind and size that is said.
        let done = unsafe {
            SetInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                std::ptr::from_ref(limits).cast(),
                size,
            )
        };
        if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

/// A process and what it starts, to be ended together.
#[derive(Debug)]
pub(crate) struct Group {
    job: Job,
}

impl Group {
    /// Starts a process. What it starts belongs to it, at the terminal as well: here that stands in nobody's way.
    pub(crate) fn spawn(command: &mut Command, _own: bool) -> io::Result<(Child, Group)> {
        let job = Job::new()?;
        let mut child = command.spawn()?;
        // SAFETY: both are open.
        if unsafe { AssignProcessToJobObject(job.0.as_raw_handle(), child.as_raw_handle()) } == 0 {
            let error = io::Error::last_os_error();
            // One that has ended already can't be assigned, and has started nothing that is left.
            if !matches!(child.try_wait(), Ok(Some(_))) {
                let _ = child.kill();
                let _ = child.wait();
                return Err(error);
            }
        }
        Ok((child, Group { job }))
    }

    /// Ends the process and all that it has started.
    pub(crate) fn kill(&self, _child: &mut Child) {
        // SAFETY: the job is open.
        unsafe { TerminateJobObject(self.job.0.as_raw_handle(), 1) };
    }
}

/// The job of this process itself, and how much memory it may take.
static OWN: OnceLock<(Job, usize)> = OnceLock::new();

fn limits(memory: usize) -> JOBOBJECT_EXTENDED_LIMIT_INFORMATION {
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_ACTIVE_PROCESS | JOB_OBJECT_LIMIT_PROCESS_MEMORY | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    limits.BasicLimitInformation.ActiveProcessLimit = 1;
    limits.ProcessMemoryLimit = memory;
    limits
}

/// Bounds the memory of this process, lets it start no other, and lets it write nothing that is not open already. It may still
/// open what its user may read.
pub fn give_up_rights(memory: u64) -> io::Result<()> {
    let memory = usize::try_from(memory).unwrap_or(usize::MAX);
    let job = Job::new()?;
    job.limit(&limits(memory))?;
    // SAFETY: the job is open, and a process may always name itself.
    if unsafe { AssignProcessToJobObject(job.0.as_raw_handle(), GetCurrentProcess()) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let _ = OWN.set((job, memory));
    super::rights::trust_nothing()
}

/// Bounds the processor time of this process from now on, if its memory is bounded.
pub fn limit_time(time: Duration) -> io::Result<()> {
    let Some((job, memory)) = OWN.get() else { return Ok(()) };
    let mut times = [windows_sys::Win32::Foundation::FILETIME::default(); 4];
    let [made, ended, kernel, user] = &mut times;
    // SAFETY: each answer has a place of its own, and a process may always ask about itself.
    if unsafe {
        GetProcessTimes(GetCurrentProcess(), &raw mut *made, &raw mut *ended, &raw mut *kernel, &raw mut *user)
    } == 0
    {
        return Err(io::Error::last_os_error());
    }
    let used = u64::from(user.dwHighDateTime) << 32 | u64::from(user.dwLowDateTime);
    let more = u64::try_from(time.as_nanos() / 100).unwrap_or(u64::MAX);
    let mut limits = limits(*memory);
    limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_TIME;
    limits.BasicLimitInformation.PerProcessUserTimeLimit = i64::try_from(used.saturating_add(more)).unwrap_or(i64::MAX);
    job.limit(&limits)
}
