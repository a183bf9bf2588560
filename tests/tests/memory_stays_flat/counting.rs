//! The allocations that are live, counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use wsrt_tests::{LIMIT, within_a_minute};

/// The system's allocator, counting.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static ALLOCATIONS: AtomicIsize = AtomicIsize::new(0);
static BYTES: AtomicIsize = AtomicIsize::new(0);

/// The bytes that buffers and tables may have grown by, since more was in them at once.
const GROWN: isize = 256 << 10;

// SAFETY: everything is left to the system's allocator; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        BYTES.fetch_add(layout.size() as isize, Relaxed);
        // SAFETY: the caller keeps `alloc`'s contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATIONS.fetch_sub(1, Relaxed);
        BYTES.fetch_sub(layout.size() as isize, Relaxed);
        // SAFETY: the caller keeps `dealloc`'s contract, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        BYTES.fetch_add(size as isize - layout.size() as isize, Relaxed);
        // SAFETY: the caller keeps `realloc`'s contract, which is the same.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Runs `test` when no other test runs: the counts are of the whole process.
pub(crate) fn alone(test: impl FnOnce() + Send + 'static) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    within_a_minute(test);
}

/// Calls `round` again and again, and checks that the memory after so many rounds is that after a
/// quarter of them: there is less than an allocation for two rounds more, and less than a hundred
/// bytes for each, beside buffers that have grown.
///
/// The rest of a round may come late, such as the end of a thread that nothing waits for: the check
/// waits for it.
pub(crate) fn stays_flat(rounds: usize, mut round: impl FnMut()) {
    (0..rounds / 4).for_each(|_| round());
    let (allocations, bytes) = (ALLOCATIONS.load(Relaxed), BYTES.load(Relaxed));
    (0..rounds).for_each(|_| round());
    let deadline = Instant::now() + LIMIT / 2;
    loop {
        let (more, more_bytes) = (ALLOCATIONS.load(Relaxed) - allocations, BYTES.load(Relaxed) - bytes);
        if more < rounds as isize / 2 && more_bytes < GROWN + 100 * rounds as isize {
            println!("{more} allocations and {more_bytes} bytes more after {rounds} rounds");
            return;
        }
        assert!(Instant::now() < deadline, "{more} allocations and {more_bytes} bytes more after {rounds} rounds");
        thread::sleep(Duration::from_millis(1));
    }
}
