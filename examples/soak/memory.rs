//! Memory: the bytes that are allocated, counted, and the resident set, kept still.

use std::alloc::{GlobalAlloc, Layout, System};
use std::env;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::sites;

/// glibc's limit on its arenas. It gives threads their own arenas, whose free memory is
/// scattered among the pages in use; with one of them, the resident set follows the program.
const ARENAS: (&str, &str) = ("MALLOC_ARENA_MAX", "1");

/// The system's allocator, counting the bytes that are allocated.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The bytes that are allocated and not freed. It wraps for a moment when a thread frees what
/// another has not yet counted.
static LIVE: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is left to the system's allocator; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as u64, Relaxed);
        // SAFETY: the caller keeps `alloc`'s contract, which is the same.
        let pointer = unsafe { System.alloc(layout) };
        sites::allocated(pointer.addr(), layout.size());
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as u64, Relaxed);
        sites::freed(pointer.addr());
        // SAFETY: the caller keeps `dealloc`'s contract, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_add((size as u64).wrapping_sub(layout.size() as u64), Relaxed);
        sites::freed(pointer.addr());
        // SAFETY: the caller keeps `realloc`'s contract, which is the same.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        sites::allocated(moved.addr(), size);
        moved
    }
}

/// The bytes that are allocated, in kB.
pub(crate) fn allocated() -> u64 {
    (LIVE.load(Relaxed) as i64).max(0) as u64 / 1024
}

/// Has the allocator give free memory back to the system, so that the resident set is what is in
/// use, and not the most that ever was.
pub(crate) fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it takes a number and no pointer.
    let _ = unsafe { libc::malloc_trim(0) };
}

/// The resident set, in kB.
pub(crate) fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Becomes this program once more, with one arena, unless the user has said how many. Returns if
/// there is nothing to do, or an error.
pub(crate) fn limit_arenas() -> io::Result<()> {
    if env::var_os(ARENAS.0).is_some() {
        return Ok(());
    }
    Err(Command::new(env::current_exe()?).args(env::args_os().skip(1)).env(ARENAS.0, ARENAS.1).exec())
}
