//! The lives of hosts: how they begin, and that nothing of one goes on after its end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use wsrt::net::UdpSocket;
use wsrt::runtime::{Builder, Handle, PanicAction};
use wsrt::sim::{self, Plan, Sim};
use wsrt::task::{LocalSet, spawn_blocking, spawn_local};
use wsrt::time::sleep;

const SECOND: Duration = Duration::from_secs(1);

async fn beat(beats: Arc<AtomicU32>) {
    loop {
        sleep(SECOND).await;
        beats.fetch_add(1, Relaxed);
    }
}

#[test]
fn a_start_that_panics_fails_the_run() {
    let run = catch_unwind(AssertUnwindSafe(|| {
        sim::run(1, |sim| async move {
            let lives = AtomicU32::new(0);
            sim.host("node", move || {
                assert!(lives.fetch_add(1, Relaxed) == 0, "the configuration is gone");
                async {}
            });
            sim.inject(&"at 1s crash node for 1s".parse::<Plan>().expect("a plan"));
            sleep(SECOND * 10).await;
        });
    }));
    let text = *run.expect_err("the second life cannot begin").downcast::<String>().expect("a text");
    assert!(text.contains("the host `node`") && text.contains("the configuration is gone"), "{text}");
}

#[test]
fn a_host_that_adds_a_host_stays_itself() {
    sim::run(1, |sim| async move {
        let adds = sim.clone();
        let seen = Arc::new(AtomicU32::new(0));
        let counts = Arc::clone(&seen);
        let outer = sim.host("outer", move || {
            let counts = Arc::clone(&counts);
            let inner = adds.host("inner", || async { UdpSocket::bind("10.0.0.3:9").await.map(drop) });
            async move {
                assert_eq!(inner.to_string(), "10.0.0.3");
                let _own = UdpSocket::bind("10.0.0.2:9").await.expect("it is its own address");
                wsrt::fs::write("/of-the-outer", b"on its disk").await.expect("it has a disk");
                counts.fetch_add(1, Relaxed);
            }
        });
        assert_eq!(outer.to_string(), "10.0.0.2");
        sleep(SECOND).await;
        assert_eq!(seen.load(Relaxed), 1);
        assert!(!std::path::Path::new("/of-the-outer").exists(), "the system's disk");
    });
}

struct SpawnsWhenDropped(Arc<AtomicU32>);

impl Drop for SpawnsWhenDropped {
    fn drop(&mut self) {
        drop(wsrt::spawn(beat(Arc::clone(&self.0))));
        drop(spawn_blocking({
            let beats = Arc::clone(&self.0);
            move || beats.fetch_add(1, Relaxed)
        }));
    }
}

#[test]
fn tasks_that_a_crashed_host_spawns_do_not_run() {
    sim::run(1, |sim| async move {
        let beats = Arc::new(AtomicU32::new(0));
        let (late, own, crashes) = (Arc::clone(&beats), Arc::clone(&beats), sim.clone());
        sim.host("late", move || {
            let spawns = SpawnsWhenDropped(Arc::clone(&late));
            async move {
                let _spawns = spawns;
                std::future::pending::<()>().await;
            }
        });
        sim.host("own", move || {
            let (own, crashes) = (Arc::clone(&own), crashes.clone());
            async move {
                sleep(SECOND).await;
                crashes.crash("own");
                drop(wsrt::spawn(beat(own)));
            }
        });
        sleep(SECOND * 2).await;
        sim.crash("late");
        sleep(SECOND * 100).await;
        assert_eq!(beats.load(Relaxed), 0);
    });
}

#[test]
fn a_crash_ends_jobs_and_polls_that_wait() {
    sim::run(1, |sim| async move {
        let beats = Arc::new(AtomicU32::new(0));
        for name in ["job", "poll"] {
            let beats = Arc::clone(&beats);
            sim.host(name, move || {
                let beats = Arc::clone(&beats);
                async move {
                    let handle = Handle::current();
                    let wait = move || handle.block_on(beat(beats));
                    match name {
                        "job" => spawn_blocking(wait).await.expect("it waits for ever"),
                        _ => wait(),
                    }
                }
            });
        }
        sleep(SECOND * 10).await;
        assert!(beats.load(Relaxed) >= 10);
        sim.crash("poll");
        sim.crash("job");
        // The wait of the one that began first is left after that of the other.
        sleep(SECOND).await;
        let before = beats.load(Relaxed);
        sleep(SECOND * 100).await;
        assert_eq!(beats.load(Relaxed), before);
        sim.restart("job");
        sleep(SECOND * 10).await;
        assert!(beats.load(Relaxed) > before, "the next life");
    });
}

