//! Bad input gets an answer that names the fault and the remedy. The words are pinned here.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::task::Poll;
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::signal::{ctrl_c, shutdown};
use wsrt::sync::mpmc;
use wsrt::task::{self, spawn_blocking, spawn_local};
use wsrt::time::{interval, sleep, timeout};
use wsrt_tests::{LIMIT, example, in_a_process_of_its_own, panic_message, text_of, two_processors, within_a_minute};

/// The message of an operation without a runtime.
fn outside(operation: &str) -> String {
    format!(
        "wsrt: `{operation}` was called outside a wsrt runtime: call it inside `#[wsrt::main]`, a spawned task or \
         `Runtime::block_on`, or while the guard of `Handle::enter` is held"
    )
}

/// Polls `future` once on this thread, which belongs to no runtime.
fn poll_here(future: impl Future) -> bool {
    tokio_test::task::spawn(future).poll().is_ready()
}

#[test]
fn wsrt_worker_threads_has_to_be_a_positive_whole_number() {
    let test = "wsrt_worker_threads_has_to_be_a_positive_whole_number";
    for nonsense in ["0", "many", "-1", "1.5", ""] {
        let output = in_a_process_of_its_own(test, &[("WSRT_WORKER_THREADS", nonsense)], || {
            let error = Runtime::new().expect_err("the variable makes no sense");
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            eprintln!("ERROR {error}");
            Builder::new_multi_thread().worker_threads(1).build().expect("not asked, the variable does no harm");
            Builder::new_current_thread().build().expect("nor does it here");
        });
        let errors = text_of(&output);
        let expected = format!(
            "ERROR WSRT_WORKER_THREADS={nonsense} is not a number of processors, such as 4: it has to be a whole number above \
             zero\n"
        );
        assert!(errors.contains(&expected), "{errors}");
    }
}

#[test]
fn wsrt_max_machines_has_to_be_a_positive_whole_number() {
    let test = "wsrt_max_machines_has_to_be_a_positive_whole_number";
    for nonsense in ["0", "all", ""] {
        let output = in_a_process_of_its_own(test, &[("WSRT_MAX_MACHINES", nonsense)], || {
            eprintln!("ERROR {}", Runtime::new().expect_err("the variable makes no sense"));
            Builder::new_multi_thread().max_machines(4).build().expect("not asked, the variable does no harm");
        });
        let expected = format!(
            "ERROR WSRT_MAX_MACHINES={nonsense} is not a number of threads, such as 512: it has to be a whole number above zero\n"
        );
        assert!(text_of(&output).contains(&expected), "{output:?}");
    }
}

#[test]
fn bad_switches_for_observation_are_reported_once_and_ignored() {
    let test = "bad_switches_for_observation_are_reported_once_and_ignored";
    let bad = [
        ("WSRT_LATENCY_HISTOGRAMS", "yes"),
        ("WSRT_FLIGHT", "flight.perfetto-trace,10"),
        ("WSRT_TRACE_DIR", "traces,1 GB"),
    ];
    let output = in_a_process_of_its_own(test, &bad, || {
        for _ in 0..3 {
            assert_eq!(two_processors().run(async { 7 }), 7);
        }
    });
    let errors = text_of(&output);
    for expected in [
        "wsrt: WSRT_LATENCY_HISTOGRAMS=yes is neither 1 nor 0; no latencies are sampled\n",
        "wsrt: WSRT_FLIGHT=flight.perfetto-trace,10 is not a path, or a path with limits, such as \
         flight.perfetto-trace,10s,64M; no flight is recorded\n",
        "wsrt: WSRT_TRACE_DIR=traces,1 GB is not a directory, or a directory with limits, such as traces,60s,1G; no timeline \
         is recorded there\n",
    ] {
        assert_eq!(errors.matches(expected).count(), 1, "{errors}");
    }
}

#[test]
fn a_main_with_a_bad_variable_reports_the_same_words() {
    let program = example("hello");
    let output = Command::new(program).env("WSRT_WORKER_THREADS", "none").output().expect("the example starts");
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        errors,
        "wsrt: WSRT_WORKER_THREADS=none is not a number of processors, such as 4: it has to be a whole number above zero\n"
    );
}

