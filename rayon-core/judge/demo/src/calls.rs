//! Calls from a thread outside of the pool: what it costs to go there and back.

use std::sync::OnceLock;
use std::sync::mpsc::channel;

use rayon::{ThreadPool, ThreadPoolBuilder};

type Run = Box<dyn FnMut() -> u64>;

fn pool() -> &'static ThreadPool {
    static POOL: OnceLock<ThreadPool> = OnceLock::new();
    POOL.get_or_init(|| ThreadPoolBuilder::new().build().expect("a pool"))
}

pub fn install() -> Run {
    Box::new(|| (0..100).map(|number| pool().install(|| number)).sum())
}

pub fn install_join() -> Run {
    Box::new(|| {
        (0..100).map(|number| pool().install(|| rayon::join(|| number, || 1))).map(|(number, one)| number + one).sum()
    })
}

/// Spawned closures from outside, each of which spawns one more.
pub fn spawn() -> Run {
    Box::new(|| {
        let (sender, receiver) = channel();
        for number in 0..1_000 {
            let sender = sender.clone();
            pool().spawn(move || {
                rayon::spawn(move || sender.send(number).expect("it is received"));
            });
        }
        drop(sender);
        receiver.iter().sum()
    })
}
