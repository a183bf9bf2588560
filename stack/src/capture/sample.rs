//! A thread's registers and the top of its stack, at one moment.

use std::fmt;

/// What a thread was doing at one moment: its registers, and a copy of the top of its stack.
#[derive(Clone)]
pub struct Sample {
    pub(super) registers: Registers,
    /// The bytes from the stack pointer on.
    pub(super) stack: Box<[u8]>,
}

/// The registers from which a stack is walked.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Registers {
    pub(super) program_counter: u64,
    pub(super) stack_pointer: u64,
    pub(super) frame_pointer: u64,
    /// The return address of a function that calls none; 0 on x86-64, where it is on the stack.
    pub(super) link: u64,
}

impl Registers {
    /// Reads those of the code that a signal has interrupted.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn interrupted(context: &libc::ucontext_t) -> Self {
        let register = |index: libc::c_int| context.uc_mcontext.gregs.get(index as usize).copied().unwrap_or(0) as u64;
        Self {
            program_counter: register(libc::REG_RIP),
            stack_pointer: register(libc::REG_RSP),
            frame_pointer: register(libc::REG_RBP),
            link: 0,
        }
    }

    /// Reads those of the code that a signal has interrupted.
    #[cfg(target_arch = "aarch64")]
    pub(super) fn interrupted(context: &libc::ucontext_t) -> Self {
        let [.., frame_pointer, link] = context.uc_mcontext.regs;
        let (program_counter, stack_pointer) = (context.uc_mcontext.pc, context.uc_mcontext.sp);
        Self { program_counter, stack_pointer, frame_pointer, link }
    }
}

impl Sample {
    /// Returns the eight bytes of the stack at `address`.
    pub(super) fn word_at(&self, address: u64) -> Option<u64> {
        let start = usize::try_from(address.checked_sub(self.registers.stack_pointer)?).ok()?;
        let bytes = self.stack.get(start..start.checked_add(8)?)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    }
}

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sample").field("registers", &self.registers).field("bytes", &self.stack.len()).finish()
    }
}
