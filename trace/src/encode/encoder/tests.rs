//! What a story promises of its bytes: each arrow begins once and ends once, whatever was dropped, and what begins ends.
//!
//! Arrows are found by their tags, which nothing else in these files looks like; all else is the independent decoder's affair
//! (tests/timeline.rs).

use std::panic::Location;

use super::*;
use crate::clock_sync::Anchors;
use crate::encode::batch::{Names, ThreadFacts};

const BEGINS: [u8; 2] = [0xf9, 0x02];
const ENDS: [u8; 2] = [0x81, 0x03];

fn flows(bytes: &[u8], tag: [u8; 2]) -> Vec<u64> {
    let found = bytes.windows(10).filter(|window| window[..2] == tag);
    let numbers = found.map(|window| u64::from_le_bytes(window[2..].try_into().expect("eight of ten")));
    let mut flows: Vec<u64> = numbers.filter(|&flow| flow < 1_000).collect();
    flows.sort_unstable();
    flows
}

fn count(bytes: &[u8], word: &[u8]) -> usize {
    bytes.windows(word.len()).filter(|window| *window == word).count()
}

/// The bytes of a file about these batches of one thread's events, and how many were dropped with each.
fn told(batches: &[(&[Event], u64)]) -> Vec<u8> {
    let anchors = Anchors::begin();
    let threads = [ThreadFacts { tid: 7, name: "machine".into() }];
    let names = Names::default();
    let scene = Scene { threads: &threads, names: &names, anchors: &anchors };
    let (mut story, mut all, mut bytes) = (Story::begin(), Vec::new(), Vec::new());
    for &(events, dropped) in batches {
        let entries = events.iter().map(|&event| Entry { thread: 0, later: 0, event }).collect();
        story.tell(&Batch { entries, dropped, until: 1_000, ..Batch::default() }, scene);
        story.take(&mut bytes);
        all.append(&mut bytes);
    }
    story.end(2_000, scene);
    story.take(&mut bytes);
    all.append(&mut bytes);
    all
}

#[track_caller]
fn assert_all_arrows_land(bytes: &[u8], arrows: u64) {
    let all: Vec<u64> = (1..=arrows).collect();
    assert_eq!((flows(bytes, BEGINS), flows(bytes, ENDS)), (all.clone(), all));
}

fn wake(stamp: u64, task: u64) -> Event {
    Event::new(stamp, What::Readied { task, processor: 0, by: By::Outside, spawned: false })
}

fn poll(begun: u64, lasted: u64, task: u64, outcome: Outcome) -> Event {
    let what = What::Poll { task, processor: 0, source: 1, lasted, outcome };
    Event::new(begun, what).at(Some(Location::caller()))
}

#[test]
fn arrows_lead_from_wakes_to_polls() {
    let events = [wake(10, 1), wake(11, 2), poll(20, 5, 1, Outcome::Pending), poll(25, 5, 2, Outcome::Ready)];
    assert_all_arrows_land(&told(&[(&events, 0)]), 2);
}

#[test]
fn a_wake_in_a_poll_that_is_not_over_may_be_told_after_its_poll() {
    // The second task is polled by somebody else while the first goes on.
    let first = [wake(10, 1), wake(25, 2).within(1)];
    let second = [poll(20, 100, 1, Outcome::Pending), poll(130, 5, 2, Outcome::Ready)];
    assert_all_arrows_land(&told(&[(&first, 0), (&second, 0)]), 2);
}

#[test]
fn tasks_that_wait_at_the_end_end_their_arrows() {
    assert_all_arrows_land(&told(&[(&[wake(10, 1), wake(11, 2)], 0)]), 2);
}

#[test]
fn arrows_to_polls_that_were_dropped_end_where_that_is_said() {
    let first = [wake(10, 1), wake(30, 1), wake(50, 1), wake(60, 2)];
    let second = [poll(70, 5, 1, Outcome::Ready), wake(80, 2), wake(90, 2), wake(95, 2)];
    assert_all_arrows_land(&told(&[(&first, 2), (&second, 1)]), 7);
}

#[test]
fn a_task_that_is_cancelled_ends_its_arrow() {
    let events = [wake(10, 1), Event::new(20, What::Ended { task: 1, processor: 0 })];
    assert_all_arrows_land(&told(&[(&events, 0)]), 1);
}

#[test]
fn a_poll_that_is_stuck_when_the_file_ends_is_shown_with_its_stall() {
    let stall = What::Stall { task: 9, processor: 0, millis: 100, asleep: true };
    let bytes = told(&[(&[Event::new(500, stall).at(Some(Location::caller()))], 0)]);
    // Type 1 and 2 on the track of P0: field 9, then field 11 with 1000.
    let of_p0 = |kind: u8| count(&bytes, &[0x48, kind, 0x58, 0xe8, 0x07]);
    assert_eq!((of_p0(1), of_p0(2), of_p0(3)), (1, 1, 1));
}

#[test]
fn what_begins_ends_though_the_end_was_dropped() {
    let opened = What::Opened { task: 1, processor: 0, source: 0 };
    let events = [Event::new(10, opened), poll(40, 5, 2, Outcome::Pending), Event::new(60, opened)];
    let bytes = told(&[(&events, 1)]);
    let of_p0 = |kind: u8| count(&bytes, &[0x48, kind, 0x58, 0xe8, 0x07]);
    assert_eq!((of_p0(1), of_p0(2)), (3, 3));
}
