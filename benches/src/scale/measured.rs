//! The costs, measured on this computer.

use std::hint::spin_loop;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread;
use std::time::{Duration, Instant};

use crate::Failure;

/// Prints medians, in nanoseconds.
pub(super) fn print() -> Result<(), Failure> {
    println!("a cache line that another core has written: {:.0} ns", line());
    let (call, latency) = wake();
    println!("a call that wakes a thread: {call:.0} ns; until that runs: {latency:.0} ns");
    println!("a round of the loop and a poll (`yield_now`, one processor): {:.0} ns", poll()?);
    #[cfg(target_os = "linux")]
    println!("a look at epoll that finds nothing: {:.0} ns", epoll()?);
    Ok(())
}

const ROUNDS: u64 = 1_000_000;

/// Two threads hand a word to and fro: each way is one line.
fn line() -> f64 {
    let word = AtomicU64::new(0);
    let pass = |own: u64| {
        for round in 0..ROUNDS {
            let turn = 2 * round + own;
            while word.load(Acquire) != turn {
                spin_loop();
            }
            word.store(turn + 1, Release);
        }
    };
    let began = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| pass(1));
        pass(0);
    });
    began.elapsed().as_nanos() as f64 / (2 * ROUNDS) as f64
}

const WAKES: usize = 2_000;

/// The medians of what a wake costs the waker, and of when the woken thread runs.
fn wake() -> (f64, f64) {
    let (origin, ran, begun) = (Instant::now(), AtomicU64::new(0), AtomicU64::new(0));
    let now = || origin.elapsed().as_nanos() as u64;
    thread::scope(|scope| {
        let sleeper = scope.spawn(|| {
            for round in 1..=WAKES as u64 {
                while begun.load(Acquire) < round {
                    thread::park();
                }
                ran.store(now(), Release);
            }
        });
        let (mut calls, mut latencies) = (Vec::new(), Vec::new());
        for round in 1..=WAKES as u64 {
            // It is asleep then.
            thread::sleep(Duration::from_micros(200));
            let before = ran.load(Relaxed);
            begun.store(round, Release);
            let called = now();
            sleeper.thread().unpark();
            calls.push((now() - called) as f64);
            while ran.load(Acquire) == before {
                spin_loop();
            }
            latencies.push(ran.load(Acquire).saturating_sub(called) as f64);
        }
        (median(calls), median(latencies))
    })
}

fn poll() -> Result<f64, Failure> {
    let runtime = wsrt::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    let yields = async {
        let began = Instant::now();
        for _ in 0..ROUNDS {
            wsrt::task::yield_now().await;
        }
        began.elapsed().as_nanos() as f64 / ROUNDS as f64
    };
    Ok(runtime.block_on(async { wsrt::spawn(yields).await })?)
}

#[cfg(target_os = "linux")]
fn epoll() -> Result<f64, Failure> {
    let (mut poll, mut events) = (mio::Poll::new()?, mio::Events::with_capacity(8));
    let began = Instant::now();
    for _ in 0..ROUNDS / 10 {
        poll.poll(&mut events, Some(Duration::ZERO))?;
    }
    Ok(began.elapsed().as_nanos() as f64 / (ROUNDS / 10) as f64)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
