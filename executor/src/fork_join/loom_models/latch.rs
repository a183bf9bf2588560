//! The latch: its owner is woken, and the thread that has set it does not touch it afterwards.

use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use super::{Piece, explore};
use crate::fork_join::{Latch, TreeRegion, Unattended};
use crate::util::sync::{Arc, thread};

/// A thief's pointer to a latch on the waiting thread's stack.
struct Pointer(*const Latch);

// SAFETY: a latch is Sync, and stays until it is set.
unsafe impl Send for Pointer {}

impl Pointer {
    fn set(self) {
        // SAFETY: it is set here, once.
        unsafe { Latch::set(self.0) }
    }
}

/// Waits for a latch by `wait`, and then takes it apart: an access by the setter after that would
/// be a fault.
fn await_and_take_apart(wait: impl Fn(&Latch)) {
    let mut latch = Box::new(Latch::new());
    let piece = Arc::new(Piece::new());
    let setter = {
        let (pointer, piece) = (Pointer(&raw const *latch), Arc::clone(&piece));
        thread::spawn(move || {
            piece.work();
            pointer.set();
        })
    };
    wait(&latch);
    assert_eq!(piece.times(), 1, "the setter's work is visible");
    latch.state.with_mut(|state| *state = 0xdead);
    latch.sleeper.with_mut(|sleeper| {
        // SAFETY: loom has checked that no other thread has access now.
        unsafe { *sleeper = None }
    });
    setter.join().expect("it does not panic");
}

#[test]
fn a_latch_may_go_once_it_was_seen_set() {
    static SEEN_UNSET: Tally = Tally::new(0);
    explore(3, || {
        await_and_take_apart(|latch| {
            while !latch.is_set() {
                SEEN_UNSET.fetch_add(1, Counting);
                thread::yield_now();
            }
        });
    });
    assert!(SEEN_UNSET.load(Counting) > 0, "the owner was the first in some of them");
}

/// If the wake were lost, the owner would sleep forever, which loom reports as a deadlock.
#[test]
fn a_sleeping_owner_is_woken_and_the_latch_may_go() {
    static ASLEEP: Tally = Tally::new(0);
    explore(3, || {
        await_and_take_apart(|latch| {
            let region = TreeRegion::new(1);
            // SAFETY: no other thread has the region, and the slot is dropped before it.
            let slot = unsafe { region.begin(&Unattended) };
            if !latch.is_set() {
                ASLEEP.fetch_add(1, Counting);
            }
            slot.wait_idly_for(latch);
        });
    });
    assert!(ASLEEP.load(Counting) > 0, "the owner slept in some of them");
}

/// The owner may call `await_here` a second time, between two jobs that it runs.
#[test]
fn an_owner_may_name_itself_again() {
    explore(3, || {
        await_and_take_apart(|latch| {
            latch.await_here();
            latch.await_here();
            while !latch.is_set() {
                thread::park();
            }
        });
    });
}

/// In loom an unpark publishes, and comes in one step with the access before it: so no interleaving
/// has an owner that names itself and then sees the latch set without having slept. Here another
/// thread is named in the owner's place.
#[test]
fn an_owner_that_named_itself_sees_the_work_without_sleeping() {
    explore(3, || {
        let (latch, piece) = (Arc::new(Latch::new()), Arc::new(Piece::new()));
        latch.await_here();
        let owner = {
            let (latch, piece) = (Arc::clone(&latch), Arc::clone(&piece));
            thread::spawn(move || {
                while !latch.is_set() {
                    thread::yield_now();
                }
                assert_eq!(piece.times(), 1);
            })
        };
        let setter = {
            let (latch, piece) = (Arc::clone(&latch), Arc::clone(&piece));
            thread::spawn(move || {
                piece.work();
                // SAFETY: it is set here, once.
                unsafe { Latch::set(&raw const *latch) }
            })
        };
        thread::park();
        owner.join().expect("it does not panic");
        setter.join().expect("it does not panic");
    });
}
