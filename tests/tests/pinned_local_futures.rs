//! A local future that was polled stays where it is, with its memory, until its own thread drops
//! it.
//!
//! Other crates rely on that: while a future waits for a `Notify`, its link of the list of waiters
//! lies in it. Each test leaves such a link in a local task, has another thread end the task in one
//! of the ways there are, and has the list walked then.
//!
//! The leaks here are on purpose: switch leak detection off for this test.

use std::cell::RefCell;
use std::future::{pending, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::thread;

use tokio::sync::Notify;
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{JoinHandle, LocalSet, spawn_local, yield_now};
use wsrt_tests::{in_a_process_of_its_own, text_of, within_a_minute};

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// Two lists to wait in.
#[derive(Default)]
struct Lists {
    /// Of links that lie in futures and keep no waker: nothing but a future's drop takes its link
    /// out.
    links: Arc<Notify>,
    /// By which a future is woken.
    wake: Arc<Notify>,
}

impl Lists {
    /// Links itself, and waits for ever. `witness` goes with it.
    fn link<T: 'static>(&self, witness: T) -> impl Future<Output = ()> + 'static {
        let links = Arc::clone(&self.links);
        async move {
            let mut linked = pin!(links.notified());
            linked.as_mut().enable();
            pending::<()>().await;
            drop(witness);
        }
    }

    /// Leaves a link and waits, as above, and can be woken once.
    fn link_and_wait<T: 'static>(&self, witness: T) -> impl Future<Output = ()> + 'static {
        let wake = Arc::clone(&self.wake);
        let linked = self.link(witness);
        async move {
            let mut linked = pin!(linked);
            poll_fn(|context| Poll::Ready(linked.as_mut().poll(context).is_ready())).await;
            wake.notified().await;
            linked.await;
        }
    }

    /// Walks the list of links, once freed memory has been used for other things.
    fn walk(&self) {
        let others: Vec<Vec<Box<[u8]>>> =
            (1..64).map(|eighth| (0..64).map(|_| vec![0x55; eighth * 8].into_boxed_slice()).collect()).collect();
        self.links.notify_waiters();
        drop(others);
    }
}

/// Spawns a local task that has come to wait when this returns.
fn spawn_and_poll(runtime: &Runtime, future: impl Future<Output = ()> + 'static) -> JoinHandle<()> {
    let task = runtime.block_on(async {
        let task = spawn_local(future);
        yield_now().await;
        Some(task)
    });
    task.expect("it was spawned")
}

#[test]
fn a_pinned_local_future_outlives_a_runtime_dropped_elsewhere() {
    within_a_minute(|| {
        for keep_handle in [false, true] {
            let (lists, witness) = (Lists::default(), Rc::new(()));
            let runtime = current_thread();
            let task = Some(spawn_and_poll(&runtime, lists.link(Rc::clone(&witness)))).filter(|_| keep_handle);
            thread::spawn(move || drop(runtime)).join().expect("it drops the runtime in peace");
            lists.walk();
            assert_eq!(Rc::strong_count(&witness), 2, "it was not dropped either");
            if let Some(task) = task {
                let error = current_thread().block_on(task).expect_err("it never ends");
                assert!(error.is_cancelled(), "{error}");
            }
        }
    });
}

#[test]
fn a_pinned_local_future_outlives_a_poll_by_another_thread() {
    within_a_minute(|| {
        for keep_handle in [false, true] {
            let (lists, witness) = (Lists::default(), Rc::new(()));
            let runtime = Arc::new(current_thread());
            let task = Some(spawn_and_poll(&runtime, lists.link_and_wait(Rc::clone(&witness)))).filter(|_| keep_handle);
            let (theirs, wake) = (Arc::clone(&runtime), Arc::clone(&lists.wake));
            let driving = thread::spawn(move || {
                theirs.block_on(async {
                    wake.notify_one();
                    yield_now().await;
                });
            });
            driving.join().expect("the panic stays in the task");
            lists.walk();
            assert_eq!(Rc::strong_count(&witness), 2, "it was not dropped either");
            if let Some(task) = task {
                let error = runtime.block_on(task).expect_err("it was polled elsewhere");
                assert!(error.is_panic(), "{error}");
            }
        }
    });
}

#[test]
fn a_pinned_local_future_outlives_an_abort_on_another_thread() {
    within_a_minute(|| {
        for keep_handle in [false, true] {
            let (lists, witness) = (Lists::default(), Rc::new(()));
            let runtime = Arc::new(current_thread());
            let task = spawn_and_poll(&runtime, lists.link(Rc::clone(&witness)));
            let abort = task.abort_handle();
            let task = Some(task).filter(|_| keep_handle);
            let theirs = Arc::clone(&runtime);
            let driving = thread::spawn(move || {
                theirs.block_on(async {
                    abort.abort();
                    yield_now().await;
                });
            });
            driving.join().expect("it aborts the task in peace");
            lists.walk();
            assert_eq!(Rc::strong_count(&witness), 2, "it was not dropped either");
            if let Some(task) = task {
                let error = runtime.block_on(task).expect_err("it was aborted");
                assert!(error.is_cancelled(), "{error}");
            }
        }
    });
}

/// Which of the two threads has the task in the end is a matter of luck.
#[test]
fn a_pinned_local_future_outlives_a_driver_beside_its_own() {
    within_a_minute(|| {
        for _ in 0..100 {
            let (lists, witness) = (Lists::default(), Rc::new(()));
            let runtime = Arc::new(current_thread());
            let linked = lists.link_and_wait(Rc::clone(&witness));
            runtime.block_on(async {
                let task = spawn_local(linked);
                yield_now().await;
                let (theirs, wake, abort) = (Arc::clone(&runtime), Arc::clone(&lists.wake), task.abort_handle());
                let driving = thread::spawn(move || {
                    wake.notify_one();
                    theirs.block_on(yield_now());
                    abort.abort();
                });
                assert!(task.await.is_err(), "it never ends of itself");
                driving.join().expect("a panic stays in the task");
            });
            lists.walk();
        }
    });
}

#[test]
fn a_leak_of_a_local_future_is_reported() {
    let test = "a_leak_of_a_local_future_is_reported";
    let output = in_a_process_of_its_own(test, &[], || {
        let runtime = current_thread();
        let task = runtime.block_on(async { Some(spawn_local(pending::<()>())) });
        thread::spawn(move || drop(runtime)).join().expect("it drops the runtime in peace");
        drop(task);
    });
    let errors = text_of(&output);
    assert_eq!(errors.matches("a local task was leaked").count(), 1, "{errors}");
}

/// The output of a local task is not Send: whichever thread ends the runtime, the output is dropped
/// on its own thread, with the handle.
#[test]
fn the_unread_local_output_is_dropped_on_its_thread() {
    struct AtHome(thread::ThreadId, Rc<RefCell<usize>>);
    impl Drop for AtHome {
        fn drop(&mut self) {
            assert_eq!(self.0, thread::current().id());
            *self.1.borrow_mut() += 1;
        }
    }
    within_a_minute(|| {
        let drops = Rc::new(RefCell::new(0));
        let output = || AtHome(thread::current().id(), Rc::clone(&drops));
        let runtime = current_thread();
        let (kept, detached) = (output(), output());
        let handle = runtime.block_on(async {
            let handle = spawn_local(async move { kept });
            let next = spawn_local(async move { drop(spawn_local(async move { detached })) });
            while !(handle.is_finished() && next.is_finished() && *drops.borrow() == 1) {
                yield_now().await;
            }
            Some(handle)
        });
        thread::spawn(move || drop(runtime)).join().expect("it drops the runtime in peace");
        assert_eq!(*drops.borrow(), 1);
        drop(handle);
        assert_eq!(*drops.borrow(), 2);
    });
}

/// A set cannot leave its thread, and neither do its futures, whichever threads wake and
/// abort its tasks.
#[test]
fn the_futures_of_a_local_set_are_dropped_at_home() {
    within_a_minute(|| {
        for round in 0..100 {
            let (lists, witness) = (Lists::default(), Rc::new(()));
            let runtime = current_thread();
            let set = LocalSet::new();
            let tasks: Vec<_> = (0..10).map(|_| set.spawn_local(lists.link_and_wait(Rc::clone(&witness)))).collect();
            set.block_on(&runtime, yield_now());
            let (wake, aborts) = (Arc::clone(&lists.wake), tasks.iter().map(JoinHandle::abort_handle));
            let aborts: Vec<_> = aborts.collect();
            let elsewhere = thread::spawn(move || {
                wake.notify_waiters();
                aborts.iter().for_each(|abort| abort.abort());
            });
            if round % 2 == 0 {
                set.block_on(&runtime, async {
                    for task in tasks {
                        assert!(task.await.expect_err("it was aborted").is_cancelled());
                    }
                });
            }
            drop(set);
            assert_eq!(Rc::strong_count(&witness), 1);
            lists.walk();
            elsewhere.join().expect("it wakes and aborts in peace");
        }
    });
}
