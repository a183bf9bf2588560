//! Spawning: a future becomes a task, which is listed and queued, or refused.

use std::future::Future;
use std::sync::Arc;

use crate::observe::console;
use crate::scheduler::drain::bind_follow_up;
use crate::scheduler::schedule::Home;
use crate::scheduler::{Context, Scheduler};
use crate::task::{Id, Identity, JoinHandle, Runnable, SpawnOrigin, TaskRef, allocate};
use crate::util::thread_bound::ThreadBound;

impl Scheduler {
    /// Spawns a future.
    pub(crate) fn spawn<'a, F>(self: &Arc<Self>, future: F, origin: impl Into<SpawnOrigin<'a>>) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let origin = origin.into();
        // SAFETY: the future and its output are Send.
        Context::with_own(self, |here| unsafe { self.spawn_unchecked::<F, _, false>(here, future, "task", origin) })
            .handle()
    }

    /// Spawns a future as a background task.
    pub(crate) fn spawn_background<'a, F>(
        self: &Arc<Self>,
        future: F,
        origin: impl Into<SpawnOrigin<'a>>,
    ) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let origin = origin.into();
        // SAFETY: the future and its output are Send.
        let spawn =
            |here: Option<&Context>| unsafe { self.spawn_unchecked::<F, _, true>(here, future, "background", origin) };
        Context::with_own(self, spawn).handle()
    }

    /// Spawns a future that is polled by this thread alone.
    pub(crate) fn spawn_local<'a, F>(
        self: &Arc<Self>,
        future: F,
        origin: impl Into<SpawnOrigin<'a>>,
    ) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
    {
        let (future, origin) = (ThreadBound::new(future), origin.into());
        // SAFETY: a `ThreadBound` refuses to be polled on other threads, and when it is dropped
        // there it leaks its inside, which lies in its own box.
        Context::with_own(self, |here| unsafe { self.spawn_unchecked::<F, _, false>(here, future, "local", origin) })
            .handle()
    }

    /// Spawns a future; `here` is this thread's context, if it is one of this scheduler's. The
    /// console shows it as a `kind` of task, and as large as the user's future, a `User`.
    ///
    /// Code that does not depend on the future is in functions that do not either: each kind of
    /// future has its own copy of this one.
    ///
    /// # Safety
    ///
    /// The caller keeps [`allocate`]'s contract for `F`, on all threads.
    #[inline]
    unsafe fn spawn_unchecked<User, F, const BACKGROUND: bool>(
        self: &Arc<Self>,
        here: Option<&Context>,
        future: F,
        kind: &'static str,
        origin: SpawnOrigin<'_>,
    ) -> Spawned<F::Output>
    where
        F: Future + 'static,
    {
        let (id, shard) = self.next_id(here);
        // Users' code sees the task, as a hook or a subscriber of the console, and might drop the
        // guard of `here`.
        let _kept = (cfg!(feature = "console") || self.observer.sees_identities()).then(Context::current);
        let future = console::watch::<User, _>(future, kind, id.as_u64(), origin.name, origin.spawned_at);
        let home = Home::<BACKGROUND> { scheduler: Arc::as_ptr(self) };
        let mut identity = Identity::new(id, origin).with_name_in(&self.names);
        if self.observer.sees_identities() {
            identity = self.observer.seen_identity(identity);
        }
        // SAFETY: by the caller's promise: to be watched changes nothing of where the future is
        // polled and dropped.
        let (task, runnable, handle) = unsafe { allocate(future, home, identity) };
        let refused = if BACKGROUND {
            self.launch_in_background(shard, task, runnable)
        } else {
            self.launch(here, shard, task, runnable)
        };
        Spawned::new(handle, refused)
    }

    /// An id for a new task, and the shard that lists it: the current processor's, which
    /// no other thread uses now.
    #[inline]
    fn next_id(&self, here: Option<&Context>) -> (Id, usize) {
        let own = here.and_then(|context| context.with_processor(|own| own.map(|own| (own.ids().next(), own.index()))));
        let (id, number) = own.unwrap_or_else(|| self.next_shared_id());
        self.simulation.iter().for_each(|simulation| simulation.note_task(id));
        (id, self.tasks.shard_for(number))
    }

    /// An id for a task that is spawned without a processor, and a number.
    pub(crate) fn next_shared_id(&self) -> (Id, usize) {
        match &self.simulation {
            Some(simulation) => simulation.next_id(),
            None => {
                let id = Id::next();
                (id, id.as_u64() as usize)
            }
        }
    }

    /// Launches an ordinary task.
    ///
    /// Not one function with [`launch_in_background`](Self::launch_in_background), generic over the
    /// class: with that, the compiler inlines less of the loop, and a poll takes 28 instructions
    /// more.
    fn launch(
        self: &Arc<Self>,
        here: Option<&Context>,
        shard: usize,
        task: TaskRef,
        runnable: Runnable,
    ) -> Option<Box<Refused>> {
        self.launch_to(shard, task, runnable, |task| match here {
            Some(context) => context.place_next(task),
            None => self.inject(task),
        })
    }

    fn launch_in_background(self: &Arc<Self>, shard: usize, task: TaskRef, runnable: Runnable) -> Option<Box<Refused>> {
        self.launch_to(shard, task, runnable, |task| self.push_shared(&self.background, task))
    }

    /// Lists a new task and submits its runnable, or refuses it, if the runtime shuts down or is
    /// drained.
    #[inline(always)]
    fn launch_to(
        self: &Arc<Self>,
        shard: usize,
        task: TaskRef,
        runnable: Runnable,
        submit: impl FnOnce(Runnable),
    ) -> Option<Box<Refused>> {
        if self.tasks.bind(shard, task).or_else(|task| bind_follow_up(self, &self.tasks, shard, task)).is_err() {
            return Some(Refused::new(self, runnable));
        }
        self.observer.spawned(runnable, submit);
        None
    }
}

