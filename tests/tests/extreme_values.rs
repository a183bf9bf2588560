//! A builder takes any value that its types have: the runtime works with it, or an error names it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::time::Duration;

use wsrt::runtime::{Builder, FlightRecorder, Handle, Runtime, TraceDirectory};
use wsrt::task::{spawn_blocking, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{Directory, Gate, LIMIT, Manner, count_threads, in_a_process_of_its_own, text_of, within_a_minute};

/// Uses a runtime's threads, timers and blocking pool, and ends it.
fn try_out(runtime: Runtime) {
    let handle = runtime.handle().clone();
    let sum = runtime.block_on(async move {
        let task = wsrt::spawn(async {
            yield_now().await;
            sleep(Duration::from_millis(1)).await;
            Handle::current().block_on(async { wsrt::spawn(async { 1 }).await.expect("no panic") })
        });
        let job = spawn_blocking(move || handle.block_on(async { 2 }));
        task.await.expect("no panic") + job.await.expect("no panic")
    });
    assert_eq!(sum, 3);
    let (gate, (began, has_begun)) = (Gate::new(), channel());
    let hold = gate.hold();
    let held = runtime.spawn(async move {
        began.send(()).expect("the test waits");
        hold.wait(Manner::Asleep);
    });
    has_begun.recv_timeout(LIMIT).expect("it begins");
    runtime.block_on(runtime.spawn(async {})).expect("it runs beside the poll that sleeps");
    gate.open();
    runtime.block_on(held).expect("no panic");
    runtime.shutdown_timeout(Duration::MAX);
}

/// Two processors, one of which is stuck for a moment.
fn multi_thread(set: impl FnOnce(&mut Builder) + Send + 'static) {
    within_a_minute(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(2);
        set(&mut builder);
        try_out(builder.build().expect("it is in order"));
    });
}

#[test]
fn durations_may_be_as_long_as_they_come() {
    for forever in [Duration::MAX, Duration::from_secs(u64::MAX / 4), Duration::ZERO] {
        multi_thread(move |builder| {
            builder.thread_keep_alive(forever);
        });
        let directory = Directory::new();
        let path = directory.path("extreme.perfetto-trace");
        multi_thread(move |builder| {
            builder.flight_recorder(FlightRecorder::new(path).keep(forever).max_bytes(usize::MAX));
        });
        let path = directory.path("traces");
        multi_thread(move |builder| {
            builder.trace_directory(TraceDirectory::new(path).segment(forever).max_bytes(u64::MAX));
        });
    }
}

#[test]
fn counts_may_be_as_high_as_they_come() {
    multi_thread(|builder| {
        builder.max_blocking_threads(usize::MAX);
    });
    multi_thread(|builder| {
        builder.global_queue_interval(u32::MAX).event_interval(u32::MAX);
    });
    multi_thread(|builder| {
        builder.max_machines(usize::MAX);
    });
    multi_thread(|builder| {
        builder.max_machines(1_000_000);
    });
}

#[test]
fn variables_may_be_as_high_as_they_come() {
    let test = "variables_may_be_as_high_as_they_come";
    let most = u64::MAX.to_string();
    let environment = [("WSRT_STALL_MS", &*most), ("WSRT_SCHEDTRACE", &*most)];
    text_of(&in_a_process_of_its_own(test, &environment, || multi_thread(|_| ())));
}

#[test]
fn too_many_worker_threads_are_an_error_that_names_them() {
    for count in [usize::MAX, usize::MAX / 2, 1 << 40, 1 << 20] {
        let error = Builder::new_multi_thread().worker_threads(count).build().expect_err("nobody has so many");
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(error.to_string(), format!("{count} worker threads are too many: a runtime has 4096 at most"));
    }
    let test = "too_many_worker_threads_are_an_error_that_names_them";
    let output = in_a_process_of_its_own(test, &[("WSRT_WORKER_THREADS", "1000000")], || {
        let error = Runtime::new().expect_err("nobody has so many");
        assert_eq!(error.to_string(), "1000000 worker threads are too many: a runtime has 4096 at most");
    });
    text_of(&output);
}

#[test]
fn a_stack_of_any_size_is_taken_or_refused() {
    multi_thread(|builder| {
        builder.thread_stack_size(0);
    });
    multi_thread(|builder| {
        builder.thread_stack_size(1);
    });
    for size in [usize::MAX, usize::MAX - (1 << 16), usize::MAX / 2, isize::MAX as usize + 1] {
        let error = Builder::new_multi_thread().thread_stack_size(size).build().expect_err("there is no such room");
        let message = format!("`thread_stack_size({size})`: no thread can have a stack of so many bytes");
        assert!(error.to_string() == message || error.raw_os_error().is_some(), "{size}: {error}");
    }
}

/// The threads that were started before the one that was refused end again.
#[test]
fn a_runtime_that_gets_some_of_its_threads_ends_cleanly() {
    let test = "a_runtime_that_gets_some_of_its_threads_ends_cleanly";
    let output = in_a_process_of_its_own(test, &[], || {
        for granted in [0, 1, 5, 7] {
            let name = "in-part";
            let (asked, stopped) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
            let stops = Arc::clone(&stopped);
            let mut builder = Builder::new_multi_thread();
            builder.worker_threads(8).on_thread_stop(move || {
                stops.fetch_add(1, SeqCst);
            });
            builder.thread_name_fn(move || {
                assert!(asked.fetch_add(1, SeqCst) < granted, "no more");
                name.to_owned()
            });
            builder.build().expect_err("a thread is refused");
            assert_eq!(stopped.load(SeqCst), granted, "each of them ended as threads do");
            assert_eq!(count_threads(name), 0, "and they are gone");
        }
    });
    let errors = text_of(&output);
    assert!(errors.contains("wsrt: could not start machine thread 6 of 8: the function given to"), "{errors}");
}
