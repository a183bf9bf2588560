//! Under feature `tokio-compat` a runtime may end in the destructor of a thread-local value, though
//! tokio's own thread-local values are gone by then.

use std::cell::RefCell;
use std::env;
use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;

use wsrt::runtime::{Builder, Runtime};

/// Set in the process that an abort would end.
const MARK: &str = "WSRT_TESTS_THREAD_LOCALS";

thread_local! {
    static KEPT: RefCell<Option<Runtime>> = const { RefCell::new(None) };
}

/// Uses tokio in its drop, if it is there.
struct Spawner;

impl Drop for Spawner {
    fn drop(&mut self) {
        if let Ok(tokio) = tokio::runtime::Handle::try_current() {
            drop(tokio.spawn(async {}));
        }
        drop(wsrt::spawn(async {}));
    }
}

/// Ends a thread whose thread-local value is a runtime with a task that waits.
fn end_with_runtime(runtime: Runtime) {
    let (began, has_begun) = channel();
    let thread = thread::spawn(move || {
        // This value is registered first, so it is destroyed after tokio's.
        KEPT.with_borrow_mut(|kept| *kept = Some(runtime));
        KEPT.with_borrow(|kept| {
            let runtime = kept.as_ref().expect("it was put there");
            runtime.spawn(async move {
                let _spawner = Spawner;
                began.send(()).expect("the thread waits");
                std::future::pending::<()>().await;
            });
            runtime.block_on(async move {
                while has_begun.try_recv().is_err() {
                    wsrt::task::yield_now().await;
                }
            });
        });
    });
    thread.join().expect("no panic");
}

#[test]
fn a_runtime_ends_after_the_thread_locals_of_tokio() {
    if env::var_os(MARK).is_some() {
        end_with_runtime(Builder::new_multi_thread().worker_threads(1).build().expect("a runtime"));
        end_with_runtime(Builder::new_current_thread().build().expect("a runtime"));
        std::process::exit(0);
    }
    let mut process = Command::new(env::current_exe().expect("the test program has a path"));
    let output = process.args(["--test-threads=1", "--nocapture"]).env(MARK, "1").output();
    let output = output.expect("the test program starts a second time");
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
}
