//! Shutting a runtime down drops every task once, wherever it waits, and leaves no thread; wakers
//! may fire meanwhile.

use std::future::{Future, pending, poll_fn};
use std::net::TcpStream as StdStream;
use std::pin::Pin;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{self, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{LIMIT, Roll, RollEntry, count_threads, spin_for, within_a_minute};

/// A runtime whose threads have a name of their own, so that they can be counted.
fn runtime(name: &str) -> Runtime {
    Builder::new_multi_thread().worker_threads(2).thread_name(name).build().expect("a runtime")
}

/// A future that reports its waker when it is first left waiting, and holds an entry of a roll.
struct Parked<F> {
    inner: Pin<Box<F>>,
    report: Option<Sender<Waker>>,
    _entry: RollEntry,
}

impl<F: Future> Future for Parked<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let polled = self.inner.as_mut().poll(context);
        if polled.is_pending() {
            if let Some(report) = self.report.take() {
                report.send(context.waker().clone()).expect("the test waits for all");
            }
        }
        polled
    }
}

/// Makes tasks that park, and knows when they have.
struct Park {
    roll: Roll,
    report: Sender<Waker>,
    reports: Receiver<Waker>,
    made: usize,
}

impl Park {
    fn new(capacity: usize) -> Self {
        let (report, reports) = channel();
        Self { roll: Roll::new(capacity), report, reports, made: 0 }
    }

    fn wrap<F: Future>(&mut self, future: F) -> Parked<F> {
        self.made += 1;
        Parked { inner: Box::pin(future), report: Some(self.report.clone()), _entry: self.roll.entry(self.made - 1) }
    }

    /// Waits until each of the tasks waits, and returns their wakers.
    fn wait_until_parked(&self) -> Vec<Waker> {
        let report = |number| {
            self.reports.recv_timeout(LIMIT).unwrap_or_else(|_| {
                panic!("{number} of {} tasks have come to wait, {} have ended", self.made, self.roll.dropped())
            })
        };
        (0..self.made).map(report).collect()
    }
}

/// Parks sockets times waiters tasks, and returns the other ends of the sockets.
fn park_on_sockets(runtime: &Runtime, park: &mut Park, sockets: usize, waiters: usize) -> Vec<StdStream> {
    let (streams, clients) = runtime.block_on(connected_pairs(sockets));
    for stream in streams {
        let stream = Arc::new(stream);
        for _ in 0..waiters {
            let stream = Arc::clone(&stream);
            runtime.spawn(park.wrap(async move {
                // A socket may count as readable for no reason at all.
                while stream.readable().await.is_ok() && stream.try_read(&mut [0]).is_err() {}
            }));
        }
    }
    clients
}

async fn connected_pairs(count: usize) -> (Vec<TcpStream>, Vec<StdStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let (mut streams, mut clients) = (Vec::new(), Vec::new());
    for _ in 0..count {
        clients.push(StdStream::connect(address).expect("it listens"));
        streams.push(listener.accept().await.expect("a connection waits").0);
    }
    (streams, clients)
}

fn park_on_timers(runtime: &Runtime, park: &mut Park, count: usize) {
    for number in 0..count {
        let hours = Duration::from_secs(3600 + number as u64);
        runtime.spawn(park.wrap(sleep(hours)));
    }
}

fn park_on_channels(runtime: &Runtime, park: &mut Park, count: usize) -> (Vec<mpsc::Sender<()>>, Arc<Notify>) {
    let notify = Arc::new(Notify::new());
    let senders = (0..count / 2).map(|_| {
        let (sender, mut receiver) = mpsc::channel(1);
        runtime.spawn(park.wrap(async move { receiver.recv().await }));
        sender
    });
    let senders = senders.collect();
    for _ in count / 2..count {
        let notify = Arc::clone(&notify);
        runtime.spawn(park.wrap(async move { notify.notified().await }));
    }
    (senders, notify)
}

fn park_on_join_handles(runtime: &Runtime, park: &mut Park, count: usize) {
    for _ in 0..count / 2 {
        let child = runtime.spawn(park.wrap(pending::<()>()));
        runtime.spawn(park.wrap(child));
    }
}

/// Fires wakers at random from a foreign thread until the test stops it, and then once each, by
/// value.
fn fire_for_ever(wakers: Vec<Waker>, stop: &Arc<AtomicBool>) -> thread::JoinHandle<()> {
    let stop = Arc::clone(stop);
    thread::spawn(move || {
        let mut at = 0;
        while !stop.load(SeqCst) {
            wakers[at % wakers.len()].wake_by_ref();
            drop(wakers[at * 7 % wakers.len()].clone());
            at = at.wrapping_add(7919);
        }
        wakers.into_iter().for_each(Waker::wake);
    })
}

#[test]
fn ten_thousand_parked_tasks_are_dropped_once_beside_wakes() {
    within_a_minute(|| {
        const EACH: usize = 2_500;
        let runtime = runtime("drop-10000");
        let mut park = Park::new(4 * EACH);
        let _clients = park_on_sockets(&runtime, &mut park, 50, EACH / 50);
        park_on_timers(&runtime, &mut park, EACH);
        let _channels = park_on_channels(&runtime, &mut park, EACH);
        park_on_join_handles(&runtime, &mut park, EACH);
        let wakers = park.wait_until_parked();
        assert_eq!(park.roll.dropped(), 0);
        assert!(count_threads("drop-10000") > 0, "its threads can be told by their name");

        let stop = Arc::new(AtomicBool::new(false));
        let threads: Vec<_> = (0..3).map(|_| fire_for_ever(wakers.clone(), &stop)).collect();
        drop(runtime);
        park.roll.assert_each_dropped_once();
        assert_eq!(count_threads("drop-10000"), 0);

        // The wakers go on firing for a task's every part to have been freed.
        spin_for(Duration::from_millis(20));
        stop.store(true, SeqCst);
        drop(wakers);
        for thread in threads {
            thread.join().expect("firing is harmless");
        }
    });
}

