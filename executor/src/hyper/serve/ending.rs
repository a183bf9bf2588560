//! The server's word to its connections that it ends, and theirs that they have.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Poll, Waker};

use tokio::sync::watch;

/// Held by the server. Dropped, it gives the word too: no connection outlives its server by more
/// than it takes to end.
#[derive(Debug)]
pub(super) struct End(Arc<Word>);

struct Word {
    given: Given,
    /// Carries both ways: the word to the connections, each of which holds a receiver, and, as the
    /// last receiver is dropped, that all have ended.
    channel: watch::Sender<()>,
}

/// Whether the word is given: for a look that costs nothing. Relaxed, since the channel orders what
/// matters.
#[derive(Debug, Default)]
struct Given(AtomicBool);

impl Given {
    fn set(&self) {
        self.0.store(true, Relaxed);
    }

    #[must_use]
    fn is_set(&self) -> bool {
        self.0.load(Relaxed)
    }
}

impl End {
    pub(super) fn new() -> Self {
        Self(Arc::new(Word { given: Given::default(), channel: watch::Sender::new(()) }))
    }

    /// For a connection, to hold for as long as it is open.
    pub(super) fn subscribe(&self) -> Ending {
        Ending { receiver: self.0.channel.subscribe(), word: Arc::clone(&self.0) }
    }

    /// Gives the word.
    pub(super) fn begin(&self) {
        self.0.given.set();
        self.0.channel.send_replace(());
    }

    /// Waits until nobody holds an [`Ending`].
    pub(super) async fn all_have_ended(&self) {
        self.0.channel.closed().await;
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.begin();
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Word").field("given", &self.given).finish_non_exhaustive()
    }
}

/// Held by a connection.
#[derive(Debug)]
pub(super) struct Ending {
    receiver: watch::Receiver<()>,
    word: Arc<Word>,
}

impl Ending {
    /// Waits for the word.
    ///
    /// A connection polls this as often as itself, and a poll of the channel takes a lock that
    /// others use. So the channel is polled only to tell it of a new waker, and once the word is
    /// given; what it wakes then comes by here.
    pub(super) async fn begun(&mut self) {
        let Self { receiver, word } = self;
        let mut changed = pin!(receiver.changed());
        let mut registered = Waker::noop().clone();
        poll_fn(|context| {
            if registered.will_wake(context.waker()) && !word.given.is_set() {
                return Poll::Pending;
            }
            registered.clone_from(context.waker());
            // An error says that the server is gone, which is as good a word.
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
        let (end, mut first, mut last) = (End::new(), spawn(()), spawn(()));
        let mut ending = end.subscribe();
        let mut begun = pin!(ending.begun());
        assert_pending!(first.enter(|cx, _| begun.as_mut().poll(cx)));
        assert_pending!(first.enter(|cx, _| begun.as_mut().poll(cx)));
        assert_pending!(last.enter(|cx, _| begun.as_mut().poll(cx)));
        end.begin();
        assert_eq!((first.is_woken(), last.is_woken()), (false, true));
        assert_ready!(last.enter(|cx, _| begun.as_mut().poll(cx)));
    }

    #[test]
    fn a_word_given_before_the_first_poll_is_heard() {
        let end = End::new();
        let mut ending = end.subscribe();
        drop(end);
        assert_ready!(spawn(ending.begun()).poll());
    }

    #[test]
    fn all_have_ended_once_the_last_is_dropped() {
        let end = End::new();
        let (mut one, other) = (end.subscribe(), end.subscribe());
        end.begin();
        assert_ready!(spawn(one.begun()).poll());
        let mut all = spawn(end.all_have_ended());
        assert_pending!(all.poll());
        drop(other);
        assert_pending!(all.poll());
        drop(one);
        assert!(all.is_woken());
        assert_ready!(all.poll());
    }
}