#[test]
fn a_bad_wsrt_schedtrace_is_reported_once_and_ignored() {
    let test = "a_bad_wsrt_schedtrace_is_reported_once_and_ignored";
    for nonsense in ["abc", "0", "-5", ""] {
        let output = in_a_process_of_its_own(test, &[("WSRT_SCHEDTRACE", nonsense)], || {
            for _ in 0..3 {
                assert_eq!(two_processors().run(async { 7 }), 7);
            }
        });
        let errors = text_of(&output);
        let expected = format!(
            "wsrt: WSRT_SCHEDTRACE={nonsense} is not a number of milliseconds, such as 1000: it has to be a whole number above \
             zero; no trace is printed\n"
        );
        assert_eq!(errors.matches(&expected).count(), 1, "{errors}");
        assert!(!errors.contains("SCHED "), "{errors}");
    }
}

#[test]
fn a_word_other_than_detail_behind_the_period_is_named() {
    let test = "a_word_other_than_detail_behind_the_period_is_named";
    let output = in_a_process_of_its_own(test, &[("WSRT_SCHEDTRACE", "1000,details"), ("WSRT_STALL_MS", "0")], || {
        for _ in 0..3 {
            assert_eq!(two_processors().run(async { 7 }), 7);
        }
    });
    assert_eq!(
        text_of(&output),
        "wsrt: WSRT_SCHEDTRACE=1000,details ends with `details`: behind the number of milliseconds there may be `,detail`, and \
         nothing else; no trace is printed\n"
    );
}

#[test]
fn a_builder_refuses_zero_of_what_it_needs() {
    let message = panic_message(|| Builder::new_multi_thread().worker_threads(0).build());
    assert_eq!(message, "wsrt: `worker_threads(0)`: a runtime needs at least one processor to run tasks on");
    let message = panic_message(|| Builder::new_multi_thread().max_blocking_threads(0).build());
    assert_eq!(message, "wsrt: `max_blocking_threads(0)`: blocking jobs, name lookups among them, need a thread");
    let message = panic_message(|| Builder::new_multi_thread().global_queue_interval(0).build());
    assert_eq!(message, "wsrt: `global_queue_interval(0)`: there is no such tick; 1 looks at the queue at every poll");
    let message = panic_message(|| Builder::new_multi_thread().event_interval(0).build());
    assert_eq!(message, "wsrt: `event_interval(0)`: there is no such tick; the least is 1");
}

#[test]
fn a_runtime_without_threads_has_the_systems_error() {
    // A stack that no system has room for.
    let error = Builder::new_multi_thread().worker_threads(2).thread_stack_size(1 << 46).build().expect_err("no room");
    assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    assert_eq!(error.raw_os_error(), Some(11), "EAGAIN: {error}");
}

/// The caller that wants a thread is in the middle of something: it gets an error, as from a system
/// that has no thread to give.
#[test]
fn a_panicking_thread_name_function_costs_the_thread_only() {
    let is_broken = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_broken);
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).max_blocking_threads(1).thread_name_fn(move || {
        assert!(!asked.load(SeqCst), "no name");
        "named".to_owned()
    });
    let runtime = builder.build().expect("a runtime");
    is_broken.store(true, SeqCst);
    let error = builder.build().expect_err("its first thread has no name").to_string();
    assert!(error.contains("the function given to `thread_name_fn` panicked"), "{error}");
    within_a_minute(move || {
        for job in 0..3 {
            assert_eq!(runtime.block_on(runtime.spawn_blocking(move || job)).expect("it runs on a processor"), job);
        }
        is_broken.store(false, SeqCst);
        assert_eq!(runtime.block_on(runtime.spawn_blocking(|| 7)).expect("it runs"), 7);
    });
}

#[test]
fn an_impossible_thread_name_is_an_error() {
    let error = Builder::new_multi_thread().worker_threads(1).thread_name("a\0b").build().expect_err("it has a NUL");
    assert!(error.to_string().contains("\"a\\0b\""), "{error}");
}

#[test]
fn spawning_outside_of_a_runtime_panics() {
    assert_eq!(panic_message(|| wsrt::spawn(async {})), outside("spawn"));
    assert_eq!(panic_message(|| spawn_local(async {})), outside("spawn_local"));
    assert_eq!(panic_message(|| spawn_blocking(|| ())), outside("spawn_blocking"));
}

