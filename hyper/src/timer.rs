//! `WsrtTimer`: runs hyper's time limits on the runtime's timers and clock.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};
use pin_project_lite::pin_project;
use wsrt::time::{self, sleep, sleep_until};

/// A timer for hyper that uses the wsrt runtime's timers and clock.
///
/// Without a timer, hyper enforces no time limits, not even the limit of 30 seconds for the headers
/// of a request. Pass a `WsrtTimer` to the `timer` method of every server and client builder. A
/// time limit that hyper resets with each request uses a single timer for the lifetime of the
/// connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct WsrtTimer;

impl Timer for WsrtTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        Box::pin(WsrtSleep { inner: sleep(duration) })
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(WsrtSleep { inner: sleep_until(deadline.into()) })
    }

    fn now(&self) -> Instant {
        time::Instant::now().into_std()
    }

    fn reset(&self, sleep: &mut Pin<Box<dyn Sleep>>, new_deadline: Instant) {
        match sleep.as_mut().downcast_mut_pin::<WsrtSleep>() {
            Some(own) => own.project().inner.reset(new_deadline.into()),
            // A sleep of another timer: hyper's builder may have been given a new one.
            None => *sleep = self.sleep_until(new_deadline),
        }
    }
}

pin_project! {
    /// A timer of the runtime with hyper's trait, which is foreign to wsrt as the timer is to this
    /// crate.
    struct WsrtSleep {
        #[pin]
        inner: time::Sleep,
    }
}

impl Future for WsrtSleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.project().inner.poll(cx)
    }
}

impl Sleep for WsrtSleep {}

#[cfg(test)]
mod tests {
    use super::*;
    use wsrt::runtime::{Builder, Runtime};

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
        let own = sleep.as_mut().downcast_mut_pin::<WsrtSleep>().expect("it is ours");
        assert_eq!(own.inner.deadline().into_std(), deadline);
    }

    #[test]
    fn hyper_goes_by_the_clock_that_a_test_has_stopped() {
        let runtime = Builder::new_current_thread().start_paused(true).build().expect("a runtime is to be had");
        runtime.block_on(async {
            let began = WsrtTimer.now();
            let mut sleep = WsrtTimer.sleep(Duration::MAX);
            WsrtTimer.reset(&mut sleep, began + Duration::from_secs(3600));
            sleep.await;
            assert_eq!(WsrtTimer.now() - began, Duration::from_secs(3600));
        });
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
}
