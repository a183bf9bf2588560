//! The parker: a wake is never lost, and the writes before it are seen.

use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use super::explore;
use crate::scheduler::core::parker::{Parker, Unparked};
use crate::util::sync::atomic::AtomicBool;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::{Arc, thread};

/// A parker and two things to wait for, both written and read without any ordering.
struct Scene {
    parker: Parker,
    done: [AtomicBool; 2],
}

impl Scene {
    fn new() -> Arc<Self> {
        let scene = Self { parker: Parker::new(), done: [AtomicBool::new(false), AtomicBool::new(false)] };
        scene.parker.adopt_current_thread();
        Arc::new(scene)
    }

    fn finish(scene: &Arc<Self>, which: usize) -> thread::JoinHandle<Unparked> {
        let scene = Arc::clone(scene);
        thread::spawn(move || {
            scene.done[which].store(true, Relaxed);
            scene.parker.unpark()
        })
    }

    fn is_done(&self) -> bool {
        self.done.iter().all(|done| done.load(Relaxed))
    }
}

fn join(waker: thread::JoinHandle<Unparked>) -> Unparked {
    waker.join().expect("a waker ends in good order")
}

#[test]
fn an_unpark_ends_the_sleep_before_or_after_it_began() {
    static WOKEN: Tally = Tally::new(0);
    static EARLY: Tally = Tally::new(0);
    explore(4, || {
        let scene = Scene::new();
        scene.done[1].store(true, Relaxed);
        let waker = Scene::finish(&scene, 0);
        while !scene.is_done() {
            scene.parker.park();
        }
        match join(waker) {
            Unparked::Woken => WOKEN.fetch_add(1, Counting),
            Unparked::Awake => EARLY.fetch_add(1, Counting),
            Unparked::InNetpoller => panic!("nobody is in the netpoller"),
        };
    });
    assert!(WOKEN.load(Counting) > 0 && EARLY.load(Counting) > 0, "the model has not met both cases");
}

/// The second wake may fall on the first one while that is being consumed: the writes before it
/// must be seen all the same.
#[test]
fn of_two_calls_at_once_neither_is_lost() {
    explore(4, || {
        let scene = Scene::new();
        let wakers = [0, 1].map(|which| Scene::finish(&scene, which));
        while !scene.is_done() {
            scene.parker.park();
        }
        let _ = wakers.map(join);
    });
}

/// The netpoller's part: a flag that ends a poll at once, or the next one.
struct Poll {
    interrupted: AtomicBool,
}

#[test]
fn one_waker_at_most_interrupts_a_poll() {
    explore(3, || {
        let scene = Scene::new();
        let poll = Arc::new(Poll { interrupted: AtomicBool::new(false) });
        let wakers = [0, 1].map(|which| {
            let (scene, poll) = (Arc::clone(&scene), Arc::clone(&poll));
            thread::spawn(move || {
                scene.done[which].store(true, Relaxed);
                let found = scene.parker.unpark();
                if found == Unparked::InNetpoller {
                    poll.interrupted.store(true, Relaxed);
                }
                found
            })
        });
        let polled = scene.parker.begin_polling();
        if polled {
            while !poll.interrupted.load(Relaxed) {
                thread::yield_now();
            }
            assert!(scene.parker.end_polling(), "interrupted by a waker, so notified");
        }
        let found = wakers.map(join);
        let interrupts = found.iter().filter(|&&found| found == Unparked::InNetpoller).count();
        assert_eq!(interrupts, usize::from(polled), "{found:?}");
    });
}

/// A poll that ends by itself, while a waker comes: either the poll's end reports the wake, or the
/// next sleep does.
#[test]
fn an_unpark_at_a_polls_end_is_not_lost() {
    static SEEN_AT_THE_END: Tally = Tally::new(0);
    static SEEN_LATER: Tally = Tally::new(0);
    explore(4, || {
        let scene = Scene::new();
        scene.done[1].store(true, Relaxed);
        let waker = Scene::finish(&scene, 0);
        let polled = scene.parker.begin_polling();
        let notified = !polled || scene.parker.end_polling();
        if notified {
            SEEN_AT_THE_END.fetch_add(1, Counting);
        } else {
            scene.parker.park();
            SEEN_LATER.fetch_add(1, Counting);
        }
        assert!(scene.is_done(), "what was done before the wake is seen with it");
        let _ = join(waker);
    });
    assert!(SEEN_AT_THE_END.load(Counting) > 0 && SEEN_LATER.load(Counting) > 0, "the model has not met both cases");
}
