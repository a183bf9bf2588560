//! The values and the deadline that a task inherits from the code that spawns it.
//!
//! A scope of an inherited key puts a layer on the thread's stack while it polls its future, and so
//! does a `timeout`. A spawn copies what the layers hold into one [`InheritedValues`], which the
//! innermost layer keeps for the next spawn. Each poll of the new task begins with a layer of the
//! task's own. Code that polls other tasks in the middle of a poll leaves the layers before: a
//! nested `block_on` with its [`ScopesAside`](super::ScopesAside), and the others with
//! [`leave_layers`]. So a worker's poll need not look for layers.
//!
//! Where there is no layer, a spawn pays for a look at [`INNERMOST`].

use std::any::Any;
use std::cell::{Cell, OnceCell};
use std::fmt;
use std::iter::successors;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Instant;

use super::cell::Header;
use super::meta::KeptMeta;
use super::reference::CountedRef;
use crate::util::pinned_on_stack::{FrameRef, FramesAside};
use crate::util::unwind::drop_quietly;

/// The values and the deadline that code hands down to the tasks that it spawns.
#[derive(Debug)]
pub(super) struct InheritedValues {
    deadline: Option<Instant>,
    /// The value of each key, by the key's address.
    values: Vec<(usize, SharedValue)>,
}

/// A value that a scope shares with the tasks that inherit it.
#[derive(Clone)]
pub(super) struct SharedValue(pub(super) Arc<dyn Any + Send + Sync>);

// Shared borrows of the value are handed out, as by a `LocalKey` whose value is in its scope, which
// says nothing of unwinding either.
impl UnwindSafe for SharedValue {}
impl RefUnwindSafe for SharedValue {}

impl SharedValue {
    /// Returns a placeholder for a value that was taken out of its scope.
    pub(super) fn nothing() -> Self {
        struct Nothing;
        Self(Arc::new(Nothing))
    }
}

impl fmt::Debug for SharedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedValue").finish_non_exhaustive()
    }
}

/// A task's own reference to what it has inherited. Always there, until it is dropped.
#[derive(Debug)]
pub(super) struct Heritage(Option<Arc<InheritedValues>>);

impl Drop for Heritage {
    fn drop(&mut self) {
        // The last reference drops users' values, wherever the memory of the task is freed.
        drop_quietly(self.0.take());
    }
}

/// What one frame of the stack adds to the surroundings of the code above it.
enum Adds<'a> {
    /// The heritage of this task. This is the outermost layer. The task's cell is alive.
    Task(NonNull<Header>),
    /// A deadline, which is no later than the one further out.
    Deadline(Instant),
    /// A value for the key with this address.
    Value(usize, &'a SharedValue),
}

/// A layer of the surroundings of the code that runs on a thread, in a frame of the thread's stack.
pub(super) struct Layer<'a> {
    adds: Adds<'a>,
    outer: Option<LayerRef>,
    /// The copy for spawned tasks, once one was spawned.
    copy: OnceCell<Arc<InheritedValues>>,
}

type LayerRef = FrameRef<Layer<'static>>;

thread_local! {
    /// The innermost layer of this thread. Has no destructor, so that spawns and wakers may look at
    /// any time, also while the thread ends.
    pub(super) static INNERMOST: Cell<Option<LayerRef>> = const { Cell::new(None) };
}

impl Layer<'_> {
    /// Returns this layer and the layers further out.
    fn and_outer(&self) -> impl Iterator<Item = &Layer<'_>> {
        successors(Some(self), |layer| layer.outer.as_ref().map(|outer| outer.get()))
    }

    /// Returns the heritage of the task whose layer this is, if it is a task's that has any.
    fn heritage(&self) -> Option<&Arc<InheritedValues>> {
        let Adds::Task(task) = &self.adds else { return None };
        // SAFETY: the cell outlives the layer, and the heritage never changes.
        unsafe { task.as_ref() }.provenance.extras()?.heritage.as_ref()?.0.as_ref()
    }

    fn deadline(&self) -> Option<Instant> {
        self.and_outer().find_map(|layer| match layer.adds {
            Adds::Deadline(deadline) => Some(deadline),
            Adds::Task(_) | Adds::Value(..) => layer.heritage()?.deadline,
        })
    }

    fn value(&self, key: usize) -> Option<&SharedValue> {
        self.and_outer().find_map(|layer| match layer.adds {
            Adds::Value(own, value) => (own == key).then_some(value),
            Adds::Task(_) | Adds::Deadline(_) => layer.heritage()?.value(key),
        })
    }

    /// Returns what a task inherits that is spawned here.
    fn hand_down(&self) -> Option<Arc<InheritedValues>> {
        match self.adds {
            Adds::Task(_) => self.heritage().cloned(),
            Adds::Deadline(_) | Adds::Value(..) => Some(Arc::clone(self.copy.get_or_init(|| Arc::new(self.collect())))),
        }
    }

    /// Copies what this layer and the layers further out hold. The value of an inner scope hides
    /// the value of an outer scope, so that the copy does not grow from task to task.
    fn collect(&self) -> InheritedValues {
        let mut values: Vec<(usize, SharedValue)> = Vec::new();
        let mut add = |key: usize, value: &SharedValue| {
            if values.iter().all(|(other, _)| *other != key) {
                values.push((key, value.clone()));
            }
        };
        for layer in self.and_outer() {
            if let Adds::Value(key, value) = layer.adds {
                add(key, value);
            }
            layer
                .heritage()
                .into_iter()
                .flat_map(|heritage| &heritage.values)
                .for_each(|(key, value)| add(*key, value));
        }
        InheritedValues { deadline: self.deadline(), values }
    }
}

