//! Task-local values go with their future: from thread to thread, and nowhere else.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use wsrt::runtime::{Builder, Runtime};
use wsrt::task::yield_now;
use wsrt_tests::{panic_message, within_a_minute};

wsrt::task_local! {
    static NUMBER: usize;
    /// Not Send, and in use by futures that are not either.
    static SHARED: Rc<Cell<usize>>;
}

#[test]
fn each_task_sees_its_own_value_wherever_it_runs() {
    within_a_minute(|| {
        Runtime::new().expect("a runtime").run(async {
            let tasks: Vec<_> = (0..200)
                .map(|n| {
                    wsrt::spawn(NUMBER.scope(n, async move {
                        for _ in 0..50 {
                            assert_eq!(NUMBER.get(), n);
                            yield_now().await;
                        }
                    }))
                })
                .collect();
            for task in tasks {
                task.await.expect("every task sees its own");
            }
        });
    });
}

#[test]
fn no_value_exists_outside_a_scope_or_in_spawns() {
    Runtime::new().expect("a runtime").run(async {
        assert!(NUMBER.try_get().is_err());
        NUMBER
            .scope(1, async {
                assert!(wsrt::spawn(async { NUMBER.try_get().is_err() }).await.expect("no panic"));
                assert_eq!(NUMBER.get(), 1);
            })
            .await;
        let error = NUMBER.try_with(|_| ()).expect_err("no scope is around");
        assert!(error.to_string().contains("not set here"), "{error}");
    });
    let message = panic_message(|| NUMBER.get());
    assert!(message.contains("the task-local value is not set here"), "{message}");
}

#[test]
fn an_inner_scope_hides_the_outer_one_for_its_time() {
    Runtime::new().expect("a runtime").block_on(NUMBER.scope(1, async {
        NUMBER
            .scope(2, async {
                yield_now().await;
                assert_eq!(NUMBER.get(), 2);
                NUMBER.sync_scope(3, || assert_eq!(NUMBER.get(), 3));
                assert_eq!(NUMBER.get(), 2);
            })
            .await;
        assert_eq!(NUMBER.get(), 1);
    }));
}

#[test]
fn between_polls_the_value_is_not_on_the_thread() {
    let mut first = pin!(NUMBER.scope(1, async {
        yield_now().await;
        NUMBER.get()
    }));
    let mut second = pin!(NUMBER.scope(2, async {
        yield_now().await;
        NUMBER.get()
    }));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(first.as_mut().poll(&mut cx).is_pending());
    assert!(NUMBER.try_get().is_err());
    assert!(second.as_mut().poll(&mut cx).is_pending());
    assert_eq!(first.as_mut().poll(&mut cx), Poll::Ready(1));
    assert_eq!(second.as_mut().poll(&mut cx), Poll::Ready(2));
    assert_eq!((first.take_value(), second.take_value()), (Some(1), Some(2)));
}

#[test]
fn the_value_is_there_while_the_future_is_dropped() {
    struct Looks(Rc<Cell<usize>>);
    impl Drop for Looks {
        fn drop(&mut self) {
            self.0.set(NUMBER.get());
        }
    }
    let seen = Rc::new(Cell::new(0));
    let held = Looks(Rc::clone(&seen));
    drop(NUMBER.scope(5, async move { drop(held) }));
    assert_eq!(seen.replace(0), 5);

    let held = Looks(Rc::clone(&seen));
    let mut ready = pin!(NUMBER.scope(
        6,
        poll_fn(move |_| {
            let _ = &held;
            Poll::Ready(())
        })
    ));
    assert!(ready.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    assert_eq!(seen.get(), 6, "dropped as soon as it is ready");
}

#[test]
fn a_panic_inside_puts_the_outer_value_back() {
    NUMBER.sync_scope(1, || {
        let message = panic_message(|| NUMBER.sync_scope(2, || panic!("boom")));
        assert_eq!(message, "boom");
        assert_eq!(NUMBER.get(), 1);
    });
    assert!(NUMBER.try_get().is_err());
}

#[test]
fn a_scope_may_be_entered_inside_of_with() {
    NUMBER.sync_scope(1, || {
        NUMBER.with(|outer| {
            NUMBER.sync_scope(2, || assert_eq!((*outer, NUMBER.get()), (1, 2)));
            SHARED.sync_scope(Rc::default(), || SHARED.with(|inner| inner.set(*outer)));
        });
        assert_eq!(NUMBER.get(), 1);
    });
}

#[test]
fn a_task_in_a_nested_wait_has_its_own_values() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let handle = runtime.handle().clone();
        runtime.block_on(async move {
            let waits = NUMBER.scope(1, async move {
                NUMBER.with(|number| {
                    let without = handle.spawn(async { NUMBER.try_get().is_err() });
                    let with = handle.spawn(NUMBER.scope(2, async {
                        yield_now().await;
                        NUMBER.get()
                    }));
                    let others = handle.block_on(async {
                        let others = (without.await.expect("no panic"), with.await.expect("no panic"));
                        assert_eq!(NUMBER.get(), 1, "the wait has the values of its task");
                        others
                    });
                    assert_eq!((others, *number, NUMBER.get()), ((true, 2), 1, 1));
                });
            });
            wsrt::spawn(waits).await.expect("no panic");
        });
    });
}

#[test]
fn the_scopes_around_block_on_are_not_those_of_tasks() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    NUMBER.sync_scope(1, || {
        runtime.block_on(async {
            let task = wsrt::spawn(async { NUMBER.try_get().is_err() });
            assert!(task.await.expect("no panic"), "a task inherits none");
            assert_eq!(NUMBER.get(), 1, "the future of `block_on` is in the scope");
        });
    });
}

#[test]
fn polling_it_again_once_it_was_ready_panics() {
    let mut ready = pin!(NUMBER.scope(1, async {}));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(ready.as_mut().poll(&mut cx).is_ready());
    let message = panic_message(|| ready.as_mut().poll(&mut cx));
    assert!(message.contains("polled after it was ready"), "{message}");
}
