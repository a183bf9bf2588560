//! The example of a replicated log: one seed is one run, and a planted fault is found.

#[path = "../../../examples/replicated_log.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
pub(crate) mod example;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

/// `wsrt-sim` runs it by thousands: see docs/SIMULATION.md.
#[test]
fn a_seed_is_one_run_and_loses_no_entry() {
    let hashes = Mutex::new(BTreeMap::new());
    wsrt::sim::seeds(0..20, |seed| {
        let first = example::run(seed, false);
        assert_eq!(first, example::run(seed, false));
        assert!(first.steps() > 1_000, "{first:?}");
        hashes.lock().expect("no panic").insert(seed, first.hash());
    });
    let hashes = hashes.into_inner().expect("no panic");
    let distinct = hashes.values().collect::<BTreeSet<_>>().len();
    // A change that is to change no run has the same number before and after.
    let all = hashes.values().fold(0, |all: u64, hash| all.rotate_left(7) ^ hash);
    println!("{} seeds twice, {distinct} different hashes, {all:016x} all together", hashes.len());
    assert_eq!(distinct, hashes.len(), "another seed is another run");
}

#[test]
fn a_planted_fault_is_found_and_found_again() {
    let fails = |seed| catch_unwind(AssertUnwindSafe(|| example::run(seed, true))).is_err();
    let found = (0..1_000).find(|&seed| fails(seed)).expect("a thousand seeds find it");
    assert!(fails(found) && fails(found), "seed {found}");
}
