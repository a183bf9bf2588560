//! A dump with chains tells at which lines each waiting task waits. It polls the task once, and
//! leaves nothing behind.

use std::future::{pending, poll_fn};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use wsrt::runtime::{Backtrace, Builder, Dump, Handle, LocalRuntime, TaskState};
use wsrt::sync::{Mutex, mpsc, oneshot};
use wsrt::task::{spawn_local, yield_now};
use wsrt::time::{sleep, timeout};
use wsrt_tests::{Gate, LIMIT, Manner, two_processors, within_a_minute};

use crate::{find, named, once};

const OUTER: u32 = line!() + 2;
async fn outer(lock: &Mutex<()>) {
    middle(lock).await;
}

const MIDDLE: u32 = line!() + 2;
async fn middle(lock: &Mutex<()>) {
    inner(lock).await;
}

const INNER: u32 = line!() + 2;
async fn inner(lock: &Mutex<()>) {
    drop(lock.lock().await);
}

/// The functions of a chain in this file with their lines, the outermost first.
fn own_frames(chain: &Backtrace) -> Vec<(&str, u32)> {
    let own = chain
        .frames()
        .iter()
        .rev()
        .filter(|frame| frame.file().is_some_and(|file| file.ends_with("dumps/await_chains.rs")));
    own.map(|frame| (frame.function().rsplit("::").next().expect("a name"), frame.line().expect("a line"))).collect()
}

/// The chains of the task, once it waits and has some.
fn chains(handle: &Handle, name: &str) -> Vec<Backtrace> {
    loop {
        let dump = handle.dump_with_chains(LIMIT);
        if let Some(task) = find(&dump, name).filter(|task| !task.await_chains().is_empty()) {
            return task.await_chains().to_vec();
        }
    }
}

/// A dump with chains, once this many tasks wait.
fn once_idle(handle: &Handle, count: usize) -> Dump {
    once(handle, |dump| dump.tasks().iter().filter(|task| task.state() == TaskState::Idle).count() >= count);
    handle.dump_with_chains(LIMIT)
}

#[test]
fn a_chain_of_async_fns_is_found_with_its_lines() {
    within_a_minute(|| {
        let runtime = two_processors();
        let lock = Arc::new(Mutex::new(()));
        let guard = lock.try_lock().expect("it is free");
        let shared = Arc::clone(&lock);
        drop(named("waits").spawn_on(async move { outer(&shared).await }, runtime.handle()));
        let dump = once_idle(runtime.handle(), 1);
        let task = find(&dump, "waits").expect("it waits");
        let [chain] = task.await_chains() else { panic!("{dump}") };
        let own = own_frames(chain);
        assert_eq!(own[own.len() - 3..], [("outer", OUTER), ("middle", MIDDLE), ("inner", INNER)], "{dump}");
        assert!(chain.frames()[0].function().contains("Mutex"), "what it waits in: {dump}");

        let text = dump.to_string();
        let below = text.lines().skip_while(|line| !line.contains("\"waits\"")).skip(1);
        let shown: Vec<_> = below.take_while(|line| line.starts_with("  ")).collect();
        assert!(shown[0].starts_with("  - ") && shown[1..].iter().all(|line| line.starts_with("    ")), "{text}");
        let at = |name: &str| shown.iter().position(|line| line.contains(&format!("::{name} at "))).expect(name);
        assert!(at("outer") < at("middle") && at("middle") < at("inner"), "{text}");
        let json: Value = serde_json::from_str(&dump.to_json()).expect("it is JSON");
        let frames = json["tasks"][0]["await_chains"][0].as_array().expect("a list");
        assert_eq!(frames.len(), chain.frames().len());
        assert_eq!(frames[frames.len() - 2]["line"], INNER);
        let plain = runtime.handle().dump();
        assert!(plain.tasks()[0].await_chains().is_empty() && !plain.to_json().contains("\"await_chains\":"));
        drop(guard);
    });
}

async fn receives(receiver: oneshot::Receiver<()>) {
    drop(receiver.await);
}

async fn sleeps() {
    sleep(LIMIT).await;
}

