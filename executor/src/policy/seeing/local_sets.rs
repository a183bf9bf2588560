//! The local sets that are polled in a runtime, so that their tasks can be shown with its own.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::policy::local_tasks::SharedTasks;
use crate::policy::seeing::Seeing;

/// Sets that were polled in the runtime once; those that are gone are thrown out as others come.
#[derive(Debug, Default)]
pub(super) struct LocalSets(Mutex<Vec<Weak<SharedTasks>>>);

impl Seeing {
    /// A set is polled in this runtime for the first time.
    pub(crate) fn note_local_set(&self, set: &Arc<SharedTasks>) {
        let mut sets = self.local_sets.0.lock();
        if sets.len() == sets.capacity() {
            sets.retain(|set| set.strong_count() > 0);
        }
        sets.push(Arc::downgrade(set));
    }

    /// The sets that are there.
    pub(crate) fn local_sets(&self) -> Vec<Arc<SharedTasks>> {
        self.local_sets.0.lock().iter().filter_map(Weak::upgrade).collect()
    }
}
