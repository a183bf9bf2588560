//! What a dump of many tasks takes, and what it costs a server beside it.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin dumps -- [TASKS]
//! ```
//!
//! A third of the tasks waits for timers, a third for tasks of the last third, which wait for something unknown. The server echoes on the
//! same processors, and is asked by threads of their own, in turns with and without dumps at each 100 ms.

use std::future::pending;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use wsrt::net::TcpListener;
use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::time::sleep;
use wsrt_benches::Failure;

const PROCESSORS: usize = 2;
const CLIENTS: usize = 4;
const TURNS: usize = 2;
const TURN: Duration = Duration::from_secs(1);
const BETWEEN_DUMPS: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("dumps: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let tasks = match std::env::args().nth(1) {
        Some(word) => word.parse().map_err(|error| format!("{word:?} is no number of tasks: {error}"))?,
        None => 100_000,
    };
    for stats in [false, true] {
        let runtime = Builder::new_multi_thread().worker_threads(PROCESSORS).task_stats(stats).build()?;
        let address = runtime.run(crowd_and_server(tasks))?;
        println!("{tasks} tasks, {PROCESSORS} processors, statistics {}:", if stats { "on" } else { "off" });
        report(&runtime, address)?;
    }
    Ok(())
}

fn report(runtime: &Runtime, address: SocketAddr) -> Result<(), Failure> {
    let mut idle: Vec<_> = (0..20).map(|_| runtime.handle().dump().took()).collect();
    println!("  a dump, nothing else going on: {}", shown(&mut idle));
    let dump = runtime.handle().dump();
    let began = Instant::now();
    let text = dump.to_string().len();
    println!("  as text: {} MB in {:.1?}", text / 1_000_000, began.elapsed());
    let began = Instant::now();
    let json = dump.to_json().len();
    println!("  as JSON: {} MB in {:.1?}", json / 1_000_000, began.elapsed());
    drop(dump);
    let (mut alone, mut beside, mut dumps) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        alone.extend(ask(address, || thread::sleep(TURN))?);
        beside.extend(ask(address, || dumps.extend(dump_for_a_turn(runtime.handle())))?);
    }
    println!("  an echo without dumps: {}", shown(&mut alone));
    println!("  an echo beside dumps:  {}", shown(&mut beside));
    println!("  a dump beside echoes:  {}", shown(&mut dumps));
    Ok(())
}

async fn crowd_and_server(tasks: usize) -> std::io::Result<SocketAddr> {
    for _ in 0..tasks / 3 {
        wsrt::spawn(sleep(Duration::from_secs(10_000)));
        let awaited = wsrt::spawn(pending::<()>());
        wsrt::spawn(awaited);
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    wsrt::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            wsrt::spawn(async move {
                let mut bytes = [0; 64];
                while stream.read_exact(&mut bytes).await.is_ok() && stream.write_all(&bytes).await.is_ok() {}
            });
        }
    });
    Ok(address)
}

/// How long each answer took that clients got while `meanwhile` ran.
fn ask(address: SocketAddr, meanwhile: impl FnOnce()) -> Result<Vec<Duration>, Failure> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| ask_until(&is_over, address))).collect();
        meanwhile();
        is_over.store(true, Relaxed);
        let mut all = Vec::new();
        for client in clients {
            all.extend(client.join().map_err(|_| "a client panicked")??);
        }
        Ok(all)
    })
}

fn ask_until(is_over: &AtomicBool, address: SocketAddr) -> std::io::Result<Vec<Duration>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut answers = Vec::new();
    while !is_over.load(Relaxed) {
        let began = Instant::now();
        stream.write_all(&[7; 64])?;
        stream.read_exact(&mut [0; 64])?;
        answers.push(began.elapsed());
    }
    Ok(answers)
}

fn dump_for_a_turn(handle: &Handle) -> Vec<Duration> {
    let began = Instant::now();
    let mut took = Vec::new();
    while began.elapsed() < TURN {
        took.push(handle.dump().took());
        thread::sleep(BETWEEN_DUMPS);
    }
    took
}

/// The median, the 99th in a hundred, and the longest.
fn shown(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    format!("p50 {:.1?}, p99 {:.1?}, longest {:.1?}, of {}", at(0.5), at(0.99), at(1.0), times.len())
}
