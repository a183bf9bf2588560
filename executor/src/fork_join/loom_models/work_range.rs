//! The word of a work range: its participant and thieves claim every index once.

use std::ops::Range;

use super::explore;
use crate::fork_join::work_range::WorkRange;
use crate::util::sync::{Arc, thread};

/// Claims all that is left, in strides of two.
fn claim_all(range: &WorkRange) -> Vec<Range<u32>> {
    std::iter::from_fn(|| range.claim(2)).collect()
}

#[track_caller]
fn assert_each_once(count: u32, mut claimed: Vec<Range<u32>>) {
    claimed.sort_by_key(|range| range.start);
    let indices: Vec<_> = claimed.into_iter().flatten().collect();
    assert_eq!(indices, (0..count).collect::<Vec<_>>());
}

#[test]
fn owner_and_two_thieves_claim_every_index_once() {
    const COUNT: u32 = 20;
    explore(3, || {
        let range = Arc::new(WorkRange::empty());
        range.fill(0..COUNT);
        let thieves = [(); 2].map(|()| {
            let range = Arc::clone(&range);
            thread::spawn(move || range.steal())
        });
        let mut claimed: Vec<_> = range.claim(2).into_iter().chain(range.claim(2)).collect();
        claimed.extend(thieves.into_iter().filter_map(|thief| thief.join().expect("it does not panic")));
        claimed.extend(claim_all(&range));
        assert_each_once(COUNT, claimed);
    });
}

/// Indices that a thief has stolen are stolen from it in turn; the owner takes the last one, or a
/// thief does.
#[test]
fn stolen_indices_are_stolen_again_down_to_the_last() {
    const COUNT: u32 = 3;
    explore(3, || {
        let ranges = Arc::new([WorkRange::empty(), WorkRange::empty()]);
        ranges[0].fill(0..COUNT);
        let thief = {
            let ranges = Arc::clone(&ranges);
            thread::spawn(move || {
                let Some(stolen) = ranges[0].steal() else { return Vec::new() };
                ranges[1].fill(stolen);
                claim_all(&ranges[1])
            })
        };
        let mut claimed = claim_all(&ranges[0]);
        claimed.extend(ranges[1].steal());
        claimed.extend(thief.join().expect("it does not panic"));
        claimed.extend(ranges.iter().flat_map(claim_all));
        assert_each_once(COUNT, claimed);
    });
}
