//! `WsrtExecutor`: runs hyper's futures as wsrt tasks.

use std::future::Future;

use hyper::rt::Executor;
use wsrt::task;

/// An executor for hyper that spawns futures as tasks of the current wsrt runtime.
///
/// HTTP/2 requires an executor to run its streams concurrently; HTTP/1 spawns nothing. The spawned
/// tasks are detached.
///
/// # Panics
///
/// [`execute`](Executor::execute) panics if it is called outside a wsrt runtime.
#[derive(Clone, Copy, Debug, Default)]
pub struct WsrtExecutor;

impl<F> Executor<F> for WsrtExecutor
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    #[track_caller]
    fn execute(&self, future: F) {
        drop(task::spawn(future));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wsrt::runtime::Runtime;

    #[test]
    fn futures_that_are_executed_run_as_tasks() {
        Runtime::new().expect("a runtime is to be had").block_on(async {
            let (sender, receiver) = std::sync::mpsc::channel();
            WsrtExecutor.execute(async move { sender.send(task::try_id().is_some()).expect("the test waits") });
            let is_task = task::spawn_blocking(move || receiver.recv()).await.expect("no panic");
            assert_eq!(is_task, Ok(true));
        });
    }
}
