//! Hooks see each task of the runtime at its spawn, around each poll and at its end, with the data
//! that was attached at the spawn.

use std::collections::HashMap;
use std::future::pending;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use wsrt::runtime::{Builder, TaskMeta};
use wsrt::sync::oneshot;
use wsrt::task::{self, Id, LocalSet, yield_now};
use wsrt_tests::{Roll, RollEntry, within_a_minute};

/// An event that a hook was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Spawn,
    Before(ThreadId),
    After(ThreadId),
    End,
}

#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<HashMap<Id, Vec<Told>>>>);

impl Log {
    fn tell(&self, id: Id, told: Told) {
        self.0.lock().expect("no hook panics").entry(id).or_default().push(told);
    }

    fn of(&self, id: Id) -> Vec<Told> {
        self.0.lock().expect("no hook panics").get(&id).cloned().unwrap_or_default()
    }

    fn tasks(&self) -> Vec<Id> {
        self.0.lock().expect("no hook panics").keys().copied().collect()
    }

    /// Puts all four hooks on `builder`.
    fn on(&self, mut builder: Builder) -> Builder {
        let [spawn, before, after, end] = [(); 4].map(|()| self.clone());
        builder
            .on_task_spawn(move |task| spawn.tell(task.id(), Told::Spawn))
            .on_before_task_poll(move |task| before.tell(task.id(), Told::Before(thread::current().id())))
            .on_after_task_poll(move |task| after.tell(task.id(), Told::After(thread::current().id())))
            .on_task_terminate(move |task| end.tell(task.id(), Told::End));
        builder
    }
}

/// The number of polls in `told`. Each begins and ends on one thread; the next may have begun on
/// another before the end of one is told.
fn polls(told: &[Told]) -> usize {
    let mut by_thread = HashMap::<ThreadId, Vec<Told>>::new();
    for &told in told {
        if let Told::Before(thread) | Told::After(thread) = told {
            by_thread.entry(thread).or_default().push(told);
        }
    }
    for poll in by_thread.values().flat_map(|told| told.chunks(2)) {
        assert!(matches!(poll, [Told::Before(_), Told::After(_)]), "{told:?}");
    }
    told.iter().filter(|told| matches!(told, Told::Before(_))).count()
}

fn multi_thread() -> Builder {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2);
    builder
}

#[test]
fn hooks_see_each_poll_of_a_task_from_the_first() {
    for builder in [multi_thread, Builder::new_current_thread] {
        within_a_minute(move || {
            let log = Log::default();
            let runtime = log.on(builder()).build().expect("a runtime");
            let task = runtime.spawn(async {
                for _ in 0..300 {
                    yield_now().await;
                }
            });
            let id = task.id();
            runtime.block_on(task).expect("no panic");
            drop(runtime);
            let told = log.of(id);
            assert_eq!(polls(&told), 301);
            assert_eq!(told[0], Told::Spawn);
            let end = told.iter().position(|told| *told == Told::End).expect("it has ended");
            assert!(matches!(told[end + 1..], [Told::After(_), ..]), "{told:?}");
        });
    }
}

#[test]
fn every_task_that_was_spawned_has_one_end() {
    within_a_minute(|| {
        let log = Log::default();
        let runtime = log.on(multi_thread()).build().expect("a runtime");
        let handle = runtime.handle().clone();
        runtime.run(async {
            for _ in 0..50 {
                wsrt::spawn(async {}).await.expect("no panic");
                wsrt::spawn(async { panic!("as it should") }).await.expect_err("it panics");
                wsrt::spawn(pending::<()>()).cancel().await.expect("no panic");
                drop(wsrt::spawn(pending::<()>()));
            }
        });
        drop(runtime);
        let refused = handle.spawn(async {});
        assert!(log.of(refused.id()).ends_with(&[Told::End]));
        let tasks = log.tasks();
        assert_eq!(tasks.len(), 1 + 4 * 50 + 1);
        for id in tasks {
            let told = log.of(id);
            polls(&told);
            assert_eq!((told[0], told.iter().filter(|told| **told == Told::End).count()), (Told::Spawn, 1), "{told:?}");
        }
    });
}

