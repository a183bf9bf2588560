//! Tasks that come close to deadlocks and futurelocks, and are in none, are reported by nobody: no
//! dump, no watcher and no timeout. `WSRT_SOAK_SECONDS` makes the run longer.

use std::cell::RefCell;
use std::env;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use wsrt::sync::{Mutex, RwLock, Semaphore, mpsc};
use wsrt::task::{JoinSet, yield_now};
use wsrt::time::{sleep, timeout};
use wsrt_tests::{Random, in_a_process_of_its_own, runtime_with, text_of};

/// What the tasks meet at.
struct Shared {
    mutexes: [Mutex<u64>; 2],
    rwlock: RwLock<u64>,
    semaphores: [Semaphore; 3],
    narrow: mpsc::Sender<u64>,
    wide: mpsc::Sender<u64>,
    rounds: AtomicU64,
}

thread_local! {
    /// Each thread has its own sequence.
    static RANDOM: RefCell<Random> = RefCell::new(Random::new(u64::from(std::process::id())));
}

/// Returns a number below `end`.
fn below(end: u64) -> u64 {
    RANDOM.with_borrow_mut(|random| random.below(end))
}

fn micros(most: u64) -> Duration {
    Duration::from_micros(below(most + 1))
}

/// Waits somewhere for something, and holds it for a while.
async fn hold(shared: &Shared, which: usize) {
    match which {
        0 | 1 => {
            let mut guard = shared.mutexes[which].lock().await;
            *guard += 1;
            sleep(micros(30)).await;
        }
        2 => {
            let guard = shared.rwlock.read().await;
            yield_now().await;
            drop(guard);
        }
        3 => *shared.rwlock.write().await += 1,
        4..=6 => {
            let wanted = 1 + below(which as u64 - 3) as u32;
            let held = shared.semaphores[which - 4].acquire_many(wanted).await.expect("it is open");
            sleep(micros(20)).await;
            drop(held);
        }
        7 => shared.narrow.send(7).await.expect("it is received"),
        8 => drop(shared.narrow.reserve().await.expect("it is received")),
        _ => {
            let room = shared.wide.reserve_many(2).await.expect("it is received");
            yield_now().await;
            room.for_each(|one| one.send(9));
        }
    }
}

/// Several waits at once. Each is polled until it is over, or dropped.
async fn round(shared: &Shared) {
    let [one, other] = [(); 2].map(|()| below(10) as usize);
    match below(6) {
        0 => _ = wsrt::join!(hold(shared, one), hold(shared, other)),
        1 => _ = timeout(micros(60), hold(shared, one)).await,
        2 => {
            let mut first = pin!(hold(shared, one));
            loop {
                wsrt::select! {
                    () = &mut first => break,
                    () = sleep(micros(40)) => {}
                }
            }
        }
        3 => {
            wsrt::select! {
                () = hold(shared, one) => {}
                () = hold(shared, one) => {}
                () = hold(shared, other) => {}
            }
        }
        4 => {
            let impatient = || timeout(micros(60), hold(shared, one));
            let _ = wsrt::join!(impatient(), impatient(), hold(shared, one));
        }
        _ => {
            let mut first = Box::pin(hold(shared, one));
            let is_over = timeout(micros(40), &mut first).await.is_ok();
            drop(first);
            if !is_over {
                hold(shared, one).await;
            }
        }
    }
    shared.rounds.fetch_add(1, Relaxed);
}

fn soak(seconds: f64) {
    let runtime = runtime_with(2);
    let (narrow, mut few) = mpsc::channel(1);
    let (wide, mut many) = mpsc::channel(3);
    let shared = Arc::new(Shared {
        mutexes: [Mutex::new(0), Mutex::new(0)],
        rwlock: RwLock::new(0),
        semaphores: [Semaphore::new(1), Semaphore::new(2), Semaphore::new(3)],
        narrow,
        wide,
        rounds: AtomicU64::new(0),
    });
    drop(runtime.spawn(async move { while few.recv().await.is_some() {} }));
    drop(runtime.spawn(async move { while many.recv().await.is_some() {} }));
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let until_the_end = move |shared: Arc<Shared>| async move {
        while Instant::now() < end {
            round(&shared).await;
        }
    };
    let tasks: Vec<_> = (0..24).map(|_| runtime.spawn(until_the_end(Arc::clone(&shared)))).collect();
    let of_set = Arc::clone(&shared);
    let aborts = runtime.spawn(async move {
        while Instant::now() < end {
            let mut set = JoinSet::new();
            (0..8).for_each(|_| drop(set.spawn(until_the_end(Arc::clone(&of_set)))));
            sleep(micros(2_000)).await;
        }
    });
    let mut dumps = 0;
    while tasks.iter().any(|task| !task.is_finished()) {
        let is_seventh = dumps % 7 == 6;
        let handle = runtime.handle();
        let dump = if is_seventh { handle.dump_with_chains(Duration::from_secs(60)) } else { handle.dump() };
        assert!(dump.cycles().is_empty(), "{dump}");
        dumps += 1;
    }
    runtime.block_on(async {
        for task in tasks {
            task.await.expect("no panic");
        }
        aborts.await.expect("no panic");
    });
    println!("{} rounds beside {dumps} dumps in {seconds} s", shared.rounds.load(Relaxed));
}

#[test]
fn what_ends_is_reported_by_nobody() {
    let seconds = env::var("WSRT_SOAK_SECONDS").ok().map_or(3.0, |text| text.parse().expect("a number of seconds"));
    let output = in_a_process_of_its_own("what_ends_is_reported_by_nobody", &[], || soak(seconds));
    println!("{}", String::from_utf8_lossy(&output.stdout));
    let errors = text_of(&output);
    // Reports of stalls, on a busy machine, have the name of this file.
    for report in ["a deadlock: ", "a futurelock: ", " is an orphan"] {
        assert!(!errors.contains(report), "{errors}");
    }
}
