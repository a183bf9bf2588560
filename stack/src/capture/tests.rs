//! Threads that block, compute and wait, and what is found of them.

use std::collections::HashMap;
use std::hint::black_box;
use std::num::NonZeroU32;
use std::os::fd::AsRawFd;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use wsrt_trace::monotonic_nanos;

use super::handler::own_thread;
use super::slot::StackSlot;
use super::system_call::SystemCall;
use super::{CpuSampler, Request, Sample};
use crate::{Backtrace, NoStack, StackFrame};

/// More than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Captures the stack of the thread again and again until `is_there` finds something in it.
#[track_caller]
fn capture_until(thread: u32, is_there: impl Fn(&Backtrace) -> bool) -> Backtrace {
    let began = Instant::now();
    loop {
        let sample = loop {
            let mut request = match Request::send(thread) {
                Ok(request) => request,
                Err(NoStack::Busy) => continue,
                Err(why) => panic!("no stack: {why}"),
            };
            let answer = (0..1_000).find_map(|_| {
                thread::sleep(Duration::from_millis(1));
                request.answer()
            });
            assert!(began.elapsed() < PATIENCE, "no answer");
            if let Some(sample) = answer {
                break sample;
            }
        };
        let backtrace = sample.backtrace();
        if is_there(&backtrace) {
            return backtrace;
        }
        assert!(began.elapsed() < PATIENCE, "{backtrace:?}");
    }
}

fn names(backtrace: &Backtrace, function: &str) -> bool {
    let frames = backtrace.frames().iter();
    frames.filter(|frame| frame.function().ends_with(function)).any(|frame| frame.line().is_some())
}

/// Runs `body` on a thread, and returns its number.
fn on_a_thread(body: impl FnOnce() + Send + 'static) -> (u32, JoinHandle<()>) {
    let (send, number): (Sender<u32>, Receiver<u32>) = channel();
    let thread = thread::spawn(move || {
        send.send(own_thread()).expect("the test waits");
        body();
    });
    (number.recv().expect("it is sent"), thread)
}

/// Runs `computes` on a thread, and returns its number and a function that ends it.
fn on_a_busy_thread<T: 'static>(computes: fn(&AtomicBool) -> T) -> (u32, impl FnOnce()) {
    let end = Arc::new(AtomicBool::new(false));
    let of_thread = Arc::clone(&end);
    let (number, thread) = on_a_thread(move || {
        black_box(computes(&of_thread));
    });
    let stop = move || {
        end.store(true, Relaxed);
        thread.join().expect("no panic");
    };
    (number, stop)
}

#[inline(never)]
fn waits_for_a_lock(lock: &Mutex<u32>) -> u32 {
    black_box(*lock.lock().expect("nobody panics"))
}

#[inline(never)]
fn computes_until(end: &AtomicBool) -> u64 {
    let mut sum = 0_u64;
    while !end.load(Relaxed) {
        sum = black_box(sum.wrapping_mul(31).wrapping_add(7));
    }
    sum
}

#[inline(never)]
fn asks_for_the_time_until(end: &AtomicBool) -> u32 {
    let mut count = 0_u32;
    while !end.load(Relaxed) {
        count = black_box(count.wrapping_add(Instant::now().elapsed().subsec_nanos()));
    }
    count
}

#[inline(never)]
fn polls(fd: i32) -> i32 {
    let mut fds = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one structure is there to be written to.
    let ready = unsafe { libc::poll(&raw mut fds, 1, -1) };
    black_box(ready)
}

