//! One run: its hosts, the faults, and the promises at its end.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wsrt::net::TcpListener;
use wsrt::sim::{self, Faults, Record};
use wsrt_cluster::node::Node;
use wsrt_cluster::server::{expire_leases, serve_clients};
use wsrt_cluster::store::{RedisStore, StoreAddress};
use wsrt_cluster::worker::{Event, Worker};

use crate::client::Client;
use crate::redis::serve_redis;
use crate::store::Disk;

pub(crate) const JOBS: usize = 12;
const WORKERS: [&str; 3] = ["w0", "w1", "w2"];
const LEASE: Duration = Duration::from_millis(600);
const FAULTS_END: Duration = Duration::from_secs(6);
/// All is done by then: the faults end, calls give up after 2 s, connections come back within
/// another, and leases end.
const DEADLINE: Duration = Duration::from_secs(60);

/// Runs the cluster with this seed. Panics if it does not keep its promises.
pub(crate) fn run(seed: u64) -> Record {
    sim::run(seed, |sim| async move {
        sim.deadline(DEADLINE);
        let disk = Disk::default();
        let kept = disk.clone();
        sim.host("redis", move || serve_redis(kept.clone()));
        sim.host("node", node);
        let records = Records::default();
        let lives = Arc::new(AtomicU64::new(seed << 16));
        for name in WORKERS {
            let (records, lives) = (records.clone(), Arc::clone(&lives));
            sim.host(name, move || work(name, records.clone(), lives.fetch_add(1, Relaxed)));
        }
        let millis = Duration::from_millis;
        let faults = Faults::new(FAULTS_END).every(millis(50)..millis(500)).lasting(millis(20)..3 * LEASE);
        sim.random_faults(faults.crashes(2).partitions().resets());

        let mut client = Client::default();
        for job in 0..JOBS {
            client.submit(WORKERS[job % 2], job).await;
        }
        for job in 0..JOBS {
            client.wait_until_done(job).await;
        }
        disk.assert_all_done(JOBS);
        sim.record()
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
            sim::Sim::current().invariant(&told, || false);
        }
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
