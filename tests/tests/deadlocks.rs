//! Tasks in a deadlock are reported unasked, once, on a runtime with workers: while it is quiet and
//! while other tasks run. Waits that something may yet end are not.

use std::future::{Future, pending};
use std::io::{BufRead, BufReader, Write, stdin};
use std::sync::Arc;
use std::time::Duration;

use wsrt::runtime::Runtime;
use wsrt::sync::{Barrier, Mutex, OnceCell, RwLock, Semaphore, mpsc};
use wsrt::task;
use wsrt::time::{sleep, timeout};
use wsrt_tests::{LIMIT, beside_a_process_of_its_own, two_processors, within_a_minute};

fn spawn(runtime: &Runtime, name: &str, task: impl Future<Output = ()> + Send + 'static) {
    drop(task::Builder::new().name(name).spawn_on(task, runtime.handle()));
}

/// Two tasks that wait for each other's mutex.
fn cross(runtime: &Runtime, names: [&str; 2]) {
    let (one, other) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let both = Arc::new(Barrier::new(2));
    for (name, first, second) in [(names[0], &one, &other), (names[1], &other, &one)] {
        let (first, second, both) = (Arc::clone(first), Arc::clone(second), Arc::clone(&both));
        spawn(runtime, name, async move {
            let _first = first.lock().await;
            both.wait().await;
            drop(second.lock().await);
        });
    }
}

fn until_told() {
    stdin().read_line(&mut String::new()).expect("the test writes or ends");
}

type Lines = Box<dyn Iterator<Item = String>>;

/// Runs `body` in a process of its own, and passes the lines of its standard error to `read`, with
/// a function that ends a call of [`until_told`].
fn reading(test: &str, body: impl FnOnce(), read: impl FnOnce(&mut Lines, &mut dyn FnMut())) {
    let mut child = beside_a_process_of_its_own(test, &[], body);
    let mut input = child.stdin.take().expect("a pipe");
    let errors = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let mut lines: Lines = Box::new(errors.map(|line| line.expect("text")));
    read(&mut lines, &mut || writeln!(input).expect("it reads"));
    drop(input);
    assert_eq!(lines.find(|line| is_headline(line)), None, "each once");
    assert!(child.wait().expect("it ends").success());
}

fn is_headline(line: &str) -> bool {
    line.starts_with("wsrt: a deadlock: ")
}

/// The lines on the next deadlock.
fn next_deadlock(lines: &mut Lines, tasks: usize) -> Vec<String> {
    let headline = lines.find(|line| is_headline(line)).expect("it is found");
    [headline].into_iter().chain(lines.take(tasks + 1)).collect()
}

#[test]
fn a_deadlock_is_reported_once_while_all_is_quiet() {
    within_a_minute(|| {
        let body = || {
            let runtime = two_processors();
            cross(&runtime, ["a", "b"]);
            until_told();
            cross(&runtime, ["c", "d"]);
            spawn(&runtime, "twice", async {
                let cell = RwLock::new(());
                let _outer = cell.read().await;
                drop(cell.write().await);
            });
            until_told();
        };
        reading("a_deadlock_is_reported_once_while_all_is_quiet", body, |lines, tell| {
            let text = next_deadlock(lines, 2);
            assert_eq!(text[1], "cycle of waits: 2 tasks cannot continue");
            for (line, other) in [(2, 3), (3, 2)] {
                let id = text[other].split_whitespace().nth(1).expect("an id").trim_end_matches(',');
                assert!(text[line].contains("spawned at tests/tests/deadlocks.rs:"), "{text:?}");
                assert!(text[line].contains("waits for Mutex made at tests/tests/deadlocks.rs:"), "{text:?}");
                assert!(text[line].contains(&format!(", held by task {id}")), "{text:?}");
            }
            tell();
            // Not of the locks that were reported: they were made at the same places.
            let text = next_deadlock(lines, 1);
            assert!(text[2].contains(" \"twice\", ") && text[2].contains("RwLock, to write,"), "{text:?}");
        });
    });
}