/// A scope that owns its values needs a runtime for its children alone.
#[test]
fn a_child_of_lent_resources_outside_of_a_runtime_panics() {
    let spawns = task::scope_with((), async |scope, ()| drop(scope.spawn(async {})));
    assert_eq!(panic_message(|| _ = poll_here(spawns)), outside("task::scope_with"));
}

#[test]
fn a_future_of_lent_resources_is_polled_until_it_completes() {
    let mut lends = tokio_test::task::spawn(task::scope_with(7, async |_, number| *number));
    assert_eq!(lends.poll(), Poll::Ready((7, 7)));
    assert_eq!(
        panic_message(|| _ = lends.poll()),
        "wsrt: the future of `task::scope_with` was polled after it had completed"
    );
}

#[test]
fn a_channel_without_room_panics() {
    assert_eq!(
        panic_message(|| drop(mpmc::channel::<u32>(0))),
        "wsrt: `mpmc::channel` needs room for a value: pass at least 1, or use `mpmc::unbounded_channel`"
    );
}

#[test]
fn a_task_local_that_is_not_inherited_names_the_cure() {
    wsrt::task_local!(static NUMBER: u32);
    let message =
        two_processors()
            .block_on(NUMBER.scope(7, async {
                wsrt::spawn(async { panic_message(|| NUMBER.get()) }).await.expect("it is caught")
            }));
    assert_eq!(
        message,
        "wsrt: `LocalKey::with`: the task-local value is not set here: it is only inside of the key's `scope`; tasks that are \
         spawned there have it if `task_local!` declares the key by `inherit static`"
    );
}

#[test]
fn waiting_for_a_signal_outside_of_a_runtime_panics() {
    for message in [panic_message(|| _ = poll_here(shutdown())), panic_message(|| _ = poll_here(ctrl_c()))] {
        assert!(message.contains("outside a wsrt runtime: do it inside `#[wsrt::main]`"), "{message}");
    }
}

#[test]
fn asking_for_the_current_runtime_or_task_outside_panics() {
    assert_eq!(
        panic_message(Handle::current),
        "wsrt: `Handle::current`: this thread is outside a wsrt runtime: call it inside `#[wsrt::main]`, a spawned task or \
         `Runtime::block_on`, or while the guard of `Handle::enter` is held"
    );
    assert!(Handle::try_current().is_err());
    assert_eq!(
        panic_message(task::id),
        "wsrt: `task::id` was called outside a task; use `task::try_id` where there may be none"
    );
}

#[test]
fn sleeping_outside_of_a_runtime_panics_when_it_is_awaited() {
    // Made without a runtime, as is allowed.
    let sleeping = sleep(Duration::from_millis(1));
    assert_eq!(
        panic_message(|| poll_here(sleeping)),
        "wsrt: a `Sleep` was polled outside a wsrt runtime: await it inside `#[wsrt::main]`, a spawned task or \
         `Runtime::block_on`"
    );
    // One that was made outside may be polled inside a runtime.
    let sleeping = sleep(Duration::from_millis(1));
    two_processors().run(sleeping);
}

#[test]
fn timeouts_and_intervals_outside_of_a_runtime_panic_too() {
    let message = panic_message(|| poll_here(timeout(LIMIT, std::future::pending::<()>())));
    assert!(message.contains("was polled outside a wsrt runtime"), "{message}");
    let message = panic_message(|| {
        let mut ticks = interval(LIMIT);
        poll_here(ticks.tick()) && poll_here(ticks.tick())
    });
    assert!(message.contains("was polled outside a wsrt runtime"), "{message}");
    // A future that is ready needs no timer.
    assert!(poll_here(timeout(LIMIT, async {})));
}

#[test]
fn an_interval_of_nothing_panics() {
    let message = panic_message(|| interval(Duration::ZERO));
    assert!(message.starts_with("wsrt: `interval"), "{message}");
    assert!(message.contains("zero"), "{message}");
}

#[test]
fn sockets_outside_of_a_runtime_panic() {
    let needs = |operation: &str| {
        format!(
            "wsrt: `{operation}` needs a running wsrt runtime: call it inside `#[wsrt::main]`, a spawned task, \
             `Runtime::block_on`, or while a `Handle::enter` guard is held"
        )
    };
    assert_eq!(panic_message(|| poll_here(TcpListener::bind("127.0.0.1:0"))), needs("TcpListener::bind"));
    assert_eq!(panic_message(|| poll_here(TcpStream::connect("127.0.0.1:1"))), needs("TcpStream::connect"));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    assert_eq!(panic_message(|| TcpListener::from_std(listener)), needs("TcpListener::from_std"));
}

