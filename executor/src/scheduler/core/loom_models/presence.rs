//! The end of a runtime: machines and drivers leave, some come late, and one of them is the last.

use super::explore;
use crate::scheduler::core::idle::Idle;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::presence::Presence;
use crate::util::sync::atomic::AtomicUsize;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::{Arc, thread};

const LATE: usize = 2;

struct Scene {
    presence: Presence,
    idle: Idle,
    /// The values that threads leave behind for the last one out: the runtime's own, then the late
    /// ones'.
    left_behind: [AtomicUsize; 1 + LATE],
    /// The sum of those that the last one out has found, and how often there was a last one.
    found: AtomicUsize,
    ends: AtomicUsize,
}

impl Scene {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            presence: Presence::new(),
            idle: Idle::new(1, 1),
            left_behind: [(); 1 + LATE].map(|()| AtomicUsize::new(0)),
            found: AtomicUsize::new(0),
            ends: AtomicUsize::new(0),
        })
    }

    fn leave(&self, index: usize) {
        self.left_behind[index].store(1, Relaxed);
        if self.presence.depart() == 0 {
            let found = self.left_behind.iter().map(|what| what.load(Relaxed)).sum();
            self.found.store(found, Relaxed);
            self.ends.fetch_add(1, Relaxed);
        }
    }

    /// The end of a runtime, whose threads have to be woken to leave.
    fn end(&self) {
        assert!(self.presence.begin());
        for machine in self.idle.everyone() {
            let _ = machine.parker().unpark();
        }
        self.leave(0);
    }

    /// A driver without work sleeps until the end. `false` if it is refused.
    fn drive(&self, index: usize) -> bool {
        if !self.presence.arrive() {
            return false;
        }
        let machine = Machine::new();
        machine.parker().adopt_current_thread();
        while !self.presence.has_begun() {
            self.idle.enlist(&machine);
            if !self.presence.has_begun() {
                machine.parker().park();
            }
            let _ = self.idle.delist(&machine);
        }
        self.leave(index);
        true
    }
}

#[test]
fn a_driver_that_comes_late_leaves_or_is_refused() {
    explore(3, || {
        let scene = Scene::new();
        let driver = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.drive(1))
        };
        scene.end();
        // A driver that is not woken sleeps forever, which loom reports.
        let was_there = driver.join().expect("it ends in good order");
        assert_eq!(scene.ends.load(Relaxed), 1, "there is one last one out");
        assert_eq!(scene.found.load(Relaxed), 1 + usize::from(was_there));
        assert!(!scene.presence.arrive(), "and none is let in after it");
    });
}

#[test]
fn the_last_one_out_sees_what_all_have_left() {
    explore(2, || {
        let scene = Scene::new();
        let late: Vec<_> = (1..=LATE)
            .map(|index| {
                let scene = Arc::clone(&scene);
                thread::spawn(move || {
                    let is_in = scene.presence.arrive();
                    if is_in {
                        scene.leave(index);
                    }
                    is_in
                })
            })
            .collect();
        let begun = scene.presence.begin();
        scene.leave(0);
        let came = late.into_iter().map(|late| late.join().expect("it ends in good order"));
        let came = came.filter(|is_in| *is_in).count();
        assert!(begun && !scene.presence.begin(), "the first call begins the end");
        assert_eq!(scene.ends.load(Relaxed), 1);
        assert_eq!(scene.found.load(Relaxed), 1 + came);
    });
}
