//! The waiters of one source: any number of wakers for each direction, kept under the source's
//! lock.
//!
//! There are three kinds of waiters, because they end in three ways:
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
//! The cost of an event grows with the waiters that wait, however many there once were. A waiter
//! comes and goes in a time that hardly grows with their number.
//!
//! No foreign code runs under the lock: wakers are cloned before it is taken, and those displaced
//! are handed out to be dropped after it is released. (`will_wake` compares two pointers and calls
//! no foreign code.)

use crate::interest::Interest;
use slab::Slab;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;
use std::time::{Duration, Instant};

/// The number of shared waiters of one direction from which on they are woken now and then.
const CROWD: usize = 64;
/// The shortest time between two such wake-ups, because all of the tasks may still be waiting.
const PERIOD: Duration = Duration::from_secs(1);

/// Wakes all wakers, with no lock held. The wakers are foreign code: if one of them panics, the
/// others are still woken, and the panic does not reach the calling thread.
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

/// The key of a future that waits in the source itself.
const FIRST: usize = usize::MAX;

#[derive(Debug, Default)]
pub(crate) struct Waiters {
    sole: [Option<Waker>; 2],
    /// The keyed waiter that came while there was no other, [`FIRST`]; `None` once it is woken.
    first: Option<Waker>,
    /// `None` while no waiter has that key.
    first_waits_for: Option<Interest>,
    /// `None` as long as these have sufficed: a source that is read and written by one task, as
    /// most connections are, takes a line and a half of the cache.
    several: Option<Box<SeveralWaiters>>,
    /// Polls since the netpoller's end that were to be pending.
    polls_after_end: u16,
}

/// The waiters that are not sole.
#[derive(Debug, Default)]
struct SeveralWaiters {
    keyed: Keyed,
    shared: [SharedWaiters; 2],
    /// When a crowd of shared waiters was woken last.
    dispersed: Option<Instant>,
}

/// The shared waiters of one direction.
#[derive(Debug, Default)]
struct SharedWaiters {
    wakers: Vec<Waker>,
    /// The identities of a crowd's wakers, to find one without looking at each. Empty while there
    /// is no crowd.
    crowd: BTreeSet<Identity>,
}

/// The two addresses that [`Waker::will_wake`] compares.
type Identity = (usize, usize);

fn identity(waker: &Waker) -> Identity {
    (waker.data().addr(), std::ptr::from_ref(waker.vtable()).addr())
}

impl SharedWaiters {
    fn is_crowd(&self) -> bool {
        self.wakers.len() >= CROWD
    }

    fn has(&self, waker: &Waker) -> bool {
        match self.is_crowd() {
            true => self.crowd.contains(&identity(waker)),
            false => self.wakers.iter().any(|other| other.will_wake(waker)),
        }
    }

    fn add(&mut self, waker: Waker) {
        let was_crowd = self.is_crowd();
        self.wakers.push(waker);
        if self.is_crowd() {
            let new = if was_crowd { self.wakers.len() - 1 } else { 0 };
            self.crowd.extend(self.wakers[new..].iter().map(identity));
        }
    }

    fn take(&mut self, out: &mut Vec<Waker>) {
        if self.is_crowd() {
            out.append(&mut std::mem::take(&mut self.wakers));
            self.crowd = BTreeSet::new();
        } else {
            out.append(&mut self.wakers);
        }
    }
}

/// The keyed waiters. Those that an event has woken keep their keys, and are not among those that
/// wait.
#[derive(Debug, Default)]
struct Keyed {
    /// In the order in which they came.
    waiting: Vec<KeyedWaiter>,
    /// The place of each key among them, or `WOKEN`.
    places: Slab<usize>,
}

const WOKEN: usize = usize::MAX;

#[derive(Debug)]
struct KeyedWaiter {
    key: usize,
    interest: Interest,
    /// `None` only while it is taken out.
    waker: Option<Waker>,
}

