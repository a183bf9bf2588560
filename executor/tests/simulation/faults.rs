//! Faults by the seed, what ends a run, and tests over many seeds.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use wsrt::sim::{self, Faults};
use wsrt::time::sleep;

pub(crate) fn message(f: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).expect_err("it panics");
    panic.downcast_ref::<String>().cloned().expect("with a text")
}

#[test]
fn an_invariant_that_breaks_names_itself_seed_and_step() {
    let text = message(|| {
        sim::run(11, |sim| async move {
            let is_broken = Arc::new(AtomicBool::new(false));
            let seen = Arc::clone(&is_broken);
            sim.invariant("it is whole", move || !seen.load(Relaxed));
            wsrt::spawn(async move { is_broken.store(true, Relaxed) });
            sleep(Duration::from_secs(60)).await;
        });
    });
    assert!(text.contains("the invariant `it is whole` does not hold"), "{text}");
    assert!(text.contains("seed 11 has failed at step") && text.contains("WSRT_SIM_SEED=11 repeats it"), "{text}");
}

#[test]
fn an_invariant_that_panics_fails_the_run_by_its_seed() {
    let text = message(|| {
        sim::run(12, |sim| async move {
            let mut calls = 0;
            sim.invariant("it can be asked", move || {
                calls += 1;
                assert!(calls < 5, "{calls} is too often");
                true
            });
            sleep(Duration::from_secs(60)).await;
            sleep(Duration::from_secs(60)).await;
            unreachable!("the run has ended before");
        });
    });
    assert!(text.contains("the invariant `it can be asked` has panicked: 5 is too often"), "{text}");
    assert!(text.contains("seed 12 has failed at step 5,") && text.contains("WSRT_SIM_SEED=12 repeats it"), "{text}");
}

#[test]
fn a_deadline_of_virtual_time_ends_the_run() {
    let text = message(|| {
        sim::run(1, |sim| async move {
            sim.deadline(Duration::from_secs(3_600));
            loop {
                sleep(Duration::from_secs(60)).await;
            }
        });
    });
    assert!(text.contains("the deadline of 3600s has come"), "{text}");
}

#[test]
fn a_host_whose_main_future_panics_fails_the_run() {
    let text = message(|| {
        sim::run(1, |sim| async move {
            sim.host("node", || async { panic!("on purpose") });
            sleep(Duration::from_secs(60)).await;
        });
    });
    assert!(text.contains("a task of the host `node`") && text.contains("on purpose"), "{text}");
}

#[test]
fn random_faults_are_the_same_for_a_seed_and_end() {
    let run = |seed| {
        sim::run(seed, |sim| async move {
            let lives = Arc::new(Mutex::new(Vec::new()));
            for name in ["a", "b", "c"] {
                let lives = Arc::clone(&lives);
                sim.host(name, move || {
                    lives.lock().expect("no panic").push((name, wsrt::time::Instant::now()));
                    std::future::pending::<()>()
                });
            }
            sim.random_faults(Faults::new(Duration::from_secs(20)).crashes(1).partitions().resets());
            sleep(Duration::from_secs(40)).await;
            assert!(["a", "b", "c"].iter().all(|name| sim.is_up(name)));
            let lives = lives.lock().expect("no panic");
            (lives.len(), sim.record().hash())
        })
    };
    let runs: Vec<_> = (0..20).map(run).collect();
    assert_eq!(runs, (0..20).map(run).collect::<Vec<_>>());
    assert!(runs.iter().all(|(lives, _)| *lives > 3), "hosts were restarted: {runs:?}");
    assert_eq!(runs.iter().map(|(_, hash)| hash).collect::<BTreeSet<_>>().len(), 20);
}

/// When each fault of a run within a minute begins, and for how long it lasts, in seconds.
fn times_of(seed: u64, bounds: fn(Faults) -> Faults) -> Vec<(f64, f64)> {
    let plan = sim::run(seed, |sim| async move {
        for name in ["a", "b", "c", "d"] {
            sim.host(name, std::future::pending::<()>);
        }
        let second = Duration::from_secs(1);
        let faults = Faults::new(60 * second).every(second..2 * second).lasting(3 * second..4 * second);
        sim.random_faults(bounds(faults));
        sleep(100 * second).await;
        sim.plan().to_string()
    });
    let seconds = |text: &str| match text.strip_suffix("ms") {
        Some(millis) => millis.parse::<f64>().expect("a number") / 1_000.0,
        None => text.strip_suffix('s').expect("a time").parse().expect("a number"),
    };
    let times_in = |line: &str| {
        let words: Vec<_> = line.split(' ').collect();
        assert_eq!((words[0], words[words.len() - 2]), ("at", "for"), "{line}");
        (seconds(words[1]), seconds(words[words.len() - 1]))
    };
    plan.lines().map(times_in).collect()
}

