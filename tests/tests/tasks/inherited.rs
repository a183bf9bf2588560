//! Spawned tasks inherit task-locals that say so, and the deadline of a timeout; and a task knows
//! its own name and data.

use std::future::{pending, poll_fn};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use wsrt::parallel;
use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::sync::oneshot;
use wsrt::task::{
    self, BlockingGroup, JoinHandle, JoinMap, JoinSet, LocalSet, TaskGroup, block_in_place, spawn_blocking, yield_now,
};
use wsrt::time::{Instant, deadline, timeout, timeout_at};
use wsrt_tests::{HAS_STACKS, LIMIT, panic_message, within_a_minute};

wsrt::task_local! {
    inherit static NUMBER: usize;
    /// Another one, with the words in a macro's usual order.
    pub(crate) inherit static WORD: &'static str;
    static OWN: usize;
    inherit static COUNTED: Counted
}

/// Counts its lives.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(alive: &Arc<AtomicUsize>) -> Self {
        alive.fetch_add(1, SeqCst);
        Self(Arc::clone(alive))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

fn number() -> Option<usize> {
    NUMBER.try_get().ok()
}

#[test]
fn each_way_to_spawn_inherits() {
    within_a_minute(|| {
        Runtime::new().expect("a runtime").run(NUMBER.scope(7, async {
            let mut seen = vec![
                wsrt::spawn(async { number() }).await.expect("no panic"),
                Handle::current().spawn(async { number() }).await.expect("no panic"),
                task::Builder::new().name("named").spawn(async { number() }).await.expect("no panic"),
                spawn_blocking(number).await.expect("no panic"),
                BlockingGroup::new(1).spawn(number).await.expect("no panic"),
            ];
            let mut set = JoinSet::new();
            set.spawn(async { number() });
            set.spawn_blocking(number);
            seen.extend(set.join_all().await);
            let mut map = JoinMap::new();
            map.spawn("key", async { number() });
            seen.extend(map.join_next().await.map(|(_, output)| output.expect("no panic")));
            let mut group = TaskGroup::with_limit(1);
            (0..3).for_each(|_| group.spawn(async { Ok::<_, ()>(number()) }));
            seen.extend(group.join_all().await.expect("no error"));
            assert_eq!(seen.len(), 11);
            assert!(seen.iter().all(|number| *number == Some(7)), "{seen:?}");
        }));
    });
}

#[test]
fn local_tasks_inherit() {
    Builder::new_current_thread().build().expect("a runtime").block_on(async {
        let set = LocalSet::new();
        let (inside, outside) =
            (NUMBER.sync_scope(1, || set.spawn_local(async { number() })), set.spawn_local(async { number() }));
        // The scope around the poll is for the future beside the set, and for no task of the set.
        let beside = NUMBER.scope(2, set.run_until(async { (number(), inside.await, outside.await) })).await;
        assert_eq!((beside.0, beside.1.expect("no panic"), beside.2.expect("no panic")), (Some(2), Some(1), None));
        let own = NUMBER.scope(3, async { task::spawn_local(async { number() }).await });
        assert_eq!(own.await.expect("no panic"), Some(3));
    });
}

/// Waits for a message, blocking the thread in the middle of a poll.
type BlockingWait = fn(oneshot::Receiver<()>);

/// The ways to block a thread of a current-thread runtime, which runs the other tasks meanwhile.
const BLOCKING_WAITS: [BlockingWait; 6] = [
    |receiver| Handle::current().block_on(receiver).expect("it is sent"),
    |receiver| receiver.blocking_recv().expect("it is sent"),
    |receiver| block_in_place(|| receiver.blocking_recv().expect("it is sent")),
    |receiver| _ = parallel::join(|| receiver.blocking_recv().expect("it is sent"), || ()),
    |receiver| task::scope(|scope| drop(scope.spawn(async { receiver.await.expect("it is sent") }))),
    |receiver| {
        task::scope(|scope| scope.spawn(async { receiver.await.expect("it is sent") }).join().expect("no panic"))
    },
];

#[test]
fn tasks_that_run_during_a_wait_keep_their_own_values() {
    within_a_minute(|| {
        for wait in BLOCKING_WAITS {
            let runtime = Builder::new_current_thread().build().expect("a runtime");
            runtime.block_on(async {
                let (sender, receiver) = oneshot::channel();
                let waits = NUMBER.sync_scope(1, || {
                    wsrt::spawn(async move {
                        let before = number();
                        let during = NUMBER.sync_scope(2, || {
                            wait(receiver);
                            number()
                        });
                        (before, during, number())
                    })
                });
                let sends = wsrt::spawn(async move {
                    let seen = (number(), deadline(), task::current().name().is_none());
                    sender.send(()).expect("the other task waits");
                    seen
                });
                assert_eq!(waits.await.expect("no panic"), (Some(1), Some(2), Some(1)));
                assert_eq!(sends.await.expect("no panic"), (None, None, true));
            });
        }
    });
}

