//! A task of a current-thread runtime that blocks its thread, with the peer that ends its wait in
//! the future of a `block_on` further out: that continues inside the call.

use std::cell::Cell;
use std::panic::panic_any;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::sync::{Mutex, Notify, RwLock, Semaphore, broadcast, mpsc, oneshot};
use wsrt::task::{JoinHandle, try_id, yield_now};
use wsrt::time::{Instant, sleep};
use wsrt_tests::{LIMIT, panic_message, within_a_minute};

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// Blocks in a task by `call`, while the root does `ending` once the task is about to.
fn block_in_task<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static, ending: impl AsyncFnOnce()) -> T {
    current_thread().block_on(async {
        let (tell, told) = oneshot::channel();
        let task = wsrt::spawn(async {
            tell.send(()).expect("the root waits");
            call()
        });
        told.await.expect("it is sent");
        ending().await;
        task.await.expect("no panic")
    })
}

#[test]
fn receives_of_values_that_the_root_sends() {
    within_a_minute(|| {
        let (sender, mut receiver) = mpsc::channel(1);
        assert_eq!(
            block_in_task(move || receiver.blocking_recv(), async || sender.send(7).await.expect("open")),
            Some(7)
        );
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let receive = move || receiver.blocking_recv_many(&mut Vec::new(), 4);
        assert_eq!(block_in_task(receive, async || sender.send(7).expect("open")), 1);
        let (sender, receiver) = oneshot::channel();
        assert_eq!(block_in_task(move || receiver.blocking_recv(), async || sender.send(7).expect("open")), Ok(7));
        let (sender, mut receiver) = broadcast::channel(1);
        assert_eq!(block_in_task(move || receiver.blocking_recv(), async || drop(sender.send(7))), Ok(7));
    });
}

#[test]
fn sends_of_values_that_the_root_receives() {
    within_a_minute(|| {
        let (sender, mut receiver) = mpsc::channel(1);
        let send = move || (0..100).for_each(|value| sender.blocking_send(value).expect("the receiver is there"));
        block_in_task(send, async || {
            for value in 0..100 {
                assert_eq!(receiver.recv().await, Some(value));
            }
        });
    });
}

#[test]
fn waits_for_locks_that_the_root_holds() {
    within_a_minute(|| {
        let lock = Arc::new(Mutex::new(7));
        let (guard, waiter) = (lock.try_lock().expect("free"), Arc::clone(&lock));
        assert_eq!(block_in_task(move || *waiter.blocking_lock(), async || drop(guard)), 7);
        let (guard, waiter) = (lock.try_lock().expect("free"), Arc::clone(&lock));
        assert_eq!(block_in_task(move || *waiter.blocking_lock_owned(), async || drop(guard)), 7);

        let lock = Arc::new(RwLock::new(7));
        let (guard, waiter) = (lock.try_read().expect("free"), Arc::clone(&lock));
        block_in_task(move || *waiter.blocking_write() += 1, async || drop(guard));
        let (guard, waiter) = (lock.try_write().expect("free"), Arc::clone(&lock));
        assert_eq!(block_in_task(move || *waiter.blocking_read(), async || drop(guard)), 8);

        let semaphore = Arc::new(Semaphore::new(0));
        let waiter = Arc::clone(&semaphore);
        assert!(block_in_task(move || waiter.blocking_acquire_many(2).is_ok(), async || semaphore.add_permits(2)));
        let waiter = Arc::clone(&semaphore);
        assert!(block_in_task(move || waiter.blocking_acquire_owned().is_ok(), async || semaphore.add_permits(1)));
    });
}

#[test]
fn block_on_in_a_task_reaches_the_root_too() {
    within_a_minute(|| {
        let notify = Arc::new(Notify::new());
        let waiter = Arc::clone(&notify);
        block_in_task(move || Handle::current().block_on(waiter.notified()), async || notify.notify_one());
    });
}

