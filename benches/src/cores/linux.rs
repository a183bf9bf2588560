//! Linux: sched_setaffinity(2).

use std::io;
use std::mem::{MaybeUninit, size_of};

use crate::Failure;

/// Returns the cores that this thread may run on.
pub(crate) fn allowed() -> Result<Vec<usize>, Failure> {
    let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed();
    // SAFETY: the pointer is to a whole `cpu_set_t` of the given size, writable for the length of
    // the call.
    let code = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), set.as_mut_ptr()) };
    if code != 0 {
        return Err(io::Error::last_os_error().into());
    }
    // SAFETY: all zeroes is a set, an empty one, and the call has filled it.
    let set = unsafe { set.assume_init() };
    let is_allowed = |core: &usize| {
        // SAFETY: `core` is below CPU_SETSIZE.
        unsafe { libc::CPU_ISSET(*core, &set) }
    };
    Ok((0..libc::CPU_SETSIZE as usize).filter(is_allowed).collect())
}

/// Restricts this thread, and those that it will start, to `cores`.
pub(crate) fn stay_on(cores: &[usize]) -> Result<(), Failure> {
    let set = MaybeUninit::<libc::cpu_set_t>::zeroed();
    // SAFETY: all zeroes is a set, an empty one.
    let mut set = unsafe { set.assume_init() };
    for &core in cores.iter().filter(|&&core| core < libc::CPU_SETSIZE as usize) {
        // SAFETY: `core` is below CPU_SETSIZE.
        unsafe { libc::CPU_SET(core, &mut set) };
    }
    // SAFETY: the pointer is to a whole `cpu_set_t` of the given size, readable for the length of
    // the call.
    let code = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) };
    if code != 0 {
        return Err(format!("cannot run on cores {cores:?}: {}", io::Error::last_os_error()).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_stays_on_the_core_it_is_given() {
        let core = allowed().unwrap()[0];
        let seen = std::thread::spawn(move || {
            stay_on(&[core]).unwrap();
            allowed().unwrap()
        });
        assert_eq!(seen.join().unwrap(), [core]);
    }

    #[test]
    fn no_core_at_all_is_refused() {
        let message = stay_on(&[]).unwrap_err().to_string();
        assert!(message.contains("[]"), "{message}");
    }
}
