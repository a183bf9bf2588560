//! The word of the slots: the next participant in a slot sees the work that was left there.

use std::sync::Arc as StdArc;
use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use super::explore;
use crate::fork_join::slots::Slots;
use crate::fork_join::work_range::WorkRange;
use crate::util::sync::{Arc, thread};

struct Scene {
    slots: Slots,
    /// One for each slot.
    ranges: [WorkRange; 3],
}

impl Scene {
    fn new() -> Arc<Self> {
        let scene = Self { slots: Slots::new(3), ranges: [(); 3].map(|()| WorkRange::empty()) };
        scene.slots.open();
        Arc::new(scene)
    }

    /// Acts like a helper that has to leave and leaves an index behind. Returns its slot.
    fn leave_something(&self) -> Option<usize> {
        let slot = self.slots.enter()?;
        self.ranges[slot].fill(7..8);
        let _ = self.slots.leave(slot);
        Some(slot)
    }

    fn close(&self) -> bool {
        !self.slots.has_others() && self.slots.close()
    }
}

/// The owner closes the region and may have to open it again. The next participant in the slot sees
/// the index that was left there: it would put stolen indices into the same word.
#[test]
fn the_next_participant_in_a_slot_sees_what_was_left() {
    static SEEN: Tally = Tally::new(0);
    static SEEN_AFTER_OPENING: Tally = Tally::new(0);
    explore(3, || {
        let scene = Scene::new();
        // std's atomics: in loom's these would synchronize.
        let (left, opened) = (StdArc::new(Tally::new(0)), StdArc::new(Tally::new(0)));
        let first = {
            let (scene, left) = (Arc::clone(&scene), StdArc::clone(&left));
            thread::spawn(move || left.store(scene.leave_something().unwrap_or(0), Counting))
        };
        let second = {
            let (scene, opened) = (Arc::clone(&scene), StdArc::clone(&opened));
            thread::spawn(move || {
                let (left, opened) = (left.load(Counting), opened.load(Counting));
                let Some(slot) = scene.slots.enter() else { return };
                if slot == left {
                    assert_eq!(scene.ranges[slot].claim(1), Some(7..8), "an index was lost");
                    SEEN.fetch_add(1, Counting);
                    SEEN_AFTER_OPENING.fetch_add(opened, Counting);
                }
                let _ = scene.slots.leave(slot);
            })
        };
        if scene.close() {
            scene.slots.open();
            opened.store(1, Counting);
        }
        first.join().expect("it does not panic");
        second.join().expect("it does not panic");
    });
    assert!(SEEN.load(Counting) > SEEN_AFTER_OPENING.load(Counting), "without the owner in between");
    assert!(SEEN_AFTER_OPENING.load(Counting) > 0, "and with it");
}
