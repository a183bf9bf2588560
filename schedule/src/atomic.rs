//! std's atomics, each access to which is a step of the schedule.

pub use crate::atomics::{
    AtomicBool, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize,
};
pub use std::sync::atomic::{Ordering, compiler_fence};

/// Takes a step. All threads see all writes at once, so that there is nothing for a fence to do.
pub fn fence(order: Ordering) {
    crate::steps::step();
    std::sync::atomic::fence(order);
}
