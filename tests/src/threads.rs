//! The threads of this process, as the system sees them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// The part of a thread's name that the system keeps.
const NAME_LENGTH: usize = 15;
/// The system's flag for a thread that has run its last instruction: it may still be listed when it
/// was joined already.
const EXITING: u64 = 4;

/// How many threads of this process have the name `name`, of which only the first 15 bytes count. A
/// runtime with a name of its own can be watched this way whatever else goes on in the process.
///
/// # Panics
///
/// Without Linux's `/proc`.
#[must_use]
pub fn count_threads(name: &str) -> usize {
    threads_named(name).len()
}

/// The system's numbers for the threads that [`count_threads`] counts.
///
/// # Panics
///
/// Without Linux's `/proc`.
#[must_use]
pub fn threads_named(name: &str) -> Vec<u32> {
    let name = &name[..name.len().min(NAME_LENGTH)];
    // A list that is read while a thread ends may leave out another: two that agree are whole.
    let mut threads = thread_ids();
    loop {
        let named = threads.iter().filter(|id| is_thread(id, name));
        let numbers = named.map(|id| id.to_str().and_then(|id| id.parse().ok()).expect("a number")).collect();
        let again = thread_ids();
        if again == threads {
            return numbers;
        }
        threads = again;
    }
}

fn thread_ids() -> Vec<OsString> {
    let threads = fs::read_dir("/proc/self/task").expect("Linux lists the threads of a process");
    threads.filter_map(Result::ok).map(|thread| thread.file_name()).collect()
}

fn is_thread(id: &OsStr, name: &str) -> bool {
    // A thread may be gone by the time that we look.
    let stat = fs::read_to_string(Path::new("/proc/self/task").join(id).join("stat"));
    stat.is_ok_and(|stat| is_alive_and_named(&stat, name))
}

/// Judges a line such as `1234 (name) S 1 2 3 4 5 flags …`; the name may have any character in it.
fn is_alive_and_named(stat: &str, name: &str) -> bool {
    let (start, rest) = stat.rsplit_once(')').expect("the name is in parentheses");
    let (_, found) = start.split_once('(').expect("the name is in parentheses");
    let flags = rest.split_whitespace().nth(6).and_then(|flags| flags.parse::<u64>().ok());
    found == name && flags.expect("the ninth field is a number") & EXITING == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_threads_are_reported_by_name() {
        let name = "wsrt (test) 123456";
        assert_eq!(count_threads(name), 0);
        let thread =
            std::thread::Builder::new().name(name.into()).spawn(move || count_threads(name)).expect("a thread");
        assert_eq!(thread.join().expect("no panic"), 1);
        assert_eq!(count_threads(name), 0);
    }
}
