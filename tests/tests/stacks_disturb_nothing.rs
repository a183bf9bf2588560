//! The signal that captures the stack of a stalled poll's thread disturbs no system call, no
//! handler and no lock of the program's.
#![cfg(all(target_os = "linux", target_pointer_width = "64", any(target_arch = "aarch64", target_arch = "x86_64")))]

use std::hint::black_box;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};
use std::{mem, ptr};

use wsrt::runtime::{Runtime, Stall};
use wsrt_tests::{LIMIT, in_a_process_of_its_own, text_of, watched};

/// Runs `body` in a process of its own, where a poll is a stall after 10 ms, and returns what it
/// has written on standard error.
#[track_caller]
fn errors_of(test: &str, body: impl FnOnce() + Send + 'static) -> String {
    text_of(&in_a_process_of_its_own(test, &[("WSRT_STALL_MS", "10")], body))
}

/// How often the program's own handler was called.
static HANDLED: AtomicUsize = AtomicUsize::new(0);

extern "C" fn count(_: libc::c_int) {
    HANDLED.fetch_add(1, Relaxed);
}

fn handle_sigurg() {
    handle(libc::SIGURG, count, 0);
}

fn handle(signal: libc::c_int, handler: extern "C" fn(libc::c_int), flags: libc::c_int) {
    // SAFETY: all its bytes may be zero: it is a C structure of numbers and pointers.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    action.sa_sigaction = handler as usize;
    action.sa_flags = flags;
    // SAFETY: this file's handlers read and write atomics, and do nothing else.
    let status = unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
    assert_eq!(status, 0);
}

fn raise_sigurg() {
    raise(libc::SIGURG);
}

fn raise(signal: libc::c_int) {
    // SAFETY: the signal has a handler, or none that does anything.
    let status = unsafe { libc::raise(signal) };
    assert_eq!(status, 0);
}

/// Stalls for `time`, in a poll of `runtime`, and returns what is reported.
#[track_caller]
fn stall_for(runtime: &Runtime, reports: &Receiver<Stall>, time: Duration) -> Stall {
    let task = runtime.spawn(async move { thread::sleep(time) });
    let stall = reports.recv_timeout(LIMIT).expect("it is reported");
    runtime.block_on(task).expect("no panic");
    stall
}

#[test]
fn the_program_s_own_handler_gets_its_own_signals() {
    let test = "the_program_s_own_handler_gets_its_own_signals";
    errors_of(test, || {
        handle_sigurg();
        let (runtime, reports) = watched(1);
        let stall = stall_for(&runtime, &reports, Duration::from_millis(300));
        assert!(stall.backtrace().is_some());
        assert_eq!(HANDLED.load(Relaxed), 0, "the signal was wsrt's");
        for raised in 1..=3 {
            raise_sigurg();
            assert_eq!(HANDLED.load(Relaxed), raised);
        }
    });
}

#[test]
fn a_handler_that_replaces_wsrt_s_is_left_alone() {
    let test = "a_handler_that_replaces_wsrt_s_is_left_alone";
    let errors = errors_of(test, || {
        let (runtime, reports) = watched(1);
        assert!(stall_for(&runtime, &reports, Duration::from_millis(300)).backtrace().is_some());
        handle_sigurg();
        assert!(stall_for(&runtime, &reports, Duration::from_millis(300)).backtrace().is_none());
        assert_eq!(HANDLED.load(Relaxed), 0);
        raise_sigurg();
        assert_eq!(HANDLED.load(Relaxed), 1);
    });
    assert!(errors.contains("no stack: the program has replaced wsrt's handler for SIGURG"), "{errors}");
}

