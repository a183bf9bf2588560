//! The identity of a task: its id, the place that spawned it, and its name; and the id of the task
//! that a thread runs.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use wsrt_sync::current_task;
use wsrt_sync::current_task::CurrentTaskGuard;

use crate::task::inherited::Heritage;
use crate::task::meta::HookData;
use crate::task::stats::TaskCounts;
use crate::util::sync::Mutex;
use crate::util::world;

/// The number of ids that a processor takes at a time, so that processors seldom meet at the shared
/// counter. Ids that a processor leaves unused are lost: 2^64 is enough.
const BLOCK: u64 = 256;

/// The first id that no thread has taken. Part of no protocol: ids only have to differ.
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

    /// Returns the id with this number.
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

/// The ids that one processor may give out.
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

/// Takes `count` numbers, and returns the first. On the thread of a simulation, the numbers are the
/// simulation's own.
fn take(count: u64) -> u64 {
    world::take_ids(count).unwrap_or_else(|| Id::reserve(count))
}

/// The description of a task that the spawning code gives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpawnOrigin<'a> {
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) name: Option<&'a str>,
}

impl From<&'static Location<'static>> for SpawnOrigin<'_> {
    fn from(spawned_at: &'static Location<'static>) -> Self {
        Self { spawned_at, name: None }
    }
}

/// The parts that most tasks do not have. [`Provenance`] holds them, at no cost to a task without.
#[derive(Debug)]
pub(crate) struct Extras {
    pub(super) spawned_at: &'static Location<'static>,
    pub(super) name: Option<Arc<str>>,
    pub(super) listed_name: Option<ListedName>,
    pub(super) counts: Option<TaskCounts>,
    pub(super) data: Option<HookData>,
    pub(super) heritage: Option<Heritage>,
}

impl Extras {
    /// Creates extras that only say where the task was spawned.
    pub(super) fn at(spawned_at: &'static Location<'static>) -> Self {
        Self { spawned_at, name: None, listed_name: None, counts: None, data: None, heritage: None }
    }

    /// Creates the extras of a task with a name, or with what the code that spawns it hands down.
    #[cold]
    fn of_spawn(origin: SpawnOrigin<'_>) -> Option<Box<Self>> {
        let (name, heritage) = (origin.name.map(Arc::from), Heritage::here());
        let has_some = name.is_some() || heritage.is_some();
        has_some.then(|| Box::new(Self { name, heritage, ..Self::at(origin.spawned_at) }))
    }
}

/// The properties that a task is created with.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) id: Id,
    pub(crate) spawned_at: &'static Location<'static>,
    pub(super) extras: Option<Box<Extras>>,
}

impl Identity {
    #[inline]
    pub(crate) fn new<'a>(id: Id, origin: impl Into<SpawnOrigin<'a>>) -> Self {
        let origin: SpawnOrigin<'_> = origin.into();
        let may_have_some = origin.name.is_some() || Heritage::is_possible();
        let extras = if may_have_some { Extras::of_spawn(origin) } else { None };
        Self { id, spawned_at: origin.spawned_at, extras }
    }

    /// Lists the name, if there is one, until the task's cell is freed.
    #[inline]
    pub(crate) fn with_name_in(self, names: &Arc<LiveNames>) -> Self {
        if self.extras.is_some() { self.list_name(names) } else { self }
    }

    #[cold]
    fn list_name(mut self, names: &Arc<LiveNames>) -> Self {
        if let Some(extras) = &mut self.extras {
            let list = |name: &Arc<str>| ListedName::new(names, self.id, name);
            extras.listed_name = extras.name.as_ref().map(list);
        }
        self
    }

    /// Makes the task count its polls and wakes.
    pub(crate) fn with_counts(mut self) -> Self {
        self.extras_mut().counts = Some(TaskCounts::open());
        self
    }

    /// Returns the extras, which are created if there are none.
    pub(super) fn extras_mut(&mut self) -> &mut Extras {
        self.extras.get_or_insert_with(|| Box::new(Extras::at(self.spawned_at)))
    }
}

/// The number of parts of [`LiveNames`], so that threads that spawn named tasks seldom meet.
const SHARDS: usize = 16;

/// The names of a runtime's live tasks, by id. Without this list, reports would search all tasks
/// under the locks that spawns and completions wait for.
///
/// A lock is held for one entry, and no other lock is taken under it.
#[derive(Debug, Default)]
pub(crate) struct LiveNames([Mutex<HashMap<u64, Arc<str>>>; SHARDS]);

