//! Checks the room on a thread's stack, for waits that run other tasks inside them.
//!
//! A task that blocks where no other thread can take over runs the ready tasks inside its own call,
//! and each of these may block as well: how deep the calls nest is up to the tasks. Each level
//! therefore checks the remaining room, because a stack overflow ends the process, while a panic
//! ends only one task.

use std::cell::Cell;
use std::ops::Range;
use std::ptr;

/// The bytes that must remain for the polls inside a wait, or a quarter of a small stack.
const LEFT: usize = 256 * 1024;

thread_local! {
    /// The bounds of the thread's stack, or `None` before the first check.
    static STACK: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// Panics if too little stack is left for another nested wait. Does nothing if the OS does not tell
/// the bounds, or on a stack that is not the thread's own.
#[track_caller]
pub(crate) fn ask_for_room() {
    let here = 0_u8;
    let here = ptr::from_ref(&here).addr();
    let (low, high) = STACK.get().unwrap_or_else(|| {
        let Range { start, end } = bounds().unwrap_or_default();
        STACK.set(Some((start, end)));
        (start, end)
    });
    let is_known = (low..high).contains(&here);
    assert!(
        !is_known || here - low >= LEFT.min((high - low) / 4),
        "wsrt: a task blocked inside others that block, all on one thread, and its stack has no room for one more: await \
         instead, or use a multi-thread runtime, or a thread with a larger stack"
    );
}

#[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
fn bounds() -> Option<Range<usize>> {
    use std::mem::MaybeUninit;

    // SAFETY: it takes nothing, and writes nothing.
    let number = unsafe { libc::gettid() };
    // For a first thread musl answers with the part of the stack that is mapped so far.
    if cfg!(target_env = "musl") && u32::try_from(number) == Ok(std::process::id()) {
        return None;
    }
    let mut attributes = MaybeUninit::uninit();
    // SAFETY: it takes nothing, and writes nothing.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: the thread is this one, and the place is there to be written to.
    if unsafe { libc::pthread_getattr_np(thread, attributes.as_mut_ptr()) } != 0 {
        return None;
    }
    let (mut low, mut size) = (ptr::null_mut(), 0);
    // SAFETY: the attributes were written just now, and both places are there to be written to.
    let answer = unsafe { libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut low, &raw mut size) };
    // SAFETY: the attributes were written above, and are used no more.
    let _ = unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
    (answer == 0).then(|| low.addr()..low.addr().saturating_add(size))
}

#[cfg(all(target_vendor = "apple", not(miri)))]
fn bounds() -> Option<Range<usize>> {
    // SAFETY: it takes nothing, and writes nothing.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: the thread is this one.
    let high = unsafe { libc::pthread_get_stackaddr_np(thread) }.addr();
    // SAFETY: the thread is this one.
    let size = unsafe { libc::pthread_get_stacksize_np(thread) };
    Some(high.saturating_sub(size)..high)
}

#[cfg(any(miri, not(any(target_os = "linux", target_os = "android", target_vendor = "apple"))))]
fn bounds() -> Option<Range<usize>> {
    None
}

#[cfg(all(test, not(miri), any(target_os = "linux", target_vendor = "apple")))]
mod tests {
    use super::{LEFT, ask_for_room, bounds};
    use std::hint::black_box;
    use std::panic::catch_unwind;
    use std::{ptr, thread};

    /// Calls itself until less than `left` bytes are left, and then asks for room.
    fn ask_with(left: usize) -> bool {
        let frame = black_box([0_u8; 4096]);
        if ptr::from_ref(&frame).addr() - bounds().expect("it is known").start > left {
            let has_room = ask_with(left);
            black_box(&frame);
            return has_room;
        }
        catch_unwind(ask_for_room).is_ok()
    }

    #[test]
    fn there_is_room_until_little_is_left() {
        for size in [LEFT / 2, 8 * LEFT] {
            let limit = LEFT.min(size / 4);
            let thread = thread::Builder::new().stack_size(size);
            let asked = thread.spawn(move || {
                let bounds = bounds().expect("the stack is known");
                assert!(bounds.contains(&ptr::from_ref(&size).addr()));
                (ask_with(2 * limit), ask_with(limit - 4096))
            });
            assert_eq!(asked.expect("a thread").join().expect("no panic"), (true, false), "of {size}");
        }
    }
}