#[test]
fn binding_a_taken_port_is_the_systems_error() {
    within_a_minute(|| {
        two_processors().run(async {
            let first = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let address = first.local_addr().expect("it is bound");
            let error = TcpListener::bind(address).await.expect_err("it is taken");
            assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
            assert_eq!(error.to_string(), "Address already in use (os error 98)");
        });
    });
}

#[test]
fn dropping_a_runtime_inside_its_own_task_panics() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (give, given) = channel::<Runtime>();
        let (told, message) = channel();
        runtime.spawn(async move {
            let runtime = task::block_in_place(|| given.recv_timeout(LIMIT).expect("the runtime is given"));
            told.send(panic_message(|| drop(runtime))).expect("the test waits");
        });
        give.send(runtime).expect("the task waits");
        assert_eq!(
            message.recv_timeout(LIMIT).expect("the drop returns"),
            "wsrt: a runtime was dropped inside one of its own tasks or blocking jobs, where waiting for it to end would never \
             end; it shuts down in the background. Drop it outside, or call `shutdown_background`"
        );
    });
}

#[test]
fn guards_dropped_in_the_wrong_order_panic() {
    within_a_minute(|| {
        let (outer, inner) = (two_processors(), two_processors());
        let outer_guard = outer.enter();
        let inner_guard = inner.enter();
        assert_eq!(
            panic_message(|| drop(outer_guard)),
            "wsrt: runtime guards have to be dropped in the reverse of the order in which they were entered"
        );
        drop(inner_guard);
    });
}

#[test]
fn guards_of_one_runtime_have_an_order_too() {
    within_a_minute(|| {
        let runtime = two_processors();
        let _outermost = runtime.enter();
        let (outer, inner) = (runtime.enter(), runtime.enter());
        assert!(panic_message(|| drop(outer)).starts_with("wsrt: runtime guards have to be dropped in the reverse"));
        std::mem::forget(inner);
        drop(runtime.enter());
    });
}

#[test]
fn spawn_local_on_a_multi_thread_runtime_panics() {
    within_a_minute(|| {
        let message = two_processors().run(async { panic_message(|| spawn_local(async {})) });
        assert_eq!(
            message,
            "wsrt: `spawn_local` needs a `LocalSet` that is being polled, a `LocalRuntime`, or a current-thread runtime and \
             the thread that is in its `block_on`: use `spawn`, `LocalSet::run_until` or \
             `#[wsrt::main(flavor = \"current_thread\")]`"
        );
    });
}

/// No other report could be made of it.
#[test]
fn a_hook_that_panics_is_named_before_the_process_aborts() {
    let test = "a_hook_that_panics_is_named_before_the_process_aborts";
    for hook in ["on_thread_start", "on_thread_stop", "on_stall", "on_report", "on_task_spawn", "on_task_terminate"] {
        let output = in_a_process_of_its_own(test, &[("HOOK", hook), ("WSRT_STALL_MS", "10")], || {
            let hook = std::env::var("HOOK").expect("it is set");
            let mut builder = Builder::new_multi_thread();
            match &*hook {
                "on_thread_start" => builder.on_thread_start(|| panic!("in the hook")),
                "on_thread_stop" => builder.on_thread_stop(|| panic!("in the hook")),
                "on_report" => builder.on_report(|_| panic!("in the hook")),
                "on_task_spawn" => builder.on_task_spawn(|_| panic!("in the hook")),
                "on_task_terminate" => builder.on_task_terminate(|_| panic!("in the hook")),
                _ => builder.on_stall(|_| panic!("in the hook")),
            };
            let runtime = builder.worker_threads(1).build().expect("a runtime");
            runtime.run(async { std::thread::sleep(Duration::from_millis(300)) });
            drop(runtime);
            std::thread::sleep(LIMIT);
        });
        assert_eq!(output.status.signal(), Some(6), "it aborts");
        let errors = String::from_utf8_lossy(&output.stderr);
        let expected = format!(
            "wsrt: the function given to `Builder::{hook}` panicked, so the process aborts: catch panics inside it\n"
        );
        assert!(errors.contains(&expected), "{errors}");
    }
}