#[test]
fn system_calls_continue_while_stacks_are_captured() {
    let test = "system_calls_continue_while_stacks_are_captured";
    errors_of(test, || {
        let (runtime, reports) = watched(1);
        let (mut ours, mut theirs) = UnixStream::pair().expect("two sockets");
        let task = runtime.spawn(async move {
            let mut byte = [0];
            // One system call, which is restarted.
            let read = theirs.read(&mut byte);
            // One that no handler restarts, and that is therefore never interrupted.
            let mut fds = libc::pollfd { fd: theirs.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one structure is there to be written to.
            let ready = unsafe { libc::poll(&raw mut fds, 1, -1) };
            (read.map_err(|error| error.to_string()), ready)
        });
        let stall = reports.recv_timeout(LIMIT).expect("it reads");
        assert!(stall.asleep && stall.backtrace().is_some(), "{stall:?}");
        ours.write_all(&[1]).expect("the task reads");
        thread::sleep(Duration::from_millis(100));
        ours.write_all(&[1]).expect("the task polls");
        assert_eq!(runtime.block_on(task).expect("no panic"), (Ok(1), 1));
    });
}

#[test]
fn a_sleep_is_as_long_as_it_should_be() {
    errors_of("a_sleep_is_as_long_as_it_should_be", || {
        let (runtime, reports) = watched(1);
        let began = Instant::now();
        let task = runtime.spawn(async { thread::sleep(Duration::from_millis(200)) });
        assert!(reports.recv_timeout(LIMIT).expect("it is reported").backtrace().is_some());
        runtime.block_on(task).expect("no panic");
        assert!(began.elapsed() >= Duration::from_millis(200));
    });
}

/// Polls that allocate, that lock, and that sleep, each longer than the threshold.
#[test]
fn a_storm_of_stalls_is_survived() {
    let errors = errors_of("a_storm_of_stalls_is_survived", || {
        handle_sigurg();
        let (runtime, reports) = watched(4);
        let tasks: Vec<_> = (0..200_usize)
            .map(|index| {
                runtime.spawn(async move {
                    let end = Instant::now() + Duration::from_millis(25);
                    let mut kept = Vec::new();
                    while Instant::now() < end {
                        match index % 4 {
                            0 => kept.push(black_box(vec![index; 100])),
                            1 => drop(format!("{:?}", thread::current().name())),
                            2 => thread::sleep(Duration::from_millis(15)),
                            _ => drop(black_box(std::env::var_os("PATH"))),
                        }
                    }
                    kept.len()
                })
            })
            .collect();
        for task in tasks {
            runtime.block_on(task).expect("no panic");
        }
        let handle = runtime.handle().clone();
        drop(runtime);
        // After the watcher, which may have been about to count the last poll.
        let counted: u64 = handle.stall_counts().iter().map(|(_, count)| count).sum();
        // It has the hook, and so the sender.
        drop(handle);
        let reported: Vec<_> = reports.iter().collect();
        assert_eq!(reported.len() as u64, counted, "each is passed on before the runtime has gone");
        assert!(reported.iter().any(|stall| stall.backtrace().is_some()), "{reported:?}");
        assert_eq!(HANDLED.load(Relaxed), 0);
    });
    assert!(errors.lines().filter(|line| line.starts_with("wsrt: ")).count() < 100, "{errors}");
}

/// The alternative signal stack that a thread of the program has set up for itself.
struct SignalStack {
    room: Vec<u8>,
}

/// The addresses of the program's alternative signal stack.
static BEGIN: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

impl SignalStack {
    /// Sets one up for the calling thread.
    fn install() -> Self {
        let mut room = vec![0_u8; 256 << 10];
        let begin = room.as_mut_ptr();
        let stack = libc::stack_t { ss_sp: begin.cast(), ss_flags: 0, ss_size: room.len() };
        // SAFETY: the memory stays until `uninstall` has taken the stack away.
        let status = unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) };
        assert_eq!(status, 0);
        BEGIN.store(begin.addr(), Relaxed);
        END.store(begin.addr() + room.len(), Relaxed);
        Self { room }
    }

    /// Takes it away, after it was found as it was set up.
    fn uninstall(self) {
        // SAFETY: all its bytes may be zero: it is a C structure of numbers and pointers.
        let mut found: libc::stack_t = unsafe { mem::zeroed() };
        let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
        // SAFETY: the thread runs no handler there; `found` is there to be written to.
        let status = unsafe { libc::sigaltstack(&raw const none, &raw mut found) };
        assert_eq!((status, found.ss_flags), (0, 0));
        assert_eq!((found.ss_sp.addr(), found.ss_size), (self.room.as_ptr().addr(), self.room.len()));
    }
}

fn is_on_signal_stack() -> bool {
    let local = 0_u8;
    (BEGIN.load(Relaxed)..END.load(Relaxed)).contains(&(&raw const local).addr())
}

static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Computes on the alternative stack until the test has what it wants.
extern "C" fn computes_in_a_handler(_: libc::c_int) {
    let mut sum = usize::from(is_on_signal_stack());
    while !IS_OVER.load(Relaxed) {
        sum = black_box(sum.rotate_left(1));
    }
    // One bit is left of the answer.
    HANDLED.fetch_add(sum.count_ones() as usize, Relaxed);
}

extern "C" fn count_on_signal_stack(_: libc::c_int) {
    HANDLED.fetch_add(usize::from(is_on_signal_stack()), Relaxed);
}

/// A poll stalls in a handler of the program's that runs on the program's alternative stack. The
/// program's handler for SIGURG has its place there, too.
#[test]
fn an_alternative_signal_stack_is_left_as_it_is() {
    let test = "an_alternative_signal_stack_is_left_as_it_is";
    errors_of(test, || {
        handle(libc::SIGUSR1, computes_in_a_handler, libc::SA_ONSTACK);
        handle(libc::SIGURG, count_on_signal_stack, libc::SA_ONSTACK);
        let (runtime, reports) = watched(1);
        let task = runtime.spawn(async {
            let stack = SignalStack::install();
            raise(libc::SIGUSR1);
            let handled = HANDLED.load(Relaxed);
            raise_sigurg();
            stack.uninstall();
            (handled, HANDLED.load(Relaxed))
        });
        let stall = reports.recv_timeout(LIMIT).expect("it is reported");
        IS_OVER.store(true, Relaxed);
        let backtrace = stall.backtrace().expect("the handler's stack, at least");
        let place = backtrace.place().map(|place| place.function().to_owned()).unwrap_or_default();
        assert!(place.ends_with("computes_in_a_handler"), "{backtrace:?}");
        assert_eq!(runtime.block_on(task).expect("no panic"), (1, 2), "both handlers ran there, once");
    });
}