impl LiveNames {
    /// Returns the name of the live task with this number, if the task has a name.
    pub(crate) fn of(&self, task: u64) -> Option<Arc<str>> {
        self.shard(task).lock().get(&task).cloned()
    }

    fn shard(&self, task: u64) -> &Mutex<HashMap<u64, Arc<str>>> {
        &self.0[(task % SHARDS as u64) as usize]
    }
}

/// A listed name. Dropping this takes the name off the list.
#[derive(Debug)]
pub(super) struct ListedName {
    names: Arc<LiveNames>,
    task: u64,
}

impl ListedName {
    pub(super) fn new(names: &Arc<LiveNames>, task: Id, name: &Arc<str>) -> Self {
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

thread_local! {
    /// True if a task has panicked on this thread since the last [`take_panic`].
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// Notes that a task has panicked on this thread.
pub(super) fn note_panic() {
    PANICKED.set(true);
}

/// Returns whether a task has panicked on this thread since the last call.
pub(crate) fn take_panic() -> bool {
    PANICKED.get() && PANICKED.replace(false)
}

/// Returns the task whose code runs on this thread: a poll, or the drop of a future or an output.
pub(crate) fn current_id() -> Option<Id> {
    current_task::get().map(Id::from_number)
}

/// Makes `id` the current task of this thread until the guard is dropped. Locks that the task takes
/// name it as their holder.
#[inline]
pub(super) fn enter_current(id: Id) -> CurrentTaskGuard {
    current_task::enter(id.number())
}

/// Marks the address of extras. The bit is clear in the address of a place.
const EXTRAS: usize = 1;

const _: () = assert!(align_of::<Location<'static>>() > EXTRAS && align_of::<Extras>() > EXTRAS);

/// The origin of a task in one word: a `&'static Location<'static>`, or, for the few tasks with a
/// name, counts or data, a `Box<Extras>` whose lowest bit is set. The word never changes.
pub(super) struct Provenance {
    word: NonNull<()>,
    extras: PhantomData<Box<Extras>>,
}

impl Provenance {
    #[inline]
    pub(super) fn new(spawned_at: &'static Location<'static>, extras: Option<Box<Extras>>) -> Self {
        let word = match extras {
            None => NonNull::from(spawned_at).cast(),
            Some(extras) => NonNull::from(Box::leak(extras)).cast().map_addr(|address| address | EXTRAS),
        };
        Self { word, extras: PhantomData }
    }

    /// Returns the extras, if there are any.
    #[inline]
    pub(super) fn extras(&self) -> Option<&Extras> {
        // SAFETY: the extras were leaked into the word, and are freed with the word.
        self.extras_address().map(|extras| unsafe { extras.as_ref() })
    }

    #[inline]
    fn extras_address(&self) -> Option<NonNull<Extras>> {
        if self.word.addr().get() & EXTRAS == 0 {
            return None;
        }
        // The word without the bit is the address of extras, which is not null.
        NonNull::new(self.word.as_ptr().map_addr(|address| address & !EXTRAS).cast())
    }

    /// Returns the place where the task was spawned.
    #[inline]
    pub(super) fn spawned_at(&self) -> &'static Location<'static> {
        match self.extras() {
            Some(extras) => extras.spawned_at,
            // SAFETY: a word without the bit is a `&'static` reference.
            None => unsafe { self.word.cast::<Location<'static>>().as_ref() },
        }
    }
}

impl Drop for Provenance {
    fn drop(&mut self) {
        if let Some(extras) = self.extras_address() {
            // SAFETY: the extras are a box that was leaked into the word, and the word is gone.
            drop(unsafe { Box::from_raw(extras.as_ptr()) });
        }
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_known_with_and_without_extras() {
        let place = Location::caller();
        let plain = Provenance::new(place, None);
        assert!(std::ptr::eq(plain.spawned_at(), place) && plain.extras().is_none());
        let named = Provenance::new(place, Some(Box::new(Extras { name: Some("it".into()), ..Extras::at(place) })));
        assert!(std::ptr::eq(named.spawned_at(), place));
        assert_eq!(named.extras().and_then(|extras| extras.name.as_deref()), Some("it"));
    }
}
