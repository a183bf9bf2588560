//! Samples of what threads do with their CPU time: a timer on each thread's own clock has the
//! thread copy its stack, now and then.

use std::collections::HashMap;
use std::ffi::c_int;
use std::mem;
use std::num::NonZeroU32;
use std::ptr;

use wsrt_trace::monotonic_nanos;

use super::handler;
use super::pool::SamplePool;
use super::sample::Sample;
use crate::NoStack;

/// A sample of a thread's stack, taken while the thread used CPU time.
#[derive(Debug)]
pub struct CpuSample {
    /// The thread's number.
    pub thread: u32,
    /// When it was taken, in nanoseconds of the monotonic clock.
    pub nanos: u64,
    /// The copy of the stack.
    pub sample: Sample,
}

/// Samples threads by their CPU time. A thread that sleeps is not sampled, and a signal comes only
/// to one that runs: of its system calls, none that waits is interrupted, but for one that the
/// thread is about to wait in.
#[derive(Debug)]
pub struct CpuSampler {
    pool: &'static SamplePool,
    timers: HashMap<u32, Timer>,
    /// CPU time between two samples of a thread, in nanoseconds.
    period: i64,
    /// Samples from before are of an earlier sampler.
    since: u64,
}

impl CpuSampler {
    /// Begins to take `frequency` samples in a second of a thread's CPU time, of no thread yet. The
    /// system's tick limits how many there are: to some 250 or 1,000.
    pub fn begin(frequency: NonZeroU32) -> Result<Self, NoStack> {
        handler::ensure()?;
        let pool = SamplePool::take().ok_or(NoStack::Busy)?;
        let period = 1_000_000_000 / i64::from(frequency.get());
        Ok(Self { pool, timers: HashMap::new(), period, since: monotonic_nanos() })
    }

    /// Samples this thread of the process as well from now on, if it is not sampled yet.
    pub fn add(&mut self, thread: u32) {
        if self.timers.get(&thread).is_some_and(Timer::is_armed) {
            return;
        }
        // A timer of a thread that has ended will not fire again.
        self.timers.retain(|_, timer| timer.is_armed());
        if let Some(timer) = Timer::start(thread, self.pool, self.period) {
            self.timers.insert(thread, timer);
        }
    }

    /// Takes the samples that have been taken since the last call.
    pub fn take(&mut self) -> impl Iterator<Item = CpuSample> + '_ {
        let since = self.since;
        let samples = self.pool.samples().map(|(thread, nanos, sample)| CpuSample { thread, nanos, sample });
        samples.filter(move |sample| sample.nanos >= since)
    }

    /// Returns how many samples there was no room for, since the last call.
    pub fn take_missed(&mut self) -> u64 {
        self.pool.take_missed()
    }
}

impl Drop for CpuSampler {
    fn drop(&mut self) {
        self.timers.clear();
        self.pool.give_back();
    }
}

/// A timer that fires each time a thread has used so much CPU time.
#[derive(Debug)]
struct Timer(libc::timer_t);

// SAFETY: it is a number that the system knows in each thread of the process.
unsafe impl Send for Timer {}

impl Timer {
    /// Returns none if there is no such thread, or the system has no more timers.
    fn start(thread: u32, pool: &SamplePool, period: i64) -> Option<Self> {
        /// The kernel's encoding of a thread's clock: the negated thread number, above the bits for
        /// "of a thread" and "scheduled time".
        const OF_A_THREAD: libc::clockid_t = 0b110;
        let thread = c_int::try_from(thread).ok().filter(|&thread| thread > 0)?;
        // SAFETY: all its bytes may be zero: it is a C structure of numbers and pointers.
        let mut event: libc::sigevent = unsafe { mem::zeroed() };
        event.sigev_value = libc::sigval { sival_ptr: ptr::without_provenance_mut(pool.address()) };
        event.sigev_signo = handler::SIGNAL;
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_notify_thread_id = thread;
        let mut timer: libc::timer_t = ptr::null_mut();
        // SAFETY: the event is read, and `timer` is there to be written to.
        let status = unsafe { libc::timer_create((!thread << 3) | OF_A_THREAD, &raw mut event, &raw mut timer) };
        let timer = (status == 0).then_some(Self(timer))?;
        let period = libc::timespec { tv_sec: period / 1_000_000_000, tv_nsec: period % 1_000_000_000 };
        let when = libc::itimerspec { it_interval: period, it_value: period };
        // SAFETY: the timer is there, and `when` is read.
        let status = unsafe { libc::timer_settime(timer.0, 0, &raw const when, ptr::null_mut()) };
        (status == 0).then_some(timer)
    }

    /// Returns whether it fires again. It does not once its thread has ended.
    fn is_armed(&self) -> bool {
        let zero = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let mut left = libc::itimerspec { it_interval: zero, it_value: zero };
        // SAFETY: the timer is there, and `left` is there to be written to.
        let status = unsafe { libc::timer_gettime(self.0, &raw mut left) };
        status == 0 && (left.it_value.tv_sec, left.it_value.tv_nsec) != (0, 0)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: the timer is there, and nobody uses it any more.
        let _ = unsafe { libc::timer_delete(self.0) };
    }
}
