//! Many tasks that block at once: how many threads that takes, and how many stay.

use std::fs;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use super::Outcome;
use crate::Failure;

const TASKS: usize = 200;
const BLOCK: Duration = Duration::from_secs(1);
const KEEP_ALIVE: Duration = Duration::from_millis(200);
/// How long to wait for threads to end.
const PATIENCE: Duration = Duration::from_secs(3);
/// Of this runtime's threads, so that they can be counted.
const NAME: &str = "stalls-crowd";

pub(super) fn wsrt(processors: usize) -> Result<Outcome, Failure> {
    let runtime = wsrt::runtime::Builder::new_multi_thread()
        .worker_threads(processors)
        .thread_name(NAME)
        .thread_keep_alive(KEEP_ALIVE)
        .build()?;
    let start = Instant::now();
    let (end, ended) = channel();
    for _ in 0..TASKS {
        let end = end.clone();
        drop(runtime.spawn(async move {
            thread::sleep(BLOCK);
            let _ = end.send(());
        }));
    }
    let mut most = 0;
    for _ in 0..TASKS {
        ended.recv()?;
        most = most.max(count_threads()?);
    }
    let took = start.elapsed().as_secs_f64();
    let left = until_they_end(processors)?;
    Ok(Outcome::Words(format!("{took:.2} s, {most} machines, {left} left after keep-alive")))
}

/// Runs nothing: one task a worker at a time would take too long to watch.
pub(super) fn tokio(processors: usize) -> Result<Outcome, Failure> {
    Ok(Outcome::Words(format!("not run: {} s, {processors} at a time", TASKS / processors)))
}

fn until_they_end(processors: usize) -> Result<usize, Failure> {
    let give_up = Instant::now() + PATIENCE;
    loop {
        let threads = count_threads()?;
        if threads == processors || Instant::now() > give_up {
            return Ok(threads);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn count_threads() -> Result<usize, Failure> {
    let threads = fs::read_dir("/proc/self/task")?.filter_map(Result::ok);
    // A thread may end while we look.
    let names = threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    Ok(names.filter(|name| name.trim_end() == NAME).count())
}
