//! The waiters of one source: any number of wakers per direction, kept under the source's lock.
//!
//! Three kinds, because they end in three ways:
//!
//! * *Sole* waiters come from `&mut self` poll methods (`poll_read`, `poll_write`): one per
//!   direction, and the last one counts, as the I/O traits specify. A future that abandons its
//!   `poll_read` leaves at most one waker behind.
//! * *Shared* waiters come from `&self` poll methods: any number, the same waker once. A task that
//!   loses interest cannot take its waker out. So once many have accumulated on a source without
//!   events, all of them are woken, once a second at most: a task that still waits polls again, and
//!   the waker of a task that has ended is released.
//! * *Keyed* waiters belong to a future, which takes its waker out again when it is dropped.
//!
//! No foreign code runs under the lock: wakers are cloned before it is taken, and those displaced
//! are handed out to be dropped after it is released. (`will_wake` compares two pointers and calls
//! no foreign code.)

use crate::interest::Interest;
use slab::Slab;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;
use std::time::{Duration, Instant};

/// The number of shared waiters of one direction from which on they are woken now and then.
const CROWD: usize = 64;
/// The shortest time between two such wake-ups, because all of the tasks may still be waiting.
const PERIOD: Duration = Duration::from_secs(1);

/// Wakes each of them, with no lock held. The wakers are foreign code: one that panics keeps no
/// other from being woken, and the panic does not reach the calling thread.
pub(crate) fn wake_all(wakers: Vec<Waker>) {
    for waker in wakers {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
            // Its destructor may panic, too. The panic hook has reported it already.
            std::mem::forget(payload);
        }
    }
}

/// How a waker is kept, which decides how it is taken out again.
#[derive(Debug)]
pub(crate) enum WaiterKind<'a> {
    Sole,
    Shared,
    /// The future's key, once it has one.
    Keyed(&'a mut Option<usize>),
}

#[derive(Debug, Default)]
pub(crate) struct Waiters {
    sole: [Option<Waker>; 2],
    shared: [Vec<Waker>; 2],
    /// When a crowd of shared waiters was woken last.
    dispersed: Option<Instant>,
    keyed: Slab<Keyed>,
    /// Polls since the netpoller's end that were to be pending.
    polls_after_end: u16,
}

#[derive(Debug)]
struct Keyed {
    interest: Interest,
    /// `None` once an event has taken it.
    waker: Option<Waker>,
}

/// One waker per direction, for the directions concerned.
pub(crate) type PerDirection = [Option<Waker>; 2];

/// Wakers that the waiters do not keep.
#[derive(Debug, Default)]
#[must_use = "to be released once the lock is"]
pub(crate) struct Displaced {
    /// To be dropped.
    unneeded: PerDirection,
    /// To be woken: their tasks poll again, unless they are gone.
    dispersed: Vec<Waker>,
}

impl Displaced {
    /// Drops and wakes the wakers; to be called with no lock held.
    pub(crate) fn let_go(self) {
        drop(self.unneeded);
        wake_all(self.dispersed);
    }
}

impl Waiters {
    /// Leaves a waker for each direction of `interest`; `wakers` holds a clone for each. The caller
    /// lets go of the returned wakers after releasing the lock.
    pub(crate) fn leave(&mut self, interest: Interest, kind: WaiterKind<'_>, wakers: PerDirection) -> Displaced {
        let mut dispersed = Vec::new();
        let unneeded = match kind {
            WaiterKind::Sole => self.leave_sole(interest, wakers),
            WaiterKind::Shared => self.leave_shared(interest, wakers, &mut dispersed),
            WaiterKind::Keyed(key) => self.leave_keyed(interest, key, wakers),
        };
        Displaced { unneeded, dispersed }
    }

    fn leave_sole(&mut self, interest: Interest, mut wakers: PerDirection) -> PerDirection {
        for index in interest.indices() {
            std::mem::swap(&mut self.sole[index], &mut wakers[index]);
        }
        wakers
    }

    fn leave_shared(
        &mut self,
        interest: Interest,
        mut wakers: PerDirection,
        dispersed: &mut Vec<Waker>,
    ) -> PerDirection {
        for index in interest.indices() {
            let known = &self.shared[index];
            if let Some(waker) = wakers[index].take_if(|waker| !known.iter().any(|other| other.will_wake(waker))) {
                if known.len() >= CROWD {
                    self.disperse(index, dispersed);
                }
                self.shared[index].push(waker);
            }
        }
        wakers
    }

