//! Where std's atomics may be named: in each crate's `sync.rs`, from which controlled schedules and
//! loom models take theirs, and in the places below.

use crate::ledger::Finding;
use crate::lexer::Source;

/// The crates whose atomics come through a seam.
const MODELLED: [&str; 3] = ["executor/src/", "reactor/src/", "sync/src/"];

/// Files, and folders, that name std's all the same.
const OUTSIDE: [&str; 16] = [
    // Statics: they outlive a schedule, so that its steps would depend on those before it.
    "executor/src/runtime/environment.rs",
    "executor/src/scheduler/runtime_id.rs",
    "executor/src/task/identity.rs",
    "executor/src/util/threads.rs",
    // A static that a signal handler writes: no step may be taken there.
    "executor/src/signal/listener.rs",
    // A simulated runtime runs on one thread.
    "executor/src/scheduler/simulation/",
    "executor/src/sim/",
    // Off in every schedule, and nothing is decided by them: recorders and sampled figures.
    "executor/src/observe/timeline/",
    "executor/src/observe/counters.rs",
    "executor/src/observe/latency.rs",
    "executor/src/task/stats.rs",
    // Read at every poll, spawn and wake, and written when an observer is turned on: none is in a
    // schedule.
    "executor/src/observe/observer.rs",
    // The last holder of a lock, for dumps.
    "sync/src/holder.rs",
    // A count that the console shows.
    "sync/src/console/mod.rs",
    // In tests and examples of these.
    "executor/src/parallel/loops.rs",
    "executor/src/observe/no_progress.rs",
];

/// The places where they are named elsewhere.
pub(crate) fn elsewhere(sources: &[Source]) -> Vec<Finding> {
    let is_modelled = |source: &&Source| MODELLED.iter().any(|start| source.path.starts_with(start));
    let is_outside = |source: &Source| {
        OUTSIDE.iter().any(|start| source.path.starts_with(start))
            || source.path.ends_with("/sync.rs")
            || source.is_of_tests()
    };
    let mut findings = Vec::new();
    for source in sources.iter().filter(is_modelled).filter(|source| !is_outside(source)) {
        let lines = source.lines.iter().enumerate().filter(|(_, line)| !line.is_test);
        for (index, _) in lines.filter(|(_, line)| line.code.contains("std::sync::atomic")) {
            let advice = "std's atomics here: take them from `sync.rs`, or no schedule steps here";
            findings.push(Finding::new(&source.path, source.place(index), advice));
        }
    }
    findings
}

#[test]
fn atomics_of_std_in_a_modelled_crate_are_found() {
    let text = "use std::sync::atomic::AtomicU8;\n#[cfg(test)]\nmod tests {\n    use std::sync::atomic::AtomicU8;\n}\n";
    let paths = ["executor/src/task/a.rs", "executor/src/util/sync.rs", "sync/src/holder.rs", "trace/src/a.rs"];
    let sources = paths.map(|path| Source::new(path, text));
    let places: Vec<String> = elsewhere(&sources).into_iter().map(|finding| finding.place).collect();
    assert_eq!(places, ["executor/src/task/a.rs:1"]);
}
