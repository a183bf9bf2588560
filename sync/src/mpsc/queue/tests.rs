//! Tests of queues whose positions wrap around, which takes a busy channel hours on a 32-bit
//! machine.

use super::{BlockQueue, LAP, POSITIONS, Popped, SLOTS};
use std::sync::Arc;
use std::thread;

/// Start positions that are one lap before the tail's positions wrap around, and one lap before
/// both words wrap around.
const STARTS: [usize; 2] = [POSITIONS - LAP, LAP.wrapping_neg()];

// Slots and blocks stay in step.
const _: () = assert!(POSITIONS % LAP == 0 && POSITIONS.is_power_of_two());

fn pop<T>(queue: &BlockQueue<T>) -> Popped<T> {
    // SAFETY: one thread of each test calls this.
    unsafe { queue.pop() }
}

#[test]
fn a_queue_is_empty_after_its_positions_wrapped() {
    for queue in STARTS.map(BlockQueue::starting_at) {
        for round in 0..4 * LAP {
            // SAFETY: this thread alone.
            assert!(unsafe { queue.fall_asleep() }, "round {round}: nothing is claimed");
            assert_eq!(queue.push(round), Ok(true), "round {round}: the popper was asleep");
            // SAFETY: this thread alone.
            assert!(!unsafe { queue.fall_asleep() }, "round {round}: one is claimed");
            assert_eq!((queue.len(), pop(&queue)), (1, Popped::Value(round)));
            assert_eq!((queue.len(), pop(&queue)), (0, Popped::Empty), "round {round}");
        }
        queue.close();
        assert_eq!(queue.push(0), Err(0));
        assert_eq!(pop(&queue), Popped::Empty);
    }
}

#[test]
fn a_queue_knows_its_length_across_the_wrap() {
    for queue in STARTS.map(BlockQueue::starting_at) {
        for value in 0..3 * SLOTS {
            assert_eq!((queue.len(), queue.push(value)), (value, Ok(false)));
        }
        for value in 0..3 * SLOTS {
            assert_eq!((queue.len(), pop(&queue)), (3 * SLOTS - value, Popped::Value(value)));
        }
        assert_eq!((queue.len(), pop(&queue)), (0, Popped::Empty));
    }
}

#[test]
fn values_of_several_threads_arrive_across_the_wrap() {
    const SENT: usize = 4 * SLOTS;
    for queue in STARTS.map(BlockQueue::starting_at).map(Arc::new) {
        let pushers = [0, 1, 2].map(|pusher| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || (0..SENT).for_each(|value| _ = queue.push((pusher, value)).expect("it is open")))
        });
        let mut next = [0; 3];
        while next.iter().sum::<usize>() < 3 * SENT {
            match pop(&queue) {
                Popped::Value((pusher, value)) => {
                    let expected = std::mem::replace(&mut next[pusher], value + 1);
                    assert_eq!(value, expected, "in the order of each pusher");
                }
                Popped::Busy | Popped::Empty => thread::yield_now(),
            }
        }
        pushers.into_iter().for_each(|pusher| pusher.join().expect("it does not panic"));
        assert_eq!(pop(&queue), Popped::Empty);
    }
}
