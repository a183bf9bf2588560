//! A dump names the holder of each lock, and finds cycles of waits; where there is none, it shows
//! none.

use std::future::{Future, pending};
use std::sync::Arc;
use std::time::Duration;

use wsrt::runtime::{Dump, Handle, Runtime, TaskDump, WaitKind, WaitsOn};
use wsrt::sync::{Barrier, Mutex, RwLock, Semaphore};
use wsrt::task::{AbortHandle, Id, yield_now};
use wsrt::time::timeout;
use wsrt_tests::{LIMIT, two_processors, within_a_minute};

use crate::{find, named, once, task_once};

fn spawn(runtime: &Runtime, name: &str, task: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
    named(name).spawn_on(task, runtime.handle()).abort_handle()
}

/// A dump in which each of the tasks waits for something.
fn once_all_wait(handle: &Handle, names: &[&str]) -> Dump {
    once(handle, |dump| names.iter().all(|name| find(dump, name).is_some_and(|task| !task.waits_on().is_empty())))
}

/// The kind of the one lock that the task waits for, its holder, and whether it is known for how
/// long that has held it.
fn lock(task: &TaskDump) -> (WaitKind, Option<Id>, bool) {
    match task.waits_on() {
        [WaitsOn::Sync(wait)] => (wait.kind(), wait.holder(), wait.held_for().is_some()),
        _ => panic!("{task}"),
    }
}

#[test]
fn a_waiter_names_the_holder_of_its_lock() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (mutex, both) = (Arc::new(Mutex::new(())), Arc::new(Barrier::new(2)));
        let holder = {
            let (mutex, both) = (Arc::clone(&mutex), Arc::clone(&both));
            spawn(&runtime, "holder", async move {
                let _guard = mutex.lock().await;
                both.wait().await;
                pending::<()>().await;
            })
        };
        spawn(&runtime, "waiter", async move {
            both.wait().await;
            drop(mutex.lock().await);
        });
        let is_held = |task: &TaskDump| matches!(task.waits_on(), [WaitsOn::Sync(wait)] if wait.holder().is_some());
        let waiter = task_once(runtime.handle(), "waiter", is_held);
        let dump = runtime.handle().dump();
        let id = find(&dump, "holder").expect("it waits").id();
        assert_eq!(lock(&waiter), (WaitKind::Mutex, Some(id), true));
        assert!(waiter.to_string().contains(&format!(", held by task {id} for at least ")), "{waiter}");
        assert!(dump.cycles().is_empty(), "a wait is no cycle: {dump}");
        // The guard is dropped, and the lock handed over.
        holder.abort();
        task_once_gone(runtime.handle(), "waiter");
    });
}

fn task_once_gone(handle: &Handle, name: &str) {
    while find(&handle.dump(), name).is_some() {
        std::thread::yield_now();
    }
}

/// Checks that the dump shows one cycle, of these tasks, first of all, with their places.
fn check_cycle(dump: &Dump, names: &[&str], kinds: &[WaitKind]) {
    let [cycle] = dump.cycles() else { panic!("{dump}") };
    let mut shown: Vec<_> = cycle.tasks().iter().map(|task| task.name().expect("it has one")).collect();
    shown.sort_unstable();
    assert_eq!(shown, names);
    let text = dump.to_string();
    assert!(text.starts_with("cycle of waits: "), "{text}");
    let first_lines: Vec<_> = text.lines().skip(1).take(names.len()).collect();
    for (index, task) in cycle.tasks().iter().enumerate() {
        let next = &cycle.tasks()[(index + 1) % names.len()];
        let (kind, holder, _) = lock(task);
        assert_eq!(holder, Some(next.id()));
        assert!(kinds.contains(&kind));
        let [WaitsOn::Sync(wait)] = task.waits_on() else { panic!("{task}") };
        assert!(first_lines[index].contains(&format!("made at {}", wait.made_at())), "{text}");
        assert!(first_lines[index].contains(&format!("spawned at {}", task.spawned_at())), "{text}");
    }
    let json = dump.to_json();
    assert!(json.contains(&format!("\"cycles\":[[{}", cycle.tasks()[0].id())), "{json}");
}

