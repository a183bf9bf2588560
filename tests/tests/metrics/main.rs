//! A runtime's counts match its work: polls, steals, wakes, timers, events, and the numbers of
//! threads and tasks.

mod live;
mod rescues;
mod sampling;
mod sites;
mod spawns_and_jobs;

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Metrics, ProcessorMetrics, Runtime};
use wsrt::task::yield_now;
use wsrt::time::sleep;
use wsrt_tests::{Gate, LIMIT, Manner, runtime_with, spin_for, within_a_minute};

/// A future that counts its polls.
struct Counted<F> {
    inner: Pin<Box<F>>,
    polls: Arc<AtomicU64>,
}

impl<F: Future> Future for Counted<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.polls.fetch_add(1, SeqCst);
        self.inner.as_mut().poll(cx)
    }
}

fn counted<F: Future>(polls: &Arc<AtomicU64>, future: F) -> Counted<F> {
    Counted { inner: Box::pin(future), polls: Arc::clone(polls) }
}

/// Takes snapshots until `holds` returns true for one.
#[track_caller]
fn metrics_when(runtime: &Runtime, what: &str, holds: impl Fn(&Metrics) -> bool) -> Metrics {
    let start = Instant::now();
    loop {
        let metrics = runtime.metrics().snapshot();
        if holds(&metrics) {
            return metrics;
        }
        assert!(start.elapsed() < LIMIT, "{what}: never, {metrics:#?}");
        thread::yield_now();
    }
}

fn is_at_rest(metrics: &Metrics) -> bool {
    metrics.num_idle_processors() == metrics.num_workers() + metrics.num_spare_processors()
}

/// The counters of `after` are no less than those of `before`.
fn assert_has_risen(before: &ProcessorMetrics, after: &ProcessorMetrics) {
    let counters = |metrics: &ProcessorMetrics| {
        let polls = metrics.polls_by_source();
        let arrivals = metrics.arrivals();
        [
            polls.runnext,
            polls.ring,
            polls.injector,
            polls.network,
            polls.timer,
            polls.stolen,
            metrics.steal_count(),
            metrics.steal_operations(),
            metrics.park_count(),
            metrics.wake_count(),
            metrics.noop_count(),
            metrics.overflow_count(),
            arrivals.turns,
            arrivals.events,
            arrivals.timers,
            metrics.poll_time().count(),
            metrics.schedule_latency().count(),
        ]
    };
    let (before, after) = (counters(before), counters(after));
    assert!(before.iter().zip(&after).all(|(before, after)| before <= after), "{before:?} {after:?}");
}

#[test]
fn every_poll_is_counted_once_by_one_source() {
    within_a_minute(|| {
        for processors in [1, 3] {
            let runtime = runtime_with(processors);
            let polls = Arc::new(AtomicU64::new(0));
            let root = {
                let polls = Arc::clone(&polls);
                counted(&Arc::clone(&polls), async move {
                    let tasks: Vec<_> = (0..1_000)
                        .map(|number| {
                            wsrt::spawn(counted(&polls, async move {
                                yield_now().await;
                                if number % 10 == 0 {
                                    sleep(Duration::from_micros(100)).await;
                                }
                            }))
                        })
                        .collect();
                    for task in tasks {
                        task.await.expect("no panic");
                    }
                })
            };
            runtime.run(root);
            let metrics = metrics_when(&runtime, "rest", is_at_rest);
            let total = metrics.total();
            assert_eq!(total.poll_count(), polls.load(SeqCst), "{processors} processors: {total:?}");
            assert_eq!(total.poll_count(), total.polls_by_source().total());
            let sum: u64 = metrics.processors().iter().map(ProcessorMetrics::poll_count).sum();
            assert_eq!(sum, total.poll_count());
        }
    });
}

