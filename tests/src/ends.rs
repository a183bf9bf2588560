//! A task in the middle of its last poll, while its runtime ends.

use std::future::Future;
use std::io;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use wsrt::runtime::Builder;
use wsrt::time::sleep;

use crate::{LIMIT, panic_message, two_processors};

/// Runs a task of a runtime that ends around it, and returns once the task was dropped. The task
/// calls the function that it is given, which returns once the netpoller has ended, and goes on
/// with its last poll.
///
/// # Panics
///
/// Panics if the task has another end.
pub fn assert_dropped_at_the_end<F>(task: impl FnOnce(Box<dyn FnOnce() + Send>) -> F)
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    let runtime = two_processors();
    let handle = runtime.handle().clone();
    let (wait, waits) = channel();
    let outside = thread::spawn(move || {
        panic_message(|| {
            handle.block_on(async {
                wait.send(()).expect("the test waits");
                sleep(Duration::from_secs(3_600)).await;
            });
        })
    });
    waits.recv_timeout(LIMIT).expect("the wait begins");
    let (go, goes) = channel::<()>();
    let (began, has_begun) = channel();
    let task = runtime.spawn(task(Box::new(move || {
        began.send(()).expect("the test waits");
        assert!(goes.recv_timeout(LIMIT).is_err(), "nothing is sent");
    })));
    has_begun.recv_timeout(LIMIT).expect("the poll begins");
    let dropping = thread::spawn(move || drop(runtime));
    // A timer outside the tasks ends after the netpoller has.
    outside.join().expect("it returns the message");
    drop(go);
    dropping.join().expect("the drop does not panic");
    match Builder::new_current_thread().build().expect("a runtime").block_on(task) {
        Err(error) => assert!(error.is_cancelled(), "{error}"),
        Ok(outcome) => panic!("its wait had an end: {outcome:?}"),
    }
}