#[test]
fn a_deadlock_is_reported_while_other_tasks_run() {
    within_a_minute(|| {
        let body = || {
            let runtime = two_processors();
            spawn(&runtime, "runs", async {
                loop {
                    sleep(Duration::from_millis(1)).await;
                }
            });
            cross(&runtime, ["a", "b"]);
            until_told();
        };
        let test = "a_deadlock_is_reported_while_other_tasks_run";
        reading(test, body, |lines, _| _ = next_deadlock(lines, 2));
    });
}

#[test]
fn a_futurelock_is_reported() {
    within_a_minute(|| {
        let body = || {
            let runtime = two_processors();
            runtime.run(async {
                let lock = Arc::new(Mutex::new(()));
                let guard = Arc::clone(&lock).lock_owned().await;
                wsrt::spawn(async move {
                    let mut first = std::pin::pin!(lock.lock());
                    wsrt::select! {
                        _ = &mut first => {}
                        () = sleep(Duration::from_millis(1)) => drop(lock.lock().await),
                    }
                });
                sleep(Duration::from_millis(20)).await;
                drop(guard);
            });
            until_told();
        };
        reading("a_futurelock_is_reported", body, |lines, _| {
            let line = lines.find(|line| line.starts_with("wsrt: a futurelock: ")).expect("it is found");
            assert!(line.contains("reported once for these locks"), "{line}");
            let line = lines.find(|line| line.starts_with("  futurelock: Mutex made at ")).expect("the cure");
            assert!(line.contains("tests/tests/deadlocks.rs:") && line.contains("`join!`"), "{line}");
        });
    });
}

#[test]
fn a_futurelock_of_a_semaphore_is_reported() {
    within_a_minute(|| {
        let body = || {
            let runtime = two_processors();
            runtime.run(async {
                let semaphore = Arc::new(Semaphore::new(2));
                let held = Arc::clone(&semaphore).acquire_many_owned(2).await.expect("it is open");
                wsrt::spawn(async move {
                    let mut first = std::pin::pin!(semaphore.acquire_many(2));
                    wsrt::select! {
                        _ = &mut first => {}
                        () = sleep(Duration::from_millis(1)) => drop(semaphore.acquire().await),
                    }
                });
                sleep(Duration::from_millis(20)).await;
                drop(held);
            });
            until_told();
        };
        reading("a_futurelock_of_a_semaphore_is_reported", body, |lines, _| {
            lines.find(|line| line.starts_with("wsrt: a futurelock: ")).expect("it is found");
            let line = lines.find(|line| line.starts_with("  futurelock: all permits of Semaphore made at "));
            assert!(line.expect("the cure").contains(" were handed to a future that task "));
        });
    });
}

/// Beside timeouts that elapse in front of a future that is polled later in the same poll.
#[test]
fn a_timeout_that_ends_a_futurelock_says_so() {
    within_a_minute(|| {
        let body = || {
            two_processors().run(async {
                let (lock, semaphore) = (Mutex::new(()), Semaphore::new(1));
                for _ in 0..100 {
                    let turns = || async {
                        for _ in 0..20 {
                            let _ = timeout(Duration::from_micros(100), lock.lock()).await;
                            let _ = timeout(Duration::from_micros(100), semaphore.acquire()).await;
                            let (_guard, _held) = (lock.lock().await, semaphore.acquire().await);
                            sleep(Duration::from_micros(150)).await;
                        }
                    };
                    wsrt::join!(turns(), turns());
                    if cfg!(debug_assertions) {
                        break;
                    }
                }
                let lock = Mutex::new(());
                let guard = lock.lock().await;
                let mut first = std::pin::pin!(lock.lock());
                begin(&mut first).await;
                drop(guard);
                assert!(timeout(Duration::from_millis(1), lock.lock()).await.is_err());
                drop(first.await);
                let semaphore = Semaphore::new(2);
                let held = semaphore.acquire_many(2).await.expect("it is open");
                let mut first = std::pin::pin!(semaphore.acquire_many(2));
                begin(&mut first).await;
                drop(held);
                assert!(timeout(Duration::from_millis(1), semaphore.acquire()).await.is_err());
                drop(first.await);
                let (sender, mut receiver) = mpsc::channel(1);
                sender.try_send(0).expect("there is room");
                let mut first = std::pin::pin!(sender.send(1));
                begin(&mut first).await;
                assert_eq!(receiver.recv().await, Some(0));
                assert!(timeout(Duration::from_millis(1), sender.send(2)).await.is_err());
                first.await.expect("there is a receiver");
            });
        };
        reading("a_timeout_that_ends_a_futurelock_says_so", body, |lines, _| {
            let reports: Vec<_> = lines.filter(|line| line.contains("futurelock")).collect();
            let [of_lock, of_semaphore, of_room] = &reports[..] else { panic!("{reports:?}") };
            for (report, lock, was) in [
                (of_lock, "Mutex", "was"),
                (of_semaphore, "all permits of Semaphore", "were"),
                (of_room, "all room in the mpsc channel", "was"),
            ] {
                let place =
                    format!("wsrt: a futurelock that a `timeout` has ended: {lock} made at tests/tests/deadlocks.rs:");
                assert!(report.starts_with(&place), "{report}");
                let keeps = format!(" {was} handed to a future that task ");
                assert!(report.contains(&keeps), "{report}");
            }
        });
    });
}

