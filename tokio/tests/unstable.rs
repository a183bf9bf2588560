//! Names, hooks, histograms and dumps of tasks, which are there with the flag `tokio_unstable`.
#![cfg(tokio_unstable)]

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::dump::{Tasks, Trace};
use tokio::runtime::{Builder, HistogramConfiguration, LogHistogram, Runtime, RuntimeMetrics, UnhandledPanic};
use tokio::task::LocalSet;

#[test]
fn the_hooks_are_called_with_the_task() {
    let (spawned, ended) = (Arc::new(Mutex::new(None)), Arc::new(Mutex::new(None)));
    let (note_spawned, note_ended) = (Arc::clone(&spawned), Arc::clone(&ended));
    let (before, after) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (count_before, count_after) = (Arc::clone(&before), Arc::clone(&after));
    let runtime = Builder::new_current_thread()
        .on_task_spawn(move |task| *note_spawned.lock().unwrap() = Some((task.id(), task.spawned_at().file())))
        .on_task_terminate(move |task| *note_ended.lock().unwrap() = Some(task.id()))
        .on_before_task_poll(move |_| _ = count_before.fetch_add(1, Relaxed))
        .on_after_task_poll(move |_| _ = count_after.fetch_add(1, Relaxed))
        .unhandled_panic(UnhandledPanic::Ignore)
        .build()
        .unwrap();
    let task = runtime.spawn(tokio::task::yield_now());
    let id = task.id();
    runtime.block_on(task).unwrap();
    assert_eq!(*spawned.lock().unwrap(), Some((id, file!())));
    assert_eq!(*ended.lock().unwrap(), Some(id));
    assert_eq!((before.load(Relaxed), after.load(Relaxed)), (2, 2));
}

#[test]
fn a_panic_shuts_the_runtime_down_where_it_should() {
    let runtime =
        Builder::new_current_thread().unhandled_panic(UnhandledPanic::ShutdownRuntime).enable_all().build().unwrap();
    let waits = runtime.spawn(std::future::pending::<()>());
    runtime.spawn(async { panic!("as it should") });
    assert!(runtime.block_on(waits).unwrap_err().is_cancelled());
}

#[test]
fn a_dump_is_awaited_and_has_traces_of_tasks() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let task = tokio::task::Builder::new().name("waits").spawn(std::future::pending::<()>()).unwrap();
        let dump = tokio::runtime::Handle::current().dump().await;
        let tasks: &Tasks = dump.tasks();
        let trace: &Trace = tasks.iter().find(|seen| seen.id() == task.id()).unwrap().trace();
        assert!(trace.to_string().contains(file!()), "{trace}");
    });
}

/// Runs `tasks` tasks of one poll each, one after the other.
fn run_tasks(runtime: &Runtime, tasks: u64) -> RuntimeMetrics {
    runtime.block_on(async {
        for _ in 0..tasks {
            tokio::spawn(std::future::ready(())).await.unwrap();
        }
    });
    runtime.metrics()
}

#[test]
fn each_poll_and_wait_is_counted_in_the_programs_buckets() {
    let log = HistogramConfiguration::log(LogHistogram::default());
    let linear = HistogramConfiguration::linear(Duration::from_secs(1), 2);
    for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
        let runtime = builder
            .worker_threads(2)
            .enable_metrics_poll_time_histogram()
            .metrics_poll_time_histogram_configuration(log.clone())
            .enable_metrics_schedule_latency_histogram()
            .metrics_schedule_latency_histogram_configuration(linear.clone())
            .build()
            .unwrap();
        let metrics = run_tasks(&runtime, 40);
        drop(runtime);
        assert_eq!(
            (metrics.poll_time_histogram_num_buckets(), metrics.schedule_latency_histogram_num_buckets()),
            (119, 2)
        );
        assert_eq!(metrics.poll_time_histogram_bucket_range(0), Duration::ZERO..Duration::from_nanos(96));
        let workers = || 0..metrics.num_workers();
        let polls = |worker| (0..119).map(move |bucket| (worker, bucket));
        let polls = workers().flat_map(polls).map(|(w, bucket)| metrics.poll_time_histogram_bucket_count(w, bucket));
        assert_eq!(polls.sum::<u64>(), 40);
        let waits = workers().map(|worker| metrics.schedule_latency_histogram_bucket_count(worker, 0));
        assert_eq!(waits.sum::<u64>(), 40);
        assert!(workers().any(|worker| metrics.worker_mean_poll_time(worker) > Duration::ZERO));
    }
}