/// Two tasks that hand a message back and forth run each other through runnext.
#[test]
fn hand_offs_are_in_runnext_and_outside_tasks_injected() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let (there, mut their) = wsrt::sync::mpsc::channel(1);
        let (back, mut ours) = wsrt::sync::mpsc::channel(1);
        let before = runtime.metrics().snapshot();
        runtime.run(async move {
            wsrt::spawn(async move { while their.recv().await.is_some() && back.send(()).await.is_ok() {} });
            for _ in 0..1_000 {
                there.send(()).await.expect("the other is there");
                ours.recv().await.expect("the other answers");
            }
        });
        let polls = metrics_when(&runtime, "rest", is_at_rest).since(&before).total().polls_by_source();
        assert!(polls.runnext >= 1_900, "{polls:?}");
        assert!(polls.injector >= 1, "the root was spawned by this thread: {polls:?}");
        assert_eq!(polls.network, 0, "there is no socket: {polls:?}");
    });
}

#[test]
fn steals_are_counted_by_thief_and_victim() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let work = || async {
            let tasks: Vec<_> = (0..200).map(|_| wsrt::spawn(async { spin_for(Duration::from_micros(100)) })).collect();
            for task in tasks {
                task.await.expect("no panic");
            }
        };
        // Again if the thief's thread got no core in the meantime.
        let metrics = loop {
            runtime.run(work());
            let metrics = metrics_when(&runtime, "rest", is_at_rest);
            if metrics.total().steal_operations() > 0 {
                break metrics;
            }
        };
        let total = metrics.total();
        assert!(total.steal_count() >= total.steal_operations(), "{total:?}");
        assert!(total.polls_by_source().stolen <= total.steal_operations(), "{total:?}");
        for (thief, processor) in metrics.processors().iter().enumerate() {
            let row = processor.steals_by_victim();
            assert!(row.get(thief).is_none_or(|own| own.operations == 0 && own.tasks == 0), "from itself: {row:?}");
            assert_eq!(row.iter().map(|steals| steals.tasks).sum::<u64>(), processor.steal_count());
            assert!(row.iter().all(|steals| steals.tasks >= steals.operations), "{row:?}");
        }
    });
}

#[test]
fn overflows_are_counted() {
    within_a_minute(|| {
        async fn spawn_many() {
            let tasks: Vec<_> = (0..1_000).map(|_| wsrt::spawn(async {})).collect();
            for task in tasks {
                task.await.expect("no panic");
            }
        }
        // Without spares, which would steal in between.
        let runtime = Builder::new_multi_thread().worker_threads(1).max_machines(1).build().expect("a runtime");
        runtime.run(spawn_many());
        let total = runtime.metrics().snapshot().total();
        // The first when there is no room for the 258th, and then each half of a ring later.
        assert!((3..=9).contains(&total.overflow_count()), "{total:?}");
        assert!(total.polls_by_source().injector > 0);
        // Where tasks keep their order, those behind the 256th go there until it is empty again.
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.run(spawn_many());
        let total = runtime.metrics().snapshot().total();
        assert_eq!(total.overflow_count(), 1, "{total:?}");
        assert!(total.polls_by_source().injector > 0);
    });
}

#[test]
fn a_wake_with_work_is_of_use() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let before = metrics_when(&runtime, "rest", is_at_rest);
        for _ in 0..100 {
            runtime.block_on(runtime.spawn(async {})).expect("no panic");
            metrics_when(&runtime, "rest", is_at_rest);
        }
        let total = runtime.metrics().snapshot().since(&before).total();
        assert_eq!(total.poll_count(), 100);
        let useful = total.wake_count() - total.noop_count();
        assert_eq!(useful, 100, "each task had the processor woken, for itself alone: {total:?}");
        assert_eq!(total.park_count(), total.wake_count(), "{total:?}");
    });
}