#[test]
fn random_faults_keep_their_pauses_times_and_end() {
    for seed in 0..10 {
        let times = times_of(seed, Faults::partitions);
        assert!((15..=60).contains(&times.len()), "seed {seed}: {times:?}");
        for &(at, lasting) in &times {
            let end = at + lasting;
            let is_cut_off = lasting < 3.0 && (59.999..60.001).contains(&end);
            assert!(is_cut_off || end < 60.001 && (3.0..4.0).contains(&lasting), "seed {seed}: {lasting} at {at}");
        }
        let pauses: Vec<_> = times.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        assert!(pauses.iter().all(|&pause| pause >= 1.0), "seed {seed}: {pauses:?}");
        // A fault of what is cut already is none, and the pause goes on.
        let short = pauses.iter().filter(|&&pause| pause < 2.001).count();
        assert!(short > pauses.len() / 2, "seed {seed}: {pauses:?}");
    }
}

#[test]
fn no_more_hosts_are_down_than_may_be() {
    for seed in 0..10 {
        for (most, bounds) in [(1, (|faults| faults.crashes(1)) as fn(Faults) -> Faults), (2, |it| it.crashes(2))] {
            let times = times_of(seed, bounds);
            let down = |now: f64| times.iter().filter(|(at, lasting)| (*at..at + lasting).contains(&now)).count();
            let counts: Vec<_> = times.iter().map(|(at, _)| down(*at)).collect();
            assert_eq!(counts.iter().max(), Some(&most), "seed {seed}: {times:?}");
        }
    }
}

#[test]
fn a_fault_that_would_change_nothing_is_none() {
    sim::run(7, |sim| async move {
        for name in ["a", "b"] {
            sim.host(name, std::future::pending::<()>);
        }
        let faults = Faults::new(Duration::from_secs(100)).slow_links(1..2).slow_disks(0..2).failing_disks(0.0..0.0);
        sim.random_faults(faults.clock_jumps(Duration::ZERO).clock_drifts(0));
        sleep(Duration::from_secs(50)).await;
        assert!(sim.plan().is_empty(), "{}", sim.plan());
        sim.random_faults(Faults::new(Duration::from_secs(10)).failing_disks(0.0..0.000_002).clock_drifts(1));
        sleep(Duration::from_secs(50)).await;
        let plan = sim.plan().to_string();
        assert!(plan.contains(" by 1 for ") && plan.contains(" by -1 for ") && plan.contains(" by 0.000001 for "));
        assert!(!plan.contains(" by 0 for "), "{plan}");
    });
}

#[test]
fn points_are_armed_by_some_seeds_and_fire_sometimes() {
    let fired = |seed| sim::run(seed, |_| async { (0..100).filter(|_| sim::maybe("slow disk")).count() });
    let counts: Vec<_> = (0..100).map(fired).collect();
    assert_eq!(counts, (0..100).map(fired).collect::<Vec<_>>());
    let armed = counts.iter().filter(|&&count| count > 0).count();
    assert!((10..45).contains(&armed), "{counts:?}");
    assert!(counts.iter().all(|&count| count < 30), "{counts:?}");
    assert!(!sim::maybe("slow disk"), "outside simulations");
}

#[test]
fn a_failing_seed_is_named_and_all_good_ones_run() {
    let ran = Mutex::new(BTreeSet::new());
    sim::seeds(0..50, |seed| _ = ran.lock().expect("no panic").insert(seed));
    assert_eq!(ran.into_inner().expect("no panic"), (0..50).collect());
    let text = message(|| sim::seeds(0..50, |seed| assert!(seed != 30, "it is thirty")));
    assert!(text.contains("seed 30 of 0..50 has failed: it is thirty"), "{text}");
    assert!(text.contains("WSRT_SIM_SEED=30 repeats it"), "{text}");
}
