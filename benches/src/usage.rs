//! The kernel's account of this process: processor time, sleeps, memory, and open files.

use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::time::Duration;

use crate::Failure;

/// The use of all threads of this process since it started, without that of its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Processor time, user and system.
    pub(crate) cpu: Duration,
    /// How often a thread gave up its core of itself: slept on a futex, in epoll, in a read.
    pub(crate) sleeps: u64,
}

impl Usage {
    /// Asks the kernel for the use so far.
    pub(crate) fn now() -> io::Result<Self> {
        Self::of(libc::RUSAGE_SELF)
    }

    /// Asks the kernel for the use of the calling thread so far. Only Linux counts it; elsewhere it
    /// is zero.
    pub(crate) fn of_this_thread() -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        return Self::of(libc::RUSAGE_THREAD);
        #[cfg(not(target_os = "linux"))]
        Ok(Self { cpu: Duration::ZERO, sleeps: 0 })
    }

    fn of(whom: libc::c_int) -> io::Result<Self> {
        let mut usage = MaybeUninit::<libc::rusage>::uninit();
        // SAFETY: the pointer is to a whole `rusage`, writable for the length of the call.
        let code = unsafe { libc::getrusage(whom, usage.as_mut_ptr()) };
        if code != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: getrusage returned 0, so it has filled the structure.
        let usage = unsafe { usage.assume_init() };
        Ok(Self {
            cpu: duration(usage.ru_utime) + duration(usage.ru_stime),
            sleeps: u64::try_from(usage.ru_nvcsw).unwrap_or(0),
        })
    }

    /// Returns the use between `earlier` and this.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self { cpu: self.cpu.saturating_sub(earlier.cpu), sleeps: self.sleeps.saturating_sub(earlier.sleeps) }
    }
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let microseconds = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(microseconds)
}

/// Raises the limit on open files as far as the kernel lets this process, for the workloads with
/// many connections.
///
/// # Errors
///
/// Returns an error that names the limit if fewer than `needed` files may be open even so.
pub(crate) fn allow_open_files(needed: u64) -> io::Result<()> {
    let mut limit = open_file_limit()?;
    if limit.rlim_cur >= needed {
        return Ok(());
    }
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: the pointer is to a whole `rlimit`, readable for the length of the call.
    let code = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) };
    if code != 0 {
        return Err(io::Error::last_os_error());
    }
    if limit.rlim_cur < needed {
        let message = format!("{needed} open files needed, the hard limit is {}", limit.rlim_cur);
        return Err(io::Error::other(message));
    }
    Ok(())
}

fn open_file_limit() -> io::Result<libc::rlimit> {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: the pointer is to a whole `rlimit`, writable for the length of the call.
    let code = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, limit.as_mut_ptr()) };
    if code != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: getrlimit returned 0, so it has filled the structure.
    Ok(unsafe { limit.assume_init() })
}

/// Returns how much memory of this process is not swapped out, in bytes.
///
/// # Errors
///
/// Returns an error that names the file if the system has no such file or it does not say.
pub(crate) fn resident_bytes() -> Result<u64, Failure> {
    const FILE: &str = "/proc/self/statm";
    let text = fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    let pages = text.split_whitespace().nth(1).ok_or_else(|| format!("{FILE}: {text:?} has no second field"))?;
    let pages: u64 = pages.parse().map_err(|error| format!("{FILE}: {pages:?}: {error}"))?;
    Ok(pages * page_size())
}

fn page_size() -> u64 {
    // SAFETY: sysconf reads no memory of ours.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).expect("every system has pages")
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn work_shows_as_processor_time() {
        let before = Usage::now().unwrap();
        let start = Instant::now();
        let mut spent = Usage::now().unwrap().since(before);
        while spent.cpu < Duration::from_millis(5) {
            assert!(start.elapsed() < Duration::from_secs(60), "a busy loop used {spent:?}");
            spent = Usage::now().unwrap().since(before);
        }
    }

    #[test]
    fn a_limit_beyond_the_hard_one_is_an_error() {
        let message = allow_open_files(u64::MAX - 1).unwrap_err().to_string();
        assert!(message.contains("open files needed"), "{message}");
    }
}
