//! The local sets polled in a runtime, so that their tasks appear in the runtime's dumps.

use std::sync::{Arc, Weak};

use crate::task::OwnedTasks;
use crate::util::sync::Mutex;

/// A local set, as seen by a dump.
pub(crate) trait ShownSet: Send + Sync {
    /// Returns the registry of the set's live tasks.
    fn live(&self) -> &OwnedTasks;
}

/// All sets that were ever polled in this runtime. Entries of dropped sets are removed when another
/// set is added. A set that moves between runtimes and returns is added each time; the duplicates
/// are removed when another set is added, too.
#[derive(Debug, Default)]
pub(crate) struct LocalSets(Mutex<Vec<Weak<dyn ShownSet>>>);

impl LocalSets {
    /// Adds a set that is polled in this runtime, and was last polled in another runtime or in
    /// none.
    pub(crate) fn add(&self, set: Weak<dyn ShownSet>) {
        let mut sets = self.0.lock();
        if sets.len() == sets.capacity() {
            sets.retain(|set| set.strong_count() > 0);
            sets.sort_unstable_by_key(|set| set.as_ptr().cast::<()>());
            sets.dedup_by(|one, other| one.ptr_eq(other));
        }
        sets.push(set);
    }

    /// Returns the sets that still exist.
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