impl InheritedValues {
    fn value(&self, key: usize) -> Option<&SharedValue> {
        self.values.iter().find_map(|(own, value)| (*own == key).then_some(value))
    }
}

impl Heritage {
    /// Returns whether a task that is spawned here may inherit anything.
    #[inline]
    pub(super) fn is_possible() -> bool {
        INNERMOST.get().is_some()
    }

    /// Returns what a task inherits that is spawned here, if it inherits anything.
    pub(super) fn here() -> Option<Self> {
        INNERMOST.get()?.get().hand_down().map(|inherited| Self(Some(inherited)))
    }
}

/// Calls `run` in a new innermost layer.
fn within<R>(adds: Adds<'_>, run: impl FnOnce() -> R) -> R {
    INNERMOST.with(|place| {
        let layer = Layer { adds, outer: place.get(), copy: OnceCell::new() };
        // SAFETY: the layer stays in this frame until the call returns, and what it borrows does.
        // The address is copied into layers further in and into `LayersAside`, all of them in
        // frames of `run` on this thread.
        unsafe { LayerRef::nest(place, NonNull::from(&layer).cast(), run) }
    })
}

/// Calls `run`, which runs the code of `task`, in the task's own surroundings. The thread is in no
/// layer.
///
/// # Safety
///
/// The cell of the task stays alive until the call returns.
#[inline]
pub(super) unsafe fn within_task<R>(task: NonNull<Header>, run: impl FnOnce() -> R) -> R {
    debug_assert!(INNERMOST.get().is_none(), "a task would see what others hand down");
    // SAFETY: by the caller's promise.
    if unsafe { task.as_ref() }.provenance.extras().is_none() {
        return run();
    }
    within(Adds::Task(task), run)
}

/// Calls `run`, which must be done by `deadline`.
pub(crate) fn within_deadline<R>(deadline: Instant, run: impl FnOnce() -> R) -> R {
    let earliest = deadline_here().map_or(deadline, |outer| outer.min(deadline));
    within(Adds::Deadline(earliest), run)
}

/// Calls `run` in a scope in which the key with the address `key` has `value`.
pub(super) fn within_value<R>(key: usize, value: &SharedValue, run: impl FnOnce() -> R) -> R {
    within(Adds::Value(key, value), run)
}

/// Returns the deadline by which the code that runs here must be done.
pub(crate) fn deadline_here() -> Option<Instant> {
    INNERMOST.get()?.get().deadline()
}

/// Calls `f` with the value of the key with the address `key`, if it has one here.
pub(super) fn with_value<R>(key: usize, f: impl FnOnce(&dyn Any) -> R) -> Option<R> {
    let innermost = INNERMOST.get()?;
    innermost.get().value(key).map(|value| f(&*value.0))
}

/// Returns a reference to the task whose code runs here, if the task has a name, data, counts or a
/// heritage.
pub(super) fn task_here() -> Option<KeptMeta> {
    let innermost = INNERMOST.get()?;
    let task = innermost.get().and_outer().find_map(|layer| match layer.adds {
        Adds::Task(task) => Some(task),
        Adds::Deadline(_) | Adds::Value(..) => None,
    })?;
    // SAFETY: the cell outlives the layer.
    Some(KeptMeta::new(unsafe { CountedRef::new(task) }))
}

/// The layers that a thread has left for a while.
pub(super) type LayersAside = FramesAside<Layer<'static>>;

/// Leaves the layers that this thread is in.
pub(super) fn leave_layers() -> LayersAside {
    FramesAside::take(&INNERMOST)
}