#[test]
fn a_thread_that_waits_for_a_lock_is_found_there() {
    let lock = Arc::new(Mutex::new(7));
    let held = lock.lock().expect("nobody panics");
    let of_thread = Arc::clone(&lock);
    let (number, thread) = on_a_thread(move || {
        waits_for_a_lock(&of_thread);
    });
    let backtrace = capture_until(number, |backtrace| names(backtrace, "waits_for_a_lock"));
    let place = backtrace.place().expect("there is one");
    assert!(place.function().ends_with("waits_for_a_lock"), "{backtrace:?}");
    assert!(place.file().is_some_and(|file| file.ends_with("src/capture/tests.rs")), "{backtrace:?}");
    assert!(backtrace.frames()[0].function().contains("Mutex"), "what it calls is named: {backtrace:?}");
    drop(held);
    thread.join().expect("no panic");
}

#[inline(never)]
fn copies_its_stack(end: usize) -> Option<Sample> {
    black_box(Sample::of_caller(black_box(end)))
}

#[inline(never)]
fn calls_what_copies() -> Sample {
    let here = 0_u8;
    black_box(copies_its_stack((&raw const here).addr())).expect("it is further out")
}

#[test]
fn a_copy_of_the_own_stack_ends_where_told() {
    let backtrace = calls_what_copies().backtrace();
    let names: Vec<_> = backtrace.frames().iter().map(StackFrame::function).collect();
    assert!(names[0].ends_with("copies_its_stack") && names[1].ends_with("calls_what_copies"), "{names:?}");
    assert!(!names.iter().any(|name| name.ends_with("ends_where_told")), "{names:?}");
    assert!(Sample::of_caller(0).is_none());
}

#[test]
fn a_thread_that_computes_is_found_there() {
    let (number, stop_busy) = on_a_busy_thread(computes_until);
    capture_until(number, |backtrace| names(backtrace, "computes_until"));
    stop_busy();
}

/// The kernel's library has no file.
#[test]
fn a_thread_in_the_kernel_s_library_is_found_there() {
    let (number, stop_busy) = on_a_busy_thread(asks_for_the_time_until);
    for _ in 0..20 {
        capture_until(number, |backtrace| names(backtrace, "asks_for_the_time_until"));
    }
    stop_busy();
}

/// `poll` fails with `EINTR` after any handler.
#[test]
fn a_call_that_a_signal_would_end_is_not_interrupted() {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().expect("two sockets");
    let (number, thread) = on_a_thread(move || assert_eq!(polls(theirs.as_raw_fd()), 1, "no signal ended it"));
    let began = Instant::now();
    while !SystemCall::of(number).is_some_and(|call| call.is_ended_by_signals()) {
        assert!(began.elapsed() < PATIENCE, "it polls");
        thread::yield_now();
    }
    capture_until(number, |backtrace| names(backtrace, "polls"));
    drop(ours);
    thread.join().expect("it was not interrupted");
}

#[test]
fn a_thread_that_is_gone_or_deaf_is_no_error() {
    let (number, thread) = on_a_thread(|| ());
    thread.join().expect("no panic");
    assert!(matches!(Request::send(number), Err(NoStack::NotSent)));
    let (end, ended) = channel::<()>();
    let (send, ready) = channel();
    let (number, thread) = on_a_thread(move || {
        // SAFETY: all its bytes may be zero: it is a set of bits.
        let mut mask: libc::sigset_t = unsafe { std::mem::zeroed() };
        // SAFETY: the set is there to be written to.
        unsafe { libc::sigaddset(&raw mut mask, libc::SIGURG) };
        // SAFETY: the set is read.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const mask, std::ptr::null_mut()) };
        send.send(()).expect("the test waits");
        let _ = ended.recv();
    });
    ready.recv().expect("it is sent");
    assert!(matches!(Request::send(number), Err(NoStack::SignalBlocked)));
    drop(end);
    thread.join().expect("no panic");
}

