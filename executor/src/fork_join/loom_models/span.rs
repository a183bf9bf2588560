//! The span's word: owner and thieves claim every index once.

use std::ops::Range;

use super::explore;
use crate::fork_join::span::Span;
use crate::util::sync::{Arc, thread};

/// Claims all that is left, in strides of two.
fn claim_all(span: &Span) -> Vec<Range<u32>> {
    std::iter::from_fn(|| span.claim(2)).collect()
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
        let span = Arc::new(Span::empty());
        span.fill(0..COUNT);
        let thieves = [(); 2].map(|()| {
            let span = Arc::clone(&span);
            thread::spawn(move || span.steal())
        });
        let mut claimed: Vec<_> = span.claim(2).into_iter().chain(span.claim(2)).collect();
        claimed.extend(thieves.into_iter().filter_map(|thief| thief.join().expect("it does not panic")));
        claimed.extend(claim_all(&span));
        assert_each_once(COUNT, claimed);
    });
}

/// What a thief has put before itself is robbed in its turn; the owner takes the last index, or a thief does.
#[test]
fn loot_is_robbed_again_down_to_the_last_index() {
    const COUNT: u32 = 3;
    explore(3, || {
        let spans = Arc::new([Span::empty(), Span::empty()]);
        spans[0].fill(0..COUNT);
        let thief = {
            let spans = Arc::clone(&spans);
            thread::spawn(move || {
                let Some(loot) = spans[0].steal() else { return Vec::new() };
                spans[1].fill(loot);
                claim_all(&spans[1])
            })
        };
        let mut claimed = claim_all(&spans[0]);
        claimed.extend(spans[1].steal());
        claimed.extend(thief.join().expect("it does not panic"));
        claimed.extend(spans.iter().flat_map(claim_all));
        assert_each_once(COUNT, claimed);
    });
}
