//! Users' code does what it likes where the runtime runs it: docs/USERS_CODE.md.

use std::cell::RefCell;
use std::future::{pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use wsrt::runtime::{Builder, Handle, PanicAction, Runtime};
use wsrt::sync::oneshot;
use wsrt::task::yield_now;
use wsrt::time::{Instant, sleep};
use wsrt_schedule::atomic::{AtomicUsize, Ordering::SeqCst};
use wsrt_schedule::thread;

use crate::support::{Ledger, runtime};

/// The deeds of users' code: they differ from seed to seed, and from place to place.
#[derive(Clone, Default)]
struct Deeds {
    owned: Arc<Mutex<Option<Runtime>>>,
    done: Arc<AtomicUsize>,
}

impl Deeds {
    /// Does the next, in the runtime of `handle`.
    fn act(&self, handle: &Handle) {
        const ACTIONS: usize = 6;
        let number = self.done.fetch_add(1, SeqCst);
        if number >= ACTIONS {
            return;
        }
        match (wsrt_schedule::seed() as usize + number) % ACTIONS {
            0 => {
                let runtime = self.owned.lock().expect("no thread panics with it").take();
                let _ = catch_unwind(AssertUnwindSafe(|| drop(runtime)));
            }
            1 => [1, 2].into_iter().for_each(|count| drop(handle.resize(count))),
            2 => _ = handle.block_on(handle.drain(Instant::now())),
            3 => drop((handle.spawn(yield_now()), handle.spawn_blocking(|| ()))),
            4 => _ = handle.block_on(handle.spawn(yield_now())),
            _ => panic!("in users' code"),
        }
    }

    /// Gives the runtime to the code, ends it if the code did not, and waits for its threads.
    fn own(&self, runtime: Runtime) {
        *self.owned.lock().expect("no thread panics with it") = Some(runtime);
    }

    fn end(&self) {
        let runtime = self.owned.lock().expect("no thread panics with it").take();
        drop(runtime);
    }
}

struct OnDrop(Deeds, Handle);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.act(&self.1);
    }
}

struct OnWake(Deeds, Handle);

impl Wake for OnWake {
    fn wake(self: Arc<Self>) {
        self.0.act(&self.1);
    }
}

/// Futures that return and that are aborted, outputs, jobs.
pub(crate) fn destructors_do_anything() {
    let (deeds, runtime) = (Deeds::default(), runtime(2));
    let handle = runtime.handle().clone();
    deeds.own(runtime);
    let on_drop = || OnDrop(deeds.clone(), handle.clone());
    let (returns, aborted, output, job) = (on_drop(), on_drop(), on_drop(), on_drop());
    drop(handle.spawn(async move {
        let _returns = returns;
        yield_now().await;
    }));
    let aborted = handle.spawn(async move {
        let _aborted = aborted;
        pending::<()>().await;
    });
    drop(handle.spawn(async move { output }));
    drop(handle.spawn_blocking(move || drop(job)));
    aborted.abort();
    deeds.end();
}

/// Wakers that a task wakes, and a timer.
pub(crate) fn wakers_do_anything() {
    let (deeds, runtime) = (Deeds::default(), runtime(2));
    let handle = runtime.handle().clone();
    deeds.own(runtime);
    let waker = || Waker::from(Arc::new(OnWake(deeds.clone(), handle.clone())));
    let (send, received) = oneshot::channel::<()>();
    let mut received = pin!(received);
    let _ = received.as_mut().poll(&mut Context::from_waker(&waker()));
    let mut timer = pin!(sleep(Duration::from_millis(1)));
    let entered = handle.enter();
    let _ = timer.as_mut().poll(&mut Context::from_waker(&waker()));
    drop(entered);
    drop(handle.spawn(async move { send.send(()) }));
    let _ = handle.block_on(handle.spawn(sleep(Duration::from_millis(2))));
    deeds.end();
}

