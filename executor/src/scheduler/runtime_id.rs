//! The number of a runtime, or of a set of local tasks.

use std::fmt;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The first number that none has. In no protocol: all it has to be is different each time.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Identifies a runtime. Returned by [`Handle::id`](crate::runtime::Handle::id).
///
/// No two runtimes of a process have the same id, at the same time or one after the other. Ids say
/// nothing else: the numbers may change with any release.
///
/// # Examples
///
/// ```
/// use wsrt::runtime::Runtime;
///
/// let (one, other) = (Runtime::new()?, Runtime::new()?);
/// assert_eq!(one.handle().id(), one.handle().clone().id());
/// assert_ne!(one.handle().id(), other.handle().id());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RuntimeId(NonZeroU64);

impl RuntimeId {
    pub(crate) fn next() -> Self {
        let number = NonZeroU64::new(NEXT.fetch_add(1, Relaxed));
        Self(number.expect("2^64 runtimes are not made in the life of a process"))
    }
}

impl fmt::Display for RuntimeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
