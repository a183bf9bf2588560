//! The seam between std and loom: the only file that knows which of the two the crate runs on.
//!
//! With `--cfg wsrt_loom`, the atomics are loom's, so that a model can explore every interleaving.
//! A buffer then has two chunks of one event each, so that three events are enough to fill the
//! buffer and to add and free chunks.

#[cfg(wsrt_loom)]
pub(crate) use self::with_loom::*;
#[cfg(not(wsrt_loom))]
pub(crate) use self::with_std::*;

/// The maximum number of events in a thread's buffer, which then takes up one megabyte. A power of
/// two.
pub const EVENT_CAPACITY: usize = if cfg!(wsrt_loom) { 2 } else { 1 << 15 };
/// The number of events in a chunk of a buffer, which takes up 32 kB. A power of two.
pub(crate) const CHUNK: usize = if cfg!(wsrt_loom) { 1 } else { 1 << 10 };

#[cfg(not(wsrt_loom))]
mod with_std {
    use std::mem::MaybeUninit;
    pub(crate) use std::sync::{Arc, atomic};

    /// An `UnsafeCell` with the closure-based interface of loom's cell.
    #[derive(Debug)]
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    /// Returns cells for values to come, without touching their memory.
    pub(crate) fn uninit_cells<T>(count: usize) -> Box<[UnsafeCell<MaybeUninit<T>>]> {
        let cells = Box::new_uninit_slice(count);
        // SAFETY: a cell of a `MaybeUninit` is initialized, whatever its bytes are.
        unsafe { cells.assume_init() }
    }

    impl<T> UnsafeCell<T> {
        /// Calls `f` with a pointer for reading.
        #[inline(always)]
        pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        /// Calls `f` with a pointer for writing.
        #[inline(always)]
        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}

#[cfg(wsrt_loom)]
mod with_loom {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::{Arc, atomic};
    #[cfg(test)]
    pub(crate) use loom::thread;
    use std::mem::MaybeUninit;

    pub(crate) fn uninit_cells<T>(count: usize) -> Box<[UnsafeCell<MaybeUninit<T>>]> {
        (0..count).map(|_| UnsafeCell::new(MaybeUninit::uninit())).collect()
    }
}
