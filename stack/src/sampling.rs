//! Two samples of a thread's stack, a while apart.

use crate::{NoStack, Request, Sample};

/// Nanoseconds between two samples: a thread that makes one short call after another is in another
/// one by then, and the report of a stall comes hardly later for it.
const APART: u64 = 10_000_000;
/// Nanoseconds to wait for the first sample, or without one: a poll whose panic takes long to print
/// is over by then, as a rule, and its owner knows that it has panicked.
const PATIENCE: u64 = 1_000_000_000;
/// Nanoseconds to wait for the second sample, which may be missed.
const PATIENCE_FOR_SECOND: u64 = 200_000_000;

/// So many stalls may wait until their stacks are named: two copies take up to 256 KiB.
pub const MOST_WAITING: usize = 32;
/// So many stacks of stalls are kept to be shown: a thread that computes may have another stack
/// each time.
pub const MOST_SHOWN: usize = 1_000;
/// More CPU samples in a second of a thread's CPU time than the system's tick allows for.
pub const HIGHEST_FREQUENCY: u32 = 1_000;

/// Takes two samples of a thread's stack, as far as it can, for an owner who looks now and then.
#[derive(Debug)]
pub struct StackSampling {
    thread: u32,
    request: Option<Request>,
    samples: Vec<Sample>,
    /// When the last step was taken.
    since: u64,
    failure: NoStack,
}

impl StackSampling {
    /// Asks the thread for the first sample. `now` is in nanoseconds, on any clock.
    pub fn begin(thread: u32, now: u64) -> Self {
        let mut sampling =
            Self { thread, request: None, samples: Vec::new(), since: now, failure: NoStack::Unsupported };
        sampling.ask();
        sampling
    }

    fn ask(&mut self) {
        match Request::send(self.thread) {
            Ok(request) => (self.request, self.failure) = (Some(request), NoStack::NoAnswer),
            Err(why) => self.failure = why,
        }
    }

    /// Takes a sample that has come, and asks for the next. `lasts` says whether the thread is
    /// still in the same poll, and has not panicked there: a sample that may be of a later moment
    /// is not used. Returns whether the last step is done: then this is not called again.
    #[must_use]
    pub fn look(&mut self, now: u64, lasts: impl FnOnce() -> bool) -> bool {
        let answer = self.request.as_mut().and_then(Request::answer);
        // After the answer, which is of an earlier moment.
        if !lasts() {
            if self.failure == NoStack::NoAnswer {
                self.failure = NoStack::Over;
            }
            return true;
        }
        if let Some(sample) = answer {
            self.samples.push(sample);
            (self.request, self.since) = (None, now);
            return self.samples.len() == 2;
        }
        let waited = now.saturating_sub(self.since);
        match &self.request {
            Some(request) if self.samples.is_empty() => waited >= PATIENCE && !request.waits_for_core(),
            Some(_) => waited >= PATIENCE_FOR_SECOND,
            None if self.samples.is_empty() => {
                if self.failure == NoStack::Busy && waited < PATIENCE {
                    self.ask();
                }
                waited >= PATIENCE
            }
            None if waited < APART => false,
            None => {
                self.ask();
                self.since = now;
                self.request.is_none()
            }
        }
    }

    /// Returns one or two samples, or why there is none.
    pub fn finish(self) -> Result<Vec<Sample>, NoStack> {
        if self.samples.is_empty() { Err(self.failure) } else { Ok(self.samples) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sampling that has no stack, because of `failure`.
    fn without_stack(failure: NoStack) -> StackSampling {
        StackSampling { thread: 0, request: None, samples: Vec::new(), since: 0, failure }
    }

    #[test]
    fn without_a_stack_the_end_of_the_poll_is_awaited() {
        for failure in [NoStack::Unsupported, NoStack::SignalBlocked, NoStack::HandlerReplaced, NoStack::NotSent] {
            let mut sampling = without_stack(failure);
            assert!(!sampling.look(PATIENCE - 1, || true), "{failure}");
            assert!(sampling.look(PATIENCE - 1, || false), "{failure}");
            assert_eq!(sampling.finish().expect_err("no sample was taken"), failure);
        }
    }

    #[test]
    fn a_poll_without_end_is_awaited_for_a_second() {
        let mut sampling = without_stack(NoStack::SignalBlocked);
        assert!(sampling.look(PATIENCE, || true));
    }
}
