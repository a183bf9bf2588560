//! Faults of disks and clocks: they begin and end at their moments, and are part of the plan.

use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wsrt::fs;
use wsrt::sim::{self, Faults, Plan, Record, Sim};
use wsrt::time::{Instant, sleep, sleep_until};

const SECOND: Duration = Duration::from_secs(1);

/// Runs `look` on a host at each of these moments in seconds, and returns what it saw.
async fn seen_at<T, F>(sim: &Sim, moments: &'static [f64], look: fn() -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let (sender, mut receiver) = wsrt::sync::mpsc::channel(moments.len());
    let began = Instant::now();
    sim.host("node", move || {
        let sender = sender.clone();
        async move {
            for &moment in moments {
                sleep_until(began + Duration::from_secs_f64(moment)).await;
                let _ = sender.send(look().await).await;
            }
        }
    });
    let mut seen = Vec::new();
    for _ in moments {
        seen.push(receiver.recv().await.expect("the host is up"));
    }
    seen
}

fn plan(text: &str) -> Plan {
    text.parse().expect("it is a plan")
}

#[test]
fn disk_faults_begin_and_end_at_their_moments() {
    sim::run(5, |sim| async move {
        let faults = "at 1s disk full node for 2s; at 2s disk full node for 3s; at 6s disk failing node by 1 for 1s; \
                      at 8s disk slow node by 20000 for 1s; at 11s disk full node";
        sim.inject(&plan(faults));
        let write = || async {
            let began = Instant::now();
            let outcome = fs::write("/file", "some bytes").await;
            (outcome.map_err(|error| error.raw_os_error()), began.elapsed() > SECOND / 100)
        };
        let seen = seen_at(&sim, &[0.5, 1.5, 3.5, 5.5, 6.5, 7.5, 8.5, 10.5, 12.5], write).await;
        let (full, failed) = (Err(Some(28)), Err(Some(5)));
        let expected = [Ok(()), full, full, Ok(()), failed, Ok(()), Ok(()), Ok(()), full];
        assert_eq!(seen.iter().map(|(outcome, _)| *outcome).collect::<Vec<_>>(), expected);
        let slow: Vec<bool> = seen.iter().map(|(_, is_slow)| *is_slow).collect();
        assert_eq!(slow, [false, false, false, false, false, false, true, false, false]);
    });
}

