//! Several ordinary threads spawn through handles at once, and meet at the injector.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use super::spawn_inside::check_sum;
use super::{About, Figures, Plan, Round, Runtime, rounds};

const THREADS: usize = 4;

pub(super) const ABOUT: About = About {
    name: "outside_several",
    summary: "four threads outside spawn 12,800 empty tasks all together, and all are awaited; per task",
    size: 12_800,
    rounds: 20,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let each = plan.size(&ABOUT).div_ceil(THREADS);
    let total = rounds::repeat_blocking(plan.rounds(&ABOUT), || round(runtime, each));
    Ok(vec![total.per_operation()])
}

fn round<R: Runtime>(runtime: &R, each: usize) -> Round {
    let handle = runtime.handle();
    let ready = Barrier::new(THREADS + 1);
    let (ready, handle) = (&ready, &handle);
    let (start, tasks) = thread::scope(|scope| {
        let spawners: Vec<_> = (0..THREADS).map(|_| scope.spawn(move || spawn_all::<R>(handle, ready, each))).collect();
        ready.wait();
        let start = Instant::now();
        let tasks: Vec<_> =
            spawners.into_iter().flat_map(|spawner| spawner.join().expect("a thread panicked as it spawned")).collect();
        (start, tasks)
    });
    let count = tasks.len();
    let sum = runtime.block_on(async {
        let mut sum = 0;
        for task in tasks {
            sum += task.await;
        }
        sum
    });
    let round = Round::since(start, count);
    check_sum(sum / THREADS, each);
    round
}

fn spawn_all<R: Runtime>(handle: &R::Handle, ready: &Barrier, each: usize) -> Vec<R::Task<usize>> {
    let mut tasks = Vec::with_capacity(each);
    ready.wait();
    for number in 0..each {
        tasks.push(R::spawn_on(handle, async move { black_box(number) }));
    }
    tasks
}
