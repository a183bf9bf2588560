//! The schedulers of the process, by their addresses: for a timer that is polled on a thread
//! without a runtime.

use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::scheduler::{Context, Scheduler};

static ALIVE: Mutex<Vec<Weak<Scheduler>>> = Mutex::new(Vec::new());

/// Keeps a scheduler on the list; dropping it takes the scheduler off.
pub(crate) struct Listed(Weak<Scheduler>);

impl Listed {
    pub(crate) fn new(scheduler: &Weak<Scheduler>) -> Self {
        ALIVE.lock().push(Weak::clone(scheduler));
        Self(Weak::clone(scheduler))
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        ALIVE.lock().retain(|other| !Weak::ptr_eq(other, &self.0));
    }
}

impl fmt::Debug for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listed")
    }
}

/// Returns the address of the current thread's scheduler; 0 if it has none.
#[inline]
pub(crate) fn address_here() -> usize {
    Context::with(|context| context.map_or(0, |context| Arc::as_ptr(context.scheduler()).addr()))
}

/// Returns the scheduler at that address, if it is there still. One that has taken its place since
/// will do for the caller too.
pub(crate) fn scheduler_at(address: usize) -> Option<Arc<Scheduler>> {
    ALIVE.lock().iter().find(|scheduler| scheduler.as_ptr().addr() == address).and_then(Weak::upgrade)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Builder;

    #[test]
    fn a_scheduler_is_listed_while_it_is_there() {
        let scheduler = Builder::new_current_thread().scheduler().expect("a netpoller");
        let address = Arc::as_ptr(&scheduler).addr();
        assert!(scheduler_at(address).is_some_and(|found| Arc::ptr_eq(&found, &scheduler)));
        // As long as this is there, no other scheduler has the address.
        let gone = Arc::downgrade(&scheduler);
        drop(scheduler);
        assert!(!ALIVE.lock().iter().any(|listed| Weak::ptr_eq(listed, &gone)));
        assert!(scheduler_at(address).is_none());
    }
}
