//! Threads that take their jobs from one queue under a lock: a thread pool in most languages'
//! libraries.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};

use super::{Pool, time_each};
use crate::Failure;

type Job = Box<dyn FnOnce(&Jobs) + Send>;

/// The pool. Its threads end when it is dropped.
#[derive(Debug)]
pub(in crate::parallel) struct Central {
    jobs: Jobs,
    threads: Vec<JoinHandle<()>>,
}

/// The queue for the threads that have jobs for it.
#[derive(Clone)]
pub(in crate::parallel) struct Jobs(Arc<Queue>);

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    /// There is a job, or the end has come.
    has_work: Condvar,
    /// Nothing is unfinished.
    is_done: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    /// Jobs that wait or run.
    unfinished: usize,
    is_closed: bool,
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobs").finish_non_exhaustive()
    }
}

impl Jobs {
    /// Puts a job at the queue's end; jobs may do so too.
    pub(in crate::parallel) fn spawn(&self, job: impl FnOnce(&Self) + Send + 'static) {
        let mut state = self.lock();
        state.waiting.push_back(Box::new(job));
        state.unfinished += 1;
        drop(state);
        self.0.has_work.notify_one();
    }

    /// Waits until every job is done, those included that jobs have spawned. Not to be called by a
    /// job.
    pub(in crate::parallel) fn wait_all(&self) {
        let state = self.lock();
        drop(self.0.is_done.wait_while(state, |state| state.unfinished > 0).expect("no job panics"));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().expect("no holder of the lock panics")
    }

    /// Is one of the threads.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            let is_idle = |state: &mut State| state.waiting.is_empty() && !state.is_closed;
            state = self.0.has_work.wait_while(state, is_idle).expect("no holder of the lock panics");
            let Some(job) = state.waiting.pop_front() else { return };
            drop(state);
            job(self);
            state = self.lock();
            state.unfinished -= 1;
            if state.unfinished == 0 {
                self.0.is_done.notify_all();
            }
        }
    }
}

impl Central {
    pub(in crate::parallel) fn jobs(&self) -> &Jobs {
        &self.jobs
    }
}

impl Drop for Central {
    fn drop(&mut self) {
        self.jobs.lock().is_closed = true;
        self.jobs.0.has_work.notify_all();
        for thread in self.threads.drain(..) {
            // A job's panic was reported when it happened, and left `wait_all` waiting.
            let _ = thread.join();
        }
    }
}

impl Pool for Central {
    fn build(processors: usize) -> Result<Self, Failure> {
        let jobs = Jobs(Arc::default());
        let thread = |_| {
            let jobs = jobs.clone();
            thread::spawn(move || jobs.work())
        };
        let threads = (0..processors).map(thread).collect();
        Ok(Self { jobs, threads })
    }

    fn run(&self, count: usize, times: usize, body: impl Fn(usize) + Send + Sync + 'static) -> Vec<f64> {
        let body = Arc::new(body);
        time_each(times, || {
            for index in 0..count {
                let body = Arc::clone(&body);
                self.jobs.spawn(move |_| body(index));
            }
            self.jobs.wait_all();
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    fn waiting_includes_the_jobs_that_jobs_spawn() {
        let pool = Central::build(2).unwrap();
        let ran = Arc::new(AtomicUsize::new(0));
        spawn_chain(pool.jobs(), 100, &ran);
        pool.jobs().wait_all();
        assert_eq!(ran.load(Relaxed), 100);
    }

    fn spawn_chain(jobs: &Jobs, length: usize, ran: &Arc<AtomicUsize>) {
        let ran = Arc::clone(ran);
        jobs.spawn(move |jobs| {
            ran.fetch_add(1, Relaxed);
            if length > 1 {
                spawn_chain(jobs, length - 1, &ran);
            }
        });
    }
}