impl Context {
    /// Spawns a future on the context's runtime.
    #[inline]
    pub(crate) fn spawn<'a, F>(&self, future: F, origin: impl Into<SpawnOrigin<'a>>) -> Spawned<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        // SAFETY: the future and its output are Send.
        unsafe { self.scheduler().spawn_unchecked::<F, _, false>(Some(self), future, "task", origin.into()) }
    }
}

/// A task that was just spawned.
#[must_use]
pub(crate) struct Spawned<T> {
    handle: JoinHandle<T>,
    /// In a box: every spawn passes this on, and hardly any has one.
    refused: Option<Box<Refused>>,
}

/// A task that was not let in, to be cancelled where users' code may run. Its future's destructor
/// may drop everything else that keeps the scheduler.
pub(super) struct Refused {
    runnable: Runnable,
    /// The count that [`Home`] relies on. Dropped last.
    _scheduler: Arc<Scheduler>,
}

impl Refused {
    #[cold]
    pub(super) fn new(scheduler: &Arc<Scheduler>, runnable: Runnable) -> Box<Self> {
        Box::new(Self { runnable, _scheduler: Arc::clone(scheduler) })
    }

    #[cold]
    fn cancel(self) {
        let Self { runnable, _scheduler } = self;
        runnable.cancel();
    }
}

impl<T> Spawned<T> {
    #[inline(always)]
    pub(super) fn new(handle: JoinHandle<T>, refused: Option<Box<Refused>>) -> Self {
        Self { handle, refused }
    }

    /// The handle, which says cancelled if the task was not let in. To be called outside
    /// [`Context::with`](super::Context::with), since it may drop the future.
    #[inline]
    pub(crate) fn handle(self) -> JoinHandle<T> {
        if let Some(refused) = self.refused {
            refused.cancel();
        }
        self.handle
    }
}
