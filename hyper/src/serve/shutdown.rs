//! Graceful shutdown: the server's signal to its connections, and theirs that they have ended.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Poll, Waker};

use wsrt::sync::watch;

/// Sends the shutdown signal; held by the server. A drop sends it too, since it closes the channel:
/// a connection outlives its server only by the time that it takes to end.
///
/// The channel works in both directions: it carries the signal to the connections, each of which
/// holds a receiver, and is closed when the last receiver is dropped, so when all have ended.
#[derive(Debug)]
pub(super) struct ShutdownSender(watch::Sender<()>);

impl ShutdownSender {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(()))
    }

    /// Returns a receiver for a connection, which holds it for as long as it is open.
    pub(super) fn subscribe(&self) -> ShutdownReceiver {
        ShutdownReceiver(self.0.subscribe())
    }

    /// Sends the shutdown signal.
    pub(super) fn begin(&self) {
        self.0.send_replace(());
    }

    /// Waits until every [`ShutdownReceiver`] is dropped.
    pub(super) async fn all_have_ended(&self) {
        self.0.closed().await;
    }
}

/// Receives the shutdown signal; held by a connection.
#[derive(Debug)]
pub(super) struct ShutdownReceiver(watch::Receiver<()>);

impl ShutdownReceiver {
    /// Waits for the shutdown signal.
    ///
    /// A connection polls this as often as itself, and a poll of the channel takes a lock that all
    /// connections share. So the channel is polled only to register a new waker, and after the
    /// signal is sent, which `has_changed` reports without a lock; the task that the channel then
    /// wakes polls this.
    pub(super) async fn begun(&mut self) {
        let receiver = self.0.clone();
        let mut changed = pin!(self.0.changed());
        let mut registered = Waker::noop().clone();
        poll_fn(|context| {
            if registered.will_wake(context.waker()) && matches!(receiver.has_changed(), Ok(false)) {
                return Poll::Pending;
            }
            registered.clone_from(context.waker());
            // An error means that the server was dropped, which counts as the signal.
            changed.as_mut().poll(context).map(drop)
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_test::task::spawn;
    use tokio_test::{assert_pending, assert_ready};

    #[test]
    fn the_word_wakes_whoever_polled_last_and_only_them() {
        let (sender, mut first, mut last) = (ShutdownSender::new(), spawn(()), spawn(()));
        let mut receiver = sender.subscribe();
        let mut begun = pin!(receiver.begun());
        assert_pending!(first.enter(|cx, _| begun.as_mut().poll(cx)));
        assert_pending!(first.enter(|cx, _| begun.as_mut().poll(cx)));
        assert_pending!(last.enter(|cx, _| begun.as_mut().poll(cx)));
        sender.begin();
        assert_eq!((first.is_woken(), last.is_woken()), (false, true));
        assert_ready!(last.enter(|cx, _| begun.as_mut().poll(cx)));
    }

    #[test]
    fn a_word_given_before_the_first_poll_is_heard() {
        let sender = ShutdownSender::new();
        let mut receiver = sender.subscribe();
        drop(sender);
        assert_ready!(spawn(receiver.begun()).poll());
    }

    #[test]
    fn all_have_ended_once_the_last_is_dropped() {
        let sender = ShutdownSender::new();
        let (mut one, other) = (sender.subscribe(), sender.subscribe());
        sender.begin();
        assert_ready!(spawn(one.begun()).poll());
        let mut all = spawn(sender.all_have_ended());
        assert_pending!(all.poll());
        drop(other);
        assert_pending!(all.poll());
        drop(one);
        assert!(all.is_woken());
        assert_ready!(all.poll());
    }
}
