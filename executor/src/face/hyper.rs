//! What hyper asks of a runtime: somewhere to run futures, and a timer.
//!
//! Hand [`WsrtExecutor`] and [`WsrtTimer`] to hyper's builders; the streams of [`net`](crate::net) implement hyper's I/O
//! traits themselves, so that they need no wrapper. With both, hyper runs on wsrt's processors alone.
//!
//! # Examples
//!
//! ```
//! use hyper::rt::{Executor, Timer};
//! use std::time::Duration;
//! use wsrt::hyper::{WsrtExecutor, WsrtTimer};
//!
//! # let runtime = wsrt::runtime::Runtime::new().unwrap();
//! # runtime.block_on(async {
//! WsrtExecutor.execute(async { println!("a task of hyper's") });
//! WsrtTimer.sleep(Duration::from_millis(1)).await;
//! # });
//! ```

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use hyper::rt::{Executor, Sleep, Timer};

use crate::face::task;
use crate::face::time::{self, sleep, sleep_until};

/// Spawns hyper's futures as tasks of the current runtime.
///
/// HTTP/2 needs it, for its streams; HTTP/1 spawns nothing. The tasks are detached.
///
/// # Panics
///
/// [`execute`](Executor::execute) does, outside a wsrt runtime.
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

/// Gives hyper the runtime's timers.
///
/// Without a timer hyper leaves out its time limits, the 30 seconds for the headers of a request among them: hand it to the
/// `timer` method of every server and client builder. The time limit that hyper moves with each request keeps one timer
/// for the life of the connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct WsrtTimer;

impl Timer for WsrtTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        Box::pin(sleep(duration))
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(sleep_until(deadline.into()))
    }

    fn now(&self) -> Instant {
        time::Instant::now().into_std()
    }

    fn reset(&self, sleep: &mut Pin<Box<dyn Sleep>>, new_deadline: Instant) {
        match sleep.as_mut().downcast_mut_pin::<time::Sleep>() {
            Some(own) => own.reset(new_deadline.into()),
            // Another timer's: hyper may have been given a new one meanwhile.
            None => *sleep = self.sleep_until(new_deadline),
        }
    }
}

impl Sleep for time::Sleep {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::runtime::Runtime;
    use std::task::{Context, Poll};

    fn address(sleep: &Pin<Box<dyn Sleep>>) -> *const () {
        (&raw const **sleep).cast()
    }

    #[test]
    fn a_reset_keeps_the_sleep_and_moves_its_deadline() {
        let mut sleep = WsrtTimer.sleep(Duration::MAX);
        let before = address(&sleep);
        let deadline = WsrtTimer.now() + Duration::from_secs(1);
        WsrtTimer.reset(&mut sleep, deadline);
        assert_eq!(address(&sleep), before);
        let own = sleep.as_mut().downcast_mut_pin::<time::Sleep>().expect("it is ours");
        assert_eq!(own.deadline().into_std(), deadline);
    }

    struct Foreign;

    impl Future for Foreign {
        type Output = ();

        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
            Poll::Pending
        }
    }

    impl Sleep for Foreign {}

    #[test]
    fn a_sleep_of_another_timer_is_replaced_by_a_reset() {
        let mut sleep: Pin<Box<dyn Sleep>> = Box::pin(Foreign);
        WsrtTimer.reset(&mut sleep, WsrtTimer.now());
        let slept = Runtime::new()
            .expect("a runtime is to be had")
            .block_on(async { time::timeout(Duration::from_secs(20), sleep).await });
        assert_eq!(slept, Ok(()));
    }

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
