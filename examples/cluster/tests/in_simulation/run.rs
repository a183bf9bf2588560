//! One run: its hosts, the faults, and the promises at its end.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wsrt::net::TcpListener;
use wsrt::sim::{self, Faults, Record, Sim};
use wsrt_cluster::node::Node;
use wsrt_cluster::server::{expire_leases, serve_clients};
use wsrt_cluster::store::{RedisStore, StoreAddress};
use wsrt_cluster::worker::{Event, Worker};

use crate::client::Client;
use crate::redis::serve_redis;
use crate::store::Disk;

pub(crate) const JOBS: usize = 12;
pub(crate) const WORKERS: [&str; 3] = ["w0", "w1", "w2"];
pub(crate) const LEASE: Duration = Duration::from_millis(600);
const FAULTS_END: Duration = Duration::from_secs(6);
/// All is done by then: the faults end, calls give up after 2 s, connections come back within
/// another, and leases end.
const DEADLINE: Duration = Duration::from_secs(60);

/// The outcome of a run, as far as it is known.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) record: Record,
    /// The most times that a job was taken before its result was recorded.
    pub(crate) attempts: u64,
}

/// All that may happen to hosts and links, and clocks that no program can rely on: calendars are
/// wrong by up to an hour, and each fault has clocks drift by up to 10 %.
pub(crate) fn whatever_happens() -> Faults {
    let hour = Duration::from_secs(3600);
    clocks(hour, 100_000).crashes(2).partitions().resets().full_buffers()
}

/// Clocks that are wrong, and nothing else: by `jump` and by `drift` parts in a million at most.
pub(crate) fn clocks(jump: Duration, drift: u32) -> Faults {
    let millis = Duration::from_millis;
    let faults = Faults::new(FAULTS_END).every(millis(50)..millis(500)).lasting(millis(20)..3 * LEASE);
    faults.clock_jumps(jump).clock_drifts(drift)
}

/// Runs the cluster with this seed and the faults that `inject` adds. Panics if it does not keep
/// its promises.
pub(crate) fn run(seed: u64, inject: impl FnOnce(&Sim) + Send) -> Outcome {
    sim::run(seed, |sim| async move {
        sim.deadline(DEADLINE);
        let disk = Disk::new();
        let kept = disk.clone();
        sim.host("redis", move || serve_redis(kept.clone()));
        sim.host("node", node);
        let records = Records::default();
        let lives = Arc::new(AtomicU64::new(seed << 16));
        for name in WORKERS {
            let (records, lives) = (records.clone(), Arc::clone(&lives));
            sim.host(name, move || work(name, records.clone(), lives.fetch_add(1, Relaxed)));
        }
        inject(&sim);

        let mut client = Client::default();
        for job in 0..JOBS {
            client.submit(WORKERS[job % 2], job).await;
        }
        for job in 0..JOBS {
            client.wait_until_done(job).await;
        }
        disk.assert_all_done(JOBS);
        Outcome { record: sim.record(), attempts: records.most() }
    })
}

/// Which job was recorded in which attempt, as the workers say.
#[derive(Clone, Debug, Default)]
struct Records(Arc<Mutex<BTreeMap<String, u64>>>);

impl Records {
    fn note(&self, job: String, attempt: u64) {
        let told = format!("{job} was recorded twice");
        let before = self.0.lock().expect("no panic while it is locked").insert(job, attempt);
        if before.is_some() {
            Sim::current().invariant(&told, || false);
        }
    }

    fn most(&self) -> u64 {
        self.0.lock().expect("no panic while it is locked").values().copied().max().unwrap_or(0)
    }
}

async fn store() -> RedisStore {
    let StoreAddress::Redis(info) = "redis://redis:6379".parse().expect("an address") else {
        unreachable!("it is not the memory")
    };
    RedisStore::open(*info, "wsrt").await
}

async fn work(name: &'static str, records: Records, seed: u64) {
    let tell = move |event| {
        if let Event::Recorded(job, attempt) = event {
            records.note(job, attempt);
        }
    };
    let worker = Worker::new(Arc::new(store().await), name.to_owned(), LEASE, seed, tell);
    worker.run(|| false).await.expect("waiting mends all that happens here");
}

async fn node() -> io::Result<()> {
    let store = Arc::new(store().await);
    wsrt::spawn(expire_leases(Arc::clone(&store)));
    let node = Arc::new(Node::new(store, 7, LEASE));
    serve_clients(node, TcpListener::bind("0.0.0.0:7100").await?).await;
    Ok(())
}
