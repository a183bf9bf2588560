//! The cluster on hosts of a simulation: workers, a node, its client, and a Redis, which crash,
//! whose links are cut and reset, and whose clocks are wrong, as the seed decides. Every job has
//! one place at each moment, and one result in the end, recorded once.

mod client;
mod redis;
mod resp;
mod run;
mod store;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use run::{LEASE, Outcome, WORKERS, clocks, run, whatever_happens};
use wsrt::sim::{self, Plan};

wsrt::sim::interpose!();

/// How many seeds a test runs: thousands by hand, in a release build.
const SEEDS: u64 = if cfg!(debug_assertions) { 20 } else { 10_000 };
const SAME: u64 = if cfg!(debug_assertions) { 10 } else { 1_000 };

fn with_faults(seed: u64) -> Outcome {
    run(seed, |sim| sim.random_faults(whatever_happens()))
}

#[test]
fn each_job_gets_one_result_whatever_dies() {
    sim::seeds(0..SEEDS, |seed| {
        let _ = with_faults(seed);
    });
}

/// A lease is renewed after a third of its time: so it bears calendars that jump by less than two
/// thirds of it. Faults that are under way at once add up, hence the smaller bound.
#[test]
fn a_lease_outlasts_clocks_that_are_a_little_wrong() {
    sim::seeds(0..SEEDS, |seed| {
        let outcome = run(seed, |sim| sim.random_faults(clocks(LEASE / 12, 50_000)));
        assert_eq!(outcome.attempts, 1, "a worker that was never away has lost a lease");
    });
}

#[test]
fn a_calendar_that_jumps_further_than_a_lease_ends_it() {
    assert!((0..20).any(|seed| run(seed, |sim| sim.random_faults(clocks(2 * LEASE, 0))).attempts > 1));
}

/// The most attempts for a job, where Redis's clock runs too fast by so many parts in a million for
/// a while, and the workers' too slow.
fn attempts_with_clocks_apart(parts: u32) -> u64 {
    let workers = WORKERS.map(|worker| format!("at 0s clock drift {worker} by -{parts} for 5s;"));
    let plan = format!("{} at 0s clock drift redis by {parts} for 5s", workers.concat());
    let plan: Plan = plan.parse().expect("a plan");
    (0..20).map(|seed| run(seed, |sim| sim.inject(&plan)).attempts).max().expect("some seeds")
}

#[test]
fn a_lease_outlasts_a_clock_twice_as_fast() {
    assert_eq!(attempts_with_clocks_apart(333_333), 1, "1.33 to 0.67");
}

#[test]
fn a_clock_four_times_as_fast_ends_leases_too_early() {
    assert!(attempts_with_clocks_apart(600_000) > 1, "1.6 to 0.4");
}

/// The workers die with leases that began while Redis's calendar was an hour ahead.
#[test]
fn a_lease_ends_in_time_if_calendars_are_set_back() {
    let crashes = WORKERS.map(|worker| format!("at 1s crash {worker} for 3s;"));
    let plan: Plan = format!("at 0s clock ahead redis by 3600s for 2s; {}", crashes.concat()).parse().expect("a plan");
    sim::seeds(0..20, |seed| {
        let outcome = run(seed, |sim| sim.inject(&plan));
        assert!(outcome.attempts > 1, "they have died with jobs");
        assert!(outcome.record.elapsed() < Duration::from_secs(20), "{outcome:?}");
    });
}

#[test]
fn a_seed_is_one_run_of_the_cluster() {
    let hashes = Mutex::new(BTreeMap::new());
    sim::seeds(0..SAME, |seed| {
        let first = with_faults(seed);
        assert_eq!(first, with_faults(seed));
        assert!(first.record.steps() > 1_000, "{first:?}");
        hashes.lock().expect("no panic").insert(seed, first.record.hash());
    });
    let hashes = hashes.into_inner().expect("no panic");
    let distinct = hashes.values().collect::<BTreeSet<_>>().len();
    // A change that is to change no run has the same number before and after.
    let all = hashes.values().fold(0, |all: u64, hash| all.rotate_left(7) ^ hash);
    println!("{} seeds twice, {distinct} different hashes, {all:016x} all together", hashes.len());
    assert_eq!(distinct, hashes.len(), "another seed is another run");
}