#[test]
fn two_tasks_on_two_mutexes_are_a_cycle() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (one, other, both) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())), Arc::new(Barrier::new(2)));
        for (name, first, second) in [("a", &one, &other), ("b", &other, &one)] {
            let (first, second, both) = (Arc::clone(first), Arc::clone(second), Arc::clone(&both));
            spawn(&runtime, name, async move {
                let _first = first.lock().await;
                both.wait().await;
                drop(second.lock().await);
            });
        }
        check_cycle(&once_cycles(runtime.handle()), &["a", "b"], &[WaitKind::Mutex]);
    });
}

fn once_cycles(handle: &Handle) -> Dump {
    once(handle, |dump| !dump.cycles().is_empty())
}

#[test]
fn reader_and_writer_of_two_locks_are_a_cycle() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (one, other, both) = (Arc::new(RwLock::new(())), Arc::new(RwLock::new(())), Arc::new(Barrier::new(2)));
        let (first, second, at) = (Arc::clone(&one), Arc::clone(&other), Arc::clone(&both));
        spawn(&runtime, "reads first", async move {
            let _first = first.read().await;
            at.wait().await;
            drop(second.read().await);
        });
        spawn(&runtime, "writes first", async move {
            let _second = other.write_owned().await;
            both.wait().await;
            drop(one.write().await);
        });
        let kinds = [WaitKind::RwLockRead, WaitKind::RwLockWrite];
        check_cycle(&once_cycles(runtime.handle()), &["reads first", "writes first"], &kinds);
    });
}

#[test]
fn a_task_that_locks_twice_is_a_cycle() {
    within_a_minute(|| {
        let runtime = two_processors();
        spawn(&runtime, "twice", async {
            let mutex = Mutex::new(());
            let _outer = mutex.lock().await;
            drop(mutex.lock().await);
        });
        check_cycle(&once_cycles(runtime.handle()), &["twice"], &[WaitKind::Mutex]);
    });
}

#[test]
fn a_chain_of_a_hundred_waits_is_no_cycle() {
    within_a_minute(|| {
        let runtime = two_processors();
        let mutexes: Vec<_> = (0..100).map(|_| Arc::new(Mutex::new(()))).collect();
        let all = Arc::new(Barrier::new(mutexes.len()));
        let names: Vec<_> = (0..mutexes.len()).map(|at| format!("link {at}")).collect();
        for (at, name) in names.iter().enumerate() {
            let (own, next, all) = (Arc::clone(&mutexes[at]), mutexes.get(at + 1).map(Arc::clone), Arc::clone(&all));
            spawn(&runtime, name, async move {
                let _own = own.lock().await;
                all.wait().await;
                match next {
                    Some(next) => drop(next.lock().await),
                    None => pending().await,
                }
            });
        }
        let is_link = |task: &TaskDump| matches!(task.waits_on(), [WaitsOn::Sync(wait)] if wait.holder().is_some());
        let are_waiting = |dump: &Dump| dump.tasks().iter().filter(|task| is_link(task)).count() == names.len() - 1;
        let dump = once(runtime.handle(), are_waiting);
        assert!(dump.cycles().is_empty(), "{dump}");
    });
}

#[test]
fn a_wait_with_a_timeout_is_in_no_cycle() {
    within_a_minute(|| {
        let runtime = two_processors();
        spawn(&runtime, "patient", async {
            let mutex = Mutex::new(());
            let _outer = mutex.lock().await;
            let _ = timeout(LIMIT, mutex.lock()).await;
        });
        let waits_twice = |dump: &Dump| find(dump, "patient").is_some_and(|task| task.waits_on().len() == 2);
        let dump = once(runtime.handle(), waits_twice);
        assert!(dump.cycles().is_empty(), "{dump}");
    });
}

/// The timer may be set or fire between two parts of a dump.
#[test]
fn a_wait_with_a_short_timeout_is_in_no_cycle() {
    within_a_minute(|| {
        let runtime = two_processors();
        let tasks: Vec<_> = (0..4)
            .map(|number| {
                runtime.spawn(async move {
                    let mutex = Mutex::new(());
                    let _outer = mutex.lock().await;
                    for round in 0..2_000 {
                        let _ = timeout(Duration::from_micros(20 + (7 * number + round) % 100), mutex.lock()).await;
                    }
                })
            })
            .collect();
        while tasks.iter().any(|task| !task.is_finished()) {
            let dump = runtime.handle().dump();
            assert!(dump.cycles().is_empty(), "{dump}");
        }
    });
}

