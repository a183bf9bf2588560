//! Resources that a scope lends to tasks outlive each of the tasks, and are returned.

use std::future::{Future, pending, poll_fn};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::Poll;
use std::thread;

use wsrt::sync::oneshot;
use wsrt::task::{scope_with, yield_now};
use wsrt_tests::{Roll, RollEntry, panic_message, runtime_with, two_processors, within_a_minute};

/// Resources that know how many children hold them, and that are alive.
struct Resources {
    text: String,
    users: AtomicUsize,
    roll: Roll,
    _entry: RollEntry,
}

impl Resources {
    fn new(roll: &Roll) -> Self {
        Self { text: "lent".to_owned(), users: AtomicUsize::new(0), roll: roll.clone(), _entry: roll.entry(0) }
    }

    /// Uses the resources until it is dropped.
    fn user(&self) -> User<'_> {
        self.users.fetch_add(1, SeqCst);
        User(self)
    }
}

struct User<'a>(&'a Resources);

impl Drop for User<'_> {
    fn drop(&mut self) {
        self.0.users.fetch_sub(1, SeqCst);
        assert_eq!(self.0.roll.dropped(), 0, "the resources are there");
        assert_eq!(self.0.text, "lent");
    }
}

impl Drop for Resources {
    fn drop(&mut self) {
        assert_eq!(*self.users.get_mut(), 0, "the children are gone");
    }
}

#[test]
fn resources_are_lent_and_returned() {
    within_a_minute(|| {
        for processors in [1, 2, 4] {
            runtime_with(processors).run(async {
                let own = String::from("the closure's");
                let (resources, output) = scope_with(vec![1, 2, 3], async |scope, numbers| {
                    let first = scope.spawn(async move { numbers[0] });
                    let rest = scope.spawn(async {
                        yield_now().await;
                        scope.spawn(async { numbers[2] }).await.expect("an output") + numbers[1]
                    });
                    (own.as_str(), first.await.expect("an output") + rest.await.expect("an output"))
                })
                .await;
                assert_eq!((resources, output), (vec![1, 2, 3], ("the closure's", 6)));
            });
        }
    });
}

#[test]
fn its_future_can_be_spawned() {
    within_a_minute(|| {
        let runtime = two_processors();
        let task = runtime.spawn(async {
            let lent = scope_with(AtomicUsize::new(0), async |scope, count| {
                for _ in 0..10 {
                    scope.spawn(async {
                        yield_now().await;
                        count.fetch_add(1, SeqCst);
                    });
                }
                yield_now().await;
            });
            lent.await.0.into_inner()
        });
        assert_eq!(runtime.block_on(task).expect("it does not panic"), 10);
    });
}

/// A `scope_with` of these resources, whose closure and child use them and wait. `polled` tells
/// that the child does.
async fn two_users(resources: Resources, polled: oneshot::Sender<()>) {
    scope_with(resources, async |scope, resources| {
        scope.spawn(async move {
            let _user = resources.user();
            let _ = polled.send(());
            pending::<()>().await;
        });
        let _user = resources.user();
        pending::<()>().await;
    })
    .await;
}

#[test]
fn resources_go_with_the_last_child_of_a_dropped_future() {
    within_a_minute(|| {
        for processors in [1, 2] {
            let roll = Roll::new(1);
            runtime_with(processors).block_on(async {
                let (polled, is_polled) = oneshot::channel();
                let mut lent = Box::pin(two_users(Resources::new(&roll), polled));
                assert!(poll_fn(|cx| Poll::Ready(lent.as_mut().poll(cx))).await.is_pending());
                is_polled.await.expect("the child is polled");
                drop(lent);
            });
            roll.assert_each_dropped_once();
        }
    });
}

#[test]
fn children_go_before_the_resources_when_the_runtime_ends() {
    within_a_minute(|| {
        for processors in [1, 2] {
            for in_task in [false, true] {
                let (roll, runtime) = (Roll::new(1), runtime_with(processors));
                let (polled, is_polled) = oneshot::channel();
                let lent = two_users(Resources::new(&roll), polled);
                let handle = runtime.handle().clone();
                let outside = if in_task {
                    runtime.spawn(lent);
                    None
                } else {
                    Some(thread::spawn(move || panic_message(|| handle.block_on(lent))))
                };
                is_polled.blocking_recv().expect("the child is polled");
                drop(runtime);
                let message = outside.map(|thread| thread.join().expect("the panic was caught"));
                assert!(message.is_none_or(|message| message.contains("its runtime, which is shutting down")));
                roll.assert_each_dropped_once();
            }
        }
    });
}

#[test]
fn a_panic_drops_the_closure_of_lent_resources_and_continues() {
    within_a_minute(|| {
        for fails_in_child in [false, true] {
            let roll = Roll::new(1);
            let runtime = two_processors();
            let resources = Resources::new(&roll);
            let message = panic_message(|| {
                runtime.block_on(scope_with(resources, async |scope, resources| {
                    scope.spawn(async move {
                        let _user = resources.user();
                        yield_now().await;
                        assert!(!fails_in_child, "boom");
                        pending::<()>().await;
                    });
                    let _user = resources.user();
                    yield_now().await;
                    assert!(fails_in_child, "boom");
                    pending::<()>().await;
                }))
            });
            assert_eq!(message, "boom");
            roll.assert_each_dropped_once();
        }
    });
}

#[test]
fn a_cancelled_scope_of_lent_resources_returns_them() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let lent = scope_with(7, async |scope, number| {
                scope.cancel_when(async { _ = scope.spawn(yield_now()).await });
                let waits = scope.spawn(pending::<()>());
                (waits.await.is_none(), *number)
            });
            assert_eq!(lent.await, (7, (true, 7)));
        });
    });
}