#[test]
fn events_and_turns_of_the_netpoller_are_counted() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let sum = |metrics: &Metrics| {
            let (total, elsewhere) = (metrics.total(), *metrics.elsewhere());
            (total.arrivals().turns + elsewhere.turns, total.arrivals().events + elsewhere.events)
        };
        let before = sum(&runtime.metrics().snapshot());
        runtime.run(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let address = listener.local_addr().expect("it is bound");
            let echo = wsrt::spawn(async move {
                let (mut stream, _) = listener.accept().await.expect("somebody comes");
                let mut byte = [0];
                while stream.read_exact(&mut byte).await.is_ok() {
                    stream.write_all(&byte).await.expect("the other reads");
                }
            });
            let mut stream = TcpStream::connect(address).await.expect("it listens");
            for _ in 0..200 {
                stream.write_all(&[7]).await.expect("the other reads");
                stream.read_exact(&mut [0]).await.expect("the other answers");
            }
            drop(stream);
            echo.await.expect("no panic");
        });
        let after = sum(&runtime.metrics().snapshot());
        // Each message is an event on either side, and events may come together in one turn.
        assert!(after.1 - before.1 >= 200 && after.0 > before.0, "{before:?} {after:?}");
    });
}

#[test]
fn timers_are_counted_with_their_lateness_and_none_is_early() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let polls = Arc::new(AtomicU64::new(0));
        runtime.block_on(async {
            let nap = |number: u64| counted(&polls, sleep(Duration::from_micros(100_000 + 50 * number)));
            let sleepers: Vec<_> = (0..100).map(|number| runtime.spawn(nap(number))).collect();
            for sleeper in sleepers {
                sleeper.await.expect("no panic");
            }
        });
        let metrics = runtime.metrics().snapshot();
        let both = [*metrics.total().arrivals(), *metrics.elsewhere()];
        // One that has to be polled again has waited for its timer; one that is late to begin may
        // need none.
        let waited = polls.load(SeqCst) - 100;
        assert!(waited > 0 && both.iter().map(|arrivals| arrivals.timers).sum::<u64>() == waited, "{waited}: {both:?}");
        for arrivals in both {
            assert!(arrivals.timer_lateness >= arrivals.timer_lateness_max, "{arrivals:?}");
            assert_eq!(arrivals.timers == 0, arrivals.timer_lateness.is_zero(), "{arrivals:?}");
        }
    });
}

/// The one processor is held until 40 ms after the timer was due, from a moment on in which it was
/// not.
#[test]
fn a_timer_behind_a_long_poll_is_late() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            loop {
                let mut sleeper = pin!(sleep(Duration::from_millis(10)));
                if poll_fn(|cx| Poll::Ready(sleeper.as_mut().poll(cx).is_pending())).await {
                    spin_for(Duration::from_millis(50));
                    return sleeper.await;
                }
            }
        });
        let metrics = runtime.metrics().snapshot();
        let most = metrics.total().arrivals().timer_lateness_max.max(metrics.elsewhere().timer_lateness_max);
        assert!(most >= Duration::from_millis(30), "{most:?}");
    });
}

#[test]
fn the_blocking_pool_reports_its_threads_and_queue() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().expect("a runtime");
        let pool = |metrics: &Metrics| {
            (metrics.num_blocking_threads(), metrics.num_idle_blocking_threads(), metrics.blocking_queue_depth())
        };
        assert_eq!(pool(&runtime.metrics().snapshot()), (0, 0, 0));
        let gate = Gate::new();
        let jobs: Vec<_> = (0..4)
            .map(|_| {
                let hold = gate.hold();
                runtime.spawn_blocking(move || hold.wait(Manner::Asleep))
            })
            .collect();
        metrics_when(&runtime, "one at work, three wait", |metrics| pool(metrics) == (1, 0, 3));
        gate.open();
        jobs.into_iter().for_each(|job| runtime.block_on(job).expect("no panic"));
        metrics_when(&runtime, "all done, the thread is kept", |metrics| pool(metrics) == (1, 1, 0));
    });
}

#[test]
fn live_tasks_are_those_that_have_not_ended() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let tasks: Vec<_> = (0..10).map(|_| runtime.spawn(poll_fn(|_| Poll::<()>::Pending))).collect();
        assert_eq!(runtime.metrics().snapshot().num_alive_tasks(), 10);
        tasks.iter().for_each(|task| task.abort());
        metrics_when(&runtime, "none alive", |metrics| metrics.num_alive_tasks() == 0);
    });
}

