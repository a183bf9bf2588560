//! The promises of `#[test]`, kept by tests written with it and run on a stand-in for the runtime.

mod runtime_double;

use std::env;
use std::error::Error;
use std::panic::catch_unwind;
use std::process::{Command, ExitCode};
use std::rc::Rc;

use runtime_double::runtime::{Started, started, with_failing_builds};
use wsrt_macros::test;

#[test(crate = "crate::runtime_double")]
async fn the_default_is_current_thread_and_need_not_be_send() {
    let not_send = Rc::new(());
    std::future::ready(()).await;
    assert_eq!(Rc::strong_count(&not_send), 1);
    assert_eq!(started(), Some(Started::CurrentThread { paused: false }));
}

#[test(flavor = "multi_thread", worker_threads = 2, crate = "crate::runtime_double")]
async fn the_options_reach_the_builder() {
    assert_eq!(started(), Some(Started::MultiThread { worker_threads: Some(2) }));
}

#[test(start_paused = true, crate = "crate::runtime_double")]
async fn the_clock_may_stand_from_the_start() {
    assert_eq!(started(), Some(Started::CurrentThread { paused: true }));
}

#[test(flavor = "multi_thread", crate = "crate::runtime_double")]
async fn a_multi_thread_test_may_return_a_non_send_error() -> Result<(), Box<dyn Error>> {
    let port: u16 = "80".parse()?;
    assert_eq!(port, 80);
    Ok(())
}

#[test(flavor = "multi_thread", crate = "crate::runtime_double")]
async fn a_multi_thread_test_need_not_be_send() {
    let not_send = Rc::new(());
    std::future::ready(()).await;
    assert_eq!(Rc::strong_count(&not_send), 1);
    assert_eq!(started(), Some(Started::MultiThread { worker_threads: None }));
}

#[test(flavor = "multi_thread", crate = "crate::runtime_double")]
#[should_panic(expected = "as it should")]
async fn should_panic_sees_the_panic_of_a_multi_thread_root() {
    panic!("as it should");
}

#[test(crate = "crate::runtime_double")]
#[should_panic(expected = "as it should")]
async fn should_panic_sees_the_panic_of_a_current_thread_root() {
    panic!("as it should");
}

/// Set for the child process of the test below alone.
const RETURN_AN_ERROR: &str = "WSRT_MACROS_TEST_RETURNS_AN_ERROR";

#[test(crate = "crate::runtime_double")]
async fn returns_an_error_when_asked() -> Result<(), Box<dyn Error>> {
    match env::var_os(RETURN_AN_ERROR) {
        Some(_) => Err("asked to fail".into()),
        None => Ok(()),
    }
}

#[core::prelude::v1::test]
fn a_test_that_returns_an_error_fails() {
    let this_file = env::current_exe().expect("the path of the running test");
    let verdict = Command::new(this_file)
        .args(["--exact", "returns_an_error_when_asked", "--nocapture"])
        .env(RETURN_AN_ERROR, "1")
        .output()
        .expect("the test file runs a second time");
    assert!(!verdict.status.success(), "{verdict:?}");
    let printed = String::from_utf8_lossy(&verdict.stderr);
    assert!(printed.contains("Error: \"asked to fail\""), "{verdict:?}");
}

#[core::prelude::v1::test]
fn a_test_whose_runtime_cannot_start_fails_with_the_reason() {
    let payload = with_failing_builds(|| catch_unwind(the_options_reach_the_builder)).expect_err("no runtime, no pass");
    assert_eq!(payload.downcast_ref::<String>().map(String::as_str), Some("wsrt: no threads left"));
    assert_eq!(with_failing_builds(returns_an_error_when_asked), ExitCode::FAILURE);
}
