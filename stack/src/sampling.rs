//! Two samples of a thread's stack, a while apart.

use crate::{NoStack, Request, Sample};

/// Nanoseconds between two samples: a thread that makes one short call after another is in another
/// one by then, and the report of a stall comes hardly later for it.
const APART: u64 = 10_000_000;
/// Nanoseconds to wait for a sample. The thread may have to wait for a core before it answers.
const PATIENCE: u64 = 200_000_000;

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

    /// Takes a sample that has come, and asks for the next. `lasts` says whether the thread was
    /// still in the same poll before this call: later samples are not used. Returns whether the
    /// last step is done: then this is not called again.
    #[must_use]
    pub fn look(&mut self, now: u64, lasts: bool) -> bool {
        if !lasts {
            if self.failure == NoStack::NoAnswer {
                self.failure = NoStack::Over;
            }
            return true;
        }
        let waited = now.saturating_sub(self.since);
        match &mut self.request {
            Some(request) => match request.answer() {
                Some(sample) => {
                    self.samples.push(sample);
                    (self.request, self.since) = (None, now);
                    self.samples.len() == 2
                }
                None => waited >= PATIENCE,
            },
            None if self.samples.is_empty() => {
                let may_ask_again = self.failure == NoStack::Busy && waited < PATIENCE;
                if may_ask_again {
                    self.ask();
                }
                !may_ask_again
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
