//! The seats' word: what was left in a seat is there for the next who sits in it.

use std::sync::Arc as StdArc;
use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use super::explore;
use crate::fork_join::seats::{Closing, Seats};
use crate::fork_join::span::Span;
use crate::util::sync::{Arc, thread};

struct Scene {
    seats: Seats,
    /// One for each seat.
    spans: [Span; 3],
}

impl Scene {
    fn new() -> Arc<Self> {
        let scene = Self { seats: Seats::new(3), spans: [(); 3].map(|()| Span::empty()) };
        scene.seats.open();
        Arc::new(scene)
    }

    /// A helper who leaves an index, because it is called away. Returns its seat.
    fn leave_something(&self) -> Option<usize> {
        let seat = self.seats.sit()?;
        self.spans[seat].fill(7..8);
        let _ = self.seats.leave(seat);
        Some(seat)
    }

    fn close(&self) -> bool {
        !self.seats.has_others() && self.seats.close() == Closing::Closed
    }
}

/// The owner closes the region and may have to open it again. Who then sits where something was left sees it: it would put
/// its loot in that place.
#[test]
fn what_was_left_is_seen_by_the_next_in_that_seat() {
    static SEEN: Tally = Tally::new(0);
    static SEEN_AFTER_OPENING: Tally = Tally::new(0);
    explore(3, || {
        let scene = Scene::new();
        // Known to the model alone: not to loom, for whom it would be synchronization.
        let (left, opened) = (StdArc::new(Tally::new(0)), StdArc::new(Tally::new(0)));
        let first = {
            let (scene, left) = (Arc::clone(&scene), StdArc::clone(&left));
            thread::spawn(move || left.store(scene.leave_something().unwrap_or(0), Counting))
        };
        let second = {
            let (scene, opened) = (Arc::clone(&scene), StdArc::clone(&opened));
            thread::spawn(move || {
                let (left, opened) = (left.load(Counting), opened.load(Counting));
                let Some(seat) = scene.seats.sit() else { return };
                if seat == left {
                    assert_eq!(scene.spans[seat].claim(1), Some(7..8), "an index was lost");
                    SEEN.fetch_add(1, Counting);
                    SEEN_AFTER_OPENING.fetch_add(opened, Counting);
                }
                let _ = scene.seats.leave(seat);
            })
        };
        if scene.close() {
            scene.seats.open();
            opened.store(1, Counting);
        }
        first.join().expect("it does not panic");
        second.join().expect("it does not panic");
    });
    assert!(SEEN.load(Counting) > SEEN_AFTER_OPENING.load(Counting), "without the owner in between");
    assert!(SEEN_AFTER_OPENING.load(Counting) > 0, "and with it");
}
