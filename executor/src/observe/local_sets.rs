//! The local sets that are polled in a runtime, so that their tasks can be shown with its own.

use std::sync::{Arc, Weak};

use crate::task::OwnedTasks;
use crate::util::sync::Mutex;

/// A local set, as far as it is shown.
pub(crate) trait ShownSet: Send + Sync {
    /// Returns the tasks that are not complete.
    fn live(&self) -> &OwnedTasks;
}

/// Sets that were polled in the runtime once; entries of sets that are gone are removed as others
/// come. A set that goes from runtime to runtime and back is entered each time: those entries are
/// removed then, too.
#[derive(Debug, Default)]
pub(crate) struct LocalSets(Mutex<Vec<Weak<dyn ShownSet>>>);

impl LocalSets {
    /// Adds a set that is polled in this runtime, and was last polled in another or in none.
    pub(crate) fn add(&self, set: Weak<dyn ShownSet>) {
        let mut sets = self.0.lock();
        if sets.len() == sets.capacity() {
            sets.retain(|set| set.strong_count() > 0);
            sets.sort_unstable_by_key(|set| set.as_ptr().cast::<()>());
            sets.dedup_by(|one, other| one.ptr_eq(other));
        }
        sets.push(set);
    }

    /// Returns the sets that are alive.
    pub(crate) fn alive(&self) -> Vec<Arc<dyn ShownSet>> {
        self.0.lock().iter().filter_map(Weak::upgrade).collect()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::runtime::Builder;
    use crate::task::LocalSet;

    #[test]
    fn a_set_that_changes_runtimes_is_noted_a_few_times() {
        let runtimes = [(); 2].map(|()| Builder::new_current_thread().build().expect("a runtime"));
        let set = LocalSet::new();
        for runtime in runtimes.iter().cycle().take(200) {
            set.block_on(runtime, async {});
        }
        for runtime in &runtimes {
            let noted = runtime.block_on(async { crate::scheduler::Context::current_scheduler() }).expect("inside");
            let noted = noted.observer.local_sets.0.lock().len();
            assert!((1..=8).contains(&noted), "{noted}");
        }
    }
}