#[test]
fn a_task_in_a_select_of_two_has_two_chains() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (_sender, receiver) = oneshot::channel::<()>();
        let both = async move {
            wsrt::select! {
                () = receives(receiver) => {}
                () = sleeps() => {}
            }
        };
        drop(named("both").spawn_on(both, runtime.handle()));
        let chains = chains(runtime.handle(), "both");
        let mut innermost: Vec<_> = chains.iter().map(|chain| own_frames(chain).last().expect("its own").0).collect();
        innermost.sort_unstable();
        assert_eq!(innermost, ["receives", "sleeps"], "{chains:?}");
    });
}

/// Waits for a timer, a socket, a task, and a lock of another library.
#[test]
fn each_kind_of_wait_has_a_chain() {
    within_a_minute(|| {
        let runtime = two_processors();
        let handle = runtime.handle();
        let foreign = tokio::sync::Semaphore::new(0);
        drop(named("timer").spawn_on(async { _ = timeout(LIMIT, pending::<()>()).await }, handle));
        drop(named("foreign").spawn_on(async move { drop(foreign.acquire().await) }, handle));
        drop(named("joiner").spawn_on(async { drop(wsrt::spawn(sleep(LIMIT)).await) }, handle));
        let socket = async {
            let socket = wsrt::net::UdpSocket::bind("127.0.0.1:0").await.expect("a port");
            socket.recv(&mut [0; 8]).await
        };
        drop(named("socket").spawn_on(socket, handle));
        for (name, leaf) in [("timer", "imeout"), ("foreign", "emaphore"), ("joiner", "Join"), ("socket", "Udp")] {
            let [chain] = &chains(handle, name)[..] else { panic!("{name}") };
            let frames = chain.frames();
            assert!(frames.iter().any(|frame| frame.function().contains(leaf)), "{name}: {chain:?}");
            assert!(own_frames(chain).len() == 1, "{name}: {chain:?}");
        }
    });
}

#[test]
fn each_waiting_task_is_polled_once_and_keeps_its_waker() {
    within_a_minute(|| {
        const TASKS: usize = 100;
        let runtime = two_processors();
        let polls = Arc::new(AtomicUsize::new(0));
        let wakers = Arc::new(std::sync::Mutex::new(Vec::new()));
        let tasks: Vec<_> = (0..TASKS)
            .map(|_| {
                let (polls, wakers) = (Arc::clone(&polls), Arc::clone(&wakers));
                let mut kept: Option<Waker> = None;
                let mut own = 0;
                runtime.spawn(poll_fn(move |cx| {
                    polls.fetch_add(1, SeqCst);
                    own += 1;
                    if own == 4 {
                        let is_the_same = kept.as_ref().is_some_and(|kept| kept.will_wake(cx.waker()));
                        return Poll::Ready(is_the_same);
                    }
                    kept = Some(cx.waker().clone());
                    if own == 3 {
                        wakers.lock().expect("no panic").extend(kept.clone());
                    }
                    Poll::Pending
                }))
            })
            .collect();
        while polls.load(SeqCst) < TASKS {
            thread::yield_now();
        }
        for count in 2..=3 {
            let dump = once_idle(runtime.handle(), TASKS);
            // Beside the task that has made the polls, perhaps.
            let found = dump.tasks().iter().filter(|task| task.await_chains().len() == 1).count();
            assert_eq!(found, TASKS, "{dump}");
            assert_eq!(polls.load(SeqCst), count * TASKS);
        }
        assert!(runtime.handle().dump().tasks().iter().all(|task| !task.is_orphan()), "each has left its waker");
        wakers.lock().expect("no panic").drain(..).for_each(Waker::wake);
        for task in tasks {
            assert!(runtime.block_on(task).expect("no panic"), "the last waker was the task's ordinary one");
        }
        assert_eq!(polls.load(SeqCst), 4 * TASKS);
    });
}

