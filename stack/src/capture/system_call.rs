//! What `/proc` says about a thread: whether it blocks the signal, which system call it is in, and
//! whether it could run.

use std::ffi::{c_int, c_long};
use std::fs;

/// The system calls that a handler ends with `EINTR`, whatever it was installed with, and whose
/// callers may not expect that (`man 7 signal`). Not the sleeps: the standard library's continue,
/// and any other ends a little early.
const ENDED_BY_SIGNALS: [c_long; 12] = [
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_io_getevents,
    libc::SYS_io_uring_enter,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_semop,
    libc::SYS_semtimedop,
];

/// More of them, which newer systems do not have.
#[cfg(target_arch = "x86_64")]
const OLDER: [c_long; 4] = [libc::SYS_epoll_wait, libc::SYS_pause, libc::SYS_poll, libc::SYS_select];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: [c_long; 0] = [];

/// A thread asleep in a system call.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SystemCall {
    number: c_long,
    pub(super) stack_pointer: u64,
    pub(super) program_counter: u64,
}

impl SystemCall {
    /// Returns where the thread waits, if it does, and if the system tells.
    pub(super) fn of(thread: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/self/task/{thread}/syscall")).ok()?)
    }

    /// Parses `NUMBER ARGUMENT... STACK-POINTER PROGRAM-COUNTER`.
    fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [number, .., stack_pointer, program_counter] = words[..] else { return None };
        let address = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
        Some(Self {
            number: number.parse().ok()?,
            stack_pointer: address(stack_pointer)?,
            program_counter: address(program_counter)?,
        })
    }

    /// Returns whether a signal would end the call.
    pub(super) fn is_ended_by_signals(&self) -> bool {
        ENDED_BY_SIGNALS.contains(&self.number) || OLDER.contains(&self.number)
    }
}

/// Returns whether the thread blocks the signal, as far as the system tells: it would be delivered
/// at a time that the program does not expect.
pub(super) fn blocks(thread: u32, signal: c_int) -> bool {
    is_in_mask(&status_of(thread), signal)
}

/// Returns whether the thread is on a core, or waits for one, as far as the system tells.
pub(super) fn is_runnable(thread: u32) -> bool {
    state_in(&status_of(thread)) == Some('R')
}

fn status_of(thread: u32) -> String {
    fs::read_to_string(format!("/proc/self/task/{thread}/status")).unwrap_or_default()
}

/// Returns the letter behind `State:`, such as the S of `S (sleeping)`.
fn state_in(status: &str) -> Option<char> {
    status.lines().find_map(|line| line.strip_prefix("State:"))?.trim_start().chars().next()
}

fn is_in_mask(status: &str, signal: c_int) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (signal - 1)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_thread_s_call_and_place_are_read() {
        let text = format!("{} 0x3 0x7f 0x0 0x0 0x0 0x0 0x7ffd10 0x7f3a\n", libc::SYS_ppoll);
        let waiting = SystemCall::parse(&text).expect("it waits");
        assert_eq!((waiting.stack_pointer, waiting.program_counter), (0x7f_fd10, 0x7f3a));
        assert!(waiting.is_ended_by_signals());
        let text = format!("{} 0x3 0x7f 0x0 0x0 0x0 0x0 0x7ffd10 0x7f3a\n", libc::SYS_futex);
        assert!(!SystemCall::parse(&text).expect("it waits").is_ended_by_signals());
        assert!(!SystemCall::parse("-1 0x7ffd10 0x7f3a").expect("it waits").is_ended_by_signals());
        for text in ["running\n", "", "1 2", "a 0x1 0x2", "1 0x1 2"] {
            assert_eq!(SystemCall::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_thread_s_state_is_read() {
        assert_eq!(state_in("Name:\tState:\nState:\tD (disk sleep)\nTgid:\t1\n"), Some('D'));
        assert_eq!(state_in("Name:\tapp\n"), None);
        assert!(is_runnable(crate::capture::handler::own_thread()));
    }

    #[test]
    fn a_blocked_signal_is_in_the_mask() {
        let status = "Name:\tapp\nSigPnd:\tffffffffffffffff\nSigBlk:\t0000000000400000\nSigIgn:\t0\n";
        assert!(is_in_mask(status, libc::SIGURG));
        assert!(!is_in_mask(status, libc::SIGUSR1));
        assert!(!is_in_mask("", libc::SIGURG));
    }
}
