//! Real signals, each test in its own process: a process that has listened for SIGTERM cannot
//! be stopped by it any more, which the one that runs all the other tests should be.

use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{self, Command};
use std::time::Duration;
use std::{env, io, thread};

use tokio_test::task::spawn;
use tokio_test::{assert_pending, assert_ready_eq};
use wsrt_sync::drop_in::OUTSIDE;

use super::ctrl_c;
use super::unix::{SignalKind, signal};
use crate::runtime::{Builder, Runtime};

fn single() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime is to be had")
}

/// Set in the process of one test, to the test's name.
const CHILD: &str = "WSRT_SIGNAL_TEST";

/// A hanging test process ends itself after this time: no other process can ask it to.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `body`, the test `name` of `module`, in its own process.
pub(super) fn in_own_process(module: &str, name: &str, body: impl FnOnce()) {
    if env::var_os(CHILD).is_some_and(|child| child == name) {
        thread::spawn(|| {
            thread::sleep(PATIENCE);
            process::abort();
        });
        return body();
    }
    let (_crate, module) = module.split_once("::").expect("a module of a crate");
    let mut child = Command::new(env::current_exe().expect("tests are in a file"));
    child.args([&format!("{module}::{name}"), "--exact", "--nocapture"]).env(CHILD, name);
    let output = child.output().expect("the test's file can be run");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{}\n{said}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Sends `kind` to this process, which would not survive it without a listener.
pub(super) fn send(kind: SignalKind) {
    let kill = format!("kill -{} {}", kind.as_raw_value(), process::id());
    let status = Command::new("sh").arg("-c").arg(kill).status().expect("there is a shell");
    assert!(status.success(), "{status}");
}

/// The message of `f`'s panic.
fn panic_message(f: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("it has to panic");
    *payload.downcast::<String>().expect("the message has an argument in it")
}

#[test]
fn a_ctrl_c_before_the_first_poll_reaches_every_listener() {
    in_own_process(module_path!(), "a_ctrl_c_before_the_first_poll_reaches_every_listener", || {
        let (one, other) = (ctrl_c(), ctrl_c());
        send(SignalKind::interrupt());
        single().block_on(async {
            one.await.expect("it was listened for");
            other.await.expect("it was listened for");
            let mut late = spawn(ctrl_c());
            assert_pending!(late.poll());
            let sender = crate::task::spawn_blocking(|| send(SignalKind::interrupt()));
            late.await.expect("it was listened for");
            sender.await.expect("it was sent");
        });
    });
}

#[test]
fn a_signal_is_received_each_time_it_comes() {
    in_own_process(module_path!(), "a_signal_is_received_each_time_it_comes", || {
        single().block_on(async {
            let mut terminate = signal(SignalKind::terminate()).expect("the system lets us listen");
            for _ in 0..3 {
                let sender = crate::task::spawn_blocking(|| send(SignalKind::terminate()));
                assert_eq!(terminate.recv().await, Some(()));
                sender.await.expect("it was sent");
            }
        });
    });
}

#[test]
fn a_signal_without_listeners_does_not_end_the_process() {
    in_own_process(module_path!(), "a_signal_without_listeners_does_not_end_the_process", || {
        single().block_on(async {
            let mut first = signal(SignalKind::quit()).expect("the system lets us listen");
            drop(signal(SignalKind::quit()).expect("any number may listen"));
            send(SignalKind::quit());
            assert_eq!(first.recv().await, Some(()));
        });
        send(SignalKind::quit());
    });
}

#[test]
fn each_of_two_runtimes_receives_a_signal() {
    in_own_process(module_path!(), "each_of_two_runtimes_receives_a_signal", || {
        let (one, other) = (single(), single());
        let mut first = one.block_on(async { signal(SignalKind::hangup()) }).expect("the system lets us listen");
        let mut second = other.block_on(async { signal(SignalKind::hangup()) }).expect("the system lets us listen");
        for _ in 0..2 {
            send(SignalKind::hangup());
            assert_eq!(one.block_on(first.recv()), Some(()));
            assert_eq!(other.block_on(second.recv()), Some(()));
        }
        drop(one);
        assert_ready_eq!(spawn(()).enter(|cx, _| first.poll_recv(cx)), None);
        send(SignalKind::hangup());
        assert_eq!(other.block_on(second.recv()), Some(()));
    });
}

#[test]
fn a_signal_to_a_forked_process_is_not_its_parents() {
    in_own_process(module_path!(), "a_signal_to_a_forked_process_is_not_its_parents", || {
        single().block_on(async {
            let mut usr1 = signal(SignalKind::user_defined1()).expect("the system lets us listen");
            let raise = || match raise_usr1() {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            };
            let mut child = Command::new("true");
            // SAFETY: between the fork and the program the child makes one system call, and its
            // signal handler, which writes to the pair that it shares with this process.
            unsafe { child.pre_exec(raise) };
            assert!(child.status().expect("there is such a program").success());
            crate::task::yield_now().await;
            let mut received = spawn(usr1.recv());
            assert_pending!(received.poll());
            drop(received);
            send(SignalKind::user_defined1());
            assert_eq!(usr1.recv().await, Some(()));
        });
    });
}

/// Sends SIGUSR1 to the thread that calls it.
fn raise_usr1() -> i32 {
    // SAFETY: the call takes a number, and its handler is installed.
    unsafe { libc::raise(libc::SIGUSR1) }
}

#[test]
fn the_end_of_the_runtime_ends_the_wait() {
    in_own_process(module_path!(), "the_end_of_the_runtime_ends_the_wait", || {
        let runtime = single();
        let mut alarm = runtime.block_on(async { signal(SignalKind::alarm()) }).expect("the system lets us listen");
        drop(runtime);
        assert_ready_eq!(spawn(()).enter(|cx, _| alarm.poll_recv(cx)), None);
    });
}

#[test]
fn a_signal_that_cannot_be_handled_is_a_clear_error() {
    single().block_on(async {
        let error = signal(SignalKind::from_raw(9)).expect_err("no program handles SIGKILL");
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(error.to_string(), "cannot listen for SIGKILL: a program cannot handle it and continue");
        let error = signal(SignalKind::from_raw(12_345)).expect_err("there is none");
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(error.raw_os_error(), Some(libc::EINVAL));
    });
}

#[test]
fn outside_a_runtime_listening_panics_and_says_what_to_do() {
    in_own_process(module_path!(), "outside_a_runtime_listening_panics_and_says_what_to_do", || {
        let advice = "outside a wsrt runtime: do it inside `#[wsrt::main]`, a spawned task or `Runtime::block_on`";
        let message = panic_message(|| drop(signal(SignalKind::alarm())));
        assert_eq!(message, format!("wsrt: {OUTSIDE}`signal::unix::signal` was called {advice}"));
        let message = panic_message(|| drop(spawn(ctrl_c()).poll()));
        assert_eq!(message, format!("wsrt: {OUTSIDE}`signal::ctrl_c` was polled {advice}"));
    });
}