/// Tasks that hand values on, wait with a timeout and for a lock, while dumps poll them.
#[test]
fn no_wake_is_lost_beside_dumps_with_chains() {
    within_a_minute(|| {
        const ROUNDS: u64 = 3_000;
        let runtime = two_processors();
        let lock = Arc::new(Mutex::new(0_u64));
        let tasks: Vec<_> = (0..4)
            .map(|_| {
                let (sender, mut receiver) = mpsc::channel::<u64>(1);
                let lock = Arc::clone(&lock);
                drop(runtime.spawn(async move {
                    for value in 0..ROUNDS {
                        sender.send(value).await.expect("it is received");
                    }
                }));
                runtime.spawn(async move {
                    let mut sum = 0;
                    while let Ok(Some(value)) = timeout(LIMIT, receiver.recv()).await {
                        sum += value;
                        *lock.lock().await += 1;
                        if value % 64 == 0 {
                            sleep(Duration::from_micros(50)).await;
                        }
                    }
                    sum
                })
            })
            .collect();
        while tasks.iter().any(|task| !task.is_finished()) {
            drop(runtime.handle().dump_with_chains(LIMIT));
        }
        for task in tasks {
            assert_eq!(runtime.block_on(task).expect("no panic"), ROUNDS * (ROUNDS - 1) / 2);
        }
        assert_eq!(*lock.try_lock().expect("it is free"), 4 * ROUNDS);
    });
}

#[test]
fn a_dump_gives_up_when_no_worker_answers() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).max_machines(1).build().expect("a runtime");
        let (sender, receiver) = oneshot::channel::<()>();
        let waits = named("waits").spawn_on(async { receiver.await.is_ok() }, runtime.handle());
        once_idle(runtime.handle(), 1);
        let gate = Gate::new();
        let hold = gate.hold();
        let (begun, has_begun) = channel();
        drop(runtime.spawn(async move {
            begun.send(()).expect("the test waits");
            hold.wait(Manner::Asleep);
        }));
        has_begun.recv_timeout(LIMIT).expect("it is polled");
        let began = Instant::now();
        let dump = runtime.handle().dump_with_chains(Duration::from_millis(10));
        assert!(began.elapsed() < LIMIT, "{:?}", began.elapsed());
        assert!(find(&dump, "waits").is_some_and(|task| task.await_chains().is_empty()), "{dump}");
        // The poll comes late, for nobody.
        gate.open();
        sender.send(()).expect("the task is there");
        assert!(runtime.block_on(waits).expect("no panic"), "it was sent");
    });
}

#[test]
fn a_panic_in_the_extra_poll_ends_its_task_alone() {
    within_a_minute(|| {
        let runtime = two_processors();
        let mut polls = 0;
        let panics = runtime.spawn(poll_fn(move |_| {
            polls += 1;
            assert!(polls == 1, "the second poll");
            Poll::<()>::Pending
        }));
        drop(named("other").spawn_on(async { sleep(LIMIT).await }, runtime.handle()));
        let dump = once_idle(runtime.handle(), 2);
        assert!(find(&dump, "other").is_some_and(|task| task.await_chains().len() == 1), "{dump}");
        assert!(runtime.block_on(panics).expect_err("it panicked").is_panic());
    });
}

#[test]
fn a_runtime_of_one_thread_polls_on_its_own() {
    within_a_minute(|| {
        let (handles, handle) = channel::<Handle>();
        let (end, ends) = oneshot::channel::<()>();
        let runs = thread::spawn(move || {
            let runtime = LocalRuntime::new().expect("a runtime");
            let own = thread::current().id();
            runtime.block_on(async {
                drop(spawn_local(poll_fn(move |cx| {
                    assert_eq!(thread::current().id(), own);
                    drop(cx.waker().clone());
                    Poll::<()>::Pending
                })));
                yield_now().await;
                handles.send(Handle::current()).expect("the test waits");
                ends.await.expect("the test ends it");
            });
        });
        let handle = handle.recv_timeout(LIMIT).expect("it is sent");
        let dump = once_idle(&handle, 1);
        assert_eq!(dump.tasks()[0].await_chains().len(), 1, "{dump}");
        end.send(()).expect("it waits");
        runs.join().expect("no panic");
    });
}

#[test]
fn chains_may_be_asked_for_throughout_a_shutdown() {
    within_a_minute(|| {
        for _ in 0..20 {
            let runtime = two_processors();
            for _ in 0..50 {
                drop(runtime.spawn(async {
                    loop {
                        sleep(Duration::from_micros(50)).await;
                    }
                }));
            }
            let handle = runtime.handle().clone();
            let looker = thread::spawn(move || while !handle.dump_with_chains(LIMIT).tasks().is_empty() {});
            thread::yield_now();
            drop(runtime);
            looker.join().expect("no panic");
        }
    });
}
