//! Load for a node and for a Redis, and figures:
//! `cargo run --release -p wsrt-cluster --bin cluster-load -- --help`.
//!
//! Each measurement is bounded in count and in time, checks the answers, and cleans up behind it.

mod jobs;
mod messages;
mod steals;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use lexopt::Parser;
use lexopt::prelude::*;
use wsrt::task::block_in_place;
use wsrt_cluster::arguments::number;
use wsrt_cluster::protocol::MOST_JOBS;
use wsrt_cluster::store::{RedisStore, StoreAddress};

type Failure = Box<dyn Error + Send + Sync>;

/// No measurement takes longer.
const LIMIT: Duration = Duration::from_secs(60);

const HELP: &str = "\
Measures a cluster node, or a Redis as the store of a cluster.

  cargo run --release -p wsrt-cluster --bin cluster-load -- WHAT [OPTIONS]

  messages            jobs submitted, stolen, taken and completed over one TCP connection, without waiting for each answer
    --address A       of a node with its jobs in memory; without it, one is started on a free port
    --messages N      (400000)

  steals              workers that only steal from each other
    --store URL       redis://HOST:PORT
    --workers N       each with a connection of its own (16)
    --steals N        of all together (100000)

  jobs                workers that do jobs, all of which begin on the first worker
    --store URL       redis://HOST:PORT
    --workers N       each with a connection of its own (100)
    --jobs N          (20000)
    --wait-us N       what a job costs: a wait (0)

  --at-least N        fail if there are fewer a second";

#[wsrt::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cluster-load: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Failure> {
    let mut words = Parser::from_env();
    let (mut what, mut options) = (None, Options::default());
    while let Some(word) = words.next()? {
        match (word, what.as_deref()) {
            (Short('h') | Long("help"), _) => {
                println!("{HELP}");
                return Ok(());
            }
            (Value(word), None) => what = Some(word.string()?),
            (Long("at-least"), _) => options.at_least = Some(number(&mut words, "--at-least", 1.0, 1e9)?),
            (Long("address"), Some("messages")) => options.address = Some(words.value()?.string()?),
            (Long("messages"), Some("messages")) => {
                options.count = Some(number(&mut words, "--messages", 4, 100_000_000)?)
            }
            (Long("store"), Some("steals" | "jobs")) => options.store = Some(words.value()?.string()?),
            (Long("workers"), Some("steals")) => options.workers = Some(number(&mut words, "--workers", 2, 1000)?),
            (Long("workers"), Some("jobs")) => options.workers = Some(number(&mut words, "--workers", 1, 1000)?),
            (Long("steals"), Some("steals")) => options.count = Some(number(&mut words, "--steals", 1, 100_000_000)?),
            (Long("jobs"), Some("jobs")) => options.count = Some(number(&mut words, "--jobs", 1, MOST_JOBS)?),
            (Long("wait-us"), Some("jobs")) => options.wait_us = number(&mut words, "--wait-us", 0, 60_000_000)?,
            (other, _) => return Err(other.unexpected().into()),
        }
    }
    let Some(what) = what else {
        println!("{HELP}");
        return Ok(());
    };
    let rate = options.measure(&what).await?;
    match options.at_least {
        Some(least) if rate < least => Err(format!("{rate:.0} a second; {least} were asked for").into()),
        _ => Ok(()),
    }
}

/// The options of all measurements.
#[derive(Default)]
struct Options {
    address: Option<String>,
    store: Option<String>,
    workers: Option<usize>,
    /// Of messages, steals or jobs.
    count: Option<u64>,
    wait_us: u64,
    at_least: Option<f64>,
}

impl Options {
    /// Measures, and returns how many there were a second.
    async fn measure(&self, what: &str) -> Result<f64, Failure> {
        let (workers, count) = (self.workers, self.count);
        match what {
            "messages" => block_in_place(|| messages::measure(self.address.clone(), count.unwrap_or(400_000))),
            "steals" => steals::measure(&self.target()?, workers.unwrap_or(16), count.unwrap_or(100_000)).await,
            "jobs" => {
                let wait = Duration::from_micros(self.wait_us);
                jobs::measure(&self.target()?, workers.unwrap_or(100), count.unwrap_or(20_000), wait).await
            }
            other => Err(format!("{other:?} cannot be measured; --help lists the measurements").into()),
        }
    }

    fn target(&self) -> Result<Target, Failure> {
        let url = self.store.clone().ok_or("--store redis://HOST:PORT is needed")?;
        Ok(Target { url, namespace: format!("cluster-load-{}", std::process::id()) })
    }
}

/// A Redis, and a namespace of its own in it.
struct Target {
    url: String,
    namespace: String,
}

impl Target {
    /// A connection of its own.
    async fn open(&self) -> Result<Arc<RedisStore>, Failure> {
        let StoreAddress::Redis(info) = self.url.parse()? else { return Err("--store must be a Redis here".into()) };
        let store = RedisStore::open(*info, &self.namespace).await;
        match store.trouble() {
            None => Ok(Arc::new(store)),
            Some(why) => Err(why.into()),
        }
    }
}
