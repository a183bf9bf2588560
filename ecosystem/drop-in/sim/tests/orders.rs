//! A shop of axum's and its customers, by reqwest, on hosts of a simulation.

use std::collections::{BTreeMap, BTreeSet};
use std::net;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;
use wsrt::sim::{self, Faults, Record};
use wsrt_drop_in_sim::customer::Customer;
use wsrt_drop_in_sim::shop::{self, Book};

wsrt::sim::interpose!();

const CUSTOMERS: u64 = 3;
const ORDERS: u64 = 10;

/// How many seeds a test runs: thousands by hand, in a release build.
const SEEDS: u64 = if cfg!(debug_assertions) { 10 } else { 1_000 };

/// Has customers order, and hosts crash, by this seed.
fn run(seed: u64) -> Record {
    sim::run(seed, |sim| async move {
        sim.deadline(Duration::from_secs(3_600));
        let book = Book::default();
        let acknowledged: Arc<[AtomicU64]> = (0..CUSTOMERS).map(|_| AtomicU64::new(0)).collect();
        let (seen, kept) = (Arc::clone(&acknowledged), book.clone());
        sim.invariant("acknowledged orders are in the book", move || {
            (0..CUSTOMERS).all(|customer| {
                let count = seen[customer as usize].load(Relaxed);
                count == 0 || kept.has(customer * ORDERS + count - 1)
            })
        });
        let kept = book.clone();
        sim.host("shop", move || {
            let kept = kept.clone();
            async move {
                match seed % 2 {
                    0 => shop::serve(kept).await,
                    _ => shop::serve_by_std(net::TcpListener::bind(shop::ADDRESS)?, kept).await,
                }
            }
        });
        sim.random_faults(Faults::new(Duration::from_secs(2)).crashes(1).partitions().resets().full_buffers());
        let mut customers = JoinSet::new();
        for customer in 0..CUSTOMERS {
            let acknowledged = Arc::clone(&acknowledged);
            customers.spawn(async move {
                let own = Customer::new().expect("without TLS nothing is missing");
                for count in 0..ORDERS {
                    own.order(customer * ORDERS + count, count).await;
                    acknowledged[customer as usize].store(count + 1, Relaxed);
                    sleep(Duration::from_millis(20)).await;
                }
            });
        }
        while let Some(ended) = customers.join_next().await {
            ended.expect("it does not panic");
        }
        let sum: u64 = CUSTOMERS * (0..ORDERS).sum::<u64>();
        let last = Customer::new().expect("without TLS nothing is missing");
        let told = loop {
            match last.total().await {
                Ok(told) => break told,
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        };
        assert_eq!((told, book.total()), (sum.to_string(), sum));
        sim.record()
    })
}

#[test]
fn a_seed_is_one_run_of_service_and_customers() {
    let hashes = Mutex::new(BTreeMap::new());
    sim::seeds(0..SEEDS, |seed| {
        let first = run(seed);
        assert_eq!(first, run(seed));
        assert!(first.steps() > 500, "{first:?}");
        hashes.lock().expect("no panic").insert(seed, first.hash());
    });
    let hashes = hashes.into_inner().expect("no panic");
    let distinct = hashes.values().collect::<BTreeSet<_>>().len();
    // A change that is to change no run has the same number before and after.
    let all = hashes.values().fold(0, |all: u64, hash| all.rotate_left(7) ^ hash);
    println!("{} seeds twice, {distinct} different hashes, {all:016x} all together", hashes.len());
    assert_eq!(distinct, hashes.len(), "another seed is another run");
}
