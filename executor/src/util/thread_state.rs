//! The OS's data about a thread: its ID, whether it is asleep, and its CPU time.
//!
//! Linux provides them in `/proc` and through the threads' clocks; on other systems they are
//! unknown. Reading a clock needs no file descriptor, reading `/proc` does: in a process without a
//! free descriptor, only the clocks can be read.

use std::fs::File;
use std::io::Read;

thread_local! {
    static NUMBER: u32 = read_thread_number();
}

/// Returns the OS's ID of the calling thread, or 0 if it is unknown.
pub(crate) fn current_thread_number() -> u32 {
    NUMBER.try_with(|number| *number).unwrap_or(0)
}

fn read_thread_number() -> u32 {
    // The link reads `PID/task/TID`.
    let number = std::fs::read_link("/proc/thread-self").ok().and_then(|path| path.file_name()?.to_str()?.parse().ok());
    number.unwrap_or(0)
}

/// Returns the core that the calling thread is running on, or `None` if it is unknown.
#[cfg(target_os = "linux")]
pub(crate) fn current_core() -> Option<u32> {
    // SAFETY: it takes nothing, and writes nothing.
    let core = unsafe { libc::sched_getcpu() };
    u32::try_from(core).ok()
}

/// Returns `None`: the core is unknown on this system.
#[cfg(not(target_os = "linux"))]
pub(crate) fn current_core() -> Option<u32> {
    None
}

/// Returns whether the thread sleeps in the kernel, waiting for anything but a core. Returns `None`
/// if that is unknown, for example if no file can be opened. Takes about ten microseconds.
pub(crate) fn is_asleep(thread: u32) -> Option<bool> {
    let state = (thread != 0).then(|| scheduling_state(thread))??;
    Some(matches!(state, b'S' | b'D'))
}

/// Returns the CPU time of the thread so far, in nanoseconds, or `None` if it is unknown. Makes one
/// system call.
///
/// The time is read from the thread's own clock, because the figure in `/proc` is only updated at
/// the kernel's tick, every 4 to 10 ms.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn cpu_time(thread: u32) -> Option<u64> {
    /// The kernel's encoding of a thread's clock: the negated thread ID, above the bits for "of a
    /// thread" and "scheduled time".
    const OF_A_THREAD: libc::clockid_t = 0b110;
    let thread = libc::clockid_t::try_from(thread).ok().filter(|&thread| thread > 0)?;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is there to be written to; a clock that does not exist, for a thread that has
    // ended, is an error.
    let status = unsafe { libc::clock_gettime((!thread << 3) | OF_A_THREAD, &raw mut time) };
    let nanos = u64::try_from(time.tv_sec).ok()? * 1_000_000_000 + u64::try_from(time.tv_nsec).ok()?;
    (status == 0).then_some(nanos)
}

/// Returns `None`: the CPU time is unknown on this system.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn cpu_time(_: u32) -> Option<u64> {
    None
}

/// Returns the state letter after the thread's name in `/proc/self/task/TID/stat`. The name is in
/// parentheses, and may contain parentheses itself.
fn scheduling_state(thread: u32) -> Option<u8> {
    let mut text = [0; 128];
    let length = File::open(format!("/proc/self/task/{thread}/stat")).ok()?.read(&mut text).ok()?;
    let text = &text[..length];
    let bracket = text.iter().rposition(|&byte| byte == b')')?;
    text.get(bracket + 2).copied()
}

#[cfg(all(test, not(wsrt_loom), target_os = "linux"))]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    #[test]
    fn cpu_time_grows_with_work_and_is_unknown_once_gone() {
        let own = current_thread_number();
        let before = cpu_time(own).expect("this thread lives");
        let start = std::time::Instant::now();
        while cpu_time(own).expect("this thread lives") < before + 1_000_000 {
            assert!(start.elapsed() < std::time::Duration::from_secs(20), "it computes all the time");
        }
        let gone = thread::spawn(current_thread_number).join().expect("it does not panic");
        let start = std::time::Instant::now();
        while cpu_time(gone).is_some() {
            assert!(start.elapsed() < std::time::Duration::from_secs(20), "it has been joined");
        }
        assert_eq!(cpu_time(0), None);
    }

    #[test]
    fn a_blocked_thread_is_asleep_and_a_running_one_awake() {
        let (send_number, number) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let blocked = thread::Builder::new()
            .name("a ) name".into())
            .spawn(move || {
                send_number.send(current_thread_number()).expect("the test waits for it");
                let _ = ended.recv();
            })
            .expect("a thread can be started");
        let number = number.recv().expect("the thread sends it");
        while is_asleep(number) != Some(true) {
            thread::yield_now();
        }
        assert_eq!(is_asleep(current_thread_number()), Some(false));
        end.send(()).expect("the thread waits for it");
        blocked.join().expect("it does not panic");
        assert_ne!(is_asleep(number), Some(true), "it is gone");
        assert_eq!(is_asleep(0), None);
    }
}
