//! Task ids: unique in the process, made in blocks so that spawning does not meet on one counter.

use std::fmt;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Ids that a processor takes at a time. Large enough that the shared counter is touched about as
/// rarely as the allocator asks the system for memory; what a processor leaves unused is lost, and
/// 2^64 is enough for that.
const BLOCK: u64 = 256;

/// The first id that no thread has taken. In no protocol: all it has to be is different each time.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Identifies a task.
///
/// No two tasks of a process have the same id, whatever runtime they belong to, and an id is not
/// used again when its task is gone. Ids say nothing of the order in which tasks were spawned, and
/// the numbers may change with any release.
///
/// # Examples
///
/// ```
/// let runtime = wsrt::runtime::Runtime::new().unwrap();
/// runtime.block_on(async {
///     let one = wsrt::spawn(async {});
///     let other = wsrt::spawn(async {});
///     assert_ne!(one.id(), other.id());
/// });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Id(NonZeroU64);

impl Id {
    /// Takes one id from the shared counter, for threads that have no [`IdBlock`].
    pub(crate) fn next() -> Self {
        Self::new(take(1))
    }

    pub(crate) fn as_u64(self) -> u64 {
        self.0.get()
    }

    #[inline]
    fn new(number: u64) -> Self {
        Self(NonZeroU64::new(number).expect("2^64 ids are not used up in the life of a process"))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Ids that one processor may give out.
#[derive(Debug, Default)]
pub(crate) struct IdBlock {
    next: u64,
    end: u64,
}

impl IdBlock {
    #[inline]
    pub(crate) fn next(&mut self) -> Id {
        if self.next == self.end {
            self.refill();
        }
        let number = self.next;
        self.next += 1;
        Id::new(number)
    }

    #[cold]
    fn refill(&mut self) {
        self.next = take(BLOCK);
        self.end = self.next + BLOCK;
    }
}

/// Takes `count` numbers and returns the first.
fn take(count: u64) -> u64 {
    NEXT.fetch_add(count, Relaxed)
}
