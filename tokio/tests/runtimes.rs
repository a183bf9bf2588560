//! The promises of runtimes that tokio's tests leave open.

#![cfg(all(feature = "full", unix))]

use std::process::Command;
use std::rc::Rc;

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