/// The calls nest, and the peers are in the root and in a `block_on` in between.
#[test]
fn each_root_further_out_goes_on() {
    within_a_minute(|| {
        let (to_root, mut root) = mpsc::channel(1);
        let (to_middle, mut middle) = mpsc::channel(1);
        let middle = move || {
            let inner = wsrt::spawn(async move {
                for value in 0..50 {
                    to_root.blocking_send(value).expect("the root receives");
                    to_middle.blocking_send(value).expect("the task receives");
                }
            });
            Handle::current().block_on(async move {
                for value in 0..50 {
                    assert_eq!(middle.recv().await, Some(value));
                }
                inner.await.expect("no panic");
            });
        };
        block_in_task(middle, async || {
            for value in 0..50 {
                assert_eq!(root.recv().await, Some(value));
            }
        });
    });
}

/// The root is being polled itself: it is left out, and the tasks go on.
#[test]
fn a_root_that_blocks_is_not_polled_again() {
    within_a_minute(|| {
        current_thread().block_on(async {
            let (sender, mut receiver) = mpsc::channel(1);
            let task = wsrt::spawn(async move {
                for value in 0..50 {
                    sender.send(value).await.expect("the root receives");
                }
            });
            let inside = Cell::new(false);
            for value in 0..50 {
                assert!(!inside.replace(true));
                assert_eq!(receiver.blocking_recv(), Some(value));
                assert!(inside.replace(false));
                yield_now().await;
            }
            task.await.expect("no panic");
        });
    });
}

/// Begins a task that waits with the thread until `receiver` has a value or is closed.
fn block_until<T: Send + 'static>(mut receiver: mpsc::Receiver<T>) -> JoinHandle<Option<T>> {
    wsrt::spawn(async move { receiver.blocking_recv() })
}

#[test]
fn a_root_that_ends_meanwhile_returns_its_output() {
    within_a_minute(|| {
        let runtime = current_thread();
        let (sender, receiver) = mpsc::channel::<()>(1);
        let (task, output) = runtime.block_on(async {
            let task = block_until(receiver);
            // Back in the middle of the task's poll, and the end of the root ends that.
            yield_now().await;
            let output = Rc::new(7);
            drop(sender);
            (task, output)
        });
        assert_eq!(*output, 7);
        assert_eq!(runtime.block_on(task).expect("no panic"), None);
    });
}

#[test]
fn a_panic_of_the_root_goes_on_further_out() {
    within_a_minute(|| {
        let runtime = current_thread();
        let (sender, receiver) = mpsc::channel::<()>(1);
        let (tell, told) = channel();
        let message = panic_message(|| {
            runtime.block_on(async {
                let task = block_until(receiver);
                wsrt::spawn(async move { tell.send(task.await.expect("the task is untouched")) });
                yield_now().await;
                let _dropped_by_the_panic = sender;
                panic_any("the root's own")
            })
        });
        assert_eq!(message, "the root's own");
        runtime.block_on(async {
            while told.try_recv().is_err() {
                yield_now().await;
            }
        });
    });
}

#[test]
fn a_root_polled_from_within_sees_none_of_the_task() {
    wsrt::task_local!(static NUMBER: u32);
    within_a_minute(|| {
        let other = current_thread();
        current_thread().block_on(NUMBER.scope(1, async {
            let (sender, mut receiver) = mpsc::channel(1);
            let own = Handle::current();
            let task = wsrt::spawn(NUMBER.scope(2, async move {
                // A guard and a scope around the wait, which the futures run inside must not see.
                let _entered = other.enter();
                let beside =
                    own.spawn(async { (NUMBER.try_get().is_err(), Handle::current().metrics().num_alive_tasks()) });
                let task = try_id();
                for value in 0..20 {
                    sender.blocking_send(value).expect("the root receives");
                    assert_eq!((NUMBER.get(), try_id()), (2, task));
                }
                own.block_on(async move {
                    assert_eq!(NUMBER.get(), 2, "it is part of this task");
                    beside.await.expect("no panic")
                })
            }));
            for value in 0..20 {
                assert_eq!(receiver.recv().await, Some(value));
                assert_eq!((NUMBER.get(), try_id()), (1, None));
            }
            assert_eq!(NUMBER.get(), 1);
            let (has_no_number, alive) = task.await.expect("no panic");
            assert!(has_no_number && alive >= 1, "the other runtime has no tasks: {alive}");
        }));
    });
}

