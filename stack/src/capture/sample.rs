//! A thread's registers and the top of its stack, at one moment.

use std::arch::asm;
use std::fmt;
use std::thread;

use super::memory;

/// What a thread was doing at one moment: its registers, and a copy of the top of its stack.
#[derive(Clone)]
pub struct Sample {
    pub(super) registers: Registers,
    /// The bytes from the stack pointer on.
    pub(super) stack: Box<[u8]>,
    /// The innermost frames that are this module's own.
    pub(super) own_frames: usize,
    /// True if the thread was known to panic: to print the message, or to unwind.
    pub(super) is_panicking: bool,
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
    /// Copies the calling thread's stack, from the caller's frame up to the address `end`, which is
    /// in the frame of a function further out. Returns `None` if the address is elsewhere.
    #[inline(never)]
    pub fn of_caller(end: usize) -> Option<Self> {
        let (program_counter, stack_pointer, frame_pointer, link): (u64, u64, u64, u64);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: it reads registers, and touches neither memory nor flags.
        unsafe {
            asm!(
                "lea {}, [rip]", "mov {}, rsp", "mov {}, rbp", "mov {:e}, 0",
                out(reg) program_counter, out(reg) stack_pointer, out(reg) frame_pointer, out(reg) link,
                options(nomem, nostack, preserves_flags),
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: it reads registers, and touches neither memory nor flags.
        unsafe {
            asm!(
                "adr {}, .", "mov {}, sp", "mov {}, x29", "mov {}, x30",
                out(reg) program_counter, out(reg) stack_pointer, out(reg) frame_pointer, out(reg) link,
                options(nomem, nostack, preserves_flags),
            );
        }
        let registers = Registers { program_counter, stack_pointer, frame_pointer, link };
        let most = end.checked_sub(stack_pointer as usize)?;
        let stack = memory::copied(stack_pointer as usize, most);
        Some(Self { registers, stack, own_frames: 1, is_panicking: thread::panicking() })
    }

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
