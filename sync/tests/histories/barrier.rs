//! Barriers: the last that comes leads, and the others are woken in their order.

use super::{Waiting, Wakes, explore, take_any};
use std::collections::HashSet;
use std::sync::Arc;
use std::task::Poll;
use wsrt_sync::Barrier;

#[test]
fn a_barrier_agrees_with_its_model() {
    explore(|random| {
        let size = random.usize(1..5);
        let (barrier, mut wakes) = (Arc::new(Barrier::new(size)), Wakes::default());
        let (mut arrived, mut line, mut open, mut expected) = (0, Vec::new(), HashSet::<usize>::new(), Vec::new());
        let mut waiting: Vec<Waiting<bool>> = Vec::new();
        for id in 0..200 {
            match random.u8(..4) {
                0 | 1 => {
                    let barrier = Arc::clone(&barrier);
                    let mut one = Waiting { id, future: Box::pin(async move { barrier.wait().await.is_leader() }) };
                    let answer = wakes.poll(&mut one);
                    arrived += 1;
                    if arrived == size {
                        assert_eq!(answer, Poll::Ready(true));
                        arrived = 0;
                        open.extend(&line);
                        expected.append(&mut line);
                    } else {
                        assert_eq!(answer, Poll::Pending);
                        line.push(id);
                        waiting.push(one);
                    }
                }
                2 => {
                    if let Some(mut one) = take_any(random, &mut waiting) {
                        let answer = wakes.poll(&mut one);
                        if open.contains(&one.id) {
                            assert_eq!(answer, Poll::Ready(false));
                        } else {
                            assert_eq!(answer, Poll::Pending);
                            waiting.push(one);
                        }
                    }
                }
                // It counts as one that has come.
                _ => {
                    if let Some(one) = take_any(random, &mut waiting) {
                        line.retain(|id| *id != one.id);
                    }
                }
            }
            wakes.assert_are(&mut expected);
        }
    });
}