#[test]
fn a_drift_of_a_clock_ends_and_leaves_it_ahead() {
    for seed in 0..5 {
        sim::run(seed, |sim| async move {
            sim.inject(&plan("at 10s clock drift node by 1000000 for 10s"));
            let began = Instant::now();
            seen_at(&sim, &[0.0], || async {
                let began = Instant::now();
                // Timers that are armed stay at their moments.
                while began.elapsed() < 40 * SECOND {
                    sleep(SECOND / 50).await;
                }
            })
            .await;
            let took = began.elapsed();
            assert!(took.abs_diff(30 * SECOND) < SECOND / 10, "ten seconds were gained: {took:?}");
        });
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#[test]
fn jumps_of_a_calendar_add_up_and_end() {
    use std::time::SystemTime;
    use wsrt::sim::Skew;

    sim::run(5, |sim| async move {
        let (began, date) = (Instant::now(), SystemTime::now());
        let faults = "at 1s clock ahead node by 3600s for 2s; at 2s clock behind node by 600s for 3s";
        sim.inject(&plan(faults));
        let look = || async { (Instant::now(), SystemTime::now()) };
        wsrt::spawn({
            let sim = sim.clone();
            async move {
                sleep(SECOND / 4).await;
                sim.skew("node", Skew::new().ahead(100 * SECOND));
            }
        });
        let seen = seen_at(&sim, &[0.5, 1.5, 2.5, 4.0, 6.0], look).await;
        let ahead = seen.iter().map(|(now, shown)| {
            let right = date + now.duration_since(began);
            let seconds = |time: Duration| time.as_secs_f64().round() as i64;
            shown.duration_since(right).map_or_else(|behind| -seconds(behind.duration()), seconds)
        });
        assert_eq!(ahead.collect::<Vec<_>>(), [100, 3_700, 3_100, -500, 100]);
    });
}

/// The rounds of hosts: when each ended by the host's clock, and how.
type Rounds = Arc<Mutex<Vec<(Instant, io::Result<()>)>>>;

/// Writes, reads and syncs, for ever.
async fn keep(rounds: Rounds) {
    loop {
        let round = async {
            let mut file = fs::File::create("/file").await?;
            file.write_all(&[7; 2_000]).await?;
            file.sync_all().await?;
            fs::read("/file").await.map(drop)
        };
        let outcome = round.await;
        rounds.lock().expect("no panic").push((Instant::now(), outcome));
        sleep(SECOND / 50).await;
    }
}

/// Two hosts with disks and clocks, by the faults of the seed or those of a plan: the record, the
/// plan, and the errors that the hosts met.
fn run(seed: u64, plan: Option<Plan>) -> (Record, Plan, Vec<ErrorKind>) {
    sim::run(seed, |sim: Sim| async move {
        let rounds = Rounds::default();
        for name in ["one", "two"] {
            let rounds = Arc::clone(&rounds);
            sim.host(name, move || keep(Arc::clone(&rounds)));
        }
        match plan {
            Some(plan) => sim.inject(&plan),
            None => {
                let faults = Faults::new(6 * SECOND).every(SECOND / 20..SECOND / 4).crashes(1).full_disks();
                let faults = faults.failing_disks(0.05..0.9).slow_disks(2..50);
                sim.random_faults(faults.clock_jumps(90 * SECOND).clock_drifts(200_000));
            }
        }
        sleep(8 * SECOND).await;
        let seen = rounds.lock().expect("no panic");
        assert!(seen.iter().rev().take(10).all(|(_, outcome)| outcome.is_ok()), "the faults are over: {seen:?}");
        let errors = seen.iter().filter_map(|(_, outcome)| Some(outcome.as_ref().err()?.kind()));
        (sim.record(), sim.plan(), errors.collect())
    })
}

#[test]
fn disk_and_clock_faults_are_repeated_by_their_plan() {
    let (mut texts, mut errors) = (String::new(), Vec::new());
    for seed in 0..6 {
        let first = run(seed, None);
        assert_eq!(first, run(seed, None), "seed {seed}");
        let text = first.1.to_string();
        assert_eq!(first, run(seed, Some(plan(&text))), "seed {seed}: {text}");
        assert_ne!(first.0.hash(), run(seed, Some(Plan::default())).0.hash(), "seed {seed}");
        texts.push_str(&text);
        errors.extend(first.2);
    }
    for kind in ["disk full", "disk failing", "disk slow", "clock ahead", "clock behind", "clock drift", " by -"] {
        assert!(texts.contains(kind), "no {kind} in {texts}");
    }
    assert!(errors.contains(&ErrorKind::StorageFull), "full disks refuse writes");
    assert!(errors.iter().any(|&kind| kind != ErrorKind::StorageFull), "failing disks fail");
}

#[test]
fn no_fault_restarts_a_host_that_the_program_crashed() {
    sim::run(1, |sim| async move {
        sim.host("node", std::future::pending::<()>);
        sim.inject(&plan("at 1s crash node for 1s"));
        sleep(SECOND * 3 / 2).await;
        assert!(!sim.is_up("node"), "by the fault");
        sim.crash("node");
        sleep(SECOND).await;
        assert!(!sim.is_up("node"), "by the program");
        sim.inject(&plan("at 3s crash node for 1s"));
        sim.restart("node");
        sleep(SECOND).await;
        assert!(!sim.is_up("node"), "by the next fault");
        sleep(SECOND).await;
        assert!(sim.is_up("node"), "the program has restarted it");
    });
}
