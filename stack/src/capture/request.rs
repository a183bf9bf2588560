//! A request for a thread's stack, and its answer.

use super::handler;
use super::memory;
use super::sample::{Registers, Sample};
use super::slot::StackSlot;
use super::system_call::{self, SystemCall};
use crate::NoStack;

/// A request for the stack of a thread, which was asked to copy it.
#[derive(Debug)]
pub struct Request(State);

#[derive(Debug)]
enum State {
    /// The thread's handler fills the slot.
    Sent { thread: u32, slot: &'static StackSlot },
    /// The copy was made at once.
    Answered(Option<Sample>),
}

impl Request {
    /// Asks the thread of this process with this number for its stack. The thread sees no more of
    /// it than of any signal with a handler: its system call is restarted. A call that cannot be
    /// restarted is not interrupted: the stack is read while the thread waits in it.
    pub fn send(thread: u32) -> Result<Self, NoStack> {
        if let Some(waiting) = SystemCall::of(thread).filter(SystemCall::is_ended_by_signals) {
            return Ok(Self(State::Answered(Some(read_at_rest(&waiting)))));
        }
        handler::ensure()?;
        if system_call::blocks(thread, handler::SIGNAL) {
            return Err(NoStack::SignalBlocked);
        }
        let slot = StackSlot::open(thread).ok_or(NoStack::Busy)?;
        // Dropped, it gives the slot up.
        let request = Self(State::Sent { thread, slot });
        handler::send(thread, slot)?;
        Ok(request)
    }

    /// Returns the stack, once, when the thread has answered.
    pub fn answer(&mut self) -> Option<Sample> {
        match &mut self.0 {
            State::Sent { thread, slot } => {
                let sample = slot.take_copy(*thread)?;
                self.0 = State::Answered(None);
                Some(sample)
            }
            State::Answered(sample) => sample.take(),
        }
    }

    /// Returns whether the thread has not answered since it has no core: one that runs answers at
    /// once.
    pub fn waits_for_core(&self) -> bool {
        matches!(self.0, State::Sent { thread, .. } if system_call::is_runnable(thread))
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if let State::Sent { thread, slot } = self.0 {
            slot.abandon(thread);
        }
    }
}

/// Copies the stack of a thread in a system call. The system does not tell the frame pointer, so
/// that the walk may end early, nor whether the thread panics.
fn read_at_rest(waiting: &SystemCall) -> Sample {
    let &SystemCall { stack_pointer, program_counter, .. } = waiting;
    let registers = Registers { program_counter, stack_pointer, ..Registers::default() };
    let stack = memory::copied(stack_pointer as usize, memory::LONGEST);
    Sample { registers, stack, own_frames: 0, is_panicking: false }
}
