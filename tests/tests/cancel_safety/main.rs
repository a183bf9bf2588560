//! The claims of the sections *Cancel safety* hold: each operation is dropped at each of its waits,
//! and then it is checked that nothing is lost.
//!
//! A test names the sections that it checks in its documentation. `listed` fails if a section is
//! named nowhere.

// A state may be a future.
#![allow(clippy::async_yields_async)]

mod channels;
mod files;
mod http;
mod listed;
mod locks;
mod memory;
#[cfg(unix)]
mod processes;
mod sockets;
mod streams;
mod tasks;
mod times;
mod tool;
#[cfg(unix)]
mod unix;

use std::future::Future;

use wsrt::runtime::Builder;
use wsrt::task::{spawn_blocking, yield_now};
use wsrt_tests::within_a_minute;

/// Runs a test on a runtime with one thread, and with one for blocking calls, which come one after
/// the other there. A run that loses what `check` waits for hangs, and fails.
fn run<F: Future>(test: impl FnOnce() -> F + Send + 'static) {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().max_blocking_threads(1).build().expect("a runtime");
        runtime.block_on(async { drop(test().await) });
    });
}

/// Lets the other tasks run a few times, so that the operation waits before a peer acts.
async fn later() {
    for _ in 0..3 {
        yield_now().await;
    }
}

/// Keeps the thread for blocking calls busy until the operation waits for a call of its own.
fn occupy_blocking_thread() {
    let (release, released) = std::sync::mpsc::channel::<()>();
    drop(spawn_blocking(move || released.recv()));
    wsrt::spawn(async move {
        later().await;
        drop(release);
    });
}

/// Waits until the blocking calls before have returned: there is one thread for them.
async fn calls_have_returned() {
    spawn_blocking(|| ()).await.expect("it does not panic");
}