impl Keyed {
    /// Returns the waker that this one takes the place of.
    fn leave(&mut self, key: &mut Option<usize>, interest: Interest, waker: Waker) -> Option<Waker> {
        let key = *key.get_or_insert_with(|| self.places.insert(WOKEN));
        let waiting = KeyedWaiter { key, interest, waker: Some(waker) };
        match self.places[key] {
            WOKEN => {
                self.places[key] = self.waiting.len();
                self.waiting.push(waiting);
                None
            }
            place => std::mem::replace(&mut self.waiting[place], waiting).waker,
        }
    }

    fn withdraw(&mut self, key: usize) -> Option<Waker> {
        let place = self.places.remove(key);
        let left = (place != WOKEN).then(|| self.waiting.swap_remove(place));
        if let Some(moved) = self.waiting.get(place) {
            self.places[moved.key] = place;
        }
        if self.places.is_empty() && self.places.capacity() > CROWD {
            *self = Self::default();
        }
        left?.waker
    }

    fn take(&mut self, interest: Interest, out: &mut Vec<Waker>) {
        let mut kept = 0;
        self.waiting.retain_mut(|waiting| {
            let stays = !waiting.interest.overlaps(interest);
            self.places[waiting.key] = if stays { kept } else { WOKEN };
            kept += usize::from(stays);
            out.extend(waiting.waker.take_if(|_| !stays));
            stays
        });
    }
}

/// One waker per direction, for the directions concerned.
pub(crate) type PerDirection = [Option<Waker>; 2];

/// Wakers that the waiters do not keep.
#[derive(Debug, Default)]
#[must_use = "to be released once the lock is"]
pub(crate) struct Displaced {
    /// Wakers to drop.
    unneeded: PerDirection,
    /// Wakers to wake: their tasks poll again, unless they have ended.
    dispersed: Vec<Waker>,
}

impl Displaced {
    /// Drops and wakes the wakers. Must be called with no lock held.
    pub(crate) fn let_go(self) {
        drop(self.unneeded);
        wake_all(self.dispersed);
    }
}

impl Waiters {
    /// Leaves a waker for each direction of `interest`; `wakers` holds a clone for each. The caller
    /// lets go of the returned wakers after releasing the lock.
    pub(crate) fn leave(&mut self, interest: Interest, kind: WaiterKind<'_>, mut wakers: PerDirection) -> Displaced {
        let mut dispersed = Vec::new();
        match kind {
            WaiterKind::Sole => {
                interest.indices().for_each(|index| std::mem::swap(&mut self.sole[index], &mut wakers[index]));
            }
            WaiterKind::Shared => self.several().leave_shared(interest, &mut wakers, &mut dispersed),
            WaiterKind::Keyed(key) => {
                if let Some(waker) = wakers.iter_mut().find_map(Option::take) {
                    let displaced = self.leave_keyed(interest, key, waker);
                    // At most one of the two is left over: the other was taken out just above.
                    *wakers.iter_mut().find(|left| left.is_none()).expect("one waker was taken out") = displaced;
                }
            }
        }
        Displaced { unneeded: wakers, dispersed }
    }

    /// Returns the waker that this one takes the place of.
    fn leave_keyed(&mut self, interest: Interest, key: &mut Option<usize>, waker: Waker) -> Option<Waker> {
        let is_alone = || self.several.as_ref().is_none_or(|several| several.keyed.places.is_empty());
        match *key {
            None if self.first_waits_for.is_none() && is_alone() => *key = Some(FIRST),
            Some(FIRST) => {}
            _ => return self.several().keyed.leave(key, interest, waker),
        }
        self.first_waits_for = Some(interest);
        self.first.replace(waker)
    }

    fn several(&mut self) -> &mut SeveralWaiters {
        self.several.get_or_insert_default()
    }

