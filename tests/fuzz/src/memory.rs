//! The memory that an input takes: an allocator that counts the bytes of the current thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes allocated less those freed, and the most that this has been since it was last set.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

/// The system's allocator, metered. A test program makes it its global allocator.
#[derive(Debug)]
pub struct Metered;

impl Metered {
    /// Returns the most memory, in bytes, that `body` has held at a time on this thread.
    pub fn most_during(body: impl FnOnce()) -> usize {
        let before = HELD.get().0;
        HELD.set((before, before));
        body();
        usize::try_from(HELD.get().1 - before).unwrap_or(0)
    }

    fn count(bytes: isize) {
        // The thread may have dropped its locals: then it measures nothing any more.
        let _ = HELD.try_with(|held| {
            let (now, most) = held.get();
            let now = now.wrapping_add(bytes);
            held.set((now, most.max(now)));
        });
    }
}

// SAFETY: each call is handed on to the system's allocator as it is; counting allocates nothing,
// for the thread-local value needs neither a constructor nor a destructor.
unsafe impl GlobalAlloc for Metered {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count(layout.size() as isize);
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        Self::count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count(size as isize - layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }
}