#[test]
fn blocking_jobs_and_sets_and_roots_are_not_seen() {
    within_a_minute(|| {
        let log = Log::default();
        let runtime = log.on(multi_thread()).build().expect("a runtime");
        runtime.block_on(async {
            yield_now().await;
            task::spawn_blocking(|| {}).await.expect("no panic");
        });
        let set = LocalSet::new();
        set.spawn_local(yield_now());
        runtime.block_on(set);
        drop(runtime);
        assert_eq!(log.tasks(), []);
    });
}

#[test]
fn local_tasks_of_a_current_thread_runtime_are_seen() {
    within_a_minute(|| {
        let log = Log::default();
        let runtime = log.on(Builder::new_current_thread()).build().expect("a runtime");
        runtime.block_on(async {
            let task = task::spawn_local(yield_now());
            let id = task.id();
            task.await.expect("no panic");
            assert_eq!(polls(&log.of(id)), 2);
        });
    });
}

/// The customer of a task: that of its parent.
struct Customer(&'static str);

wsrt::task_local! {
    static CUSTOMER: &'static str;
}

#[test]
fn data_of_the_spawn_reach_the_other_hooks() {
    within_a_minute(|| {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let hook = |place: &'static str| {
            let seen = Arc::clone(&seen);
            move |task: &TaskMeta<'_>| {
                assert!(task.data::<String>().is_none(), "it is of another type");
                if let Some(Customer(customer)) = task.data() {
                    seen.lock().expect("no hook panics").push((place, *customer, task.name().map(str::to_owned)));
                }
            }
        };
        let runtime = Builder::new_current_thread()
            .on_task_spawn(|task| {
                assert!(task.spawned_at().file().ends_with("task_hooks.rs"));
                // It runs inside the task that spawns.
                if let Ok(customer) = CUSTOMER.try_with(|customer| *customer) {
                    task.set_data("replaced".to_owned());
                    task.set_data(Customer(customer));
                }
            })
            .on_before_task_poll(hook("before"))
            .on_after_task_poll(hook("after"))
            .on_task_terminate(hook("end"))
            .build()
            .expect("a runtime");
        runtime.block_on(CUSTOMER.scope("seven", async {
            task::Builder::new().name("child").spawn(async {}).await.expect("no panic");
        }));
        runtime.block_on(async { wsrt::spawn(async {}).await.expect("no panic") });
        drop(runtime);
        let child = Some("child".to_owned());
        let expected = ["before", "end", "after"].map(|place| (place, "seven", child.clone()));
        assert_eq!(*seen.lock().expect("no hook panics"), expected);
    });
}

#[test]
fn data_are_dropped_once_with_their_tasks() {
    within_a_minute(|| {
        struct Data(#[allow(dead_code)] RollEntry);
        impl Drop for Data {
            fn drop(&mut self) {
                panic!("it goes no further");
            }
        }
        let (roll, next) = (Roll::new(100), AtomicUsize::new(0));
        let entries = roll.clone();
        let runtime = multi_thread()
            .on_task_spawn(move |task| task.set_data(Data(entries.entry(next.fetch_add(1, SeqCst)))))
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            for _ in 0..50 {
                wsrt::spawn(yield_now()).await.expect("no panic");
                drop(wsrt::spawn(pending::<()>()));
            }
        });
        drop(runtime);
        roll.assert_each_dropped_once();
    });
}

#[test]
fn hooks_may_spawn_and_wake() {
    within_a_minute(|| {
        let spawned = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&spawned);
        let (sender, receiver) = oneshot::channel();
        let sender = Mutex::new(Some(sender));
        let runtime = multi_thread()
            .on_task_spawn(move |_| {
                if count.fetch_add(1, SeqCst) == 0 {
                    drop(wsrt::spawn(async {}));
                }
            })
            .on_after_task_poll(move |_| {
                if let Some(sender) = sender.lock().expect("no hook panics").take() {
                    sender.send(()).expect("the test waits");
                }
            })
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            wsrt::spawn(async {}).await.expect("no panic");
            receiver.await.expect("a hook sends it");
        });
        assert_eq!(spawned.load(SeqCst), 2);
    });
}