    /// Removes the waker of a future that has been dropped or has finished.
    #[must_use = "to be dropped after the lock is released"]
    pub(crate) fn withdraw(&mut self, key: usize) -> Option<Waker> {
        if key == FIRST {
            self.first_waits_for = None;
            return self.first.take();
        }
        self.several().keyed.withdraw(key)
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
            let shared = self.several.iter().flat_map(|several| &several.shared[index].wakers);
            self.sole[index].iter().chain(shared).for_each(|waker| f(waker, interest));
        }
        self.first.iter().zip(self.first_waits_for).for_each(|(waker, interest)| f(waker, interest));
        for waiting in self.several.iter().flat_map(|several| &several.keyed.waiting) {
            waiting.waker.iter().for_each(|waker| f(waker, waiting.interest));
        }
    }

    /// Moves the wakers of all waiters for one of these directions to `out`.
    pub(crate) fn take(&mut self, interest: Interest, out: &mut Vec<Waker>) {
        for index in interest.indices() {
            out.extend(self.sole[index].take());
        }
        if self.first_waits_for.is_some_and(|awaited| awaited.overlaps(interest)) {
            out.extend(self.first.take());
        }
        if let Some(several) = &mut self.several {
            interest.indices().for_each(|index| several.shared[index].take(out));
            several.keyed.take(interest, out);
        }
    }
}

impl SeveralWaiters {
    fn leave_shared(&mut self, interest: Interest, wakers: &mut PerDirection, dispersed: &mut Vec<Waker>) {
        for index in interest.indices() {
            if let Some(waker) = wakers[index].take_if(|waker| !self.shared[index].has(waker)) {
                if self.shared[index].is_crowd() {
                    self.disperse(index, dispersed);
                }
                self.shared[index].add(waker);
            }
        }
    }

    #[cold]
    fn disperse(&mut self, index: usize, out: &mut Vec<Waker>) {
        let now = crate::sync::now();
        if self.dispersed.is_none_or(|last| now.saturating_duration_since(last) >= PERIOD) {
            self.dispersed = Some(now);
            self.shared[index].take(out);
        }
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
        waiters.several().shared[0].wakers.len()
    }

    /// With both counts of its `Arc`. Thousands of connections do not fit into a processor's cache.
    #[test]
    fn a_source_with_one_task_takes_two_cache_lines() {
        assert!(size_of::<crate::source::SourceState>() + 2 * size_of::<usize>() <= 96);
    }