/// Hooks around tasks, and the name of a thread. None panics.
pub(crate) fn hooks_do_anything() {
    let (deeds, place) = (Deeds::default(), Arc::new(Mutex::new(None::<Handle>)));
    let hook = || {
        let (deeds, place) = (deeds.clone(), Arc::clone(&place));
        move || {
            let handle = place.lock().expect("no thread panics with it").clone();
            let _ = catch_unwind(AssertUnwindSafe(|| handle.iter().for_each(|handle| deeds.act(handle))));
        }
    };
    let (names, polls, ends) = (hook(), hook(), hook());
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name_fn(move || {
            names();
            String::new()
        })
        .on_before_task_poll(move |_| polls())
        .on_task_terminate(move |_| ends())
        .build()
        .expect("the system has descriptors and threads");
    let handle = runtime.handle().clone();
    deeds.own(runtime);
    *place.lock().expect("no thread panics with it") = Some(handle.clone());
    drop(handle.spawn(yield_now()));
    drop(handle.spawn_blocking(|| ()));
    let _ = handle.block_on(handle.spawn(yield_now()));
    deeds.end();
    // The runtime keeps the hooks, and the handle in them would keep the runtime.
    place.lock().expect("no thread panics with it").take();
}

/// A thread that falls asleep waits for a timer, and has left another behind.
pub(crate) fn a_hook_waits_for_a_timer() {
    let (place, waits) = (Arc::new(Mutex::new(None::<Handle>)), AtomicUsize::new(0));
    let theirs = Arc::clone(&place);
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .on_thread_park(move || {
            let handle = theirs.lock().expect("no thread panics with it").clone();
            if let Some(handle) = handle.filter(|_| waits.fetch_add(1, SeqCst) == 0) {
                // The runtime may end before.
                let _ = catch_unwind(AssertUnwindSafe(|| handle.block_on(sleep(Duration::from_millis(2)))));
            }
        })
        .build()
        .expect("the system has descriptors and threads");
    *place.lock().expect("no thread panics with it") = Some(runtime.handle().clone());
    runtime.block_on(runtime.spawn(sleep(Duration::from_millis(1)))).expect("no panic");
    place.lock().expect("no thread panics with it").take();
}

/// A thread outside spawns while the runtime ends: what is refused is dropped with the last handle.
pub(crate) fn refused_beside_the_end() {
    let (ledger, runtime) = (Ledger::default(), runtime(1));
    let (handle, entry) = (runtime.handle().clone(), ledger.entry());
    let outside = thread::spawn(move || {
        let mut held = Box::pin(async move {
            let _guard = handle.enter();
            pending::<()>().await;
        });
        assert!(held.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        drop(wsrt::spawn(async move {
            let _entry = entry;
            yield_now().await;
        }));
    });
    drop(runtime);
    outside.join().expect("no panic");
    ledger.assert_balanced();
}

/// A panic's shutdown drops the task that owns the runtime, on whichever thread.
pub(crate) fn ended_by_a_panic() {
    let ledger = Ledger::default();
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .on_task_panic(|_| PanicAction::ShutDown)
        .build()
        .expect("the system has descriptors and threads");
    let (handle, entry) = (runtime.handle().clone(), ledger.entry());
    let owner = handle.spawn(async move {
        let (_entry, _runtime) = (entry, runtime);
        pending::<()>().await;
    });
    let panics = handle.spawn(async { panic!("in a poll") });
    let _: Result<(), _> = handle.block_on(panics);
    assert!(handle.block_on(owner).is_err());
    ledger.assert_balanced();
}

thread_local! {
    static KEPT: RefCell<Option<Runtime>> = const { RefCell::new(None) };
}

/// A thread of the pool ends with the runtime in its hands.
pub(crate) fn kept_in_a_thread_local() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_keep_alive(Duration::from_millis(1))
        .build()
        .expect("the system has descriptors and threads");
    let ledger = Ledger::default();
    let (handle, entry) = (runtime.handle().clone(), ledger.entry());
    let task = handle.spawn(async move {
        let _entry = entry;
        poll_fn(|_| Poll::<()>::Pending).await;
    });
    drop(handle.spawn_blocking(move || KEPT.set(Some(runtime))));
    assert!(handle.block_on(task).expect_err("its runtime ends").is_cancelled());
    ledger.assert_balanced();
}
