//! `join`: two closures, the second of which others may take.

use std::mem;
use std::panic::resume_unwind;

use crate::fork_join::{JobRef, StackJob, TreeSlot};
use crate::util::unwind::drop_quietly;

impl TreeSlot<'_> {
    /// Runs both closures, `a` here and now, `b` here afterwards or elsewhere meanwhile.
    ///
    /// Returns, or unwinds, when neither runs any more. Of two panics the one of `a` goes on; if
    /// `a` panics and nobody has taken `b`, `b` is dropped.
    #[inline]
    pub(crate) fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA,
        B: FnOnce() -> RB + Send,
        RB: Send,
    {
        let job = StackJob::new(b);
        // SAFETY: the job stays here until it was taken back or its latch is set, on unwinding too.
        let reference = unsafe { job.as_job_ref() };
        // Before others can know of the job.
        let unwinding = OnUnwind { slot: self, job: &job, reference };
        self.push(reference);
        let result = a();
        mem::forget(unwinding);
        if self.pop_until(reference) {
            // SAFETY: it was just taken back.
            let b = unsafe { job.take_back() };
            return (result, b());
        }
        self.wait_for(job.latch());
        // SAFETY: the latch is set.
        match unsafe { job.take_result() } {
            Ok(other) => (result, other),
            Err(panic) => {
                // The panic that is told is that of the closure.
                drop_quietly(result);
                resume_unwind(panic)
            }
        }
    }

    /// Takes `job` back from the stack. `false` if somebody has stolen it, and with it all that lay
    /// below.
    #[inline]
    fn pop_until(&self, job: JobRef) -> bool {
        match self.pop() {
            Some(top) if top == job => true,
            Some(above) => self.pop_through(above, job),
            None => false,
        }
    }

    /// The same for a thread that unwinds, and had better run nothing: what lies above is left to
    /// others.
    fn take_off_until(&self, job: JobRef) -> bool {
        while let Some(top) = self.pop() {
            if top == job {
                return true;
            }
            self.share(top);
        }
        false
    }

    /// Runs what `a` has left on the stack above `job`: jobs that it gave to a scope around both.
    #[cold]
    fn pop_through(&self, above: JobRef, job: JobRef) -> bool {
        let mut next = Some(above);
        while let Some(top) = next {
            if top == job {
                return true;
            }
            // SAFETY: it was just popped.
            unsafe { top.run() };
            next = self.pop();
        }
        false
    }
}

/// What is done if the first closure panics, or the call for help: the second must not outlive this
/// frame.
struct OnUnwind<'a, F, R>
where
    F: FnOnce() -> R + Send,
    R: Send,
{
    slot: &'a TreeSlot<'a>,
    job: &'a StackJob<F, R>,
    reference: JobRef,
}

impl<F, R> Drop for OnUnwind<'_, F, R>
where
    F: FnOnce() -> R + Send,
    R: Send,
{
    fn drop(&mut self) {
        if self.slot.take_off_until(self.reference) {
            // SAFETY: it was just taken back.
            let closure = unsafe { self.job.take_back() };
            return drop_quietly(closure);
        }
        self.slot.wait_idly_for(self.job.latch());
        // SAFETY: the latch is set.
        let result = unsafe { self.job.take_result() };
        drop_quietly(result);
    }
}
