//! A short time slice from the OS, for threads that are woken for single events.
//!
//! Linux lets a thread that computes continue for a slice, some 3 ms, before it gives the core to
//! one that has just been woken. With more threads ready than cores, as when a poll is stuck or a
//! loop computes, an event is handled that late. A thread may request shorter slices; it gets no
//! more of a core by that, but gets it, and gives it up, in smaller pieces.
//!
//! Only these threads get short slices, not the threads and processes that they start: a compiler
//! that a task runs should not be interrupted thirty times as often. So they also request that
//! threads and processes which they start begin with the OS's default attributes. That also sets a
//! negative nice value to 0 (one that is not negative is inherited). A thread with a negative nice
//! value, which takes a privilege and so is deliberate, does not request this: its children inherit
//! the nice value, and with it the short slices.

/// In nanoseconds: the least that Linux grants.
#[cfg(target_os = "linux")]
const SLICE: u64 = 100_000;
/// Threads and processes that the thread starts begin with the OS's default slices, the ordinary
/// policy, and no negative nice value. A thread without privileges cannot revoke this, nor then
/// choose another policy without it: hence not before the users' hook.
#[cfg(target_os = "linux")]
const RESET_ON_FORK: u64 = libc::SCHED_FLAG_RESET_ON_FORK as u64;

/// Requests short slices for the calling thread, if it has the ordinary policy. It takes effect on
/// Linux 6.12 and newer; elsewhere, and where it is refused, nothing changes.
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

/// Does nothing on this system.
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
