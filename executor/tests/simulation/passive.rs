//! On threads that drive no simulation the functions that this program has in the C library's place
//! do what the C library's do, in signal handlers and threads that are cancelled too.

use std::env;
use std::ffi::{c_int, c_void};
use std::hint::black_box;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use wsrt::runtime::Runtime;
use wsrt::signal::unix::{SignalKind, signal};

/// Set in the process that runs the body of a test. Its value is the test's name.
const MARK: &str = "WSRT_PASSIVE";

/// Runs `body` in a process of its own, which ends if it makes no progress, and returns whether
/// it has ended well.
fn ends_well_in_a_process_of_its_own(test: &str, body: impl FnOnce()) -> bool {
    if env::var_os(MARK).is_some_and(|name| name == test) {
        thread::spawn(end_without_progress);
        body();
        std::process::exit(0);
    }
    let mut command = Command::new(env::current_exe().expect("it runs"));
    let child = command.args([test, "--exact", "--nocapture"]).env(MARK, test).status();
    child.expect("it starts").success()
}

/// The rounds that the body has begun.
static ROUNDS: AtomicU32 = AtomicU32::new(0);

/// Ends the process once no round has begun for long.
fn end_without_progress() {
    let mut seen = u32::MAX;
    while ROUNDS.load(SeqCst) != seen {
        seen = ROUNDS.load(SeqCst);
        thread::sleep(Duration::from_secs(20));
    }
    std::process::abort();
}

/// Makes the calls that POSIX allows in a signal handler, those of feature `sim` among them.
extern "C" fn call_all(_: c_int) {
    // SAFETY: the C library returns the address of this thread's error number.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: it is this thread's, which is here.
    let before = unsafe { *errno };
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for the time.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    // SAFETY: no room is asked for.
    unsafe { libc::time(null_mut()) };
    // No descriptor has the number -1, so that none of these does anything.
    // SAFETY: as said.
    unsafe { libc::send(-1, null(), 0, 0) };
    // SAFETY: as said.
    unsafe { libc::sendto(-1, null(), 0, 0, null(), 0) };
    // SAFETY: as said.
    unsafe { libc::sendmsg(-1, null(), 0) };
    // SAFETY: as said.
    unsafe { libc::recv(-1, null_mut(), 0, 0) };
    // SAFETY: as said.
    unsafe { libc::recvfrom(-1, null_mut(), 0, 0, null_mut(), null_mut()) };
    // SAFETY: as said.
    unsafe { libc::recvmsg(-1, null_mut(), 0) };
    // SAFETY: as said.
    unsafe { libc::bind(-1, null(), 0) };
    // SAFETY: as said.
    unsafe { libc::connect(-1, null(), 0) };
    // SAFETY: as said.
    unsafe { libc::listen(-1, 0) };
    // SAFETY: as said.
    unsafe { libc::getsockname(-1, null_mut(), null_mut()) };
    // SAFETY: as said.
    unsafe { libc::getpeername(-1, null_mut(), null_mut()) };
    // SAFETY: as above.
    unsafe { *errno = before };
}

/// Allocates more than a thread's cache keeps and less than is mapped, so that the allocator's lock
/// is taken.
fn allocate_until(stop: &AtomicBool) {
    let mut kept: Vec<Vec<u8>> = (0..64).map(|_| Vec::new()).collect();
    let mut state = 88_172_645_463_325_252_u64;
    while !stop.load(SeqCst) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        kept[(state % 64) as usize] = black_box(Vec::with_capacity(1_100 + (state >> 20) as usize % 60_000));
    }
}

/// Sends thousands of signals to threads in the allocator that have called none of these functions
/// before.
fn interrupt_fresh_threads(number: c_int) {
    for round in 0..400_u32 {
        ROUNDS.store(round, SeqCst);
        let stop = AtomicBool::new(false);
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            let stop = &stop;
            scope.spawn(move || {
                // SAFETY: it takes nothing.
                tell.send(unsafe { libc::pthread_self() }).expect("it is awaited");
                allocate_until(stop);
            });
            let thread = told.recv().expect("the thread tells it");
            for again in 0..5 {
                let began = Instant::now();
                while began.elapsed() < Duration::from_micros((20 + (round + again) * 7 % 180).into()) {
                    std::hint::spin_loop();
                }
                // SAFETY: the thread lives until it is to stop.
                assert_eq!(unsafe { libc::pthread_kill(thread, number) }, 0);
            }
            thread::yield_now();
            stop.store(true, SeqCst);
        });
    }
}

#[test]
fn handlers_of_signals_may_use_sockets() {
    let is_well = ends_well_in_a_process_of_its_own("passive::handlers_of_signals_may_use_sockets", || {
        let handler = call_all as extern "C" fn(c_int);
        // SAFETY: the handler makes calls that POSIX allows in one.
        assert_ne!(unsafe { libc::signal(libc::SIGUSR2, handler as libc::sighandler_t) }, libc::SIG_ERR);
        interrupt_fresh_threads(libc::SIGUSR2);
    });
    assert!(is_well, "a thread hangs in its signal handler");
}

#[test]
fn signals_reach_threads_that_allocate() {
    let is_well = ends_well_in_a_process_of_its_own("passive::signals_reach_threads_that_allocate", || {
        let runtime = Runtime::new().expect("a runtime is to be had");
        let _listens = runtime.block_on(async { signal(SignalKind::user_defined1()).expect("it can be listened for") });
        interrupt_fresh_threads(libc::SIGUSR1);
    });
    assert!(is_well, "a thread hangs in its signal handler");
}

unsafe extern "C-unwind" {
    fn pthread_create(
        thread: *mut libc::pthread_t,
        attributes: *const c_void,
        run: unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void,
        argument: *mut c_void,
    ) -> c_int;
    fn pthread_cancel(thread: libc::pthread_t) -> c_int;
    fn pthread_join(thread: libc::pthread_t, value: *mut *mut c_void) -> c_int;
    fn recv(descriptor: c_int, room: *mut c_void, count: usize, flags: c_int) -> isize;
}

/// A thread of C's: it waits for a byte, and has nothing to be dropped.
unsafe extern "C-unwind" fn wait_for_a_byte(descriptor: *mut c_void) -> *mut c_void {
    let mut byte = 0_u8;
    // SAFETY: there is room for a byte.
    unsafe { recv(descriptor as usize as c_int, (&raw mut byte).cast(), 1, 0) };
    null_mut()
}

#[test]
fn a_thread_may_be_cancelled_while_it_receives() {
    let is_well = ends_well_in_a_process_of_its_own("passive::a_thread_may_be_cancelled_while_it_receives", || {
        let (socket, _peer) = UnixStream::pair().expect("sockets are to be had");
        let (mut thread, argument) = (0, socket.as_raw_fd() as usize as *mut c_void);
        // SAFETY: there is room for the thread's number, and the socket outlives the thread.
        assert_eq!(unsafe { pthread_create(&raw mut thread, null(), wait_for_a_byte, argument) }, 0);
        // SAFETY: the thread is there until it is joined, and has nothing to be dropped.
        assert_eq!(unsafe { pthread_cancel(thread) }, 0);
        let mut value = null_mut();
        // SAFETY: it is joined once.
        assert_eq!(unsafe { pthread_join(thread, &raw mut value) }, 0);
        assert_eq!(value as isize, -1, "PTHREAD_CANCELED");
    });
    assert!(is_well, "the process has ended");
}
