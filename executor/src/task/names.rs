//! The names of a runtime's live tasks by their ids: for reports, which would have to look through
//! all tasks otherwise, under the locks that spawns and completions wait for.
//!
//! A task without a name does not use this module.

use std::collections::HashMap;
use std::sync::Arc;

use super::Id;
use crate::util::sync::Mutex;

/// Parts of the list, so that threads that spawn named tasks at the same time seldom meet.
const SHARDS: usize = 16;

/// The names of live tasks. A lock is held for one entry, and nothing else is locked under it.
#[derive(Debug, Default)]
pub(crate) struct Names([Mutex<HashMap<u64, Arc<str>>>; SHARDS]);

impl Names {
    /// The name of the task with this number, if it has one and lives.
    pub(crate) fn of(&self, task: u64) -> Option<Arc<str>> {
        self.shard(task).lock().get(&task).cloned()
    }

    fn shard(&self, task: u64) -> &Mutex<HashMap<u64, Arc<str>>> {
        &self.0[(task % SHARDS as u64) as usize]
    }
}

/// A name on the list, until this is dropped.
#[derive(Debug)]
pub(super) struct ListedName {
    names: Arc<Names>,
    task: u64,
}

impl ListedName {
    pub(super) fn new(names: &Arc<Names>, task: Id, name: &Arc<str>) -> Self {
        let task = task.as_u64();
        names.shard(task).lock().insert(task, Arc::clone(name));
        Self { names: Arc::clone(names), task }
    }
}

impl Drop for ListedName {
    fn drop(&mut self) {
        let name = self.names.shard(self.task).lock().remove(&self.task);
        drop(name);
    }
}
