//! The promises of runtimes that tokio's tests leave open.

#![cfg(all(feature = "full", unix))]

use std::process::Command;
use std::rc::Rc;
use std::sync::mpsc::channel;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::{LocalSet, block_in_place, spawn_local};

#[tokio::test(flavor = "local")]
async fn a_local_test_needs_no_set() {
    let shared = Rc::new(7);
    assert_eq!(spawn_local(async move { *shared }).await.expect("no panic"), 7);
}

#[test]
fn tokios_variable_sets_the_number_of_workers() {
    const CHILD: &str = "TOKIO_WORKER_THREADS";
    if std::env::var_os("IS_CHILD").is_some() {
        let runtime = Builder::new_multi_thread().build();
        return match runtime {
            Ok(runtime) => println!("workers: {}", runtime.metrics().num_workers()),
            Err(error) => println!("refused: {error}"),
        };
    }
    let run = |value: &str| {
        let mut child = Command::new(std::env::current_exe().expect("this test"));
        child.args(["--exact", "--nocapture", "tokios_variable_sets_the_number_of_workers"]);
        let output = child.env("IS_CHILD", "1").env(CHILD, value).env_remove("WSRT_WORKER_THREADS").output();
        String::from_utf8(output.expect("it runs").stdout).expect("it prints text")
    };
    assert!(run("3").contains("workers: 3"));
    let refused = run("many");
    assert!(refused.contains("refused: TOKIO_WORKER_THREADS=many is not a number of processors"), "{refused}");
}

#[test]
fn the_scheduler_s_trace_says_which_runtime_it_is() {
    const TEST: &str = "the_scheduler_s_trace_says_which_runtime_it_is";
    if std::env::var_os("IS_CHILD").is_some() {
        let build = || Builder::new_current_thread().build().unwrap();
        return drop((build(), build()));
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "--nocapture", TEST]).env("IS_CHILD", "1").env("WSRT_SCHEDTRACE", "1000");
    let errors = String::from_utf8(child.output().unwrap().stderr).unwrap();
    assert_eq!(errors.matches("wsrt: this is wsrt 0.").count(), 1, "{errors}");
    assert_eq!(errors.matches(" as tokio 1.x\n").count(), 1, "{errors}");
}

#[test]
#[cfg(feature = "debug")]
fn the_debug_pages_start_with_a_builder_and_without() {
    const TEST: &str = "the_debug_pages_start_with_a_builder_and_without";
    if let Some(way) = std::env::var_os("IS_CHILD") {
        let runtime = if way == "new" { Runtime::new() } else { Builder::new_current_thread().build() };
        return drop(runtime.unwrap());
    }
    for way in ["new", "build"] {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "--nocapture", TEST]).env("IS_CHILD", way).env("WSRT_DEBUG", "127.0.0.1:0");
        let errors = String::from_utf8(child.output().unwrap().stderr).unwrap();
        assert_eq!(errors.matches("wsrt: the debug pages are at http://127.0.0.1:").count(), 1, "{way}: {errors}");
    }
}

#[test]
fn the_builder_gives_access_to_wsrt_s() {
    let mut builder = Builder::new_multi_thread();
    let (note, stalls) = channel();
    builder.worker_threads(2).as_mut().max_machines(3).latency_histograms(true).on_stall(move |stall| {
        let _ = note.send(stall.task_id);
    });
    let runtime = builder.build().unwrap();
    let (release, released) = channel::<()>();
    let stuck = runtime.spawn(async move { released.recv().is_err() });
    assert!(stalls.recv().is_ok());
    drop(release);
    assert!(runtime.block_on(stuck).unwrap());
    let error = runtime.handle().resize(4).unwrap_err();
    assert!(error.to_string().contains("from 1 to 3 processors"), "{error}");
}

#[test]
fn block_in_place_works_on_each_flavor() {
    for mut builder in [Builder::new_multi_thread(), Builder::new_current_thread()] {
        let runtime = builder.build().expect("a runtime");
        assert_eq!(runtime.block_on(async { block_in_place(|| 7) }), 7);
        let task = runtime.spawn(async { block_in_place(|| 8) });
        assert_eq!(runtime.block_on(task).expect("it does not panic"), 8);
    }
}

#[test]
fn blocking_in_place_works_beside_a_set() {
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let set = LocalSet::new();
        let _guard = set.enter();
        assert_eq!(block_in_place(|| 7), 7);
        assert!(Handle::current().name().is_none());
    });
}

/// tokio's threads run all that is queued before they look whether the runtime ends.
#[test]
fn blocking_jobs_in_the_queue_run_before_the_runtime_ends() {
    for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
        let runtime = builder.max_blocking_threads(1).build().unwrap();
        let (written, lines) = channel();
        let (release, released) = channel::<()>();
        let (began, has_begun) = channel();
        runtime.spawn_blocking(move || {
            began.send(()).unwrap();
            released.recv().unwrap();
        });
        has_begun.recv().unwrap();
        for line in 0..20 {
            let written = written.clone();
            runtime.spawn_blocking(move || written.send(line).unwrap());
        }
        drop(written);
        release.send(()).unwrap();
        drop(runtime);
        assert_eq!(lines.iter().collect::<Vec<_>>(), (0..20).collect::<Vec<_>>());
    }
}