/// Polls `future`, which waits, and ends the poll: the next one might poll the future again, and a
/// mutex that is released in the poll that acquired it would be offered to all.
async fn begin(future: impl Future) {
    assert!(timeout(Duration::ZERO, future).await.is_err());
    wsrt::task::yield_now().await;
}

static GIVEN: Mutex<()> = Mutex::const_new(());

/// Spawns tasks that hold a lock and wait for it, and that something may yet wake.
fn spawn_patient_tasks(runtime: &Runtime) {
    spawn(runtime, "with a timeout", async {
        let mutex = Mutex::new(());
        let _outer = mutex.lock().await;
        let _ = timeout(LIMIT, mutex.lock()).await;
    });
    spawn(runtime, "beside another wait", async {
        let mutex = Mutex::new(());
        let _outer = mutex.lock().await;
        wsrt::join!(async { drop(mutex.lock().await) }, sleep(LIMIT));
    });
    spawn(runtime, "of a static", async {
        let _outer = GIVEN.lock().await;
        drop(GIVEN.lock().await);
    });
    spawn(runtime, "with an owned guard", async {
        let mutex = Arc::new(Mutex::new(()));
        let outer = Arc::clone(&mutex).lock_owned().await;
        drop(mutex.lock().await);
        drop(outer);
    });
}

/// Waits that look like a cycle, and end, and after them a deadlock: the only one.
#[test]
fn waits_that_may_end_are_not_reported() {
    within_a_minute(|| {
        let body = || {
            let runtime = two_processors();
            spawn_patient_tasks(&runtime);
            let aborted = runtime.spawn(async {
                let cell = OnceCell::<u8>::new();
                let again = cell.get_or_init(|| async { *cell.get_or_init(|| async { 7 }).await });
                again.await;
            });
            let abort = aborted.abort_handle();
            let mutexes = [(); 2].map(|()| Arc::new(Mutex::new(())));
            for own in 0..8 {
                let mutexes = mutexes.clone();
                spawn(&runtime, "hands on", async move {
                    loop {
                        let _guard = mutexes[own % 2].lock().await;
                        task::yield_now().await;
                    }
                });
            }
            // Each is reported in a later round of the watcher than the one before.
            drop(runtime.spawn(pending::<()>()));
            until_told();
            drop(runtime.spawn(pending::<()>()));
            until_told();
            drop(runtime.spawn(pending::<()>()));
            until_told();
            abort.abort();
            cross(&runtime, ["a", "b"]);
            until_told();
        };
        reading("waits_that_may_end_are_not_reported", body, |lines, tell| {
            for _ in 0..3 {
                let line =
                    lines.find(|line| is_headline(line) || line.contains(" is an orphan")).expect("it is reported");
                assert!(!is_headline(&line), "{line}");
                tell();
            }
            let text = next_deadlock(lines, 2);
            assert!(text[2].contains(" \"a\", ") || text[2].contains(" \"b\", "), "{text:?}");
        });
    });
}
