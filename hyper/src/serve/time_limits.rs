//! `TimeLimits`: the time limits of a connection, depending on what the connection waits for.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use wsrt::time::{Instant, Sleep, sleep};

use super::traffic::{Awaited, Traffic, TrafficSnapshot};
use super::wait_allowance::WaitAllowance;

/// The limits of a connection; `None` means no limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) first_request: Option<Duration>,
    /// How long the client may take none of the answers that are available.
    pub(super) room: Option<Duration>,
    /// How long the connection may have no open request.
    pub(super) idle: Option<Duration>,
}

/// Waits until the client has kept its connection waiting for too long.
///
/// The requests of a connection run in their own tasks, and communicate only through a word that
/// this future checks as often as the shortest limit. A wait may therefore end after twice its
/// limit.
#[derive(Debug)]
pub(super) struct TimeLimits {
    traffic: Arc<Traffic>,
    first_request: Option<WaitAllowance>,
    room: Option<WaitAllowance>,
    idle: Option<WaitAllowance>,
    /// Set if the connection ends once its requests are answered.
    is_ending: bool,
    /// The traffic at the last look, and the time of that look.
    seen: TrafficSnapshot,
    looked: Instant,
    /// The time until the next check; `None` if there is no limit at all.
    sleep: Option<Pin<Box<Sleep>>>,
}

/// The limit that has expired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    FirstRequest,
    Room,
    Idle,
}

impl TimeLimits {
    pub(super) fn new(traffic: Arc<Traffic>, limits: Limits) -> Self {
        let [first_request, room, idle] =
            [limits.first_request, limits.room, limits.idle].map(|limit| limit.map(WaitAllowance::new));
        let (seen, looked) = (traffic.look(), Instant::now());
        let mut time_limits = Self { traffic, first_request, room, idle, is_ending: false, seen, looked, sleep: None };
        time_limits.sleep = time_limits.until_the_next_look().map(|pause| Box::pin(sleep(pause)));
        time_limits
    }

