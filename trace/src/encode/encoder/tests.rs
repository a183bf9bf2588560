//! Properties of the encoded bytes: each flow begins once and ends once, whatever was dropped, and
//! each slice that begins also ends.
//!
//! Flows are found by searching for the bytes of their keys, which no other field of these files
//! resembles.

use std::panic::Location;

use super::*;
use crate::clock_sync::ClockSync;
use crate::encode::batch::{TaskNames, ThreadInfo};

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

/// Returns the file that encodes these batches of one thread's events, each with its number of
/// dropped events.
fn encoded(batches: &[(&[Event], u64)]) -> Vec<u8> {
    let clock = ClockSync::begin();
    let threads = [ThreadInfo { tid: 7, name: "machine".into(), driver: None }];
    let names = TaskNames::default();
    let context = EncodeContext { threads: &threads, names: &names, clock: &clock, is_simulated: false, workers: 1 };
    let (mut encoder, mut all, mut bytes) = (Encoder::begin(), Vec::new(), Vec::new());
    for &(events, dropped) in batches {
        let entries = events.iter().map(|&event| BatchEntry { thread: 0, later: 0, event }).collect();
        encoder.add(&EventBatch { entries, dropped, until: 1_000, ..EventBatch::default() }, context);
        encoder.take(&mut bytes);
        all.append(&mut bytes);
    }
    encoder.end(2_000, context);
    encoder.take(&mut bytes);
    all.append(&mut bytes);
    all
}

#[track_caller]
fn assert_all_flows_end(bytes: &[u8], count: u64) {
    let all: Vec<u64> = (1..=count).collect();
    assert_eq!((flows(bytes, BEGINS), flows(bytes, ENDS)), (all.clone(), all));
}

fn wake(stamp: u64, task: u64) -> Event {
    Event::new(stamp, EventKind::Readied { task, processor: 0, by: WokenBy::Outside, spawned: false })
}

fn poll(begun: u64, lasted: u64, task: u64, outcome: PollOutcome) -> Event {
    let what = EventKind::Poll { task, processor: 0, source: TaskSource::Ring as u32, lasted, outcome };
    Event::new(begun, what).at(Some(Location::caller()))
}

#[test]
fn flows_lead_from_wakes_to_polls() {
    let events = [wake(10, 1), wake(11, 2), poll(20, 5, 1, PollOutcome::Pending), poll(25, 5, 2, PollOutcome::Ready)];
    assert_all_flows_end(&encoded(&[(&events, 0)]), 2);
}

#[test]
fn a_wake_in_an_ongoing_poll_leads_to_its_poll() {
    // Another machine polls the second task while the poll of the first continues.
    let first = [wake(10, 1), wake(25, 2).within(1)];
    let second = [poll(20, 100, 1, PollOutcome::Pending), poll(130, 5, 2, PollOutcome::Ready)];
    assert_all_flows_end(&encoded(&[(&first, 0), (&second, 0)]), 2);
}

#[test]
fn flows_to_tasks_that_wait_at_the_end_end() {
    assert_all_flows_end(&encoded(&[(&[wake(10, 1), wake(11, 2)], 0)]), 2);
}

#[test]
fn flows_to_dropped_polls_end_at_the_drop() {
    let first = [wake(10, 1), wake(30, 1), wake(50, 1), wake(60, 2)];
    let second = [poll(70, 5, 1, PollOutcome::Ready), wake(80, 2), wake(90, 2), wake(95, 2)];
    assert_all_flows_end(&encoded(&[(&first, 2), (&second, 1)]), 7);
}

#[test]
fn a_cancelled_task_ends_its_flow() {
    let events = [wake(10, 1), Event::new(20, EventKind::Ended { task: 1, processor: 0 })];
    assert_all_flows_end(&encoded(&[(&events, 0)]), 1);
}

#[test]
fn a_poll_stalled_at_the_end_shows_its_stall() {
    let stall = EventKind::Stall { task: 9, processor: 0, millis: 100, asleep: true };
    let bytes = encoded(&[(&[Event::new(500, stall).at(Some(Location::caller()))], 0)]);
    // Type 1 and 2 on the track of P0: field 9, then field 11 with 1000.
    let of_p0 = |kind: u8| count(&bytes, &[0x48, kind, 0x58, 0xe8, 0x07]);
    assert_eq!((of_p0(1), of_p0(2), of_p0(3)), (1, 1, 1));
}

#[test]
fn a_slice_ends_though_its_end_was_dropped() {
    let opened = EventKind::Opened { task: 1, processor: 0, source: 0 };
    let events = [Event::new(10, opened), poll(40, 5, 2, PollOutcome::Pending), Event::new(60, opened)];
    let bytes = encoded(&[(&events, 1)]);
    let of_p0 = |kind: u8| count(&bytes, &[0x48, kind, 0x58, 0xe8, 0x07]);
    assert_eq!((of_p0(1), of_p0(2)), (3, 3));
}
