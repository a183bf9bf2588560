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

/// How often the rounds are counted: a leak grows each time, a buffer of a busy machine once.
const WINDOWS: u32 = 3;

/// Calls `round` again and again, and checks that the memory after so many rounds is that of
/// before: less than an allocation for two rounds more, and less than a hundred bytes for each,
/// beside buffers that have grown. If there is more, the rounds are done again, twice at most.
pub(crate) fn stays_flat(rounds: usize, mut round: impl FnMut()) {
    (0..rounds / 4).for_each(|_| round());
    let is_flat = (0..WINDOWS).any(|_| {
        let before = Live::settled();
        (0..rounds).for_each(|_| round());
        comes_down(before, rounds)
    });
    assert!(is_flat, "memory grew in each of {WINDOWS} times {rounds} rounds");
}

/// Returns whether the memory is that of `before` again. The rest of a round may come late, such as
/// the end of a thread that nothing waits for: this waits for it.
fn comes_down(before: Live, rounds: usize) -> bool {
    let deadline = Instant::now() + LIMIT / 6;
    loop {
        let now = Live::now();
        let (more, more_bytes) = (now.allocations - before.allocations, now.bytes - before.bytes);
        let is_flat = more < rounds as isize / 2 && more_bytes < GROWN + 100 * rounds as isize;
        if is_flat || Instant::now() >= deadline {
            println!("{more} allocations and {more_bytes} bytes more after {rounds} rounds");
            return is_flat;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// The allocations that are live.
#[derive(Clone, Copy, PartialEq)]
struct Live {
    allocations: isize,
    bytes: isize,
}

impl Live {
    fn now() -> Self {
        Self { allocations: ALLOCATIONS.load(Relaxed), bytes: BYTES.load(Relaxed) }
    }

    /// Returns what is live once it stays so for a while: what is still to be freed would hide a
    /// leak of as much. Some runtimes never rest, so that it waits for a second at most.
    fn settled() -> Self {
        let mut last = Self::now();
        for _ in 0..50 {
            thread::sleep(Duration::from_millis(20));
            let now = Self::now();
            if now == last {
                break;
            }
            last = now;
        }
        last
    }
}