    #[test]
    fn polls_after_the_end_wait_so_many_times() {
        let mut waiters = Waiters::default();
        let may_wait = [(); 5].map(|()| waiters.count_poll_after_end(3));
        assert_eq!(may_wait, [true, true, true, false, false]);
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

    /// The futures of a connection, which come and go one after the other.
    #[test]
    fn one_future_at_a_time_waits_without_memory() {
        let mut waiters = Waiters::default();
        for interest in [Interest::READABLE, Interest::WRITABLE] {
            let mut key = None;
            leave_keyed(&mut waiters, interest, &mut key);
            assert_eq!(taken(&mut waiters, interest), 1);
            leave_keyed(&mut waiters, interest, &mut key);
            assert!(waiters.withdraw(key.expect("it has waited")).is_some());
        }
        assert!(waiters.several.is_none());
    }

    /// Far more than a crowd.
    const HERD: usize = 10_000;

    fn waker() -> Waker {
        Waker::from(Arc::new(Sleeper(0)))
    }

    fn leave_keyed(waiters: &mut Waiters, interest: Interest, key: &mut Option<usize>) {
        let mut wakers = PerDirection::default();
        interest.indices().for_each(|index| wakers[index] = Some(waker()));
        waiters.leave(interest, WaiterKind::Keyed(key), wakers).let_go();
    }

    fn keyed(waiters: &mut Waiters) -> usize {
        waiters.several().keyed.waiting.len() + usize::from(waiters.first.is_some())
    }

    fn taken(waiters: &mut Waiters, interest: Interest) -> usize {
        let mut out = Vec::new();
        waiters.take(interest, &mut out);
        out.len()
    }

    #[test]
    fn an_event_looks_at_those_that_wait_only() {
        let mut waiters = Waiters::default();
        let mut keys: Vec<_> = (0..HERD)
            .map(|_| {
                let mut key = None;
                leave_keyed(&mut waiters, Interest::READABLE, &mut key);
                key
            })
            .collect();
        // An event goes through the list of those that wait.
        assert_eq!(keyed(&mut waiters), HERD);
        for key in keys.drain(3..) {
            assert!(waiters.withdraw(key.expect("it has waited")).is_some());
        }
        assert_eq!(keyed(&mut waiters), 3, "and not through the places of a herd that is gone");
        assert_eq!(taken(&mut waiters, Interest::WRITABLE), 0);
        assert_eq!(taken(&mut waiters, Interest::READABLE), 3);
        assert_eq!(keyed(&mut waiters), 0, "those that were woken have their keys, and do not wait");
        keys.drain(..).for_each(|key| assert!(waiters.withdraw(key.expect("it has waited")).is_none()));
        assert!(waiters.several().keyed.places.capacity() <= CROWD, "nothing is kept for a herd once all are gone");
        assert!(waiters.several().keyed.waiting.capacity() <= CROWD);
    }

    /// Against a plain list, whatever comes, goes and happens.
    #[test]
    fn keyed_waiters_are_woken_and_withdrawn_by_their_keys() {
        let both = Interest::READABLE | Interest::WRITABLE;
        let interests = [Interest::READABLE, Interest::WRITABLE, both, Interest::ERROR];
        let mut waiters = Waiters::default();
        let mut model: Vec<(Option<usize>, Option<Interest>)> = Vec::new();
        let mut random = 7_usize;
        for _ in 0..20_000 {
            random = random.wrapping_mul(0x5851_F42D).wrapping_add(0x1405_7B7F) & 0xFFFF_FFFF;
            let (what, interest, which) = (random >> 8 & 7, interests[random >> 12 & 3], random >> 16);
            let at = if model.is_empty() { 0 } else { which % model.len() };
            match what {
                0..=2 => {
                    let mut key = None;
                    leave_keyed(&mut waiters, interest, &mut key);
                    model.push((key, Some(interest)));
                }
                3..=4 if !model.is_empty() => {
                    leave_keyed(&mut waiters, interest, &mut model[at].0);
                    model[at].1 = Some(interest);
                }
                5..=6 if !model.is_empty() => {
                    let (key, waits) = model.swap_remove(at);
                    assert_eq!(waiters.withdraw(key.expect("it has waited")).is_some(), waits.is_some());
                }
                _ => {
                    let woken = |waits: &Option<Interest>| waits.is_some_and(|waits| waits.overlaps(interest));
                    let expected = model.iter().filter(|(_, waits)| woken(waits)).count();
                    assert_eq!(taken(&mut waiters, interest), expected);
                    model.iter_mut().for_each(|(_, waits)| *waits = waits.filter(|_| !woken(waits)));
                }
            }
            assert_eq!(keyed(&mut waiters), model.iter().filter(|(_, waits)| waits.is_some()).count());
        }
    }

    #[test]
    fn a_herd_is_told_apart_without_comparing_each() {
        let mut waiters = Waiters::default();
        waiters.several().dispersed = Some(Instant::now() + Duration::from_secs(3600));
        let herd: Vec<_> = (0..HERD).map(|_| waker()).collect();
        for come in 0..2 {
            for one in &herd {
                waiters.leave(Interest::READABLE, WaiterKind::Shared, [Some(one.clone()), None]).let_go();
            }
            let shared = &waiters.several().shared[0];
            assert_eq!(shared.wakers.len(), HERD, "each is there once, though it has come {} times", come + 1);
            assert_eq!(shared.crowd.len(), HERD, "and is found by what tells it apart");
        }
        assert_eq!(taken(&mut waiters, Interest::READABLE), HERD);
        assert!(waiters.several().shared[0].crowd.is_empty() && waiters.several().shared[0].wakers.capacity() == 0);
    }

    #[test]
    fn a_crowd_is_dispersed_once_in_a_while_only() {
        let mut waiters = Waiters::default();
        assert_eq!(come(&mut waiters), CROWD, "so many are no crowd yet");
        assert_eq!(come(&mut waiters), CROWD);
        // So that the test may take any time.
        waiters.several().dispersed = Some(Instant::now() + Duration::from_secs(3600));
        assert_eq!(come(&mut waiters), 2 * CROWD, "they may all be there: they are not woken over and over");
        waiters.several().dispersed = Instant::now().checked_sub(PERIOD);
        assert_eq!(come(&mut waiters), CROWD);
    }
}
