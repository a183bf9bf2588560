//! `LoadShedding`: refuses requests and connections that have waited for a worker for too long,
//! while the workers cannot keep up.
//!
//! Without shedding, a server beyond its capacity answers every request too late: the queue of
//! ready tasks grows for as long as the load lasts. With shedding, the queue stays about as long as
//! the limit. The rest is refused, which costs less than to serve it. The idea comes from `CoDel`,
//! a discipline for the queues of routers: a *burst* empties by itself and is served, however long
//! it waits; a queue that *stands* is shed down to the limit.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wsrt::runtime::Handle;
use wsrt::time::Instant;

use super::wake_times::WakeTimes;

/// The allowance, in limits: requests may be late for so long before any is refused. As in `CoDel`,
/// 100 ms for the usual 5 ms.
const ALLOWED_LIMITS: u32 = 20;
/// How long no request has to be late to earn one unit of time back: requests may be late for a
/// third of the time without a refusal.
const TIMES_TO_EARN: u32 = 2;

/// The rule of a server.
#[derive(Debug)]
struct LoadShedding {
    /// How long a request, or a new connection, may wait.
    limit: Duration,
    runtime: Handle,
    /// Locked for what is late alone.
    allowance: Mutex<LateAllowance>,
}

impl LoadShedding {
    /// Returns whether what has waited since `since` is refused.
    fn refuses(&self, since: Instant) -> bool {
        let now = Instant::now();
        let waited = now.saturating_duration_since(since);
        waited > self.limit && self.allowance.lock().unwrap_or_else(PoisonError::into_inner).spend(now, waited)
    }
}

/// The time for which requests may still be late. Tells a queue that stands from a burst.
#[derive(Debug)]
struct LateAllowance {
    most: Duration,
    left: Duration,
    /// When the last late request got its turn.
    last: Instant,
}

impl LateAllowance {
    fn new(limit: Duration, now: Instant) -> Self {
        let most = limit.saturating_mul(ALLOWED_LIMITS);
        Self { most, left: most, last: now }
    }

    /// Spends the time in which a late request has waited, unless another has spent it already, and
    /// earns for the time before. Returns whether nothing is left.
    #[must_use]
    fn spend(&mut self, now: Instant, waited: Duration) -> bool {
        let pause = now.saturating_duration_since(self.last);
        self.last = self.last.max(now);
        let late = pause.min(waited);
        let left = self.left.saturating_add((pause - late) / TIMES_TO_EARN).min(self.most);
        self.left = left.saturating_sub(late);
        self.left.is_zero()
    }
}

/// The rule of a server that sheds load, applied to one task: the task that accepts, or a
/// connection's.
#[derive(Debug, Clone)]
pub(super) struct Admission {
    shedding: Arc<LoadShedding>,
    times: Arc<WakeTimes>,
}

impl Admission {
    /// Creates the rule, for the task that accepts. Called in a runtime.
    pub(super) fn new(limit: Duration) -> Self {
        let now = Instant::now();
        let allowance = Mutex::new(LateAllowance::new(limit, now));
        let shedding = LoadShedding { limit, runtime: Handle::current(), allowance };
        Self { shedding: Arc::new(shedding), times: Arc::new(WakeTimes::new(now)) }
    }

    /// The rule for the task of a connection that the current task has accepted in this poll. The
    /// connection has waited since the listener woke the current task.
    pub(super) fn of_accepted(&self) -> Self {
        Self { shedding: Arc::clone(&self.shedding), times: Arc::new(WakeTimes::new(self.times.due())) }
    }

    /// The times of the task's wakes.
    pub(super) fn times(&self) -> Arc<WakeTimes> {
        Arc::clone(&self.times)
    }

    /// Decides about a new connection, in the first poll of its task; counts a refusal.
    pub(super) fn refuses_connection(&self) -> bool {
        let refuses = self.shedding.refuses(self.times.due());
        if refuses {
            self.shedding.runtime.__count_shed_connection();
        }
        refuses
    }

    /// Notes since when a request waits that the connection's task has read in this poll.
    pub(super) fn note_request(&self) -> WaitingRequest {
        WaitingRequest { shedding: Arc::clone(&self.shedding), since: self.times.due() }
    }
}

/// A request that the service has not seen yet. Over HTTP/2 it waits twice: its connection's task
/// for a worker, and then its own.
#[derive(Debug)]
pub(super) struct WaitingRequest {
    shedding: Arc<LoadShedding>,
    since: Instant,
}

impl WaitingRequest {
    /// Decides about the request; counts a refusal.
    pub(super) fn is_refused(&self) -> bool {
        let refused = self.shedding.refuses(self.since);
        if refused {
            self.shedding.runtime.__count_shed_request();
        }
        refused
    }
}

#[cfg(test)]
mod tests;
