//! The cluster on hosts of a simulation: workers, a node, its client, and a Redis, which crash, and
//! whose links are cut and reset, as the seed decides. Every job has one place at each moment, and
//! one result in the end, recorded once.

mod client;
mod redis;
mod resp;
mod run;
mod store;

use run::run;
use wsrt::sim;

/// How many seeds a test runs: thousands by hand, in a release build.
const SEEDS: u64 = if cfg!(debug_assertions) { 20 } else { 10_000 };
const SAME: u64 = if cfg!(debug_assertions) { 10 } else { 1_000 };

#[test]
fn each_job_gets_one_result_whatever_dies() {
    sim::seeds(0..SEEDS, |seed| {
        let _ = run(seed);
    });
}

#[test]
fn a_seed_is_one_run_of_the_cluster() {
    sim::seeds(0..SAME, |seed| {
        let first = run(seed);
        assert_eq!(first, run(seed));
        assert_ne!(first.hash(), run(seed + SEEDS).hash(), "another seed is another run");
        assert!(first.steps() > 1_000, "{first:?}");
    });
}
