//! The slots: where a thread's handler leaves its registers and its stack.
//!
//! There are some for the whole process, in a static, so that a signal that comes late, or that
//! another sender made up, finds nothing that has gone. CPU samples have slots of their own
//! (`pool.rs`), which no requester opens: the handler takes a free one.

use std::ptr;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread;

use super::memory;
use super::sample::{Registers, Sample};

/// So many stacks may be captured at once.
const SLOTS: usize = 16;

static ALL: [StackSlot; SLOTS] = [const { StackSlot::new() }; SLOTS];

/// Nobody's.
const FREE: u64 = 0;
/// The requester's, which prepares it.
const TAKEN: u64 = 1;
/// For the handler on the thread whose number stands above the phase.
const REQUESTED: u64 = 2;
/// The handler's, which writes.
const COPYING: u64 = 3;
/// The handler's, and nobody waits for it.
const ABANDONED: u64 = 4;
/// The requester's, which reads.
const COPIED: u64 = 5;

/// One place for one copy.
#[derive(Debug)]
pub(super) struct StackSlot {
    /// The phase, and above its eight bits the number of the thread.
    word: AtomicU64,
    program_counter: AtomicU64,
    stack_pointer: AtomicU64,
    frame_pointer: AtomicU64,
    link: AtomicU64,
    length: AtomicUsize,
    is_panicking: AtomicBool,
    /// [`memory::LONGEST`] bytes, made when the slot is first used, and kept.
    stack: AtomicPtr<u8>,
    /// When a CPU sample was taken, in nanoseconds of the monotonic clock.
    taken_at: AtomicU64,
}

const fn word(phase: u64, thread: u32) -> u64 {
    phase | (thread as u64) << 8
}

impl StackSlot {
    pub(super) const fn new() -> Self {
        Self {
            word: AtomicU64::new(FREE),
            program_counter: AtomicU64::new(0),
            stack_pointer: AtomicU64::new(0),
            frame_pointer: AtomicU64::new(0),
            link: AtomicU64::new(0),
            length: AtomicUsize::new(0),
            is_panicking: AtomicBool::new(false),
            stack: AtomicPtr::new(ptr::null_mut()),
            taken_at: AtomicU64::new(0),
        }
    }

