//! A task's identity: its id, where it was spawned, and the name that the user gave it.
//!
//! Ids are unique in the process, and made in blocks so that spawning does not meet on one counter.

use std::fmt;
use std::num::NonZeroU64;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::meta::Attached;
use super::names::{ListedName, Names};
use crate::task::stats::TaskCounts;
use crate::util::world;

/// Ids that a processor takes at a time. Large enough that the shared counter is touched about as
/// rarely as the allocator asks the system for memory; ids that a processor leaves unused are lost,
/// and 2^64 is enough for that.
const BLOCK: u64 = 256;

/// The first id that no thread has taken. In no protocol: all it has to be is different each time.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// An identifier of a task, unique within the process.
///
/// No two tasks of a process have the same id, even if they belong to different runtimes. Ids are
/// not reused after a task has ended. Ids are ordered, so that they can be used as keys of maps and
/// in sorted lists, but their order is unrelated to the order in which the tasks were spawned. The
/// numbers may change in any release.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(NonZeroU64);

impl Id {
    /// Takes one id from the shared counter, for threads that have no [`IdBlock`].
    pub(crate) fn next() -> Self {
        Self::new(take(1))
    }

    /// Takes `count` numbers of the process, and returns the first.
    pub(crate) fn reserve(count: u64) -> u64 {
        NEXT.fetch_add(count, Relaxed)
    }

    pub(crate) fn as_u64(self) -> u64 {
        self.0.get()
    }

    #[inline]
    pub(crate) fn number(self) -> NonZeroU64 {
        self.0
    }

    /// The id with this number.
    pub(crate) fn from_number(number: NonZeroU64) -> Self {
        Self(number)
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

/// Takes `count` numbers, of a simulation's own on its thread, and returns the first.
fn take(count: u64) -> u64 {
    world::take_ids(count).unwrap_or_else(|| Id::reserve(count))
}

/// The origin of a task: its spawner's description of it.
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

/// The parts that most tasks do not have, behind a thin pointer that costs them nothing: see
/// [`Provenance`](super::provenance::Provenance).
#[derive(Debug)]
pub(crate) struct Extras {
    pub(super) spawned_at: &'static Location<'static>,
    pub(super) name: Option<Arc<str>>,
    pub(super) listed_name: Option<ListedName>,
    pub(super) counts: Option<TaskCounts>,
    pub(super) data: Option<Attached>,
}

impl Extras {
    /// No more than the place where the task was spawned.
    pub(super) fn at(spawned_at: &'static Location<'static>) -> Self {
        Self { spawned_at, name: None, listed_name: None, counts: None, data: None }
    }
}

/// The properties that a task gets when it is made.
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
        let named = |name: &str| Box::new(Extras { name: Some(name.into()), ..Extras::at(spawned_at) });
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

    /// Switches counting on for the task.
    pub(crate) fn with_counts(mut self) -> Self {
        self.extras_mut().counts = Some(TaskCounts::open());
        self
    }

    /// Returns the extras, which the task has from now on.
    pub(super) fn extras_mut(&mut self) -> &mut Extras {
        self.extras.get_or_insert_with(|| Box::new(Extras::at(self.spawned_at)))
    }
}
