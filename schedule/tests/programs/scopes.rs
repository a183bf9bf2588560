//! Scopes: tasks that borrow are gone before what they borrow, whatever ends them.

use std::future::{Future, pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use wsrt::sync::oneshot;
use wsrt::task::{scope, scope_with, yield_now};
use wsrt_schedule::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use wsrt_schedule::thread;

use crate::support::{Gate, Ledger, OneMore, current_thread, runtime};

/// A value that tasks borrow. It has to outlive its users.
#[derive(Default)]
struct Lent {
    users: AtomicUsize,
    is_gone: AtomicBool,
}

struct User<'a>(&'a Lent);

impl Lent {
    fn user(&self) -> User<'_> {
        self.users.fetch_add(1, SeqCst);
        User(self)
    }
}

impl Drop for User<'_> {
    fn drop(&mut self) {
        assert!(!self.0.is_gone.load(SeqCst), "the value is there");
        self.0.users.fetch_sub(1, SeqCst);
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        assert_eq!(self.users.load(SeqCst), 0, "users of a value that goes");
        self.is_gone.store(true, SeqCst);
    }
}

/// Tasks with a scope each, on fewer processors than tasks: children spawn, and hand outputs over.
pub(crate) fn scopes_beside_each_other() {
    let runtime = if wsrt_schedule::seed() % 2 == 0 { current_thread() } else { runtime(1) };
    runtime.block_on(async {
        let tasks = [(); 2].map(|()| {
            wsrt::spawn(async {
                let lent = Lent::default();
                scope(|scope| {
                    let first = scope.spawn(async {
                        let _user = lent.user();
                        yield_now().await;
                        7
                    });
                    scope.spawn(async {
                        let user = lent.user();
                        assert_eq!(first.await, Some(7));
                        scope.spawn(async move {
                            OneMore::default().await;
                            drop(user);
                        });
                    });
                });
            })
        });
        for task in tasks {
            task.await.expect("it does not panic");
        }
    });
}

/// A child panics while its siblings are spawned, run, and wait.
pub(crate) fn scopes_cancelled_by_a_panic() {
    let runtime = runtime(2);
    runtime.block_on(async {
        let lent = Lent::default();
        let ended = catch_unwind(AssertUnwindSafe(|| {
            scope(|scope| {
                scope.spawn(async { panic!("first") });
                for _ in 0..2 {
                    scope.spawn(async {
                        let _user = lent.user();
                        pending::<()>().await;
                    });
                }
                // Its trigger comes beside the panic, or before.
                scope.cancel_when(async {
                    let _user = lent.user();
                    yield_now().await;
                });
            });
        }));
        if let Err(panic) = ended {
            assert_eq!(panic.downcast_ref(), Some(&"first"));
        }
    });
}

/// The runtime ends while a task and a thread outside are in their scopes.
pub(crate) fn scopes_around_the_end() {
    let ledger = Ledger::default();
    let runtime = runtime(2);
    let (handle, gate) = (runtime.handle().clone(), Gate::default());
    let in_scope = {
        let (ledger, gate) = (ledger.clone(), gate.clone());
        move || {
            let lent = Lent::default();
            // Its children are cancelled by the end, or refused.
            let ended = catch_unwind(AssertUnwindSafe(|| {
                scope(|scope| {
                    let (ledger, lent) = (&ledger, &lent);
                    gate.open();
                    for _ in 0..2 {
                        let entry = ledger.entry();
                        scope.spawn(async move {
                            let (_entry, _user) = (entry, lent.user());
                            scope.spawn(async move {
                                let _user = lent.user();
                                pending::<()>().await;
                            });
                            pending::<()>().await;
                        });
                    }
                });
            }));
            assert!(ended.is_err(), "they never end by themselves");
        }
    };
    let in_task = in_scope.clone();
    handle.spawn(async move { in_task() });
    let outside = thread::spawn(move || {
        let _entered = handle.enter();
        in_scope();
    });
    gate.wait();
    drop(runtime);
    outside.join().expect("no panic");
    ledger.assert_balanced();
}

/// Lends a value to a child that waits, and waits too.
async fn lend(told: oneshot::Sender<()>) {
    scope_with(Lent::default(), async |scope, lent| {
        scope.spawn(async move {
            let _user = lent.user();
            let _ = told.send(());
            pending::<()>().await;
        });
        let _user = lent.user();
        pending::<()>().await;
    })
    .await;
}

/// Resources are lent, used, and returned.
pub(crate) fn lent_to_tasks() {
    let runtime = runtime(2);
    let (lent, count) = runtime.block_on(scope_with(Lent::default(), async |scope, lent| {
        let child = scope.spawn(async move {
            let _user = lent.user();
            let inner = scope.spawn(async move {
                let _user = lent.user();
                yield_now().await;
                1
            });
            1 + inner.await.expect("it has an output")
        });
        child.await.expect("it has an output")
    }));
    assert_eq!((lent.users.load(SeqCst), count), (0, 2));
}

/// The future is dropped while its child is spawned, run, or waits.
pub(crate) fn lent_and_dropped() {
    let runtime = runtime(2);
    let (told, tells) = oneshot::channel();
    runtime.block_on(async {
        let mut lent = Box::pin(lend(told));
        assert!(poll_fn(|cx| Poll::Ready(lent.as_mut().poll(cx))).await.is_pending());
        if wsrt_schedule::seed() % 2 == 0 {
            let _ = tells.await;
        }
        drop(lent);
    });
}

/// The runtime ends while a task, or a thread outside, waits in it.
pub(crate) fn lent_around_the_end() {
    let runtime = runtime(2);
    let (told, tells) = oneshot::channel();
    let handle = runtime.handle().clone();
    let outside = if wsrt_schedule::seed() % 2 == 0 {
        runtime.spawn(lend(told));
        None
    } else {
        Some(thread::spawn(move || {
            let ended = catch_unwind(AssertUnwindSafe(|| handle.block_on(lend(told))));
            assert!(ended.is_err(), "the runtime has cancelled the child");
        }))
    };
    if wsrt_schedule::seed() % 4 < 2 {
        let _ = tells.blocking_recv();
    }
    drop(runtime);
    outside.into_iter().for_each(|thread| thread.join().expect("no panic"));
}
