//! With costs, the scheduler's own work takes virtual time, and tasks compute for as long as they
//! say.

use std::net::SocketAddr;
use std::time::Duration;

use wsrt::net::UdpSocket;
use wsrt::runtime::{Builder, Runtime};
use wsrt::sim::{Costs, Sim, compute};
use wsrt::time::Instant;

const PIECE: Duration = Duration::from_micros(50);

fn with_costs(processors: usize) -> Runtime {
    let mut builder = Builder::new_simulated(7);
    builder.simulated_costs(Costs::default()).worker_threads(processors).build().expect("it takes a few descriptors")
}

/// How long `tasks` tasks take on so many processors.
fn time_of(tasks: usize, processors: usize) -> Duration {
    with_costs(processors).run(async move {
        let began = Instant::now();
        let tasks: Vec<_> = (0..tasks).map(|_| wsrt::spawn(compute(PIECE))).collect();
        for task in tasks {
            task.await.unwrap();
        }
        began.elapsed()
    })
}

#[test]
fn tasks_that_compute_share_the_processors() {
    let alone = time_of(1_000, 1);
    assert!(alone >= 1_000 * PIECE && alone < 1_010 * PIECE, "{alone:?}");
    let by_ten = time_of(1_000, 10);
    assert!(by_ten >= 100 * PIECE && by_ten < 130 * PIECE, "{by_ten:?}");
}

#[test]
fn a_thousand_processors_work_at_once() {
    let elapsed = time_of(10_000, 1_024);
    assert!(elapsed < 1_000 * PIECE, "{elapsed:?}");
}

#[test]
fn the_same_seed_costs_the_same_twice() {
    let hash = || {
        let runtime = with_costs(64);
        runtime.run(async {
            for task in (0..500).map(|_| wsrt::spawn(compute(PIECE))).collect::<Vec<_>>() {
                task.await.unwrap();
            }
        });
        runtime.handle().simulation().unwrap().hash()
    };
    assert_eq!(hash(), hash());
}

/// How long a run takes in which `processors` share some work and wake one another for it.
fn time_at(costs: Costs, processors: usize) -> Duration {
    let mut builder = Builder::new_simulated(7);
    let runtime =
        builder.simulated_costs(costs).worker_threads(processors).build().expect("it takes a few descriptors");
    runtime.run(async {
        let began = Instant::now();
        for task in (0..100).map(|_| wsrt::spawn(compute(PIECE))).collect::<Vec<_>>() {
            task.await.unwrap();
        }
        assert_eq!(Sim::current().computed(), 100 * PIECE);
        began.elapsed()
    })
}

#[test]
fn each_cost_makes_a_run_longer() {
    let usual = time_at(Costs::default(), 4);
    let longer = |name, change: fn(&mut Costs)| {
        let mut costs = Costs::default();
        change(&mut costs);
        let dear = time_at(costs, 4);
        assert!(dear > usual, "{name}: {dear:?} and {usual:?}");
    };
    longer("poll", |costs| costs.poll += 50_000);
    longer("steal", |costs| costs.steal += 500_000);
    longer("wake", |costs| costs.wake += 500_000);
    longer("wake_latency", |costs| costs.wake_latency += 2_000_000);
}

#[test]
fn others_act_beside_a_task_that_computes() {
    let (began, ended) = with_costs(2).run(async {
        let long = wsrt::spawn(async {
            compute(Duration::from_millis(10)).await;
            Instant::now()
        });
        let short = wsrt::spawn(async { Instant::now() });
        (short.await.unwrap(), long.await.unwrap())
    });
    assert!(ended.duration_since(began) > Duration::from_millis(9), "the short one did not wait for the long one");
}

#[test]
fn a_task_woken_while_it_computes_computes_to_the_end() {
    let elapsed = with_costs(2).run(async {
        let (sender, receiver) = wsrt::sync::oneshot::channel();
        let computing = wsrt::spawn(async {
            let began = Instant::now();
            let mut receiver = receiver;
            let first = async { (&mut receiver).await.unwrap() };
            let both = async {
                compute(Duration::from_millis(10)).await;
                began.elapsed()
            };
            wsrt::join!(first, both).1
        });
        wsrt::spawn(async move { sender.send(()).unwrap() }).await.unwrap();
        computing.await.unwrap()
    });
    assert!(elapsed >= Duration::from_millis(10) && elapsed < Duration::from_millis(11), "{elapsed:?}");
}

#[test]
fn datagrams_from_outside_arrive_when_due() {
    with_costs(4).block_on(async {
        let socket = UdpSocket::bind("127.0.0.1:80").await.unwrap();
        let (sim, began) = (Sim::current(), Instant::now());
        sim.datagram_from_outside(Duration::from_millis(3), socket.local_addr().unwrap(), b"hello").unwrap();
        let mut buffer = [0; 8];
        assert_eq!(socket.recv(&mut buffer).await.unwrap(), 5);
        let elapsed = began.elapsed();
        assert!(elapsed >= Duration::from_millis(3) && elapsed < Duration::from_millis(4), "{elapsed:?}");
        let elsewhere: SocketAddr = "203.0.113.7:80".parse().unwrap();
        assert!(sim.datagram_from_outside(Duration::ZERO, elsewhere, b"").is_err());
    });
}

#[test]
fn a_run_without_costs_computes_too() {
    let elapsed = super::simulated(7).run(async {
        let began = Instant::now();
        let tasks: Vec<_> = (0..4).map(|_| wsrt::spawn(compute(Duration::from_millis(50)))).collect();
        for task in tasks {
            task.await.unwrap();
        }
        began.elapsed()
    });
    assert!(elapsed >= Duration::from_millis(50) && elapsed < Duration::from_millis(190), "{elapsed:?}");
}