/// Tasks that wait in every queue: spawned, woken and yielding as the end comes.
#[test]
fn tasks_in_the_queues_are_dropped_once() {
    within_a_minute(|| {
        for processors in [1, 2, 3] {
            for round in 0..100 {
                let runtime = Builder::new_multi_thread().worker_threads(processors).build().expect("a runtime");
                let roll = Roll::new(600);
                for index in 0..300 {
                    let (outer, inner) = (roll.entry(2 * index), roll.entry(2 * index + 1));
                    runtime.spawn(async move {
                        let _outer = outer;
                        wsrt::spawn(async move {
                            let _inner = inner;
                            loop {
                                yield_now().await;
                            }
                        });
                        loop {
                            yield_now().await;
                        }
                    });
                }
                spin_for(Duration::from_micros(round * 10));
                drop(runtime);
                roll.assert_each_dropped_once();
            }
        }
    });
}

/// Spawning goes on from a foreign thread while the runtime ends: each task runs or is cancelled,
/// and is dropped.
#[test]
fn tasks_spawned_as_the_end_comes_are_dropped_once() {
    within_a_minute(|| {
        for _ in 0..50 {
            let runtime = runtime("late-spawns");
            let roll = Roll::new(500);
            let (handle, its_roll, (began, has_begun)) = (runtime.handle().clone(), roll.clone(), channel());
            let spawner = thread::spawn(move || {
                for index in 0..500 {
                    let entry = its_roll.entry(index);
                    drop(handle.spawn(async move {
                        let _entry = entry;
                        pending::<()>().await;
                    }));
                    let _ = began.send(());
                }
            });
            has_begun.recv_timeout(LIMIT).expect("the first is spawned");
            drop(runtime);
            spawner.join().expect("spawning does not panic");
            roll.assert_each_dropped_once();
        }
    });
}

/// Runs `body` when dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn destructors_may_wake_spawn_block_and_panic() {
    within_a_minute(|| {
        let runtime = runtime("busy-drops");
        let mut park = Park::new(500);
        let notify = Arc::new(Notify::new());
        let refused = Arc::new(Mutex::new(0));
        for number in 0..400 {
            let (notify, handle, refused) = (Arc::clone(&notify), runtime.handle().clone(), Arc::clone(&refused));
            let on_drop = OnDrop(move || match number % 4 {
                0 => notify.notify_waiters(),
                1 => {
                    let late = handle.spawn(async {});
                    assert!(handle.block_on(late).expect_err("nothing is run any more").is_cancelled());
                    *refused.lock().expect("no panic") += 1;
                }
                2 => panic!("a destructor that panics (on purpose)"),
                _ => {}
            });
            runtime.spawn(park.wrap(async move {
                let _on_drop = on_drop;
                pending::<()>().await;
            }));
        }
        for _ in 0..100 {
            let notify = Arc::clone(&notify);
            runtime.spawn(park.wrap(async move { notify.notified().await }));
        }
        park.wait_until_parked();
        drop(runtime);
        park.roll.assert_each_dropped_once();
        assert_eq!(*refused.lock().expect("no panic"), 100);
        assert_eq!(count_threads("busy-drops"), 0);
    });
}

#[test]
fn join_handles_tell_that_the_runtime_has_ended() {
    within_a_minute(|| {
        let runtime = runtime("cancelled");
        let handles: Vec<_> = (0..100).map(|_| runtime.spawn(pending::<()>())).collect();
        drop(runtime);
        let other = Builder::new_current_thread().build().expect("a runtime");
        for handle in handles {
            assert!(handle.is_finished());
            assert!(other.block_on(handle).expect_err("it never ended by itself").is_cancelled());
        }
    });
}

#[test]
fn a_current_thread_runtime_drops_its_tasks_too() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let roll = Roll::new(4);
        let (parked, queued, local, job) = (roll.entry(0), roll.entry(1), roll.entry(2), roll.entry(3));
        runtime.block_on(async {
            wsrt::spawn(async move {
                let _parked = parked;
                sleep(Duration::from_secs(3600)).await;
            });
            let not_send = std::rc::Rc::new(local);
            task::spawn_local(async move {
                let _local = not_send;
                pending::<()>().await;
            });
            yield_now().await;
        });
        runtime.spawn(async move { drop(queued) });
        let ran = runtime.spawn_blocking(move || drop(job));
        runtime.block_on(ran).expect("no panic");
        drop(runtime);
        roll.assert_each_dropped_once();
    });
}

/// A future whose drop wakes itself: the waker of a task that is being dropped does nothing.
#[test]
fn a_task_may_wake_itself_as_it_is_dropped() {
    within_a_minute(|| {
        let runtime = runtime("self-wake");
        let roll = Roll::new(100);
        let (parked, is_parked) = channel();
        for index in 0..100 {
            let (mut entry, parked) = (Some(roll.entry(index)), parked.clone());
            let mut on_drop = None;
            runtime.spawn(poll_fn(move |context| {
                let waker = context.waker().clone();
                let _entry = &mut entry;
                if on_drop.replace(OnDrop(move || waker.wake_by_ref())).is_none() {
                    parked.send(()).expect("the test waits");
                }
                Poll::<()>::Pending
            }));
        }
        (0..100).for_each(|_| is_parked.recv_timeout(LIMIT).expect("it parks"));
        drop(runtime);
        roll.assert_each_dropped_once();
    });
}
