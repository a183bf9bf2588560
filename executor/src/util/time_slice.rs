//! A short time slice from the operating system, for threads that are woken for single events.
//!
//! Linux lets a thread that computes go on for a slice, some 3 ms, before it gives the core to one
//! that has just been woken. With more threads ready than cores, which is so whenever a poll is
//! stuck or a loop computes, that is how late an event is seen to. A thread may ask for shorter
//! slices; it gets no more of a core by that, but gets it, and gives it up, in smaller pieces.
//!
//! That is for these threads alone, and not for what they start: a compiler that a task runs should
//! not be interrupted thirty times as often. So they ask, too, that the threads and processes which
//! they start begin with the system's own attributes. Those would begin with a negative nice value
//! set to 0 as well (one that is not negative is handed down all the same). A thread that has a
//! negative one, which takes a privilege and so is meant, does not ask for that: what it starts
//! keeps the nice value, and the short slices with it.

/// In nanoseconds: the least that Linux grants.
#[cfg(target_os = "linux")]
const SLICE: u64 = 100_000;
/// What the thread starts begins with the system's own slices, the ordinary policy, and no negative
/// nice value. A thread that has no privilege cannot give this up again, nor choose another policy
/// without it: hence not before the users' hook.
#[cfg(target_os = "linux")]
const RESET_ON_FORK: u64 = libc::SCHED_FLAG_RESET_ON_FORK as u64;

/// Asks for short slices for the calling thread, if it has the ordinary policy. Linux 6.12 and
/// newer heed it; elsewhere, and where it is refused, all stays as it is.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for_short_ones() {
    let Some(mut attributes) = Attributes::of_this_thread() else { return };
    if attributes.policy == libc::SCHED_OTHER as u32 {
        attributes.runtime = SLICE;
        if attributes.nice >= 0 {
            attributes.flags |= RESET_ON_FORK;
        }
        attributes.apply();
    }
}

/// Nothing to ask for.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for_short_ones() {}

/// `struct sched_attr` of the kernel, in its first version.
#[cfg(target_os = "linux")]
#[repr(C)]
#[derive(Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

#[cfg(target_os = "linux")]
impl Attributes {
    fn of_this_thread() -> Option<Self> {
        let mut attributes = Self::default();
        let size = size_of::<Self>() as libc::c_uint;
        // SAFETY: the kernel writes up to `size` bytes to `attributes`, which has as many.
        let status = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
        (status == 0).then_some(attributes)
    }

    fn apply(&self) {
        // SAFETY: the kernel reads as many bytes as the structure says that it has. An error means
        // that nothing changed.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const *self, 0) };
    }
}
