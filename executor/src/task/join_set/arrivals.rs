//! Which children of a set are done: each child's own waker posts its key, so that no search is
//! needed.
//!
//! A key names a place to look at, not its contents: a waker may be woken for no reason. The set
//! that takes one asks the child itself.

use std::sync::Arc;
use std::task::{Wake, Waker};

use crate::util::inbox::Inbox;

/// The keys of the children that have announced themselves.
pub(super) type Arrivals = Inbox<usize>;

/// The waker that announces the child `key`.
pub(super) fn announcer(arrivals: &Arc<Arrivals>, key: usize) -> Waker {
    Waker::from(Arc::new(Announcer { arrivals: Arc::clone(arrivals), key }))
}

/// Waits for one child.
struct Announcer {
    arrivals: Arc<Arrivals>,
    key: usize,
}

impl Wake for Announcer {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.arrivals.post(self.key);
    }
}
