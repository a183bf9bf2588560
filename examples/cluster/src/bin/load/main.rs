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

use wsrt::task::block_in_place;
use wsrt_cluster::arguments::Words;
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
    let mut words: Vec<_> = std::env::args().skip(1).collect();
    if words.is_empty() || words.iter().any(|word| word == "--help" || word == "-h") {
        println!("{HELP}");
        return Ok(());
    }
    let what = words.remove(0);
    let mut words = Words(words);
    let at_least = words.number("--at-least", 1.0, 1e9)?;
    let rate = match what.as_str() {
        "messages" => {
            let (address, count) = (words.value("--address")?, words.number("--messages", 4, 100_000_000)?);
            words.finish()?;
            block_in_place(|| messages::measure(address, count.unwrap_or(400_000)))?
        }
        "steals" => {
            let (target, workers) = (Target::read(&mut words)?, words.number("--workers", 2, 1000)?);
            let steals = words.number("--steals", 1, 100_000_000)?;
            words.finish()?;
            steals::measure(&target, workers.unwrap_or(16), steals.unwrap_or(100_000)).await?
        }
        "jobs" => {
            let (target, workers) = (Target::read(&mut words)?, words.number("--workers", 1, 1000)?);
            let jobs = words.number("--jobs", 1, MOST_JOBS)?;
            let wait = Duration::from_micros(words.number("--wait-us", 0, 60_000_000)?.unwrap_or(0));
            words.finish()?;
            jobs::measure(&target, workers.unwrap_or(100), jobs.unwrap_or(20_000), wait).await?
        }
        other => return Err(format!("{other:?} cannot be measured; --help lists the measurements").into()),
    };
    match at_least {
        Some(least) if rate < least => Err(format!("{rate:.0} a second; {least} were asked for").into()),
        _ => Ok(()),
    }
}

/// A Redis, and a namespace of its own in it.
struct Target {
    url: String,
    namespace: String,
}

impl Target {
    fn read(words: &mut Words) -> Result<Self, Failure> {
        let url = words.value("--store")?.ok_or("--store redis://HOST:PORT is needed")?;
        Ok(Self { url, namespace: format!("cluster-load-{}", std::process::id()) })
    }

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
