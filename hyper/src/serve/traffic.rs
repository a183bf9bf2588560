//! `Traffic`: whether a connection waits for its service or its client, and how much the connection
//! has written.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The count of one request that waits for the service: for the head of an answer, or for more of
/// its body.
const AT_SERVICE: u64 = 1;
/// The count of one open request.
const OPEN: u64 = 1 << 20;
const COUNT: u64 = (1 << 20) - 1;
/// Set once a request has arrived.
const BEGUN: u64 = 1 << 40;
/// Set once an answer has turned a stream into a tunnel, whose end no request reports.
const TUNNEL: u64 = 1 << 41;
/// The count of one change of the counts above. The number of changes wraps around.
const CHANGE: u64 = 1 << 42;

/// The word through which the requests of a connection report to the connection's task; see
/// `docs/ATOMICS.md`.
///
/// Relaxed throughout: the connection's task judges by the values alone, and reads nothing else by
/// them.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    requests: AtomicU64,
    written: AtomicU64,
}

/// The state of a connection at a moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TrafficSnapshot {
    requests: u64,
    written: u64,
}

/// Whose turn it is on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The client's: no request has arrived yet.
    FirstRequest,
    /// The client's: no request is open.
    Request,
    /// The client's: everything that the service has produced is handed over.
    Room,
    /// The service's.
    Service,
}

impl Traffic {
    /// Counts a new request, which waits for the service.
    #[must_use = "the request ends when this is dropped"]
    pub(super) fn begin(self: &Arc<Self>) -> RequestTurn {
        if !self.has_begun() {
            self.requests.fetch_or(BEGUN, Relaxed);
        }
        self.requests.fetch_add(CHANGE + OPEN + AT_SERVICE, Relaxed);
        RequestTurn { traffic: Arc::clone(self), is_at_service: true }
    }

    /// Returns whether a request has arrived.
    #[must_use]
    pub(super) fn has_begun(&self) -> bool {
        self.requests.load(Relaxed) & BEGUN != 0
    }

    /// Counts bytes that the client, or the OS on the client's behalf, has taken.
    pub(super) fn wrote(&self, count: usize) {
        self.written.fetch_add(count as u64, Relaxed);
    }

    #[must_use]
    pub(super) fn look(&self) -> TrafficSnapshot {
        TrafficSnapshot { requests: self.requests.load(Relaxed), written: self.written.load(Relaxed) }
    }
}

impl TrafficSnapshot {
    pub(super) fn awaited(self) -> Awaited {
        match self.requests {
            word if word & BEGUN == 0 => Awaited::FirstRequest,
            word if word & TUNNEL != 0 || word & COUNT != 0 => Awaited::Service,
            word if (word / OPEN) & COUNT != 0 => Awaited::Room,
            _ => Awaited::Request,
        }
    }

    /// Returns how many bytes have been written since `before`, or `None` if anything else has
    /// happened.
    pub(super) fn written_since(self, before: Self) -> Option<u64> {
        (self.requests == before.requests).then(|| self.written.wrapping_sub(before.written))
    }
}

/// An open request, until this value is dropped.
#[derive(Debug)]
pub(super) struct RequestTurn {
    traffic: Arc<Traffic>,
    is_at_service: bool,
}

impl RequestTurn {
    /// Notes that the request waits for the service.
    pub(super) fn await_service(&mut self) {
        if !std::mem::replace(&mut self.is_at_service, true) {
            self.traffic.requests.fetch_add(CHANGE + AT_SERVICE, Relaxed);
        }
    }

    /// Notes that the request waits for its client to take what is available.
    pub(super) fn await_client(&mut self) {
        if std::mem::replace(&mut self.is_at_service, false) {
            self.traffic.requests.fetch_add(CHANGE - AT_SERVICE, Relaxed);
        }
    }

    /// Notes that the request has become a tunnel: the connection counts as in use from then on.
    pub(super) fn become_tunnel(&mut self) {
        self.traffic.requests.fetch_or(TUNNEL, Relaxed);
    }
}

impl Drop for RequestTurn {
    fn drop(&mut self) {
        let ended = OPEN + if self.is_at_service { AT_SERVICE } else { 0 };
        self.traffic.requests.fetch_add(CHANGE.wrapping_sub(ended), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_waits_for_the_service_while_any_request_does() {
        let traffic = Arc::new(Traffic::default());
        let awaited = || traffic.look().awaited();
        assert_eq!((awaited(), traffic.has_begun()), (Awaited::FirstRequest, false));
        let (mut one, mut other) = (traffic.begin(), traffic.begin());
        assert_eq!((awaited(), traffic.has_begun()), (Awaited::Service, true));
        one.await_client();
        one.await_client();
        assert_eq!(awaited(), Awaited::Service, "the other");
        other.await_client();
        assert_eq!(awaited(), Awaited::Room);
        one.await_service();
        assert_eq!(awaited(), Awaited::Service);
        drop(one);
        assert_eq!(awaited(), Awaited::Room);
        drop(other);
        assert_eq!((awaited(), traffic.has_begun()), (Awaited::Request, true));
    }

    #[test]
    fn bytes_are_no_change_and_requests_are() {
        let traffic = Arc::new(Traffic::default());
        let before = traffic.look();
        traffic.wrote(7);
        assert_eq!(traffic.look().written_since(before), Some(7));
        drop(traffic.begin());
        assert_eq!(traffic.look().written_since(before), None);
        let before = traffic.look();
        let mut turn = traffic.begin();
        turn.await_client();
        drop(turn);
        assert_eq!(traffic.look().written_since(before), None, "it came and went");
    }

    #[test]
    fn changes_that_wrap_around_leave_the_counts_alone() {
        let traffic = Arc::new(Traffic::default());
        traffic.requests.fetch_add(CHANGE.wrapping_neg(), Relaxed);
        let turn = traffic.begin();
        assert_eq!(traffic.look().awaited(), Awaited::Service);
        drop(turn);
        assert_eq!(traffic.look().awaited(), Awaited::Request);
    }

    #[test]
    fn a_tunnel_keeps_its_connection_in_use() {
        let traffic = Arc::new(Traffic::default());
        let mut turn = traffic.begin();
        turn.become_tunnel();
        drop(turn);
        assert_eq!(traffic.look().awaited(), Awaited::Service);
    }
}