    /// Notes that the connection ends once its requests are answered. Without an open request, the
    /// connection is then not idle any more: the client still has to take what is buffered.
    pub(super) fn be_ending(&mut self) {
        self.is_ending = true;
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Over> {
        while let Some(sleep) = &mut self.sleep {
            ready!(sleep.as_mut().poll(context));
            if let Some(over) = self.look() {
                return Poll::Ready(over);
            }
            match (self.until_the_next_look(), &mut self.sleep) {
                (Some(pause), Some(sleep)) => sleep.as_mut().reset(self.looked + pause),
                (_, none) => *none = None,
            }
        }
        Poll::Pending
    }

    /// Checks what the connection waits for, and returns the limit that has expired, if any.
    fn look(&mut self) -> Option<Over> {
        let (now, seen) = (Instant::now(), self.traffic.look());
        let waited = now.saturating_duration_since(self.looked);
        let written = seen.written_since(self.seen);
        (self.looked, self.seen) = (now, seen);
        let Some(written) = written else {
            [&mut self.room, &mut self.idle].into_iter().flatten().for_each(WaitAllowance::restore);
            return None;
        };
        let (over, allowance, written) = match seen.awaited() {
            // During these waits the server writes pings and their answers, or, after an idle
            // connection's GOAWAY, the rest of an answer.
            Awaited::FirstRequest => (Over::FirstRequest, &mut self.first_request, 0),
            Awaited::Request if !self.is_ending => (Over::Idle, &mut self.idle, 0),
            Awaited::Request | Awaited::Room => (Over::Room, &mut self.room, written),
            Awaited::Service => return None,
        };
        allowance.as_mut()?.spend(waited, written).then_some(over)
    }

    /// Returns the time during which no limit can expire.
    fn until_the_next_look(&self) -> Option<Duration> {
        let first_request = self.first_request.filter(|_| !self.traffic.has_begun());
        let idle = self.idle.filter(|_| !self.is_ending);
        [first_request, self.room, idle].into_iter().flatten().map(|allowance| allowance.left()).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use wsrt::runtime::Builder;

    const FIRST_REQUEST: Duration = Duration::from_secs(30);
    const ROOM: Duration = Duration::from_secs(60);
    const IDLE: Duration = Duration::from_secs(180);
    const DAY: Duration = Duration::from_secs(86_400);

    fn limits() -> Limits {
        Limits { first_request: Some(FIRST_REQUEST), room: Some(ROOM), idle: Some(IDLE) }
    }

    /// Returns the limit that is over within a day, and after how long it is.
    async fn over(time_limits: &mut TimeLimits) -> Option<(Over, Duration)> {
        let began = Instant::now();
        let over = wsrt::time::timeout(DAY, poll_fn(|context| time_limits.poll(context))).await.ok()?;
        Some((over, began.elapsed()))
    }

    fn on_a_stopped_clock(test: impl Future<Output = ()>) {
        Builder::new_current_thread().start_paused(true).build().expect("a runtime is to be had").block_on(test);
    }

    #[test]
    fn a_connection_is_ended_by_what_it_waits_for() {
        on_a_stopped_clock(async {
            let traffic = Arc::new(Traffic::default());
            let mut time_limits = TimeLimits::new(Arc::clone(&traffic), limits());
            assert_eq!(over(&mut time_limits).await, Some((Over::FirstRequest, FIRST_REQUEST)));

            let mut time_limits = TimeLimits::new(Arc::clone(&traffic), limits());
            let mut turn = traffic.begin();
            assert_eq!(over(&mut time_limits).await, None, "the service may take as long as it wants");
            turn.await_client();
            let (limit, after) = over(&mut time_limits).await.expect("the client may not");
            assert!(limit == Over::Room && (ROOM..=2 * ROOM).contains(&after), "{limit:?} after {after:?}");

            let mut time_limits = TimeLimits::new(Arc::clone(&traffic), limits());
            drop(turn);
            let (limit, after) = over(&mut time_limits).await.expect("it is idle");
            assert!(limit == Over::Idle && (IDLE..=IDLE + ROOM).contains(&after), "{limit:?} after {after:?}");
            time_limits.be_ending();
            let (limit, after) = over(&mut time_limits).await.expect("it ends");
            assert!(limit == Over::Room && (ROOM..=2 * ROOM).contains(&after), "{limit:?} after {after:?}");
        });
    }

    #[test]
    fn a_client_that_takes_enough_is_waited_for() {
        for (bytes, is_enough) in [(240 * 20, true), (1, false)] {
            on_a_stopped_clock(async move {
                let traffic = Arc::new(Traffic::default());
                let mut time_limits = TimeLimits::new(Arc::clone(&traffic), limits());
                let mut turn = traffic.begin();
                turn.await_client();
                let taking = async {
                    loop {
                        wsrt::time::sleep(Duration::from_secs(20)).await;
                        traffic.wrote(bytes);
                    }
                };
                let taking = std::pin::pin!(taking);
                let outcome = super::super::race::unless(taking, over(&mut time_limits)).await.expect("taking goes on");
                assert_eq!(outcome.is_none(), is_enough, "{outcome:?}");
            });
        }
    }

    #[test]
    fn requests_keep_a_connection() {
        on_a_stopped_clock(async {
            let traffic = Arc::new(Traffic::default());
            let mut time_limits = TimeLimits::new(Arc::clone(&traffic), limits());
            let asking = async {
                loop {
                    drop(traffic.begin());
                    wsrt::time::sleep(IDLE * 2 / 3).await;
                }
            };
            let asking = std::pin::pin!(asking);
            assert_eq!(super::super::race::unless(asking, over(&mut time_limits)).await, Some(None));
        });
    }

    #[test]
    fn without_limits_nothing_is_over() {
        on_a_stopped_clock(async {
            let traffic = Arc::new(Traffic::default());
            let mut time_limits =
                TimeLimits::new(Arc::clone(&traffic), Limits { first_request: None, room: None, idle: None });
            assert_eq!(over(&mut time_limits).await, None);
            traffic.begin().await_client();
            assert_eq!(over(&mut time_limits).await, None);
        });
    }
}