#[test]
fn local_tasks_keep_their_own_values_during_a_wait() {
    within_a_minute(|| {
        for wait in BLOCKING_WAITS {
            let runtime = Builder::new_current_thread().build().expect("a runtime");
            let set = LocalSet::new();
            let (sender, receiver) = oneshot::channel();
            let waits = set.spawn_local(async move { NUMBER.sync_scope(1, || wait(receiver)) });
            let sends = set.spawn_local(async move {
                sender.send(()).expect("the other task waits");
                number()
            });
            let both = async { (waits.await.expect("no panic"), sends.await.expect("no panic"), number()) };
            assert_eq!(runtime.block_on(NUMBER.scope(3, set.run_until(both))), ((), None, Some(3)));
        }
    });
}

#[test]
fn tasks_of_a_nested_runtime_see_no_outer_scope() {
    fn drive() -> (Option<usize>, Option<usize>) {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let task = task::Builder::new().inherit(false).spawn_on(
            async {
                yield_now().await;
                number()
            },
            runtime.handle(),
        );
        NUMBER.sync_scope(1, || runtime.block_on(async { (number(), task.await.expect("no panic")) }))
    }
    within_a_minute(|| {
        assert_eq!(drive(), (Some(1), None));
        // In the middle of another runtime's poll.
        let runtime = Runtime::new().expect("a runtime");
        let driven = runtime.block_on(runtime.spawn(NUMBER.scope(2, async { drive() })));
        assert_eq!(driven.expect("no panic"), (Some(1), None));
    });
}

/// A plain task, and one that inherits a value and no deadline.
#[test]
fn a_poll_for_a_dump_keeps_the_tasks_values() {
    within_a_minute(|| {
        let runtime = Runtime::new().expect("a runtime");
        let seen = Arc::new(Mutex::new([const { Vec::new() }; 2]));
        let look = |index: usize| {
            let polls = Arc::clone(&seen);
            runtime.spawn(poll_fn(move |cx| {
                polls.lock().expect("no poll panics")[index].push((number(), OWN.try_get().ok(), deadline()));
                // A waker that is cloned tells where the task waits.
                drop(cx.waker().clone());
                Poll::<()>::Pending
            }))
        };
        let tasks = [look(0), NUMBER.sync_scope(1, || look(1))];
        let least = if HAS_STACKS { 3 } else { 1 };
        let dump = async || drop(runtime.handle().dump_with_chains(LIMIT));
        while seen.lock().expect("no poll panics").iter().any(|seen| seen.len() < least) {
            runtime.block_on(NUMBER.scope(2, OWN.scope(3, timeout(LIMIT, dump())))).expect("in time");
        }
        tasks.iter().for_each(JoinHandle::abort);
        let [plain, heir] = std::mem::take(&mut *seen.lock().expect("no poll panics"));
        assert!(plain.iter().all(|seen| *seen == (None, None, None)), "{plain:?}");
        assert!(heir.iter().all(|seen| *seen == (Some(1), None, None)), "{heir:?}");
    });
}

#[test]
fn a_task_keeps_its_values_after_the_scope() {
    within_a_minute(|| {
        Runtime::new().expect("a runtime").run(async {
            let (sender, receiver) = oneshot::channel::<()>();
            let task = NUMBER.sync_scope(7, || {
                wsrt::spawn(async move {
                    let in_first_poll = number();
                    receiver.await.expect("it is sent");
                    (in_first_poll, number(), wsrt::spawn(async { number() }).await.expect("no panic"))
                })
            });
            yield_now().await;
            assert_eq!(number(), None);
            sender.send(()).expect("the task waits");
            assert_eq!(task.await.expect("no panic"), (Some(7), Some(7), Some(7)));
        });
    });
}