    #[cold]
    fn disperse(&mut self, index: usize, out: &mut Vec<Waker>) {
        let now = crate::sync::now();
        if self.dispersed.is_none_or(|last| now.saturating_duration_since(last) >= PERIOD) {
            self.dispersed = Some(now);
            out.append(&mut self.shared[index]);
        }
    }

    fn leave_keyed(&mut self, interest: Interest, key: &mut Option<usize>, mut wakers: PerDirection) -> PerDirection {
        let waker = wakers.iter_mut().find_map(Option::take);
        match *key {
            Some(key) => {
                let displaced = std::mem::replace(&mut self.keyed[key], Keyed { interest, waker });
                // At most one of the two is left over: the other was taken out just above.
                *wakers.iter_mut().find(|left| left.is_none()).expect("one waker was taken out") = displaced.waker;
            }
            None => *key = Some(self.keyed.insert(Keyed { interest, waker })),
        }
        wakers
    }

    /// Removes the waker of a future that was dropped or has finished.
    #[must_use = "to be dropped after the lock is released"]
    pub(crate) fn withdraw(&mut self, key: usize) -> Option<Waker> {
        self.keyed.remove(key).waker
    }

    /// Counts a poll after the netpoller's end; `false` if there were `most` before it.
    #[must_use]
    pub(crate) fn count_poll_after_end(&mut self, most: u16) -> bool {
        let may_wait = self.polls_after_end < most;
        self.polls_after_end += u16::from(may_wait);
        may_wait
    }

    /// Shows `f` each waker, once for each direction of those that are kept by direction.
    pub(crate) fn for_each(&self, mut f: impl FnMut(&Waker, Interest)) {
        for (index, interest) in [Interest::READABLE, Interest::WRITABLE].into_iter().enumerate() {
            self.sole[index].iter().chain(&self.shared[index]).for_each(|waker| f(waker, interest));
        }
        for (_, entry) in &self.keyed {
            entry.waker.iter().for_each(|waker| f(waker, entry.interest));
        }
    }

    /// Moves the wakers of all waiters for one of these directions to `out`.
    pub(crate) fn take(&mut self, interest: Interest, out: &mut Vec<Waker>) {
        for index in interest.indices() {
            out.extend(self.sole[index].take());
            out.append(&mut self.shared[index]);
        }
        let concerned = self.keyed.iter_mut().filter(|(_, entry)| entry.interest.overlaps(interest));
        out.extend(concerned.filter_map(|(_, entry)| entry.waker.take()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;
    use std::task::Wake;

    struct Sleeper(#[allow(dead_code)] u8);

    impl Wake for Sleeper {
        fn wake(self: Arc<Self>) {}
    }

    /// Adds another `CROWD` waiters and returns how many are kept.
    fn come(waiters: &mut Waiters) -> usize {
        for _ in 0..CROWD {
            let waker = Waker::from(Arc::new(Sleeper(0)));
            waiters.leave(Interest::READABLE, WaiterKind::Shared, [Some(waker), None]).let_go();
        }
        waiters.shared[0].len()
    }

    #[test]
    fn a_panicking_waker_does_not_stop_the_others() {
        struct Panics;
        impl Wake for Panics {
            fn wake(self: Arc<Self>) {
                panic!("a foreign waker");
            }
        }
        struct Counts(AtomicUsize);
        impl Wake for Counts {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Relaxed);
            }
        }
        let mut waiters = Waiters::default();
        let mut leave = |waker| waiters.leave(Interest::READABLE, WaiterKind::Shared, [Some(waker), None]).let_go();
        leave(Waker::from(Arc::new(Panics)));
        let others: Vec<_> = (1..CROWD).map(|_| Arc::new(Counts(AtomicUsize::new(0)))).collect();
        others.iter().for_each(|other| leave(Waker::from(Arc::clone(other))));
        leave(Waker::from(Arc::new(Sleeper(0))));
        assert!(others.iter().all(|other| other.0.load(Relaxed) == 1));
    }

    #[test]
    fn a_crowd_is_dispersed_once_in_a_while_only() {
        let mut waiters = Waiters::default();
        assert_eq!(come(&mut waiters), CROWD, "so many are no crowd yet");
        assert_eq!(come(&mut waiters), CROWD);
        // So that the test may take any time.
        waiters.dispersed = Some(Instant::now() + Duration::from_secs(3600));
        assert_eq!(come(&mut waiters), 2 * CROWD, "they may all be there: they are not woken over and over");
        waiters.dispersed = Instant::now().checked_sub(PERIOD);
        assert_eq!(come(&mut waiters), CROWD);
    }
}
