//! Nothing starves: on a processor that is never out of work, everything else that can run gets its
//! turn.

use std::io::Write;
use std::net::TcpStream as StdStream;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::yield_now;
use wsrt::time::sleep;
use wsrt_tests::{LIMIT, spin_for, within_a_minute};

/// The most polls after which a processor looks into the injector.
const TICK: u64 = 61;
/// How often a thing that should not starve is tried beside each kind of load.
const ROUNDS: usize = 50;
/// A chain through runnext holds the processor for a slice of 10 ms; three slices are more than any
/// wait should come to.
const A_FEW_SLICES: Duration = Duration::from_millis(30);
const TRIES: usize = 5;

/// One processor, and no spares: polls are counted on that one.
fn one_processor() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).max_machines(1).build().expect("a runtime")
}

/// A load that keeps its processor busy until the test stops it, and counts its own polls.
#[derive(Default)]
struct Load {
    polls: AtomicU64,
    stopped: AtomicBool,
    /// An action for the load in the midst of one of its polls.
    errand: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Load {
    /// To be called once in each poll. `false` when the load is to end.
    fn poll(&self) -> bool {
        self.polls.fetch_add(1, SeqCst);
        let errand = self.errand.lock().expect("no errand panics").take();
        if let Some(errand) = errand {
            errand();
        }
        !self.stopped.load(SeqCst)
    }

    /// Has the load call `errand` in the midst of a poll.
    fn do_in_a_poll(&self, errand: impl FnOnce() + Send + 'static) {
        *self.errand.lock().expect("no errand panics") = Some(Box::new(errand));
    }

    fn stop(&self) {
        self.stopped.store(true, SeqCst);
    }
}

/// Begins a load.
type Begin = fn(&Runtime, &Arc<Load>);

/// Two tasks that wake each other in turn: a chain through runnext.
fn chain(runtime: &Runtime, load: &Arc<Load>) {
    let (ping, pong) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    for (own, other) in [(ping.clone(), pong.clone()), (pong, ping.clone())] {
        let load = Arc::clone(load);
        runtime.spawn(async move {
            let mut goes_on = true;
            while goes_on {
                own.notified().await;
                goes_on = load.poll();
                other.notify_one();
            }
        });
    }
    ping.notify_one();
}

/// Two tasks that do nothing but yield.
fn yielders(runtime: &Runtime, load: &Arc<Load>) {
    for _ in 0..2 {
        let load = Arc::clone(load);
        runtime.spawn(async move {
            while load.poll() {
                yield_now().await;
            }
        });
    }
}

/// Spawns tasks from a foreign thread while the load is in the midst of a poll, and counts the
/// load's polls until each runs.
fn polls_until_a_foreign_task_runs(begin: Begin) -> Vec<u64> {
    let runtime = one_processor();
    let load = Arc::new(Load::default());
    begin(&runtime, &load);
    // Until then a part of the load itself may wait in the injector, before the task of the first
    // round.
    let begun = load.polls.load(SeqCst);
    while load.polls.load(SeqCst) < begun + 10 * TICK {
        thread::yield_now();
    }
    let (done, is_done) = channel();
    let mut waits = Vec::new();
    for _ in 0..ROUNDS {
        let (handle, its_load, done) = (runtime.handle().clone(), Arc::clone(&load), done.clone());
        load.do_in_a_poll(move || {
            let before = its_load.polls.load(SeqCst);
            let task = async move { done.send(its_load.polls.load(SeqCst) - before).expect("the test waits") };
            thread::spawn(move || drop(handle.spawn(task))).join().expect("spawning does not panic");
        });
        waits.push(is_done.recv_timeout(LIMIT).expect("the foreign task runs"));
    }
    load.stop();
    waits
}

#[test]
fn a_foreign_task_runs_within_61_polls_of_a_chain() {
    within_a_minute(|| {
        let waits = polls_until_a_foreign_task_runs(chain);
        assert!(waits.iter().all(|polls| *polls <= TICK), "{waits:?}");
    });
}

#[test]
fn a_foreign_task_runs_within_61_polls_of_yields() {
    within_a_minute(|| {
        let waits = polls_until_a_foreign_task_runs(yielders);
        assert!(waits.iter().all(|polls| *polls <= TICK), "{waits:?}");
    });
}

/// Has a foreign thread spawn `count` tasks at once, in the midst of one of the load's polls, and
/// returns how many polls the load has had since then when each of them runs, in the order in which
/// they do.
fn polls_until_each_of_many_foreign_tasks_runs(begin: Begin, count: usize) -> Vec<u64> {
    let runtime = one_processor();
    let load = Arc::new(Load::default());
    begin(&runtime, &load);
    let (polls, (done, is_done)) = (Arc::new(Mutex::new(Vec::with_capacity(count))), channel());
    let (handle, its_load, its_polls) = (runtime.handle().clone(), Arc::clone(&load), Arc::clone(&polls));
    load.do_in_a_poll(move || {
        let before = its_load.polls.load(SeqCst);
        let spawn_all = move || {
            for _ in 0..count {
                let (load, polls, done) = (Arc::clone(&its_load), Arc::clone(&its_polls), done.clone());
                handle.spawn(async move {
                    // Nothing that takes long: for heavy tasks there are fewer polls.
                    let mut polls = polls.lock().expect("no panic");
                    polls.push(load.polls.load(SeqCst) - before);
                    if polls.len() == count {
                        done.send(()).expect("the test waits");
                    }
                });
            }
        };
        thread::spawn(spawn_all).join().expect("spawning does not panic");
    });
    is_done.recv_timeout(LIMIT).expect("each foreign task runs");
    load.stop();
    std::mem::take(&mut *polls.lock().expect("no panic"))
}

/// Were one taken in 61 polls, the last of them would see 61,000. An eighth makes it 7,600, and the
/// rest is for a machine so busy that turns end before they have begun.
#[track_caller]
fn assert_foreign_tasks_keep_up(begin: Begin) {
    const COUNT: usize = 1_000;
    let polls = polls_until_each_of_many_foreign_tasks_runs(begin, COUNT);
    let last = polls[COUNT - 1];
    assert!(last < COUNT as u64 * TICK / 3, "{last} polls of the load before {COUNT} foreign tasks had run");
}

/// No turn of the foreign tasks is longer than the rule says, and after each comes a poll of the
/// load.
#[track_caller]
fn assert_the_load_keeps_up(begin: Begin) {
    let polls = polls_until_each_of_many_foreign_tasks_runs(begin, 10_000);
    let longest = polls.chunk_by(|one, next| one == next).map(<[u64]>::len).max().expect("there were some");
    // 200 µs of polls of 50 ns.
    assert!(longest <= 4_000, "{longest} foreign tasks ran between two polls of the load");
}

#[test]
fn many_foreign_tasks_keep_up_with_a_chain_through_runnext() {
    within_a_minute(|| assert_foreign_tasks_keep_up(chain));
}

#[test]
fn many_foreign_tasks_keep_up_with_endless_yields() {
    within_a_minute(|| assert_foreign_tasks_keep_up(yielders));
}

#[test]
fn a_chain_through_runnext_keeps_up_with_many_foreign_tasks() {
    within_a_minute(|| assert_the_load_keeps_up(chain));
}

#[test]
fn endless_yields_keep_up_with_many_foreign_tasks() {
    within_a_minute(|| assert_the_load_keeps_up(yielders));
}

/// How long a byte waits to be read by a task on a processor that is busy with the load.
fn waits_of_a_socket(begin: Begin) -> Vec<Duration> {
    let runtime = one_processor();
    let load = Arc::new(Load::default());
    let (mut reader, writer) = runtime.block_on(connected_pair());
    let (read, is_read) = channel();
    runtime.spawn(async move {
        let mut byte = [0];
        while reader.read_exact(&mut byte).await.is_ok() {
            read.send(Instant::now()).expect("the test waits");
        }
    });
    begin(&runtime, &load);
    let writer = Arc::new(writer);
    let mut waits = Vec::new();
    for _ in 0..ROUNDS {
        let (writer, (write, is_written)) = (Arc::clone(&writer), channel());
        load.do_in_a_poll(move || {
            (&*writer).write_all(b"x").expect("the reader is there");
            write.send(Instant::now()).expect("the test waits");
        });
        let written = is_written.recv_timeout(LIMIT).expect("the load goes on");
        waits.push(is_read.recv_timeout(LIMIT).expect("the byte is read") - written);
    }
    load.stop();
    waits
}

async fn connected_pair() -> (TcpStream, StdStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let writer = StdStream::connect(listener.local_addr().expect("it is bound")).expect("the listener is there");
    writer.set_nodelay(true).expect("it is a TCP socket");
    let (reader, _) = listener.accept().await.expect("a connection waits");
    (reader, writer)
}

/// How late a timer is on a processor that is busy with the load.
fn waits_of_a_timer(begin: Begin) -> Vec<Duration> {
    let runtime = one_processor();
    let load = Arc::new(Load::default());
    begin(&runtime, &load);
    let sleeper = runtime.spawn(async {
        let mut waits = Vec::new();
        for _ in 0..ROUNDS {
            let due = Instant::now() + Duration::from_millis(2);
            sleep(Duration::from_millis(2)).await;
            waits.push(Instant::now().saturating_duration_since(due));
        }
        waits
    });
    let waits = runtime.block_on(sleeper).expect("the sleeper does not panic");
    load.stop();
    waits
}

/// The median, not the worst, and the best of some tries: other programs may keep the processor's
/// thread from its core.
#[track_caller]
fn assert_prompt(measure: fn(Begin) -> Vec<Duration>, begin: Begin) {
    let mut medians = Vec::new();
    for _ in 0..TRIES {
        let mut waits = measure(begin);
        waits.sort_unstable();
        medians.push(waits[waits.len() / 2]);
        if medians.last() < Some(&A_FEW_SLICES) {
            return;
        }
    }
    panic!("half of the waits were as long as this: {medians:?}");
}

#[test]
fn a_socket_is_served_beside_a_chain_through_runnext() {
    within_a_minute(|| assert_prompt(waits_of_a_socket, chain));
}

#[test]
fn a_socket_is_served_beside_tasks_that_yield_for_ever() {
    within_a_minute(|| assert_prompt(waits_of_a_socket, yielders));
}

#[test]
fn a_timer_is_served_beside_a_chain_through_runnext() {
    within_a_minute(|| assert_prompt(waits_of_a_timer, chain));
}

#[test]
fn a_timer_is_served_beside_tasks_that_yield_for_ever() {
    within_a_minute(|| assert_prompt(waits_of_a_timer, yielders));
}

#[test]
fn three_tasks_that_yield_for_ever_take_turns() {
    within_a_minute(|| {
        const TURNS: usize = 10_000;
        let runtime = one_processor();
        let order = Arc::new(Mutex::new(Vec::with_capacity(3 * TURNS)));
        let tasks: Vec<_> = (0..3)
            .map(|me| {
                let order = Arc::clone(&order);
                runtime.spawn(async move {
                    for _ in 0..TURNS {
                        order.lock().expect("no panic").push(me);
                        yield_now().await;
                    }
                })
            })
            .collect();
        for task in tasks {
            runtime.block_on(task).expect("no panic");
        }
        // From when the last of them came in until the first of them was done.
        let order = order.lock().expect("no panic");
        let begin = (0..3).filter_map(|who| order.iter().position(|turn| *turn == who)).max().expect("all have run");
        let end = (0..3).filter_map(|who| order.iter().rposition(|turn| *turn == who)).min().expect("all have run");
        let share = order[begin..end].iter().filter(|who| **who == 0).count() * 3;
        assert!(share.abs_diff(end - begin) <= (end - begin) / 50, "{share} thirds of {} turns", end - begin);
    });
}

/// Two tasks that hand a baton to each other and work for `work` each time. Returns how long they
/// have worked.
fn pair(runtime: &Runtime, work: Duration, stopped: &Arc<AtomicBool>) -> Arc<AtomicU64> {
    let worked = Arc::new(AtomicU64::new(0));
    let (ping, pong) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    for (own, other) in [(ping.clone(), pong.clone()), (pong, ping.clone())] {
        let (worked, stopped) = (Arc::clone(&worked), Arc::clone(stopped));
        runtime.spawn(async move {
            while !stopped.load(SeqCst) {
                own.notified().await;
                worked.fetch_add(spin_for(work).as_nanos() as u64, SeqCst);
                other.notify_one();
            }
        });
    }
    ping.notify_one();
    worked
}

#[test]
fn heavy_and_light_pairs_get_like_shares_of_one_processor() {
    within_a_minute(|| {
        let runtime = one_processor();
        let stopped = Arc::new(AtomicBool::new(false));
        let heavy = pair(&runtime, Duration::from_millis(1), &stopped);
        let light = pair(&runtime, Duration::from_micros(1), &stopped);
        // The test measures this time, and does not wait for it.
        thread::sleep(Duration::from_secs(1));
        stopped.store(true, SeqCst);
        let (heavy, light) = (heavy.load(SeqCst), light.load(SeqCst));
        assert!(heavy > 0 && light > 0, "heavy {heavy} ns, light {light} ns");
        assert!(heavy / light.max(1) < 20 && light / heavy.max(1) < 20, "heavy {heavy} ns, light {light} ns");
    });
}
