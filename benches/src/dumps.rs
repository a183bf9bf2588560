//! The time of a dump of many tasks, and its cost to a server beside it.
//!
//! A third of the tasks waits for timers, a third for tasks of the last third, which wait for ever.
//! The server echoes on the same processors, and is asked by threads of their own, in turns with
//! and without a dump each 100 ms.

use std::future::pending;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use wsrt::net::TcpListener;
use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::time::sleep;

use crate::Failure;
use crate::harness::{Job, Program};
use crate::measure::quantile;
use crate::runtimes::Wsrt;
use crate::workloads::echo;

const PROCESSORS: usize = 2;
const USUAL_TASKS: usize = 100_000;
const CLIENTS: usize = 4;
const TURNS: usize = 2;
const TURN: Duration = Duration::from_secs(1);
const BETWEEN_DUMPS: Duration = Duration::from_millis(100);
const MESSAGE: usize = 64;

/// The program `dumps`.
pub const PROGRAM: Program = Program {
    name: "dumps",
    help: || format!("dumps [TASKS]: dumps a runtime of so many tasks ({USUAL_TASKS})\n"),
    roles: &[],
    compare: |arguments| {
        let tasks = match arguments.free() {
            Some(word) => word.parse().map_err(|error| format!("{word:?} is no number of tasks: {error}"))?,
            None => USUAL_TASKS,
        };
        Ok(Box::new(move || run(tasks)) as Job)
    },
};

fn run(tasks: usize) -> Result<(), Failure> {
    for stats in [false, true] {
        let runtime = Builder::new_multi_thread().worker_threads(PROCESSORS).task_stats(stats).build()?;
        let address = runtime.run(crowd_and_server(tasks))?;
        println!("{tasks} tasks, {PROCESSORS} processors, statistics {}:", if stats { "on" } else { "off" });
        report(&runtime, address)?;
    }
    Ok(())
}

fn report(runtime: &Runtime, address: SocketAddr) -> Result<(), Failure> {
    let idle: Vec<_> = (0..20).map(|_| runtime.handle().dump().took()).collect();
    println!("  a dump, nothing else going on: {}", shown(&idle));
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
    println!("  an echo without dumps: {}", shown(&alone));
    println!("  an echo beside dumps:  {}", shown(&beside));
    println!("  a dump beside echoes:  {}", shown(&dumps));
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
        while let Ok((stream, _)) = listener.accept().await {
            wsrt::spawn(echo::<Wsrt>(stream, MESSAGE));
        }
    });
    Ok(address)
}

/// Returns how long each answer took that clients got while `meanwhile` ran.
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
        stream.write_all(&[7; MESSAGE])?;
        stream.read_exact(&mut [0; MESSAGE])?;
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

/// Writes the median, the 99th in a hundred, and the longest.
fn shown(times: &[Duration]) -> String {
    let mut seconds: Vec<_> = times.iter().map(Duration::as_secs_f64).collect();
    seconds.sort_by(f64::total_cmp);
    let at = |share| Duration::from_secs_f64(quantile(&seconds, share));
    format!("p50 {:.1?}, p99 {:.1?}, longest {:.1?}, of {}", at(0.5), at(0.99), at(1.0), times.len())
}
