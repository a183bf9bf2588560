//! Where registered sources live: a slab under one lock, with a count that is read without it.
//!
//! The lock is taken when a source comes or goes and once per batch of events; operations on
//! sockets never take it.

mod token;

pub(crate) use self::token::{ALARM, INTERRUPT, SourceToken};

use crate::error::shut_down_error;
use crate::interest::Interest;
use crate::readiness::EventBits;
use crate::services;
use crate::source::SourceState;
use crate::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use crate::sync::{Arc, Mutex, hand_on};
use crate::walk::{Label, WatchedSource};
use slab::Slab;
use std::io;
use std::task::Waker;

/// Events handed out under one hold of the lock, so that a turn of a thousand, where the builder
/// allows one, does not keep an `accept` waiting.
const EVENTS_PER_HOLD: usize = 64;
/// Keys that a walk over all of them looks at under one hold of the lock, with two system calls
/// each at most.
const KEYS_PER_HOLD: usize = 32;

#[derive(Debug)]
pub(crate) struct Registry {
    entries: Mutex<Entries>,
    /// Sources registered. Written under the lock, read without: a hint.
    count: AtomicUsize,
}

#[derive(Debug, Default)]
struct Entries {
    /// It never shrinks: its keys are in the system's tokens, so no entry can move down. It keeps
    /// 48 bytes for each source of the peak, little beside the kilobytes that each of them had in
    /// the kernel.
    slab: Slab<RegisteredSource>,
    /// Sources ever inserted: the next one's generation.
    inserted: usize,
    /// Set at shutdown: a source that is inserted after it is shut down, too.
    is_closed: bool,
    /// Set by a runtime that takes no source of the system: creates the error from a source's kind.
    refused: Option<fn(&str) -> io::Error>,
}

#[derive(Debug)]
struct RegisteredSource {
    token: SourceToken,
    source: Arc<SourceState>,
    label: Label,
}

// No foreign code runs while the lock is held, so a panic never leaves the slab half changed.
impl std::panic::RefUnwindSafe for Registry {}

impl Registry {
    pub(crate) fn new() -> Self {
        Self { entries: Mutex::new(Entries::default()), count: AtomicUsize::new(0) }
    }

    /// Gives a new source a key and a token. After the shutdown only a future that is about to be
    /// dropped gets one, and no event comes for it.
    pub(crate) fn insert(&self, untried: Interest, label: Label) -> io::Result<(SourceToken, Arc<SourceState>)> {
        let source = Arc::new(SourceState::fresh(untried));
        let mut entries = self.entries.lock();
        if entries.is_closed {
            drop(entries);
            if !services::drops_what_waits() {
                return Err(shut_down_error());
            }
            source.shut_down(&mut Vec::new());
            entries = self.entries.lock();
        }
        if let Some(why) = entries.refused.filter(|_| !label.is_simulated()) {
            return Err(why(label.kind()));
        }
        let Some(token) = SourceToken::new(entries.slab.vacant_key(), entries.inserted) else {
            return Err(io::Error::other("more sockets than one wsrt netpoller can number"));
        };
        entries.inserted = entries.inserted.wrapping_add(1);
        entries.slab.insert(RegisteredSource { token, source: Arc::clone(&source), label });
        self.count.store(entries.slab.len(), Relaxed);
        Ok((token, source))
    }

    /// Removes a source. The source's waiters are not woken: each of them borrows the socket, which
    /// is being dropped.
    pub(crate) fn remove(&self, token: SourceToken) {
        let mut entries = self.entries.lock();
        let entry = entries.slab.remove(token.key());
        self.count.store(entries.slab.len(), Relaxed);
        drop(entries);
        debug_assert_eq!(entry.token, token, "a source was dismissed with another one's token");
    }