#[test]
fn a_wait_beside_an_unknown_one_is_in_no_cycle() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        spawn(&runtime, "beside", async {
            let mutex = Mutex::new(());
            let outer = mutex.lock().await;
            wsrt::join!(async { drop(mutex.lock().await) }, async { drop((receiver.await, outer)) });
        });
        let dump = once_all_wait(runtime.handle(), &["beside"]);
        assert!(dump.cycles().is_empty(), "{dump}");
        sender.send(()).expect("the task waits for it");
        task_once_gone(runtime.handle(), "beside");
    });
}

#[test]
fn locks_that_are_handed_on_show_no_cycle() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (one, other) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
        let tasks: Vec<_> = (0..8)
            .map(|number| {
                // Never both at the same time, so that there is no cycle at any moment.
                let (one, other) = (Arc::clone(&one), Arc::clone(&other));
                runtime.spawn(async move {
                    for round in 0..2_000 {
                        let mutex = if (number + round) % 2 == 0 { &one } else { &other };
                        let _guard = mutex.lock().await;
                        yield_now().await;
                    }
                })
            })
            .collect();
        while tasks.iter().any(|task| !task.is_finished()) {
            let dump = runtime.handle().dump();
            assert!(dump.cycles().is_empty(), "{dump}");
        }
    });
}

/// One future holds the lock and sleeps, while the other one waits for the lock.
#[test]
fn futures_of_one_task_that_sleep_make_no_cycle() {
    within_a_minute(|| {
        let runtime = two_processors();
        let lock = Arc::new(Mutex::new(()));
        let tasks: Vec<_> = (0..4)
            .map(|_| {
                let lock = Arc::clone(&lock);
                runtime.spawn(async move {
                    let hold = || async {
                        let _guard = lock.lock().await;
                        wsrt::time::sleep(Duration::from_micros(50)).await;
                    };
                    for _ in 0..200 {
                        wsrt::join!(hold(), hold());
                    }
                })
            })
            .collect();
        while tasks.iter().any(|task| !task.is_finished()) {
            let dump = runtime.handle().dump();
            assert!(dump.cycles().is_empty(), "{dump}");
        }
    });
}

#[test]
fn a_semaphore_names_a_holder_and_makes_no_cycle() {
    within_a_minute(|| {
        let runtime = two_processors();
        spawn(&runtime, "greedy", async {
            let semaphore = Semaphore::new(2);
            let _one = semaphore.acquire().await;
            drop(semaphore.acquire_many(2).await);
        });
        let dump = once_all_wait(runtime.handle(), &["greedy"]);
        let greedy = find(&dump, "greedy").expect("it waits");
        assert_eq!(lock(greedy), (WaitKind::Semaphore, Some(greedy.id()), true));
        assert!(dump.cycles().is_empty(), "another task might give permits: {dump}");
    });
}

#[test]
fn a_lock_taken_outside_tasks_has_no_known_holder() {
    within_a_minute(|| {
        let runtime = two_processors();
        let mutex = Arc::new(Mutex::new(()));
        let _guard = mutex.blocking_lock();
        let waiter = Arc::clone(&mutex);
        spawn(&runtime, "waiter", async move { drop(waiter.lock().await) });
        let dump = once_all_wait(runtime.handle(), &["waiter"]);
        let waiter = find(&dump, "waiter").expect("it waits");
        assert_eq!(lock(waiter).1, None, "{waiter}");
        assert!(!waiter.to_string().contains("held by"), "{waiter}");
    });
}

#[test]
fn a_lock_that_moves_after_a_wait_is_still_seen() {
    within_a_minute(|| {
        let runtime = two_processors();
        spawn(&runtime, "mover", async {
            let mutex = Mutex::new(());
            let guard = mutex.lock().await;
            assert!(timeout(Duration::ZERO, mutex.lock()).await.is_err());
            drop(guard);
            let moved = Box::new(mutex);
            let _outer = moved.lock().await;
            drop(moved.lock().await);
        });
        check_cycle(&once_cycles(runtime.handle()), &["mover"], &[WaitKind::Mutex]);
    });
}
