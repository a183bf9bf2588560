//! What tells a task from others: its id, where it was spawned, and what the user calls it.

use std::panic::Location;
use std::sync::Arc;

use super::Id;
use super::names::{ListedName, Names};
use crate::task::stats::TaskCounts;

/// Where a task comes from: what its spawner says of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) name: Option<&'a str>,
}

impl From<&'static Location<'static>> for Origin<'_> {
    fn from(spawned_at: &'static Location<'static>) -> Self {
        Self { spawned_at, name: None }
    }
}

/// What most tasks do not have, behind a thin pointer: they pay one word for that.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    pub(super) name: Option<Arc<str>>,
    pub(super) listed_name: Option<ListedName>,
    pub(super) counts: Option<TaskCounts>,
}

/// What a task is told of itself when it is made.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) id: Id,
    pub(crate) spawned_at: &'static Location<'static>,
    pub(super) extras: Option<Box<Extras>>,
}

impl Identity {
    #[inline]
    pub(crate) fn new<'a>(id: Id, origin: impl Into<Origin<'a>>) -> Self {
        let Origin { spawned_at, name } = origin.into();
        let named = |name: &str| Box::new(Extras { name: Some(name.into()), ..Extras::default() });
        Self { id, spawned_at, extras: name.map(named) }
    }

    /// Puts the name, if there is one, on the list for as long as the task's cell is
    /// there.
    #[inline]
    pub(crate) fn with_name_in(self, names: &Arc<Names>) -> Self {
        if self.extras.is_some() { self.list_name(names) } else { self }
    }

    #[cold]
    fn list_name(mut self, names: &Arc<Names>) -> Self {
        if let Some(extras) = &mut self.extras {
            let list = |name: &Arc<str>| ListedName::new(names, self.id, name);
            extras.listed_name = extras.name.as_ref().map(list);
        }
        self
    }

    /// Has the task counted from now on.
    pub(crate) fn with_counts(mut self) -> Self {
        self.extras.get_or_insert_default().counts = Some(TaskCounts::open());
        self
    }
}
