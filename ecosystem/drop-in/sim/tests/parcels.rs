//! A QUIC server of quinn's and its client, on two hosts of a simulation, over a link that loses
//! datagrams and delivers them out of order, and through trouble.

mod trouble;

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use quinn::rustls::crypto::ring;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use trouble::{Trouble, TroubleKind, each_seed_is_one_run};
use wsrt::sim::{self, Link, Record};
use wsrt_drop_in_sim::post;
use wsrt_drop_in_sim::sender::{PATIENCE, ParcelSender};

wsrt::sim::interpose!();

/// How many seeds a test runs: hundreds by hand, in a release build.
const SEEDS: u64 = if cfg!(debug_assertions) { 5 } else { 200 };

const PARCELS: usize = 4;
const POSTCARDS: u64 = 5;
const POSTCARD_PAUSE: Duration = Duration::from_millis(1);
const PAUSE: Duration = Duration::from_millis(300);
const CALM: Duration = Duration::from_secs(3);
/// In which a crash was noticed, and another connection made.
const AFTERMATH: Duration = Duration::from_secs(PATIENCE.as_secs() + 5);

/// A sender that is busy again and again, and its counts.
#[derive(Clone, Debug)]
struct BusySender {
    trouble: Trouble,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    before: AtomicU64,
    after: AtomicU64,
    failed: AtomicU64,
    postcards: AtomicU64,
    came_back: AtomicU64,
    overtaken: AtomicU64,
}

/// A connection that was lost: the beginning of its last round, and the error.
#[derive(Debug)]
struct Lost {
    began: Instant,
    error: Failure,
}

type Failure = Box<dyn Error + Send + Sync>;

impl BusySender {
    async fn run(self) {
        loop {
            let began = Instant::now();
            let lost = match ParcelSender::connect().await {
                Ok(sender) => tokio::join!(self.send(&sender), self.collect(&sender)).0,
                Err(error) => Lost { began, error },
            };
            assert!(self.trouble.explains(lost.began), "no fault explains {:?}", lost.error);
            self.counts.failed.fetch_add(1, Relaxed);
            sleep(PAUSE).await;
        }
    }

    /// Sends until the connection is lost.
    async fn send(&self, sender: &ParcelSender) -> Lost {
        loop {
            let (began, was_forgotten) = (Instant::now(), self.trouble.is_forgotten());
            if let Err(error) = self.round(sender).await {
                return Lost { began, error };
            }
            if self.trouble.is_ahead() {
                self.counts.before.fetch_add(1, Relaxed);
            } else if was_forgotten {
                self.counts.after.fetch_add(1, Relaxed);
            }
            sleep(PAUSE).await;
        }
    }

    /// Some parcels at once, each on its own stream, and some postcards.
    async fn round(&self, sender: &ParcelSender) -> Result<(), Failure> {
        for _ in 0..POSTCARDS {
            let number = self.counts.postcards.fetch_add(1, Relaxed);
            sender.connection.send_datagram(number.to_be_bytes().to_vec().into())?;
            // Each in its own packet.
            sleep(POSTCARD_PAUSE).await;
        }
        let mut parcels = JoinSet::new();
        for number in 1..=PARCELS {
            let sender = sender.clone();
            parcels.spawn(async move {
                let parcel: Vec<u8> = (0..number * 3_000).map(|at| (at * 31 / 7 + number) as u8).collect();
                let back = sender.send(&parcel).await?;
                assert!(back == parcel, "{} of {} bytes came back", back.len(), parcel.len());
                Ok(())
            });
        }
        parcels.join_all().await.into_iter().collect()
    }

    /// Takes the postcards that come back: each at most once, and only those that were sent.
    async fn collect(&self, sender: &ParcelSender) {
        let mut seen = BTreeSet::new();
        while let Ok(postcard) = sender.connection.read_datagram().await {
            let number = u64::from_be_bytes(postcard[..].try_into().expect("as it was sent"));
            assert!(number < self.counts.postcards.load(Relaxed), "{number} was sent");
            let is_overtaken = seen.last().is_some_and(|last| number < *last);
            assert!(seen.insert(number), "{number} comes once");
            self.counts.came_back.fetch_add(1, Relaxed);
            self.counts.overtaken.fetch_add(is_overtaken.into(), Relaxed);
        }
    }
}

/// Has parcels be sent and come back while trouble of this seed's kind comes.
fn run(seed: u64) -> Record {
    sim::run(seed, move |sim| async move {
        sim.deadline(Duration::from_secs(120));
        sim.links(&Link::new().latency(Duration::from_millis(1)..Duration::from_millis(20)).loss(0.05));
        let kind = TroubleKind::of(seed);
        let errand = BusySender { trouble: Trouble::new(kind, AFTERMATH), counts: Arc::default() };
        sim.host("post", post::serve);
        let sends = errand.clone();
        sim.host("sender", move || sends.clone().run());

        sleep(CALM).await;
        let lasts = Duration::from_millis(300 + seed * 97 % 1_200);
        errand.trouble.come(&sim, "post", "sender", lasts).await;
        sleep(AFTERMATH + CALM).await;

        let Counts { before, after, failed, postcards, came_back, overtaken } = &*errand.counts;
        let [before, after, failed] = [before, after, failed].map(|count| count.load(Relaxed));
        let [postcards, came_back, overtaken] = [postcards, came_back, overtaken].map(|count| count.load(Relaxed));
        assert!(before > 0 && after > 0, "{kind:?}: {before} rounds before, {after} after");
        // A connection outlives a partition that is shorter than its patience.
        assert_eq!(failed > 0, kind == TroubleKind::Crash, "{kind:?}: {failed} failed");
        assert!(0 < came_back && came_back < postcards, "{came_back} of {postcards} postcards came back");
        assert!(overtaken > 0, "the link delivers out of order");
        sim.record()
    })
}

#[test]
fn a_seed_is_one_run_of_streams_and_datagrams() {
    each_seed_is_one_run(SEEDS, run);
}

/// Returns the id that a sender has drawn for its connection.
fn drawn_id(seed: u64) -> Vec<u8> {
    sim::run(seed, |sim| async move {
        let (ids, mut drawn) = mpsc::unbounded_channel();
        sim.host("post", move || {
            let ids = ids.clone();
            async move {
                let endpoint = post::open().expect("the port is free");
                let incoming = endpoint.accept().await.expect("it is open");
                ids.send(incoming.orig_dst_cid().to_vec()).expect("the test waits for it");
                incoming.refuse();
                endpoint.wait_idle().await;
            }
        });
        ParcelSender::connect().await.expect_err("the post office refuses");
        drawn.recv().await.expect("it has seen one")
    })
}

#[test]
fn ids_of_connections_come_from_the_seed() {
    assert_eq!(drawn_id(1), drawn_id(1));
    assert_ne!(drawn_id(1), drawn_id(2));
}

/// They are ring's, which asks the kernel itself for random numbers.
#[test]
fn keys_come_from_the_seed() {
    let drawn = |seed| {
        sim::run(seed, |_| async {
            let mut bytes = [0; 32];
            ring::default_provider().secure_random.fill(&mut bytes).expect("it has some");
            bytes
        })
    };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
}