#[test]
fn no_task_goes_on_once_the_run_is_over() {
    let rounds = Arc::new(AtomicU32::new(0));
    for seed in 0..64 {
        let rounds = Arc::clone(&rounds);
        sim::run(seed, |sim| async move {
            sim.host("node", || async {
                let handle = Handle::current();
                // The end of the run ends the job: that is no news for its task.
                spawn_blocking(move || handle.block_on(std::future::pending::<()>())).await.expect("it waits forever");
            });
            sleep(SECOND).await;
            rounds.fetch_add(1, Relaxed);
        });
    }
    assert_eq!(rounds.load(Relaxed), 64);
}

#[test]
fn closures_that_keep_the_simulation_go_with_it() {
    let kept = Arc::new(());
    let [in_host, in_invariant] = [(); 2].map(|()| Arc::clone(&kept));
    sim::run(1, |sim| async move {
        let of_host = (sim.clone(), in_host);
        sim.host("node", move || {
            let (sim, _) = &of_host;
            let is_up = sim.is_up("node");
            async move { assert!(is_up) }
        });
        let of_invariant = (sim.clone(), in_invariant);
        sim.invariant("it goes on", move || of_invariant.0.record().steps() < u64::MAX);
        sleep(SECOND).await;
    });
    assert_eq!(Arc::strong_count(&kept), 1, "a run leaves nothing behind");
}

#[test]
fn no_hook_hears_of_a_poll_that_a_crash_ends() {
    let runtime = Builder::new_simulated(1).on_task_panic(|_| PanicAction::ShutDown).build().expect("descriptors");
    runtime.block_on(async {
        let sim = Sim::current();
        sim.host("node", || async { Handle::current().block_on(sleep(SECOND * 1_000)) });
        sleep(SECOND).await;
        sim.crash("node");
        sleep(SECOND).await;
        wsrt::spawn(sleep(SECOND)).await.expect("the runtime goes on");
    });
}

#[test]
fn local_tasks_are_of_the_host_that_spawns_them() {
    sim::run(1, |sim| async move {
        let beats = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&beats);
        sim.host("node", move || {
            let (counted, handle) = (Arc::clone(&counted), Handle::current());
            spawn_blocking(move || {
                let set = LocalSet::new();
                handle.block_on(set.run_until(async move {
                    spawn_local(async move {
                        let socket = UdpSocket::bind("0.0.0.0:7").await.expect("a port is free");
                        let mut buf = [0; 8];
                        while socket.recv_from(&mut buf).await.is_ok() {
                            counted.fetch_add(1, Relaxed);
                        }
                    })
                    .await
                    .expect("it does not panic");
                }));
            });
            std::future::pending::<()>()
        });
        sleep(SECOND).await;
        let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a port is free");
        socket.send_to(b"hello", "node:7").await.expect("it is a host");
        sleep(SECOND).await;
        assert_eq!(beats.load(Relaxed), 1, "the socket is the host's");
        sim.crash("node");
        sleep(SECOND).await;
        assert_eq!(Arc::strong_count(&beats), 2, "what is left is the start's");
    });
}

/// Its wait is left later: it lies below that of another host.
#[test]
fn a_job_of_a_crashed_host_is_polled_no_more() {
    sim::run(1, |sim| async move {
        let beats = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&beats);
        sim.host("one", move || {
            let (beats, handle) = (beat(Arc::clone(&counted)), Handle::current());
            spawn_blocking(move || handle.block_on(beats));
            std::future::pending::<()>()
        });
        sleep(SECOND / 2).await;
        sim.host("other", || {
            let handle = Handle::current();
            spawn_blocking(move || handle.block_on(std::future::pending::<()>()));
            std::future::pending::<()>()
        });
        sleep(3 * SECOND).await;
        sim.crash("one");
        let before = beats.load(Relaxed);
        assert!(before > 0, "it has run below the other's");
        sim.restart("one");
        sim.crash("one");
        sleep(100 * SECOND).await;
        assert_eq!(beats.load(Relaxed), before);
    });
}