#[test]
fn histograms_that_nobody_asked_for_are_off() {
    let runtime = Builder::new_current_thread()
        .metrics_poll_time_histogram_configuration(HistogramConfiguration::log(LogHistogram::default()))
        .build()
        .unwrap();
    let metrics = run_tasks(&runtime, 9);
    assert!(!metrics.poll_time_histogram_enabled() && !metrics.schedule_latency_histogram_enabled());
    assert_eq!((metrics.poll_time_histogram_num_buckets(), metrics.poll_time_histogram_bucket_count(0, 7)), (0, 0));
    assert_eq!(metrics.poll_time_histogram_bucket_range(7), Duration::ZERO..Duration::ZERO);
}

#[test]
fn a_task_spawned_elsewhere_counts_as_remote() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let handle = runtime.handle().clone();
    let task = std::thread::spawn(move || handle.spawn(std::future::ready(()))).join().unwrap();
    runtime.block_on(task).unwrap();
    assert_eq!(runtime.metrics().remote_schedule_count(), 1);
    let metrics = run_tasks(&runtime, 1);
    assert_eq!((metrics.remote_schedule_count(), metrics.worker_local_schedule_count(0)), (1, 1));
}

#[test]
fn sockets_are_counted_as_they_come_and_go() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let metrics = runtime.metrics();
    let counts = || (metrics.io_driver_fd_registered_count(), metrics.io_driver_fd_deregistered_count());
    let before = counts();
    let socket = runtime.block_on(tokio::net::UdpSocket::bind("127.0.0.1:0")).unwrap();
    assert_eq!(counts(), (before.0 + 1, before.1));
    drop(socket);
    assert_eq!(counts(), (before.0 + 1, before.1 + 1));
}

#[test]
fn hooks_learn_how_long_a_task_has_waited() {
    let waits = Arc::new(AtomicUsize::new(0));
    let count_waits = Arc::clone(&waits);
    let runtime = Builder::new_current_thread()
        .track_task_schedule_latency()
        .on_before_task_poll(move |task| _ = count_waits.fetch_add(task.schedule_latency().is_some().into(), Relaxed))
        .build()
        .unwrap();
    run_tasks(&runtime, 20);
    assert_eq!(waits.load(Relaxed), 20);
}

#[test]
fn a_panic_ends_a_local_set_where_it_should() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let panics = |behavior| {
        let mut set = LocalSet::new();
        set.unhandled_panic(behavior).spawn_local(async { panic!("as it should") });
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runtime.block_on(set))).is_err()
    };
    assert!(panics(UnhandledPanic::ShutdownRuntime) && !panics(UnhandledPanic::Ignore));
}

/// Run by the next test, in a process of its own.
#[test]
#[ignore = "a part of the test below"]
fn part_with_settings_that_do_nothing() {
    for _ in 0..2 {
        Builder::new_current_thread().disable_lifo_slot().enable_alt_timer().build().unwrap();
    }
}

#[test]
fn a_setting_that_does_nothing_says_so_once() {
    let said = |schedtrace: Option<&str>| {
        let mut program = std::process::Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", "part_with_settings_that_do_nothing", "--ignored", "--nocapture"]);
        program.env_remove("WSRT_SCHEDTRACE").envs(schedtrace.map(|period| ("WSRT_SCHEDTRACE", period)));
        String::from_utf8(program.output().unwrap().stderr).unwrap()
    };
    let text = said(Some("10000"));
    for setting in ["disable_lifo_slot", "enable_alt_timer"] {
        assert_eq!(text.matches(&format!("wsrt: `{setting}` does nothing: ")).count(), 1, "{text}");
    }
    assert!(!said(None).contains("does nothing"));
}
