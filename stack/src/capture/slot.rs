//! The slots: where a thread's handler leaves its registers and its stack.
//!
//! There are some for the whole process, in a static, so that a signal that comes late, or that
//! another sender made up, finds nothing that has gone.

use std::ptr;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

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
    /// [`memory::LONGEST`] bytes, made when the slot is first used, and kept.
    stack: AtomicPtr<u8>,
}

const fn word(phase: u64, thread: u32) -> u64 {
    phase | (thread as u64) << 8
}

impl StackSlot {
    const fn new() -> Self {
        Self {
            word: AtomicU64::new(FREE),
            program_counter: AtomicU64::new(0),
            stack_pointer: AtomicU64::new(0),
            frame_pointer: AtomicU64::new(0),
            link: AtomicU64::new(0),
            length: AtomicUsize::new(0),
            stack: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Takes a free slot, and opens it for the handler on `thread`.
    pub(super) fn open(thread: u32) -> Option<&'static Self> {
        // Acquire pairs with the Release that freed it: what its last copy wrote is over.
        let take = |slot: &&StackSlot| slot.word.compare_exchange(FREE, TAKEN, Acquire, Relaxed).is_ok();
        let slot = ALL.iter().find(take)?;
        if slot.stack.load(Relaxed).is_null() {
            let stack = Box::leak(vec![0_u8; memory::LONGEST].into_boxed_slice());
            slot.stack.store(stack.as_mut_ptr(), Relaxed);
        }
        // Release pairs with the Acquire in `fill`: the handler finds the room for the stack.
        slot.word.store(word(REQUESTED, thread), Release);
        Some(slot)
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
        self.program_counter.store(registers.program_counter, Relaxed);
        self.stack_pointer.store(registers.stack_pointer, Relaxed);
        self.frame_pointer.store(registers.frame_pointer, Relaxed);
        self.link.store(registers.link, Relaxed);
        let (from, to) = (registers.stack_pointer as usize, self.stack.load(Relaxed));
        // SAFETY: `open` has left that much room, and in this phase nobody else touches it.
        let length = unsafe { memory::copy(from, to, memory::LONGEST) };
        self.length.store(length, Relaxed);
        // Release pairs with the Acquire in `take_copy`, or, where nobody waits, in `open`.
        if self.word.compare_exchange(word(COPYING, thread), word(COPIED, thread), Release, Relaxed).is_err() {
            self.word.store(FREE, Release);
        }
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
        // SAFETY: so many bytes were copied there, and in this phase nobody writes to them.
        let stack = Box::from(unsafe { std::slice::from_raw_parts(stack, length) });
        // Release pairs with the Acquire in `open`: the copy was read.
        self.word.store(FREE, Release);
        Some(Sample { registers, stack, own_frames: 0 })
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