/// Requests that nobody waits for, from several threads, of several threads.
#[test]
fn no_slot_is_lost_in_a_storm() {
    let end = Arc::new(AtomicBool::new(false));
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let end = Arc::clone(&end);
            on_a_thread(move || {
                black_box(computes_until(&end));
            })
        })
        .collect();
    let numbers: Vec<_> = threads.iter().map(|(number, _)| *number).collect();
    let stormers: Vec<_> = (0..3)
        .map(|stormer| {
            let numbers = numbers.clone();
            thread::spawn(move || {
                let mut answers = 0;
                for round in 0..2_000 {
                    let Ok(mut request) = Request::send(numbers[(round + stormer) % numbers.len()]) else { continue };
                    if round % 3 == 0 {
                        thread::yield_now();
                    }
                    answers += usize::from(request.answer().is_some());
                }
                answers
            })
        })
        .collect();
    let answers: usize = stormers.into_iter().map(|stormer| stormer.join().expect("no panic")).sum();
    println!("{answers} answers");
    end.store(true, Relaxed);
    for (_, thread) in threads {
        thread.join().expect("no panic");
    }
    let began = Instant::now();
    // Other tests have theirs.
    while StackSlot::in_use() > 8 {
        assert!(began.elapsed() < PATIENCE, "{} are in use", StackSlot::in_use());
        thread::yield_now();
    }
}

/// Takes samples until `enough` of them name `function`, and returns how many there were of each
/// thread.
#[track_caller]
fn sample_until(sampler: &mut CpuSampler, enough: usize, function: &str) -> HashMap<u32, usize> {
    let (mut counts, mut found) = (HashMap::new(), 0);
    let began = Instant::now();
    while found < enough {
        assert!(began.elapsed() < PATIENCE, "{found} of {counts:?} samples");
        thread::sleep(Duration::from_millis(5));
        for taken in sampler.take().collect::<Vec<_>>() {
            *counts.entry(taken.thread).or_default() += 1;
            found += usize::from(names(&taken.sample.backtrace(), function));
        }
    }
    counts
}

/// There are few pools: the tests of samplers take turns.
static POOLS: Mutex<()> = Mutex::new(());

#[test]
fn only_a_thread_that_uses_cpu_time_is_sampled() {
    let _alone = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let (busy, stop_busy) = on_a_busy_thread(computes_until);
    let (stop, stopped) = channel::<()>();
    let (idle, sleeper) = on_a_thread(move || _ = stopped.recv());
    let mut sampler = CpuSampler::begin(NonZeroU32::new(100).expect("it is not 0")).expect("there is a pool");
    let since = monotonic_nanos();
    [busy, busy, idle].into_iter().for_each(|number| sampler.add(number));
    let counts = sample_until(&mut sampler, 20, "computes_until");
    assert_eq!(counts.keys().collect::<Vec<_>>(), [&busy]);
    let (elapsed, most) = (Duration::from_nanos(monotonic_nanos() - since), counts[&busy] as u128);
    assert!(most <= elapsed.as_millis() / 10 + 2, "{most} samples in {elapsed:?}: one timer for a thread");
    drop(sampler);
    stop_busy();
    drop(stop);
    sleeper.join().expect("no panic");
}

/// A new thread may have the number of one that has ended.
#[test]
fn a_sampled_thread_may_end_and_so_may_the_sampler() {
    let _alone = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let frequency = NonZeroU32::new(1_000).expect("it is not 0");
    let mut sampler = CpuSampler::begin(frequency).expect("there is a pool");
    for _ in 0..100 {
        let (number, thread) = on_a_thread(|| _ = black_box((0..10_000).sum::<u64>()));
        sampler.add(number);
        thread.join().expect("no panic");
        sampler.add(number);
    }
    let others: Vec<_> = (0..8).map(|_| CpuSampler::begin(frequency)).collect();
    assert!(others.iter().any(|other| matches!(other, Err(NoStack::Busy))), "there are a few pools");
    drop(others);
    drop(sampler);
    let (busy, stop_busy) = on_a_busy_thread(computes_until);
    for _ in 0..20 {
        let mut sampler = CpuSampler::begin(frequency).expect("a pool was given back");
        sampler.add(busy);
        sample_until(&mut sampler, 1, "computes_until");
    }
    stop_busy();
}
