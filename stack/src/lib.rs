//! The stack of another thread of the process, or of the caller, with functions and lines.
//!
//! A [`Request`] has the thread copy its registers and the top of its stack, in the handler of a
//! signal, which does nothing else. [`Sample::backtrace`] walks the copy on a thread of its own, by
//! the tables that the compiler has written for exceptions, and looks the functions and lines up.
//! What is left in the [`Backtrace`] is what an author can change: the frames of the runtime and of
//! the standard library are cut.
//!
//! A [`CpuSampler`] has threads do the same each time they have used so much CPU time.
//!
//! ```text
//! Request::send ─ SIGURG ─► the thread's handler ─► a slot ─► Request::answer ─► Sample
//! CPU timer     ─ SIGURG ─► the thread's handler ─► a slot ─► CpuSampler::take ─► Sample
//!                                                   Sample::backtrace ─► Backtrace
//! ```
//!
//! This crate is an implementation detail of wsrt, and knows no task. Its API may change in any
//! release.

#[allow(dead_code, reason = "builds that capture no stacks cut none")]
mod backtrace;
#[cfg(all(
    feature = "capture",
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "aarch64", target_arch = "x86_64"),
    not(any(miri, wsrt_loom, wsrt_schedule))
))]
mod capture;
#[cfg(not(all(
    feature = "capture",
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "aarch64", target_arch = "x86_64"),
    not(any(miri, wsrt_loom, wsrt_schedule))
)))]
#[path = "capture_off.rs"]
mod capture;
mod no_stack;
#[allow(dead_code, reason = "likewise")]
mod origin;
mod sampling;

pub use backtrace::{Backtrace, StackFrame};
pub use capture::{CpuSample, CpuSampler, IS_SUPPORTED, Request, Sample, forget};
pub use no_stack::NoStack;
pub use sampling::{HIGHEST_FREQUENCY, MOST_SHOWN, MOST_WAITING, StackSampling};