    /// Takes a free slot, and opens it for the handler on `thread`.
    pub(super) fn open(thread: u32) -> Option<&'static Self> {
        // Acquire pairs with the Release that freed it: what its last copy wrote is over.
        let take = |slot: &&StackSlot| slot.word.compare_exchange(FREE, TAKEN, Acquire, Relaxed).is_ok();
        let slot = ALL.iter().find(take)?;
        slot.make_room();
        // Release pairs with the Acquire in `fill`: the handler finds the room for the stack.
        slot.word.store(word(REQUESTED, thread), Release);
        Some(slot)
    }

    /// Makes room for the stack, if there is none yet. Of two calls at once, the room of one is
    /// leaked, so the caller sees to it that there is one at a time.
    pub(super) fn make_room(&self) {
        if self.stack.load(Relaxed).is_null() {
            let stack = Box::leak(vec![0_u8; memory::LONGEST].into_boxed_slice());
            // Release pairs with the Acquire in `has_room`: whoever sees the room may write to it.
            self.stack.store(stack.as_mut_ptr(), Release);
        }
    }

    fn has_room(&self) -> bool {
        // Acquire pairs with the Release in `make_room`.
        !self.stack.load(Acquire).is_null()
    }

    /// Takes the slot if it is free, and copies `registers`, the stack and the time, in the handler
    /// on `thread`. Returns whether it was free.
    pub(super) fn fill_unasked(&self, thread: u32, registers: Registers, taken_at: u64) -> bool {
        // Acquire pairs with the Release that freed it, as in `open`.
        let is_free = || self.word.compare_exchange(FREE, word(COPYING, thread), Acquire, Relaxed).is_ok();
        if !self.has_room() || !is_free() {
            return false;
        }
        self.taken_at.store(taken_at, Relaxed);
        self.copy(registers);
        // Release pairs with the Acquire in `take_sample`.
        self.word.store(word(COPIED, thread), Release);
        true
    }

    /// Returns the copy that a handler has made unasked, if there is one, with the thread's number
    /// and the time. Then the slot is free.
    pub(super) fn take_sample(&self) -> Option<(u32, u64, Sample)> {
        // Acquire pairs with the Release in `fill_unasked`.
        let found = self.word.load(Acquire);
        if found & 0xff != COPIED {
            return None;
        }
        let (thread, taken_at) = ((found >> 8) as u32, self.taken_at.load(Relaxed));
        self.take_copy(thread).map(|sample| (thread, taken_at, sample))
    }

    /// Returns the slot at this address, if there is one.
    pub(super) fn at(address: usize) -> Option<&'static Self> {
        ALL.iter().find(|slot| slot.address() == address)
    }

    pub(super) fn address(&self) -> usize {
        ptr::from_ref(self).addr()
    }

    /// Copies `registers` and the stack, in the handler on `thread`. Does nothing if they were not
    /// asked for, or are not any more.
    pub(super) fn fill(&self, thread: u32, registers: Registers) {
        // Acquire pairs with the Release in `open`.
        let begin = (word(REQUESTED, thread), word(COPYING, thread));
        if self.word.compare_exchange(begin.0, begin.1, Acquire, Relaxed).is_err() {
            return;
        }
        self.copy(registers);
        // Release pairs with the Acquire in `take_copy`, or, where nobody waits, in `open`.
        if self.word.compare_exchange(word(COPYING, thread), word(COPIED, thread), Release, Relaxed).is_err() {
            self.word.store(FREE, Release);
        }
    }

    /// Copies registers and stack, in the phase that is the handler's.
    fn copy(&self, registers: Registers) {
        self.program_counter.store(registers.program_counter, Relaxed);
        self.stack_pointer.store(registers.stack_pointer, Relaxed);
        self.frame_pointer.store(registers.frame_pointer, Relaxed);
        self.link.store(registers.link, Relaxed);
        // It reads the count of all panics, and while there is one, this thread's own: a plain
        // number in the thread's block, which a thread of the runtime has had since it began.
        self.is_panicking.store(thread::panicking(), Relaxed);
        let (from, to) = (registers.stack_pointer as usize, self.stack.load(Relaxed));
        // SAFETY: `make_room` has left that much, and in this phase nobody else touches it.
        let length = unsafe { memory::copy(from, to, memory::LONGEST) };
        self.length.store(length, Relaxed);
    }

    /// Returns the copy, if the handler has made it. Then the slot is free, and no more the
    /// caller's.
    pub(super) fn take_copy(&self, thread: u32) -> Option<Sample> {
        // Acquire pairs with the Release in `fill`: all that the handler has written is seen.
        if self.word.load(Acquire) != word(COPIED, thread) {
            return None;
        }
        let registers = Registers {
            program_counter: self.program_counter.load(Relaxed),
            stack_pointer: self.stack_pointer.load(Relaxed),
            frame_pointer: self.frame_pointer.load(Relaxed),
            link: self.link.load(Relaxed),
        };
        let (stack, length) = (self.stack.load(Relaxed), self.length.load(Relaxed));
        let is_panicking = self.is_panicking.load(Relaxed);
        // SAFETY: so many bytes were copied there, and in this phase nobody writes to them.
        let stack = Box::from(unsafe { std::slice::from_raw_parts(stack, length) });
        // Release pairs with the Acquire in `open`: the copy was read.
        self.word.store(FREE, Release);
        Some(Sample { registers, stack, own_frames: 0, is_panicking })
    }

    /// Gives the slot up, in whichever phase. A handler that writes frees it.
    pub(super) fn abandon(&self, thread: u32) {
        let pass = |from, to| self.word.compare_exchange(from, to, Release, Relaxed).is_ok();
        // Release pairs with the Acquire in `open`. If the handler ends between the two, the copy
        // is there, and the requester's.
        if !pass(word(REQUESTED, thread), FREE) && !pass(word(COPYING, thread), word(ABANDONED, thread)) {
            self.word.store(FREE, Release);
        }
    }

    /// Returns how many are in use.
    #[cfg(test)]
    pub(super) fn in_use() -> usize {
        ALL.iter().filter(|slot| slot.word.load(Relaxed) != FREE).count()
    }
}
