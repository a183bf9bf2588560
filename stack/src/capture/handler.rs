//! The signal's handler, and the one that it stands before.
//!
//! SIGURG, which Go's runtime sends to its own threads for the same reasons: by default it does
//! nothing, so that one that is sent too late, or after the program has taken the handler away,
//! ends no process; debuggers pass it on without a word; no library uses it; and a program that
//! does has to expect it at any time.

use std::ffi::{c_int, c_void};
use std::mem;
use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Mutex, PoisonError};

use wsrt_trace::monotonic_nanos;

use super::pool::SamplePool;
use super::sample::Registers;
use super::slot::StackSlot;
use crate::NoStack;

pub(super) const SIGNAL: c_int = libc::SIGURG;

type Plain = extern "C" fn(c_int);
type Informed = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// The kernel's `siginfo_t`, in the form for signals that are queued with a value. A timer's has
/// its value in the same place.
#[repr(C)]
struct QueuedSignal {
    signal: c_int,
    errno: c_int,
    code: c_int,
    padding: c_int,
    process: libc::pid_t,
    user: libc::uid_t,
    value: usize,
    rest: [u64; 12],
}

/// The handler that was there before, or `SIG_DFL` or `SIG_IGN`, and whether it takes the
/// information about the signal. Written before this module's handler is installed.
static PREVIOUS: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static PREVIOUS_IS_INFORMED: AtomicBool = AtomicBool::new(false);

/// Sees to it that the handler is installed: at the first request in the life of the process. A
/// program that has installed another one since keeps its handler, which may call this one already.
pub(super) fn ensure() -> Result<(), NoStack> {
    /// True if it was installed. The lock keeps two threads from chaining it to itself.
    static INSTALLED: Mutex<bool> = Mutex::new(false);
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    let now = action(None).ok_or(NoStack::NotSent)?;
    if *installed {
        return if now.sa_sigaction == address() { Ok(()) } else { Err(NoStack::HandlerReplaced) };
    }
    PREVIOUS_IS_INFORMED.store(now.sa_flags & libc::SA_SIGINFO != 0, Relaxed);
    // Release pairs with the Acquire in `pass_on`: it finds the kind of this handler.
    PREVIOUS.store(now.sa_sigaction, Release);
    let is_handled = !matches!(now.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN);
    let mut own = now;
    own.sa_sigaction = address();
    // A program that has its own handler keeps its choice whether system calls go on.
    let restart = if is_handled { now.sa_flags & libc::SA_RESTART } else { libc::SA_RESTART };
    own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | restart;
    action(Some(&own)).ok_or(NoStack::NotSent)?;
    *installed = true;
    Ok(())
}

fn address() -> usize {
    handle as Informed as usize
}

/// Sets the signal's action, if there is a new one, and returns the one before.
fn action(new: Option<&libc::sigaction>) -> Option<libc::sigaction> {
    // SAFETY: all its bytes may be zero: it is a C structure of numbers and pointers.
    let mut old: libc::sigaction = unsafe { mem::zeroed() };
    let new = new.map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the new action, if there is one, is a handler for this signal that may run anywhere;
    // `old` is there to be written to.
    let status = unsafe { libc::sigaction(SIGNAL, new, &raw mut old) };
    (status == 0).then_some(old)
}

/// The handler. A copy that a slot or a pool waits for is this crate's; all else is the program's.
extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel hands the information over, or a handler that was installed later; all of
    // its 128 bytes are numbers.
    let sought = unsafe { info.cast::<QueuedSignal>().as_ref() }.and_then(place_of);
    let Some(place) = sought else {
        pass_on(signal, info, context);
        return;
    };
    // SAFETY: likewise; with `SA_SIGINFO` the context is of this type.
    let Some(context) = (unsafe { context.cast::<libc::ucontext_t>().as_ref() }) else { return };
    // SAFETY: it takes nothing, and each thread has its own.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: it is this thread's.
    let before = unsafe { errno.read() };
    let registers = Registers::interrupted(context);
    match place {
        CopyPlace::Slot(slot) => slot.fill(own_thread(), registers),
        CopyPlace::Pool(pool) => pool.leave(own_thread(), registers, monotonic_nanos()),
    }
    // SAFETY: as above. The interrupted code finds what it had.
    unsafe { errno.write(before) };
}

/// Where the handler leaves its copy.
enum CopyPlace {
    /// In the slot of a request.
    Slot(&'static StackSlot),
    /// In any free slot of a CPU sampler.
    Pool(&'static SamplePool),
}

/// Returns the place that this signal names, if it is one of this crate's. Whatever the value means
/// in another's signal, it is compared, and not followed.
fn place_of(info: &QueuedSignal) -> Option<CopyPlace> {
    match info.code {
        libc::SI_QUEUE => StackSlot::at(info.value).map(CopyPlace::Slot),
        libc::SI_TIMER => SamplePool::at(info.value).map(CopyPlace::Pool),
        _ => None,
    }
}

/// Calls the handler that was there before.
fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // Acquire pairs with the Release in `ensure`.
    let previous = PREVIOUS.load(Acquire);
    // By default the signal does nothing either.
    if matches!(previous, libc::SIG_DFL | libc::SIG_IGN) {
        return;
    }
    if PREVIOUS_IS_INFORMED.load(Relaxed) {
        // SAFETY: the program has installed it as a handler of this kind.
        let previous = unsafe { mem::transmute::<usize, Informed>(previous) };
        previous(signal, info, context);
    } else {
        // SAFETY: the program has installed it as a handler of this kind.
        let previous = unsafe { mem::transmute::<usize, Plain>(previous) };
        previous(signal);
    }
}

pub(super) fn own_thread() -> u32 {
    // SAFETY: it takes nothing, and writes nothing.
    let number = unsafe { libc::syscall(libc::SYS_gettid) };
    u32::try_from(number).unwrap_or(0)
}

/// Sends the signal to `thread` of this process, with `slot` in it.
pub(super) fn send(thread: u32, slot: &StackSlot) -> Result<(), NoStack> {
    // SAFETY: it takes nothing, and writes nothing.
    let process = unsafe { libc::getpid() };
    // SAFETY: it takes nothing, and writes nothing.
    let user = unsafe { libc::getuid() };
    let (code, value) = (libc::SI_QUEUE, slot.address());
    let info = QueuedSignal { signal: SIGNAL, errno: 0, code, padding: 0, process, user, value, rest: [0; 12] };
    // SAFETY: the information is as long as the kernel's, and only read.
    let status =
        unsafe { libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread as libc::pid_t, SIGNAL, &raw const info) };
    if status == 0 { Ok(()) } else { Err(NoStack::NotSent) }
}
