//! Locks, channels and timers of the drop-in are shown to tokio-console as wsrt's own are: by the
//! same tests.
#![cfg(tokio_unstable)]

#[allow(dead_code, reason = "the native tests look at tasks, too")]
#[path = "../../../../executor/tests/console/recorder.rs"]
mod recorder;
#[path = "../../../../executor/tests/console/resources.rs"]
mod resources;

use std::future::Future;

use tokio as under_test;
use tokio::wsrt::sync::CancellationToken;

fn spawn_named(name: &str, future: impl Future<Output = ()> + Send + 'static) -> tokio::task::JoinHandle<()> {
    tokio::task::Builder::new().name(name).spawn(future).expect("a task is spawned")
}
