//! Captures stacks: a thread copies its own in a signal's handler, and another thread reads the
//! copy.
//!
//! The handler runs at any instruction of the program's, so that it takes no lock, allocates
//! nothing and follows no pointer: it copies registers into atomics, and has the kernel copy the
//! memory, which ends at a page that is not there instead of at a fault. All that needs the
//! program's tables happens later, on a thread that nobody waits for.

mod handler;
mod memory;
mod modules;
mod pool;
mod request;
mod resolver;
mod sample;
mod slot;
mod symbols;
mod system_call;
#[cfg(test)]
mod tests;
mod timers;
mod walker;

pub use request::Request;
pub use resolver::forget;
pub use sample::Sample;
pub use timers::{CpuSample, CpuSampler};

/// `true` if this build captures stacks.
pub const IS_SUPPORTED: bool = true;
