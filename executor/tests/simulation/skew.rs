//! Clocks of hosts that are wrong: their tasks see it, and no other.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use wsrt::sim::{self, Sim, Skew};
use wsrt::time::{Instant, sleep, sleep_until};

const SECOND: Duration = Duration::from_secs(1);

/// Has a task of a host that is skewed after two seconds measure a sleep from its fourth to its
/// fourteenth second, and returns how long that takes, by the host's clock and by the test's.
async fn measured(sim: &Sim, skew: Skew) -> (Duration, Duration) {
    let (sender, mut receiver) = wsrt::sync::mpsc::channel(1);
    sim.host("node", move || {
        let sender = sender.clone();
        async move {
            sleep(3 * SECOND).await;
            let _ = sender.send(Duration::ZERO).await;
            let began = Instant::now();
            sleep(10 * SECOND).await;
            let _ = sender.send(began.elapsed()).await;
        }
    });
    sleep(2 * SECOND).await;
    sim.skew("node", skew);
    receiver.recv().await.expect("the host is up");
    let began = Instant::now();
    let on_host = receiver.recv().await.expect("the host is up");
    (on_host, began.elapsed())
}

fn is_about(time: Duration, meant: Duration) -> bool {
    time.abs_diff(meant) < Duration::from_millis(100)
}

#[test]
fn timers_and_instants_drift_with_their_host() {
    for seed in 0..20 {
        let (fast, slow) = (Skew::new().drift(1_000_000), Skew::new().drift(-500_000));
        let (on_host, here) = sim::run(seed, |sim| async move { measured(&sim, fast).await });
        assert!(on_host >= 10 * SECOND && is_about(on_host, 10 * SECOND), "{on_host:?}");
        assert!(is_about(here, 5 * SECOND), "{here:?}");
        let (on_host, here) = sim::run(seed, |sim| async move { measured(&sim, slow).await });
        assert!(on_host >= 10 * SECOND && is_about(on_host, 10 * SECOND), "{on_host:?}");
        assert!(is_about(here, 20 * SECOND), "{here:?}");
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#[test]
fn calendars_are_ahead_and_clocks_of_std_drift() {
    use std::time::{Instant, SystemTime};
    type Shown = Vec<(SystemTime, Instant)>;

    let run = |seed| {
        sim::run(seed, |sim| async move {
            let shown: Arc<Mutex<Shown>> = Arc::default();
            let seen = Arc::clone(&shown);
            sim.host("node", move || {
                let seen = Arc::clone(&seen);
                async move {
                    loop {
                        let now = (SystemTime::now(), Instant::now());
                        seen.lock().expect("no panic").push(now);
                        sleep(SECOND).await;
                    }
                }
            });
            sleep(SECOND / 2).await;
            sim.skew("node", Skew::new().ahead(3_600 * SECOND).drift(10_000));
            sleep(1_000 * SECOND).await;
            sim.skew("node", Skew::new().behind(3_600 * SECOND));
            let (date, moment) = (SystemTime::now(), Instant::now());
            sleep(10 * SECOND).await;
            let shown = shown.lock().expect("no panic").clone();
            assert!(shown.windows(2).all(|pair| pair[0].1 < pair[1].1), "no instant goes back");
            let (ahead, drifted) = shown.iter().rfind(|(shown, _)| *shown > date).copied().expect("it was ahead");
            let ahead = ahead.duration_since(date).expect("it was ahead");
            assert!(ahead > 3_608 * SECOND && ahead < 3_611 * SECOND, "{ahead:?}");
            assert!(drifted > moment, "{drifted:?}: a second in a hundred");
            let (last, _) = shown.last().copied().expect("it was shown");
            let behind = SystemTime::now().duration_since(last).expect("it is behind");
            assert!(behind > 3_589 * SECOND && behind < 3_592 * SECOND, "{behind:?}");
            (shown, sim.record().hash())
        })
    };
    for seed in 0..5 {
        assert_eq!(run(seed), run(seed), "seed {seed}");
    }
}

#[test]
fn a_host_without_a_skew_goes_by_the_simulation() {
    sim::run(1, |sim| async move {
        sim.host("other", std::future::pending::<()>);
        sim.skew("other", Skew::new().drift(500_000));
        let (on_host, here) = measured(&sim, Skew::new()).await;
        assert!(is_about(on_host, 10 * SECOND) && is_about(here, 10 * SECOND), "{on_host:?} {here:?}");
    });
}

#[test]
fn a_sleep_never_ends_early_by_its_hosts_clock() {
    for drift in [500, 1_000_000] {
        sim::run(1, |sim| async move {
            let (sender, mut receiver) = wsrt::sync::mpsc::channel(1);
            sim.host("node", move || {
                let sender = sender.clone();
                async move {
                    sleep(SECOND).await;
                    let until = Instant::now() + 10 * SECOND;
                    sleep_until(until).await;
                    let _ = sender.send(until.saturating_duration_since(Instant::now())).await;
                }
            });
            sim.skew("node", Skew::new().drift(drift));
            sleep(4 * SECOND).await;
            sim.skew("node", Skew::new());
            assert_eq!(receiver.recv().await, Some(Duration::ZERO), "drift {drift}");
        });
    }
}