#[test]
fn the_innermost_value_of_each_key_is_inherited() {
    Runtime::new().expect("a runtime").block_on(async {
        let both = async { (number(), WORD.try_get().ok(), OWN.try_get().is_ok()) };
        let task =
            NUMBER.scope(1, WORD.scope("outer", OWN.scope(2, NUMBER.scope(3, async { wsrt::spawn(both).await }))));
        assert_eq!(task.await.expect("no panic"), (Some(3), Some("outer"), false));

        let task = NUMBER.sync_scope(1, || {
            wsrt::spawn(async {
                let inner = NUMBER.scope(2, async { wsrt::spawn(async { number() }).await }).await;
                (inner.expect("no panic"), number())
            })
        });
        assert_eq!(task.await.expect("no panic"), (Some(2), Some(1)));
    });
}

#[test]
fn a_task_that_is_told_to_inherits_nothing() {
    Runtime::new().expect("a runtime").block_on(async {
        let (task, job) = NUMBER.sync_scope(1, || {
            let builder = task::Builder::new().inherit(false);
            let spawned = (builder.spawn(async { number() }), builder.spawn_blocking(number));
            assert_eq!(number(), Some(1), "the scope is entered again");
            spawned
        });
        assert_eq!((task.await.expect("no panic"), job.await.expect("no panic")), (None, None));
    });
}

#[test]
fn destructors_see_what_the_task_has_inherited() {
    struct Looks(Arc<AtomicUsize>);
    impl Drop for Looks {
        fn drop(&mut self) {
            self.0.store(number().unwrap_or_default(), SeqCst);
        }
    }
    Runtime::new().expect("a runtime").block_on(async {
        let seen = Arc::new(AtomicUsize::new(0));
        let looks = Looks(Arc::clone(&seen));
        let task = NUMBER.sync_scope(5, || wsrt::spawn(async move { drop((pending::<()>().await, looks)) }));
        assert_eq!(task.cancel().await.expect("no panic"), None);
        assert_eq!(seen.load(SeqCst), 5);
    });
}

/// A task's future, its output that nobody wants, and the future that a runtime refuses.
#[test]
fn what_is_dropped_in_a_scope_sees_nothing_of_it() {
    struct Looks(Arc<Mutex<Vec<Option<usize>>>>);
    impl Drop for Looks {
        fn drop(&mut self) {
            self.0.lock().expect("no drop panics").push(number());
        }
    }
    within_a_minute(|| {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let looks = || Looks(Arc::clone(&seen));
        for runtime in [Runtime::new(), Builder::new_current_thread().build()] {
            let runtime = runtime.expect("a runtime");
            let (plain, heir) = (looks(), looks());
            let _plain = runtime.spawn(async move { drop((pending::<()>().await, plain)) });
            let _heir = NUMBER.sync_scope(1, || runtime.spawn(async move { drop((pending::<()>().await, heir)) }));
            let handle = runtime.handle().clone();
            NUMBER.sync_scope(2, || drop(runtime));
            let mut dropped = std::mem::take(&mut *seen.lock().expect("no drop panics"));
            dropped.sort_unstable();
            assert_eq!(dropped, [None, Some(1)]);
            let refused = looks();
            NUMBER.sync_scope(3, || drop(handle.spawn(async move { drop(refused) })));
            assert_eq!(std::mem::take(&mut *seen.lock().expect("no drop panics")), [Some(3)]);
        }
        // In a set, tasks are run and dropped in the poll of another task.
        Builder::new_current_thread().build().expect("a runtime").block_on(NUMBER.scope(4, async {
            let set = LocalSet::new();
            let (unwanted, left) = (looks(), looks());
            let builder = task::Builder::new().inherit(false);
            drop(builder.spawn_local_on(async move { unwanted }, &set));
            drop(builder.spawn_local_on(async move { drop((pending::<()>().await, left)) }, &set));
            set.run_until(yield_now()).await;
            assert_eq!(*seen.lock().expect("no drop panics"), [None]);
            drop(set);
            assert_eq!(*seen.lock().expect("no drop panics"), [None, None]);
        }));
    });
}

#[test]
fn a_value_lives_as_long_as_its_last_task() {
    within_a_minute(|| {
        let alive = Arc::new(AtomicUsize::new(0));
        Runtime::new().expect("a runtime").block_on(async {
            let (sender, receiver) = oneshot::channel::<()>();
            let mut scope = Box::pin(COUNTED.scope(Counted::new(&alive), async move { (wsrt::spawn(receiver), 7) }));
            let (task, _) = scope.as_mut().await;
            assert!(scope.as_mut().take_value().is_none(), "the task shares it");
            drop(scope);
            assert_eq!(alive.load(SeqCst), 1);
            sender.send(()).expect("the task waits");
            task.await.expect("no panic").expect("it is sent");
            // The task's memory is freed as soon as its last waker is gone.
            while alive.load(SeqCst) > 0 {
                yield_now().await;
            }

            let mut scope = Box::pin(COUNTED.scope(Counted::new(&alive), async { COUNTED.try_with(|_| ()).is_ok() }));
            assert!(scope.as_mut().await);
            assert!(scope.as_mut().take_value().is_some() && scope.as_mut().take_value().is_none());
            assert_eq!(alive.load(SeqCst), 0);
        });
    });
}