    /// Returns whether no source is registered.
    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: a hint. A machine that must not miss its own sockets registered them itself; for
        // the others' the machine that is about to sleep polls anyway.
        self.count.load(Relaxed) == 0
    }

    /// Returns how many sources have been inserted, and how many of them were removed.
    pub(crate) fn registrations(&self) -> (usize, usize) {
        let entries = self.entries.lock();
        (entries.inserted, entries.inserted.wrapping_sub(entries.slab.len()))
    }

    /// Delivers the events to their sources and returns how many events found a source; the rest
    /// belonged to sources that have been removed.
    pub(crate) fn dispatch(
        &self,
        mut events: impl Iterator<Item = (SourceToken, EventBits)>,
        wakers: &mut Vec<Waker>,
    ) -> usize {
        let mut delivered = 0;
        while let Some(first) = events.next() {
            let entries = self.entries.lock();
            for (token, bits) in std::iter::once(first).chain(events.by_ref().take(EVENTS_PER_HOLD - 1)) {
                if let Some(entry) = entries.slab.get(token.key()).filter(|entry| entry.token == token) {
                    entry.source.dispatch(bits.completed(|| entry.label.is_unconnected()), wakers);
                    delivered += 1;
                }
            }
        }
        delivered
    }

    /// Shows `f` the waker of each waiter with its source. `f` is called with locks held: it may
    /// look, and must neither clone, wake or drop a waker nor use a socket. A source that comes or
    /// goes during the walk may be shown or not.
    pub(crate) fn for_each_waiter(&self, mut f: impl FnMut(&Waker, &WatchedSource<'_>)) {
        let mut key = 0;
        loop {
            let entries = self.entries.lock();
            let next = entries.slab.capacity().min(key + KEYS_PER_HOLD);
            if key >= next {
                return;
            }
            for entry in (key..next).filter_map(|key| entries.slab.get(key)) {
                // A source is closed after it was dismissed, which takes the lock: for now its
                // descriptor is its own. The address of a simulated socket is behind the network's
                // lock, whose holders never take this one.
                entry.source.for_each_waiter(|waker, interest| f(waker, &WatchedSource::new(&entry.label, interest)));
            }
            key = next;
            hand_on(entries);
        }
    }

    /// Rejects OS sources from now on, with the errors that `why` creates.
    pub(crate) fn refuse(&self, why: fn(&str) -> io::Error) {
        self.entries.lock().refused = Some(why);
    }

    /// Returns an error if an OS source of the given kind would be rejected.
    pub(crate) fn check_accepts(&self, kind: &str) -> io::Result<()> {
        match self.entries.lock().refused {
            Some(why) => Err(why(kind)),
            None => Ok(()),
        }
    }

    /// Marks every source as shut down, and accepts no more sources.
    pub(crate) fn shut_down(&self, wakers: &mut Vec<Waker>) {
        let mut entries = self.entries.lock();
        entries.is_closed = true;
        for (_, entry) in &entries.slab {
            entry.source.shut_down(wakers);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Condition;
    use crate::waiters::WaiterKind;
    use std::task::{Context, Wake};

    /// Wakes no task. It has a size, so that no two lie at one address.
    struct Nobody(#[allow(dead_code)] u8);

    impl Wake for Nobody {
        fn wake(self: Arc<Self>) {}
    }

    fn insert(registry: &Registry, untried: Interest) -> io::Result<(SourceToken, Arc<SourceState>)> {
        registry.insert(untried, Label::of_kind("test"))
    }

    fn is_readable(source: &SourceState) -> bool {
        source.readiness().read().is_ready(Interest::READABLE)
    }

    #[test]
    fn an_event_for_a_reused_key_is_ignored() {
        let registry = Registry::new();
        let (old, _) = insert(&registry, Interest::WRITABLE).unwrap();
        registry.remove(old);
        let (new, source) = insert(&registry, Interest::WRITABLE).unwrap();
        assert_eq!(old.key(), new.key(), "the slab reuses the key");

        let delivered = registry.dispatch([(old, EventBits::READABLE)].into_iter(), &mut Vec::new());
        assert_eq!(delivered, 0);
        assert!(!is_readable(&source));

        let delivered = registry.dispatch([(new, EventBits::READABLE)].into_iter(), &mut Vec::new());
        assert_eq!(delivered, 1);
        assert!(is_readable(&source));
    }

    #[test]
    fn a_batch_longer_than_one_hold_is_delivered_whole() {
        let registry = Registry::new();
        let entries: Vec<_> =
            (0..3 * EVENTS_PER_HOLD + 1).map(|_| insert(&registry, Interest::WRITABLE).unwrap()).collect();
        let events = entries.iter().map(|(token, _)| (*token, EventBits::READABLE));
        assert_eq!(registry.dispatch(events, &mut Vec::new()), entries.len());
        assert!(entries.iter().all(|(_, source)| is_readable(source)));
    }

    #[test]
    fn no_entry_is_inserted_after_shutdown() {
        let registry = Registry::new();
        let (_, source) = insert(&registry, Interest::WRITABLE).unwrap();
        registry.shut_down(&mut Vec::new());
        assert!(source.readiness().read().is_shut_down());
        let error = insert(&registry, Interest::WRITABLE).unwrap_err();
        assert!(error.to_string().contains("shut down"), "{error}");
    }

    #[test]
    fn the_count_follows_registrations() {
        let registry = Registry::new();
        assert!(registry.is_empty());
        let (token, _) = insert(&registry, Interest::READABLE).unwrap();
        assert!(!registry.is_empty());
        registry.remove(token);
        assert!(registry.is_empty());
    }

    #[test]
    fn a_long_walk_shows_exactly_the_waiting_tasks() {
        let registry = Registry::new();
        let entries: Vec<_> =
            (0..3 * KEYS_PER_HOLD + 1).map(|_| insert(&registry, Interest::WRITABLE).unwrap()).collect();
        let own = Waker::from(Arc::new(Nobody(0)));
        let mut cx = Context::from_waker(&own);
        for (token, source) in entries.iter().step_by(2) {
            assert!(
                source.poll_ready(Condition::Reported, Interest::READABLE, &mut cx, WaiterKind::Shared).is_pending()
            );
            if token.key() % 4 == 0 {
                registry.remove(*token);
            }
        }
        let mut seen = 0;
        registry.for_each_waiter(|waker, source| {
            // By their data: the table of a waker may lie at several addresses, and `will_wake`
            // compares those too.
            assert_eq!(waker.data(), own.data());
            assert_eq!((source.kind(), source.interest()), ("test", Interest::READABLE));
            seen += 1;
        });
        assert_eq!(seen, entries.iter().filter(|(token, _)| token.key() % 4 == 2).count());
    }
}
