//! A runtime in which an action is done once, wherever its place is reached.

use std::future::{Future, pending};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::sync::oneshot;
use wsrt::time::sleep;
use wsrt_tests::{LIMIT, Roll};

use crate::refused;

/// The deed of users' code at the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Drops the runtime, or whatever is the last to keep it.
    End,
    Resize,
    Drain,
    Spawn,
    Panic,
    Block,
}

impl Action {
    pub(crate) const ALL: [Self; 6] = [Self::End, Self::Resize, Self::Drain, Self::Spawn, Self::Panic, Self::Block];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavor {
    TwoProcessors,
    CurrentThread,
}

/// The runtime, and the action to be done in it. Any code may have a clone.
#[derive(Clone)]
pub(crate) struct Scene(Arc<Inner>);

struct Inner {
    action: Action,
    runtime: Mutex<Option<Runtime>>,
    handle: Mutex<Option<Handle>>,
    is_armed: AtomicBool,
    tell: Mutex<Option<oneshot::Sender<()>>>,
    told: Mutex<Option<oneshot::Receiver<()>>>,
    bystander: Roll,
}

/// Acts when it is dropped.
pub(crate) struct ActsOnDrop(Scene);

impl Drop for ActsOnDrop {
    fn drop(&mut self) {
        self.0.act();
    }
}

/// Panics when it is dropped, and does nothing else.
pub(crate) struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        resume_unwind(Box::new("on purpose"));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Panics of wsrt's own are documented, and say what was done where.
fn as_documented<T>(user_code: impl FnOnce() -> T) {
    let Err(panic) = catch_unwind(AssertUnwindSafe(user_code)) else { return };
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
    if !text.is_some_and(|text| text.starts_with("wsrt: ")) {
        resume_unwind(panic);
    }
}

impl Scene {
    pub(crate) fn build(flavor: Flavor, action: Action, prepare: fn(&mut Builder, &Self)) -> Self {
        let (tell, told) = oneshot::channel();
        let scene = Self(Arc::new(Inner {
            action,
            runtime: Mutex::default(),
            handle: Mutex::default(),
            is_armed: AtomicBool::new(false),
            tell: Mutex::new(Some(tell)),
            told: Mutex::new(Some(told)),
            bystander: Roll::new(1),
        }));
        let mut builder = match flavor {
            Flavor::TwoProcessors => Builder::new_multi_thread(),
            Flavor::CurrentThread => Builder::new_current_thread(),
        };
        if flavor == Flavor::TwoProcessors {
            builder.worker_threads(2);
        }
        builder.thread_keep_alive(Duration::from_millis(1));
        prepare(&mut builder, &scene);
        let runtime = builder.build().expect("a runtime");
        let entry = scene.0.bystander.entry(0);
        drop(runtime.spawn(async move {
            let _entry = entry;
            pending::<()>().await;
        }));
        *lock(&scene.0.handle) = Some(runtime.handle().clone());
        *lock(&scene.0.runtime) = Some(runtime);
        scene
    }

    pub(crate) fn handle(&self) -> Handle {
        lock(&self.0.handle).clone().expect("the scene has begun")
    }

    /// Takes the runtime, and leaves nothing behind that keeps it.
    pub(crate) fn take_whole(&self) -> Option<Runtime> {
        lock(&self.0.handle).take();
        lock(&self.0.runtime).take()
    }

    /// From here on the place counts.
    pub(crate) fn arm(&self) {
        self.0.is_armed.store(true, SeqCst);
    }

    /// A value that acts when it is dropped.
    pub(crate) fn on_drop(&self) -> ActsOnDrop {
        ActsOnDrop(self.clone())
    }

    /// The place: does the action, the first time.
    pub(crate) fn act(&self) {
        if !self.0.is_armed.swap(false, SeqCst) {
            return;
        }
        let tell = lock(&self.0.tell).take();
        self.do_it();
        let _ = tell.map(|tell| tell.send(()));
        if self.0.action == Action::Panic {
            refused::leave();
            panic!("as the test wants");
        }
    }

    fn do_it(&self) {
        let known = lock(&self.0.handle).clone();
        match (self.0.action, known.or_else(|| Handle::try_current().ok())) {
            (Action::End, _) => {
                let runtime = lock(&self.0.runtime).take();
                as_documented(|| drop(runtime));
                refused::leave();
            }
            (Action::Panic, _) | (_, None) => {}
            (Action::Resize, Some(handle)) => [1, 3, 2].into_iter().for_each(|count| drop(handle.resize(count))),
            (Action::Drain, Some(handle)) => {
                let deadline = wsrt::time::Instant::now() + Duration::from_millis(2);
                as_documented(|| handle.block_on(handle.drain(deadline)));
            }
            (Action::Spawn, Some(handle)) => {
                drop(handle.spawn(async {}));
                drop(handle.spawn_blocking(|| {}));
                as_documented(|| drop(wsrt::spawn(async {})));
            }
            (Action::Block, Some(handle)) => {
                let task = handle.spawn(async { 7 });
                as_documented(|| handle.block_on(task).is_ok());
                as_documented(|| handle.block_on(sleep(Duration::from_millis(1))));
            }
        }
    }

    /// Waits for the action, and drives a current-thread runtime meanwhile.
    pub(crate) fn await_action(&self) {
        let Some(told) = lock(&self.0.told).take() else { return };
        as_documented(|| self.handle().block_on(told));
    }

    /// Drives the runtime until `future` is done, whatever becomes of it.
    pub(crate) fn block_on<F: Future>(&self, future: F) -> Option<F::Output> {
        let handle = self.handle();
        catch_unwind(AssertUnwindSafe(|| handle.block_on(future))).ok()
    }

    /// The action was done, and the runtime ends.
    #[track_caller]
    pub(crate) fn end(self, place: &str) {
        assert!(lock(&self.0.tell).is_none(), "{place}: it was not reached");
        let runtime = lock(&self.0.runtime).take();
        drop(runtime);
        lock(&self.0.handle).take();
        let start = Instant::now();
        while self.0.bystander.dropped() == 0 {
            assert!(start.elapsed() < LIMIT, "{place}: a task is left");
            thread::yield_now();
        }
        self.0.bystander.assert_each_dropped_once();
    }
}