#[test]
fn a_hidden_value_is_not_handed_on() {
    within_a_minute(|| {
        let alive = Arc::new(AtomicUsize::new(0));
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let theirs = Arc::clone(&alive);
            let seen = wsrt::spawn(COUNTED.scope(Counted::new(&alive), async move {
                // The task has the value of the inner scope alone.
                let task = COUNTED.sync_scope(Counted::new(&theirs), || wsrt::spawn(pending::<()>()));
                (task, theirs.load(SeqCst))
            }));
            let (task, both) = seen.await.expect("no panic");
            assert_eq!((both, alive.load(SeqCst)), (2, 1));
            assert_eq!(task.cancel().await.expect("no panic"), None);
            assert_eq!(alive.load(SeqCst), 0);
        });
    });
}

#[test]
fn a_timeout_narrows_the_deadline_while_it_polls() {
    Runtime::new().expect("a runtime").block_on(async {
        let (soon, late) = (Instant::now() + Duration::from_secs(60), Instant::now() + Duration::from_secs(120));
        assert_eq!(deadline(), None);
        let outer = timeout_at(soon, async {
            let inner = timeout_at(late, async { deadline() }).await.expect("it is ready");
            yield_now().await;
            (inner, deadline())
        });
        assert_eq!(outer.await.expect("it is early"), (Some(soon), Some(soon)));
        let inner = timeout_at(late, async { timeout_at(soon, async { deadline() }).await });
        assert_eq!(inner.await.expect("it is early").expect("it is early"), Some(soon));
        assert_eq!(deadline(), None);
        assert!(timeout(Duration::MAX, async { deadline() }).await.expect("it is ready").is_some());
    });
}

#[test]
fn tasks_inherit_the_deadline_and_may_narrow_it() {
    within_a_minute(|| {
        Runtime::new().expect("a runtime").run(async {
            let (soon, late) = (Instant::now() + Duration::from_secs(60), Instant::now() + Duration::from_secs(120));
            let spawned = timeout_at(late, async {
                let task = wsrt::spawn(async move {
                    yield_now().await;
                    let narrowed = timeout_at(soon, async { wsrt::spawn(async { deadline() }).await });
                    (deadline(), narrowed.await.expect("it is early").expect("no panic"))
                });
                (task.await.expect("no panic"), spawn_blocking(deadline).await.expect("no panic"))
            });
            assert_eq!(spawned.await.expect("it is early"), ((Some(late), Some(soon)), Some(late)));
        });
    });
}

#[test]
fn a_task_knows_its_id_name_and_data() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread()
            .on_task_spawn(|task| {
                if task.name() == Some("with data") {
                    task.set_data(7_u32);
                }
            })
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let own = async {
                let own = task::current();
                // Inside a timeout and after a wait it is the same task.
                let later = timeout(Duration::from_secs(60), async {
                    yield_now().await;
                    task::current()
                });
                let later = later.await.expect("it is early");
                assert_eq!((own.id(), own.name()), (later.id(), later.name()));
                (own.id(), own.name().map(str::to_owned), own.data::<u32>().copied(), later.data::<u64>().copied())
            };
            let named = task::Builder::new().name("with data").spawn(own);
            let id = named.id();
            assert_eq!(named.await.expect("no panic"), (id, Some("with data".to_owned()), Some(7), None));

            let plain = wsrt::spawn(async { (task::current().id(), task::current().name().is_some()) });
            let id = plain.id();
            assert_eq!(plain.await.expect("no panic"), (id, false));

            let job = task::Builder::new().name("job").spawn_blocking(|| task::current().name() == Some("job"));
            assert!(job.await.expect("no panic"));

            let kept = task::Builder::new().name("gone").spawn(async { task::current() }).await.expect("no panic");
            assert_eq!(kept.name(), Some("gone"), "after the task has ended");
            assert!(format!("{kept:?}").contains("gone"));
        });
    });
}

#[test]
fn outside_a_task_there_is_no_current_task() {
    Runtime::new().expect("a runtime").block_on(async { assert!(task::try_current().is_none()) });
    let message = panic_message(|| drop(task::current()));
    assert!(message.contains("use `task::try_current` where there may be none"), "{message}");
}