/// The budget of the root is its own, and the task has that of its poll back.
#[test]
fn a_root_that_never_waits_lets_the_call_return() {
    within_a_minute(|| {
        let (sender, mut receiver) = mpsc::channel(1);
        let (ready, mut readies) = mpsc::unbounded_channel();
        (0..1_000).for_each(|value| ready.send(value).expect("open"));
        block_in_task(
            move || assert_eq!(receiver.blocking_recv(), Some(7)),
            async || {
                for value in 0..1_000 {
                    assert_eq!(readies.recv().await, Some(value));
                }
                sender.send(7).await.expect("the task waits");
            },
        );
    });
}

#[test]
fn a_paused_clock_moves_for_a_root_polled_from_within() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().start_paused(true).build().expect("a runtime");
        runtime.block_on(async {
            let (sender, receiver) = mpsc::channel(1);
            let task = block_until(receiver);
            let began = Instant::now();
            sleep(Duration::from_secs(3_600)).await;
            assert_eq!(began.elapsed(), Duration::from_secs(3_600));
            sender.send(7).await.expect("the task waits");
            assert_eq!(task.await.expect("no panic"), Some(7));
        });
    });
}

/// From a thread outside, while the innermost loop is asleep.
#[test]
fn a_root_is_woken_from_outside_while_a_task_blocks() {
    within_a_minute(|| {
        let (reply, answer) = oneshot::channel();
        let (sender, mut receiver) = mpsc::channel(1);
        let (blocks, is_blocking) = channel();
        let outside = thread::spawn(move || {
            is_blocking.recv_timeout(LIMIT).expect("it begins");
            reply.send(7).expect("the root waits");
        });
        let block = move || {
            blocks.send(()).expect("the thread waits");
            receiver.blocking_recv()
        };
        let seven = block_in_task(block, async || {
            sender.send(answer.await.expect("it is sent")).await.expect("the task waits");
        });
        assert_eq!(seven, Some(7));
        outside.join().expect("no panic");
    });
}

/// The poll waits for the root, which no shutdown drops.
#[test]
fn a_shutdown_leaves_the_root_to_end_the_call() {
    within_a_minute(|| {
        let runtime = current_thread();
        let (sender, receiver) = mpsc::channel(1);
        let (reply, answer) = oneshot::channel();
        let (begins, has_begun) = channel();
        let handle = runtime.handle().clone();
        let driver = thread::spawn(move || {
            handle.block_on(async move {
                let (tell, told) = oneshot::channel();
                let mut receiver = receiver;
                wsrt::spawn(async move { tell.send(receiver.blocking_recv()).expect("the root waits") });
                yield_now().await;
                begins.send(()).expect("the test waits");
                sender.send(answer.await.expect("it is sent")).await.expect("the task waits");
                told.await.expect("its poll ends")
            })
        });
        has_begun.recv_timeout(LIMIT).expect("it begins");
        let ending = thread::spawn(move || drop(runtime));
        reply.send(7).expect("the root waits");
        assert_eq!(driver.join().expect("no panic"), Some(7));
        ending.join().expect("no panic");
    });
}

/// The calls are nested on one thread: the outer one has its value first, and returns last.
#[test]
fn nested_calls_return_in_reverse_order() {
    within_a_minute(|| {
        current_thread().block_on(async {
            let (order, returned) = channel();
            let begin = |name: &'static str| {
                let (sender, mut receiver) = mpsc::channel(1);
                let order = order.clone();
                let task = wsrt::spawn(async move {
                    receiver.blocking_recv();
                    order.send(name).expect("the test has the other end");
                });
                (sender, task)
            };
            let (to_outer, outer) = begin("outer");
            let (to_inner, inner) = begin("inner");
            yield_now().await;
            to_outer.send(()).await.expect("it waits");
            while to_outer.capacity() == 0 {
                yield_now().await;
            }
            assert!(returned.try_recv().is_err(), "the inner one waits still");
            to_inner.send(()).await.expect("it waits");
            outer.await.expect("no panic");
            inner.await.expect("no panic");
            assert_eq!(returned.try_iter().collect::<Vec<_>>(), ["inner", "outer"]);
        });
    });
}
