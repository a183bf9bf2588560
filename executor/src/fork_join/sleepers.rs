//! The members of a team that sleep, and those that are about to.
//!
//! A member that naps in a wait is not among them. It would run no root, so it must not be woken in
//! place of a member that does; and it looks for jobs of its own once in a millisecond.
//!
//! A thread publishes work, then looks for a sleeper; a member lists itself, then looks for work.
//! Between the two steps of each is a full fence, so one of them sees the other.

use crate::util::sync::Mutex;
use crate::util::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::util::sync::atomic::{AtomicUsize, fence};
use crate::util::sync::thread::{self, Thread};

pub(crate) struct Sleepers {
    asleep: Mutex<Vec<(usize, Thread)>>,
    /// The length of the list, to be read without the lock. Relaxed: the fences order it.
    count: AtomicUsize,
    /// Members that spin, and look for work once more before they sleep.
    spinning: AtomicUsize,
}

impl Sleepers {
    pub(super) fn new() -> Self {
        Self { asleep: Mutex::new(Vec::new()), count: AtomicUsize::new(0), spinning: AtomicUsize::new(0) }
    }

    /// Wakes a member, unless one spins and will see the work that the caller has published.
    pub(super) fn wake_one(&self) {
        // Pairs with the fences in `sleep` and `wake_for_rest`.
        fence(SeqCst);
        if self.spinning.load(Relaxed) == 0 && self.count.load(Relaxed) > 0 {
            self.wake_newest();
        }
    }

    #[cold]
    fn wake_newest(&self) {
        self.wake_where(|asleep| asleep.len().checked_sub(1));
    }

    /// Wakes the member `index`, if it sleeps.
    pub(super) fn wake(&self, index: usize) {
        // Pairs with the fence in `sleep`.
        fence(SeqCst);
        if self.count.load(Relaxed) > 0 {
            self.wake_where(|asleep| asleep.iter().position(|(other, _)| *other == index));
        }
    }

    /// Wakes all members.
    pub(super) fn wake_all(&self) {
        // Pairs with the fence in `sleep`.
        fence(SeqCst);
        while self.count.load(Relaxed) > 0 {
            self.wake_newest();
        }
    }

    fn wake_where(&self, find: impl FnOnce(&[(usize, Thread)]) -> Option<usize>) {
        let mut asleep = self.asleep.lock();
        let woken = find(&asleep).map(|at| asleep.remove(at));
        self.count.store(asleep.len(), Relaxed);
        drop(asleep);
        if let Some((_, thread)) = woken {
            thread.unpark();
        }
    }

    /// The caller spins: it looks for work until [`end_spin`](Self::end_spin). After that it takes
    /// some and calls [`wake_for_rest`](Self::wake_for_rest), or goes to [`sleep`](Self::sleep):
    /// both have a fence before the last look.
    pub(super) fn begin_spin(&self) {
        self.spinning.fetch_add(1, Relaxed);
    }

    pub(super) fn end_spin(&self) {
        self.spinning.fetch_sub(1, Relaxed);
    }

    /// Wakes a member if work is left. For a member that has searched, and has taken a piece of the
    /// work that it found: threads that saw it spin have woken no other.
    pub(super) fn wake_for_rest(&self, is_left: impl FnOnce() -> bool) {
        // Pairs with the fence in `wake_one`: the work of a thread that saw the member spin and
        // woke no other is seen here.
        fence(SeqCst);
        if is_left() {
            self.wake_one();
        }
    }

    /// Puts the member `index`, the caller, to sleep until it is woken. It stays awake if
    /// `has_work`, which is asked when other threads can see that it sleeps.
    pub(super) fn sleep(&self, index: usize, has_work: impl FnOnce() -> bool) {
        self.list(index);
        // Pairs with the fences in `wake_one`, `wake` and `wake_all`.
        fence(SeqCst);
        if !has_work() {
            thread::park();
        }
        self.strike_off(index);
    }

    fn list(&self, index: usize) {
        let mut asleep = self.asleep.lock();
        asleep.push((index, thread::current()));
        self.count.store(asleep.len(), Relaxed);
    }

    fn strike_off(&self, index: usize) {
        let mut asleep = self.asleep.lock();
        asleep.retain(|(other, _)| *other != index);
        self.count.store(asleep.len(), Relaxed);
    }
}
