//! The layers of `wsrt_hyper::tower` end answers that take too long by the runtime's clock.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tower_layer::Layer;
use tower_service::Service;
use wsrt::sync::oneshot;
use wsrt::time::error::Elapsed;
use wsrt::time::{Instant, sleep};
use wsrt_hyper::tower::{Timeout, TimeoutAnswerLayer, TimeoutLayer};

const SECOND: Duration = Duration::from_secs(1);

/// The service's own error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

/// A request: how long the service takes for it, its answer, and a sender that is dropped with it.
type SlowCall = (Duration, Result<u32, Refused>, Option<oneshot::Sender<()>>);

#[derive(Clone)]
struct Slow;

impl Service<SlowCall> for Slow {
    type Response = u32;
    type Error = Refused;
    type Future = Pin<Box<dyn Future<Output = Result<u32, Refused>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Refused>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, (duration, answer, guard): SlowCall) -> Self::Future {
        Box::pin(async move {
            sleep(duration).await;
            drop(guard);
            answer
        })
    }
}

#[wsrt::test(start_paused = true)]
async fn an_answer_that_takes_too_long_fails_at_the_limit() {
    let mut limited = TimeoutLayer::new(10 * SECOND).layer(Slow);
    let began = Instant::now();
    let error = limited.call((11 * SECOND, Ok(1), None)).await.expect_err("it is too slow");
    assert!(error.is::<Elapsed>(), "{error}");
    assert_eq!(began.elapsed(), 10 * SECOND);
}

#[wsrt::test(start_paused = true)]
async fn answers_and_errors_in_time_pass_through() {
    let mut limited = Timeout::new(Slow, 10 * SECOND);
    assert_eq!(limited.call((9 * SECOND, Ok(7), None)).await.expect("it is in time"), 7);
    let error = limited.call((9 * SECOND, Err(Refused), None)).await.expect_err("it is refused");
    assert_eq!(error.downcast_ref(), Some(&Refused));
    let mut answered = TimeoutAnswerLayer::new(10 * SECOND, || 0).layer(Slow);
    assert_eq!(answered.call((9 * SECOND, Ok(7), None)).await, Ok(7));
    assert_eq!(answered.call((9 * SECOND, Err(Refused), None)).await, Err(Refused));
}

#[wsrt::test(start_paused = true)]
async fn the_closure_answers_at_the_limit() {
    let mut answered = TimeoutAnswerLayer::new(10 * SECOND, || 504).layer(Slow);
    let began = Instant::now();
    assert_eq!(answered.call((11 * SECOND, Ok(1), None)).await, Ok(504));
    assert_eq!(began.elapsed(), 10 * SECOND);
}

#[wsrt::test(start_paused = true)]
async fn a_limited_answer_is_dropped_with_its_future() {
    let (guard, dropped) = oneshot::channel();
    let mut answered = TimeoutAnswerLayer::new(SECOND, || 504).layer(Slow);
    let began = Instant::now();
    assert_eq!(answered.call((3600 * SECOND, Ok(1), Some(guard))).await, Ok(504));
    assert!(dropped.await.is_err());
    assert_eq!(began.elapsed(), SECOND);
}
