//! The number of a runtime, or of a set of local tasks; and the runtimes of the process by their
//! numbers, for a timer that is polled on a thread without a runtime.

use std::any::Any;
use std::fmt;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

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

/// The schedulers that are there. Of any type, so that this file knows none.
static ALIVE: Mutex<Vec<(RuntimeId, Weak<dyn Any + Send + Sync>)>> = Mutex::new(Vec::new());

/// Keeps a scheduler on the list; dropping it takes the scheduler off.
#[derive(Debug)]
pub(crate) struct Listed(RuntimeId);

impl Listed {
    pub(crate) fn new(id: RuntimeId, scheduler: &Weak<impl Any + Send + Sync>) -> Self {
        ALIVE.lock().push((id, Weak::clone(scheduler) as Weak<dyn Any + Send + Sync>));
        Self(id)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        ALIVE.lock().retain(|(id, _)| *id != self.0);
    }
}

/// Returns the scheduler with that number, if it is there still.
pub(crate) fn find<T: Any + Send + Sync>(id: RuntimeId) -> Option<Arc<T>> {
    let alive = ALIVE.lock();
    let (_, scheduler) = alive.iter().find(|(other, _)| *other == id)?;
    scheduler.upgrade()?.downcast().ok()
}

/// Returns the schedulers that are there.
pub(crate) fn all<T: Any + Send + Sync>() -> Vec<Arc<T>> {
    ALIVE.lock().iter().filter_map(|(_, scheduler)| scheduler.upgrade()?.downcast().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::runtime::Builder;
    use crate::scheduler::Scheduler;
    use std::sync::Arc;

    #[test]
    fn a_scheduler_is_listed_while_it_is_there() {
        let scheduler = Builder::new_current_thread().scheduler().expect("a netpoller");
        let id = scheduler.id;
        assert!(find::<Scheduler>(id).is_some_and(|found| Arc::ptr_eq(&found, &scheduler)));
        drop(scheduler);
        assert!(find::<Scheduler>(id).is_none());
    }
}