#[test]
fn a_spare_is_seen_and_its_polls_stay_counted() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let gate = Gate::new();
        let hold = gate.hold();
        let stuck = runtime.spawn(async move { hold.wait(Manner::Asleep) });
        metrics_when(&runtime, "the poll has begun", |metrics| metrics.total().poll_count() == 1);
        let handle = runtime.handle().clone();
        let during =
            runtime.block_on(runtime.spawn(async move { handle.metrics().snapshot() })).expect("a spare runs it");
        // One, or more if the first was slow to begin.
        let (workers, spares, machines) = (during.num_workers(), during.num_spare_processors(), during.num_machines());
        let by_spares: u64 = during.processors()[1..].iter().map(ProcessorMetrics::poll_count).sum();
        assert!(workers == 1 && spares >= 1 && machines >= 2 && by_spares == 1, "{spares} {machines} {by_spares}");
        gate.open();
        runtime.block_on(stuck).expect("no panic");
        let after = metrics_when(&runtime, "the spare has gone", |metrics| metrics.num_spare_processors() == 0);
        assert!(after.processors().len() >= during.processors().len(), "its counts stay");
        assert_has_risen(&during.total(), &after.total());
    });
}

#[test]
fn a_stall_is_counted_for_its_spawn_site() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let gate = Gate::new();
        let hold = gate.hold();
        let line = line!() + 1;
        let stuck = runtime.spawn(async move { hold.wait(Manner::Asleep) });
        let metrics = metrics_when(&runtime, "a stall", |metrics| metrics.stall_count() == 1);
        let [(site, count)] = *metrics.stalls_by_site() else { panic!("one site: {metrics:?}") };
        assert_eq!((site.file(), site.line(), count), (file!(), line, 1));
        assert!(metrics.since(&metrics).stalls_by_site().is_empty());
        gate.open();
        runtime.block_on(stuck).expect("no panic");
    });
}

#[test]
fn snapshots_of_a_busy_runtime_only_ever_rise() {
    within_a_minute(|| {
        let runtime =
            Builder::new_multi_thread().worker_threads(3).latency_histograms(true).build().expect("a runtime");
        let is_over = Arc::new(AtomicBool::new(false));
        let busy = {
            let is_over = Arc::clone(&is_over);
            runtime.spawn(async move {
                while !is_over.load(SeqCst) {
                    let tasks: Vec<_> = (0..300).map(|_| wsrt::spawn(yield_now())).collect();
                    for task in tasks {
                        task.await.expect("no panic");
                    }
                    sleep(Duration::from_micros(100)).await;
                }
            })
        };
        let mut before = runtime.metrics().snapshot();
        for _ in 0..2_000 {
            let after = runtime.metrics().snapshot();
            for (before, after) in before.processors().iter().zip(after.processors()) {
                assert_has_risen(before, after);
            }
            assert!(after.elapsed() >= before.elapsed() && after.processors().len() >= before.processors().len());
            before = after;
        }
        is_over.store(true, SeqCst);
        runtime.block_on(busy).expect("no panic");
    });
}

#[test]
fn a_difference_is_what_happened_between() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        runtime.run(async { yield_now().await });
        let before = metrics_when(&runtime, "rest", is_at_rest);
        runtime.run(async { yield_now().await });
        let after = metrics_when(&runtime, "rest", is_at_rest);
        let between = after.since(&before);
        assert_eq!(between.total().poll_count(), 2);
        assert_eq!(between.elapsed(), after.elapsed() - before.elapsed());
        assert_eq!(before.since(&after).total().poll_count(), 0, "the wrong way round it is no huge number");
        assert_eq!(between.num_workers(), 1, "a gauge stays what it is");
    });
}

#[test]
fn a_current_thread_runtime_counts_too() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        wsrt::spawn(yield_now()).await.expect("no panic");
        sleep(Duration::from_millis(50)).await;
    });
    let metrics = runtime.metrics().snapshot();
    assert_eq!((metrics.num_workers(), metrics.num_machines(), metrics.processors().len()), (1, 0, 1));
    assert_eq!(metrics.total().poll_count(), 2);
    assert!(metrics.total().arrivals().turns + metrics.elsewhere().turns > 0);
}
