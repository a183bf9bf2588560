//! `join`: two closures, the second of which a helper may steal.

use std::mem;
use std::panic::resume_unwind;

use crate::fork_join::{JobRef, Latch, StackJob, TreeSlot};
use crate::util::unwind::{caught, drop_quietly};

impl TreeSlot<'_> {
    /// Runs `a` on this thread, and `b` on this thread afterwards or on another one meanwhile.
    ///
    /// Returns, or unwinds, when neither runs any more. Of two panics that of `a` is resumed. If
    /// `a` panics and `b` was not stolen, `b` is dropped.
    #[inline]
    pub(crate) fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA,
        B: FnOnce() -> RB + Send,
        RB: Send,
    {
        let job = StackJob::new(|_| b());
        // SAFETY: the job stays here until it is taken back or its latch is set, on unwinding too.
        let reference = unsafe { job.as_job_ref() };
        // Before other threads can find the job.
        let unwinding = OnUnwind { slot: self, job: &job, reference };
        self.push(reference);
        let result = a();
        mem::forget(unwinding);
        if self.pop_until(reference, job.latch()) {
            // SAFETY: it was just taken back.
            let b = unsafe { job.take_back() };
            return (result, b(false));
        }
        self.wait_for(job.latch());
        // SAFETY: the latch is set.
        match unsafe { job.take_result() } {
            Ok(other) => (result, other),
            Err(panic) => {
                // Of two panics, that of the closure is resumed.
                drop_quietly(result);
                resume_unwind(panic)
            }
        }
    }

    /// Runs `a` and `b` as [`join`](Self::join) does, but `b` runs after a panic of `a` too.
    ///
    /// `b` is told whether a thread took it out of a queue, or `is_moved` if none did.
    #[inline]
    pub(crate) fn join_both<A, B, RA, RB>(&self, a: A, b: B, is_moved: bool) -> (RA, RB)
    where
        A: FnOnce() -> RA,
        B: FnOnce(bool) -> RB + Send,
        RB: Send,
    {
        let job = StackJob::new(b);
        // SAFETY: the job stays here until it is taken back or its latch is set, on unwinding too.
        let reference = unsafe { job.as_job_ref() };
        // The summons may unwind.
        let unwinding = OnUnwind { slot: self, job: &job, reference };
        self.push(reference);
        let result = caught(a);
        let is_back = self.pop_until(reference, job.latch());
        mem::forget(unwinding);
        if is_back {
            // SAFETY: it was just taken back.
            let b = unsafe { job.take_back() };
            match result {
                Ok(result) => return (result, b(is_moved)),
                Err(panic) => {
                    drop_quietly(caught(|| b(is_moved)));
                    resume_unwind(panic)
                }
            }
        }
        self.wait_for(job.latch());
        // SAFETY: the latch is set.
        match (result, unsafe { job.take_result() }) {
            (Ok(result), Ok(other)) => (result, other),
            (Err(panic), other) => {
                drop_quietly(other);
                resume_unwind(panic)
            }
            (Ok(result), Err(panic)) => {
                drop_quietly(result);
                resume_unwind(panic)
            }
        }
    }

    /// Takes `job`, whose latch is `latch`, back from the stack. Returns `false` if it was stolen,
    /// and all jobs below it, or a job above has run it in a wait.
    #[inline]
    fn pop_until(&self, job: JobRef, latch: &Latch) -> bool {
        match self.pop() {
            Some(top) if top == job => true,
            Some(above) => self.pop_through(above, job, latch),
            None => false,
        }
    }

    /// Takes `job` back for a thread that unwinds, and had better run nothing: the jobs above it
    /// are left to other participants.
    fn take_off_until(&self, job: JobRef) -> bool {
        while let Some(top) = self.pop() {
            if top == job {
                return true;
            }
            self.share(top);
        }
        false
    }

    /// Takes `job` back and runs the jobs above it, which `a` has spawned in a scope around both.
    #[cold]
    fn pop_through(&self, above: JobRef, job: JobRef, latch: &Latch) -> bool {
        let mut next = Some(above);
        while let Some(top) = next {
            if top == job {
                return true;
            }
            if latch.is_set() {
                // `top` was below the job, and belongs to a frame further down.
                self.push(top);
                return false;
            }
            // SAFETY: it was just popped.
            unsafe { self.run(top) };
            next = self.pop();
        }
        false
    }
}

/// Takes the second closure back, or waits for it, if the first one or the summons unwinds: the
/// second must not outlive this frame.
struct OnUnwind<'a, F, R>
where
    F: FnOnce(bool) -> R + Send,
    R: Send,
{
    slot: &'a TreeSlot<'a>,
    job: &'a StackJob<F, R>,
    reference: JobRef,
}

impl<F, R> Drop for OnUnwind<'_, F, R>
where
    F: FnOnce(bool) -> R + Send,
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
