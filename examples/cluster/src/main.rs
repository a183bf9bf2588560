//! The program: a node, workers, or both, on one store:
//! `cargo run --release -p wsrt-cluster -- --help`.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wsrt::net::TcpListener;
use wsrt::task::JoinSet;
use wsrt_cluster::arguments::{self, Arguments, HELP};
use wsrt_cluster::node::Node;
use wsrt_cluster::server::{expire_leases, serve_clients, serve_terminal};
use wsrt_cluster::store::{MemoryStore, RedisStore, Store, StoreAddress};
use wsrt_cluster::worker::{Event, Worker};

/// The status that a shell reports for a program that was ended by ctrl-c.
const INTERRUPTED: i32 = 130;

#[wsrt::main]
async fn main() -> ExitCode {
    let arguments = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("cluster: {error}; --help lists the options");
            return ExitCode::from(2);
        }
    };
    match start(arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output has gone; there is nothing left to do, and nothing wrong.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cluster: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn start(arguments: Arguments) -> io::Result<()> {
    match arguments.store.clone() {
        StoreAddress::Memory => run(arguments, MemoryStore::new()).await,
        StoreAddress::Redis(info) => {
            let store = RedisStore::open(*info, &arguments.namespace).await;
            if let Some(why) = store.trouble() {
                eprintln!("cluster: Redis is away: {why}; trying on");
            }
            run(arguments, store).await
        }
    }
}

async fn run<S: Store>(arguments: Arguments, store: S) -> io::Result<()> {
    let store = Arc::new(store);
    let node = Arc::new(Node::new(Arc::clone(&store), arguments.seed, arguments.lease));
    if let Some(address) = &arguments.listen {
        let cannot_bind = |error: io::Error| io::Error::new(error.kind(), format!("cannot bind {address}: {error}"));
        let listener = TcpListener::bind(address.as_str()).await.map_err(cannot_bind)?;
        println!("listening on {}", listener.local_addr()?);
        wsrt::spawn(serve_clients(Arc::clone(&node), listener));
    }
    if !arguments.workers.is_empty() {
        // They look for leases that are over themselves.
        return work(&arguments, &store).await;
    }
    wsrt::spawn(expire_leases(store));
    if arguments.listen.is_some() { wsrt::signal::ctrl_c().await } else { serve_terminal(node).await }
}

/// Works until ctrl-c: then every worker finishes the job that it is at. A second ctrl-c ends them
/// at once, which does no harm either.
async fn work<S: Store>(arguments: &Arguments, store: &Arc<S>) -> io::Result<()> {
    let is_over = Arc::new(AtomicBool::new(false));
    let mut workers = JoinSet::new();
    for name in &arguments.workers {
        let tell = teller(name.clone(), arguments.log);
        let seed = fastrand::u64(..);
        let worker = Worker::new(Arc::clone(store), name.clone(), arguments.worker_lease, seed, tell);
        let is_over = Arc::clone(&is_over);
        // Relaxed: the flag says nothing about other memory.
        workers.spawn(worker.run(move || is_over.load(Ordering::Relaxed)));
    }
    wsrt::spawn(async move {
        if wsrt::signal::ctrl_c().await.is_ok() {
            is_over.store(true, Ordering::Relaxed);
        }
        if wsrt::signal::ctrl_c().await.is_ok() {
            std::process::exit(INTERRUPTED);
        }
    });
    while let Some(ended) = workers.join_next().await {
        ended.map_err(io::Error::other)?.map_err(io::Error::other)?;
    }
    Ok(())
}

/// Prints a line. Without a reader that fails, which is no reason to stop working.
fn say(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stdout(), "{line}");
}

fn complain(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "cluster: {line}");
}

/// Prints a worker's events: each job only if that is wanted.
fn teller(name: String, log: bool) -> impl Fn(Event) + Send + 'static {
    move |event| match event {
        Event::Stole(job, victim) if log => say(format_args!("{name} stole {job} from {victim}")),
        Event::Recorded(job, attempt) if log => say(format_args!("{name} recorded {job} attempt {attempt}")),
        Event::TooLate(job) if log => say(format_args!("{name} lost {job}: the lease ran out")),
        Event::StoreIsAway(why) => complain(format_args!("{name}: {why}; trying on")),
        Event::StoreIsBack => complain(format_args!("{name}: the store is back")),
        _ => {}
    }
}
