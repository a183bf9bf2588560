//! Names each item that tokio has under its flag `tokio_unstable` alone, so that what lacks here
//! does not compile. `tokio/judge/interface --unstable` finds items that lack in this file.
#![cfg(all(tokio_unstable, feature = "full"))]
#![allow(deprecated)]

use std::future::ready;
use std::io;
use std::process::Child;
use std::time::Duration;

use tokio::runtime::dump::{Backtrace, BacktraceFrame, BacktraceSymbol, Root, Task, Tasks, Trace, TraceMeta};
use tokio::runtime::{
    Builder, Dump, Handle, HistogramConfiguration, HistogramScale, InvalidHistogramConfiguration, LocalOptions,
    LogHistogram, LogHistogramBuilder, RngSeed, RuntimeMetrics, TaskMeta, UnhandledPanic,
};
use tokio::task::{JoinSet, LocalSet};

/// Calls methods of a builder or of metrics, one by one.
macro_rules! each {
    ($value:ident: $($method:ident($($argument:expr),*))*) => {$(
        let _ = $value.$method($($argument),*);
    )*};
}

fn settings() -> Builder {
    let mut builder = Builder::new_multi_thread();
    let log = || LogHistogram::builder().max_error(0.1).min_value(Duration::from_nanos(50));
    each! { builder:
        disable_lifo_slot()
        rng_seed(RngSeed::from_bytes(b"seed").clone())
        enable_alt_timer()
        enable_eager_driver_handoff()
        enable_io_uring()
        enable_sharded_blocking_queue()
        unhandled_panic(UnhandledPanic::Ignore)
        on_task_spawn(|_: &TaskMeta<'_>| {})
        on_before_task_poll(|task| assert!(task.schedule_latency().is_some() || task.id().to_string() != "0"))
        on_after_task_poll(|task| assert!(task.spawned_at().line() > 0))
        on_task_terminate(|_| {})
        enable_metrics_poll_time_histogram()
        enable_metrics_poll_count_histogram()
        metrics_poll_time_histogram_configuration(HistogramConfiguration::log(log()))
        metrics_poll_count_histogram_scale(HistogramScale::Linear)
        metrics_poll_count_histogram_resolution(Duration::from_micros(20))
        metrics_poll_count_histogram_buckets(4)
        track_task_schedule_latency()
        enable_metrics_schedule_latency_histogram()
        metrics_schedule_latency_histogram_configuration(HistogramConfiguration::linear(Duration::from_millis(1), 3))
    }
    builder
}

fn metrics(of: &RuntimeMetrics) {
    each! { of:
        active_tasks_count()
        injection_queue_depth()
        num_blocking_threads()
        num_idle_blocking_threads()
        blocking_queue_depth()
        spawned_tasks_count()
        remote_schedule_count()
        budget_forced_yield_count()
        io_driver_fd_registered_count()
        io_driver_fd_deregistered_count()
        io_driver_ready_count()
        worker_thread_id(0)
        worker_noop_count(0)
        worker_steal_count(0)
        worker_steal_operations(0)
        worker_poll_count(0)
        worker_local_schedule_count(0)
        worker_overflow_count(0)
        worker_local_queue_depth(0)
        worker_mean_poll_time(0)
        poll_time_histogram_enabled()
        poll_time_histogram_num_buckets()
        poll_time_histogram_bucket_range(0)
        poll_time_histogram_bucket_count(0, 0)
        poll_count_histogram_enabled()
        poll_count_histogram_num_buckets()
        poll_count_histogram_bucket_range(0)
        poll_count_histogram_bucket_count(0, 0)
        schedule_latency_histogram_enabled()
        schedule_latency_histogram_num_buckets()
        schedule_latency_histogram_bucket_range(0)
        schedule_latency_histogram_bucket_count(0, 0)
    }
}

fn log_histogram(most: usize) -> Result<LogHistogram, InvalidHistogramConfiguration> {
    let mut builder: LogHistogramBuilder = LogHistogram::builder().precision_exact(2).max_value(Duration::from_secs(1));
    let histogram: LogHistogram = builder.build();
    assert_eq!((histogram, histogram.max_value() >= 1_000_000_000), (LogHistogram::from(builder), true));
    builder.max_buckets(most)
}

/// Compiled only: wsrt has no frames.
fn frames(trace: &Trace) -> Option<(&BacktraceSymbol, Backtrace)> {
    let of_symbol = |symbol: &BacktraceSymbol| {
        _ = (
            symbol.name_raw(),
            symbol.name_demangled(),
            symbol.addr(),
            symbol.filename(),
            symbol.lineno(),
            symbol.colno(),
        );
    };
    let of_frame = |frame: &BacktraceFrame| {
        _ = (frame.ip(), frame.symbol_address());
        frame.symbols().for_each(of_symbol);
    };
    trace.resolve_backtraces().iter().for_each(|backtrace| backtrace.frames().for_each(of_frame));
    None
}

fn spawn_by_std(command: &mut std::process::Command) -> io::Result<Child> {
    command.spawn()
}

#[test]
fn each_setting_builds_a_runtime_and_each_metric_answers() {
    let runtime = settings().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(runtime.spawn(ready(()))).unwrap();
    metrics(&runtime.metrics());
    assert!(log_histogram(1_000).is_ok() && log_histogram(1).is_err());
}

#[test]
fn dumps_have_traces_and_traces_no_frames() {
    let runtime = Builder::new_current_thread().build_local(LocalOptions::default()).unwrap();
    runtime.block_on(async {
        let waits = tokio::task::Builder::new().spawn_local(std::future::pending::<()>()).unwrap();
        tokio::task::yield_now().await;
        let dump: Dump = Handle::current().dump().await;
        let tasks: &Tasks = dump.tasks();
        let task: &Task = tasks.iter().find(|task| task.id() == waits.id()).unwrap();
        assert!(task.trace().to_string().contains(file!()) && frames(task.trace()).is_none());
        let root: Root<_> = Trace::root(ready(7));
        let (seven, trace) = Trace::capture(|| root);
        assert_eq!(seven.await, 7);
        assert!(trace.to_string().contains(file!()), "{trace}");
        assert_eq!(tokio::runtime::dump::trace_with(|| 8, |_: &TraceMeta| unreachable!("there are no frames")), 8);
    });
}

#[tokio::test]
async fn builders_of_tasks_return_results() {
    let mut set: JoinSet<u8> = (0..2).map(ready).collect();
    set.build_task().name("third").spawn(ready(2)).unwrap();
    set.build_task().spawn_on(ready(3), &Handle::current()).unwrap();
    set.build_task().spawn_blocking(|| 4).unwrap();
    set.build_task().spawn_blocking_on(|| 5, &Handle::current()).unwrap();
    let local = LocalSet::new();
    set.build_task().spawn_local_on(ready(6), &local).unwrap();
    local.run_until(async { set.build_task().spawn_local(ready(7)).map(drop) }).await.unwrap();
    assert_eq!(set.len(), 8);
    let mut all = local.run_until(set.join_all()).await;
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_child_may_be_started_by_the_program() {
    let mut child = tokio::process::Command::new("true").spawn_with(spawn_by_std).unwrap();
    assert!(child.wait().await.unwrap().success());
}
