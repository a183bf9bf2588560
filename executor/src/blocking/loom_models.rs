//! Models of the pool's queue: jobs, threads that come, are refused and leave, and the end, which
//! waits for all of them.

use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;
use std::time::{Duration, Instant};

use super::queue::{Job, JobQueue, Next};
use crate::scheduler::core::loom_models::explore;
use crate::util::sync::{Arc, Condvar, Mutex, thread};

/// Each job is a number.
struct Scene {
    queue: JobQueue<usize>,
    /// How many threads the system grants.
    granted: Mutex<usize>,
    /// Jobs that were run, and those that were cancelled.
    run: Mutex<Vec<usize>>,
    cancelled: Mutex<Vec<usize>>,
    on_run: Condvar,
}

impl Scene {
    fn new(max_threads: usize, granted: usize, keep_alive: Duration) -> Arc<Self> {
        Arc::new(Self {
            queue: JobQueue::new(max_threads, keep_alive),
            granted: Mutex::new(granted),
            run: Mutex::new(Vec::new()),
            cancelled: Mutex::new(Vec::new()),
            on_run: Condvar::new(),
        })
    }

    /// Does the steps of `submit` in `jobs.rs`. Returns whether the job is accepted.
    fn submit(scene: &Arc<Self>, number: usize, is_promised: bool) -> bool {
        match scene.queue.enqueue(Job { runnable: number, is_promised, since: Instant::now() }) {
            Next::Nothing => {}
            Next::StartThread => Self::start_thread(scene),
            Next::Cancel(job) => {
                scene.cancelled.lock().push(job.runnable);
                return false;
            }
        }
        true
    }

    /// Starts a thread that submits jobs, and returns which were accepted.
    fn submit_elsewhere(scene: &Arc<Self>, number: usize, is_promised: bool) -> thread::JoinHandle<bool> {
        let scene = Arc::clone(scene);
        thread::spawn(move || Self::submit(&scene, number, is_promised))
    }

    /// `start_pool_thread`.
    fn start_thread(scene: &Arc<Self>) {
        let is_granted = {
            let mut granted = scene.granted.lock();
            let is_granted = *granted > 0;
            *granted -= usize::from(is_granted);
            is_granted
        };
        if is_granted {
            let scene = Arc::clone(scene);
            drop(thread::spawn(move || Self::serve(&scene)));
        } else {
            let (orphans, _) = scene.queue.do_without_thread();
            scene.run_here(orphans);
        }
    }

    /// Runs orphans where they are, as on a processor.
    fn run_here(&self, orphans: VecDeque<Job<usize>>) {
        orphans.into_iter().for_each(|job| self.run(&job));
    }

    fn run(&self, job: &Job<usize>) {
        self.run.lock().push(job.runnable);
        self.queue.finish_job();
        self.on_run.notify_all();
    }

    /// `serve`.
    fn serve(scene: &Arc<Self>) {
        let mut comes = true;
        while let Some((job, starts)) = scene.queue.next_job(comes) {
            comes = false;
            (0..starts).for_each(|_| Self::start_thread(scene));
            scene.run(&job);
        }
    }

    /// Waits until so many jobs have run.
    fn until_run(&self, count: usize) {
        let mut run = self.run.lock();
        self.on_run.wait_while(&mut run, |run| run.len() < count);
    }

    /// Ends the pool, as the last machine and the runtime's drop do.
    fn end(&self) {
        self.cancelled.lock().extend(self.queue.close());
        assert!(self.queue.wait(None));
        let census = self.queue.census();
        assert_eq!((census.queued, census.threads), (0, 0));
        assert!(!self.queue.is_at_work());
    }

    /// Each of `count` jobs was run or cancelled, once. Returns how many were run.
    fn count_run(&self, count: usize) -> usize {
        let (run, cancelled) = (self.run.lock(), self.cancelled.lock());
        let mut all: Vec<_> = run.iter().chain(cancelled.iter()).copied().collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..count));
        run.len()
    }
}

/// A job's thread is refused while the runtime ends: the drop waits, and returns. The job is
/// cancelled or done by then.
#[test]
fn an_end_goes_on_beside_a_thread_that_is_refused() {
    static RUN: [Tally; 2] = [const { Tally::new(0) }; 2];
    explore(3, || {
        let scene = Scene::new(1, 0, Duration::MAX);
        let submitter = Scene::submit_elsewhere(&scene, 0, false);
        scene.end();
        let run_by_the_end = scene.run.lock().len();
        let is_accepted = submitter.join().expect("it does not panic");
        let run = scene.count_run(1);
        assert_eq!(run, run_by_the_end, "nothing runs after the end");
        assert!(is_accepted || run == 0);
        RUN[run].fetch_add(1, Counting);
    });
    assert!(RUN.iter().all(|tally| tally.load(Counting) > 0), "cancelled, and run");
}

/// Another thread leaves a job to the one that is refused, and was promised that it runs: it has
/// run by the end.
#[test]
fn a_promised_job_outlives_the_refusal_of_its_thread() {
    explore(2, || {
        let scene = Scene::new(1, 0, Duration::MAX);
        let submitter = Scene::submit_elsewhere(&scene, 0, false);
        let is_accepted = Scene::submit(&scene, 1, true);
        scene.end();
        assert!(is_accepted && scene.run.lock().contains(&1), "it was run by the end");
        submitter.join().expect("it does not panic");
        scene.count_run(2);
    });
}

/// The end comes beside a thread that is on its way, which runs what was promised. The job behind
/// is run or cancelled.
#[test]
fn an_end_waits_for_the_thread_that_comes() {
    for keep_alive in [Duration::ZERO, Duration::MAX] {
        explore(2, move || {
            let scene = Scene::new(1, 2, keep_alive);
            let submitter = Scene::submit_elsewhere(&scene, 0, true);
            assert!(Scene::submit(&scene, 1, false));
            scene.end();
            let is_accepted = submitter.join().expect("it does not panic");
            scene.count_run(2);
            assert_eq!(scene.run.lock().contains(&0), is_accepted);
        });
    }
}

/// A second thread is refused while the first has become idle, or is about to leave: no job is left
/// behind without one. The submitter may learn of the refusal when all are done, and the end waits.
#[test]
fn jobs_beside_refused_threads_are_run() {
    for keep_alive in [Duration::ZERO, Duration::MAX] {
        explore(3, move || {
            let scene = Scene::new(2, 1, keep_alive);
            assert!(Scene::submit(&scene, 0, false));
            let submitter = Scene::submit_elsewhere(&scene, 1, false);
            assert!(Scene::submit(&scene, 2, false));
            scene.until_run(3);
            scene.end();
            assert!(submitter.join().expect("it does not panic"));
            assert_eq!(scene.count_run(3), 3);
        });
    }
}

/// A thread leaves as the next job comes, or takes it: the keep-alive time is over.
#[test]
fn jobs_meet_threads_that_leave() {
    explore(2, || {
        let scene = Scene::new(1, 3, Duration::ZERO);
        for number in 0..3 {
            assert!(Scene::submit(&scene, number, false));
            scene.until_run(number + 1);
        }
        scene.end();
        assert_eq!(scene.count_run(3), 3);
    });
}
