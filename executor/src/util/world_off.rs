//! The twin of `world.rs` without feature `sim`, in which nothing is simulated.

use std::panic::Location;

/// A type without values that stands for simulated things.
#[derive(Debug)]
pub(crate) enum Never {}

impl Never {
    pub(crate) fn never(&self) -> ! {
        match *self {}
    }
}

/// True if this build has simulated worlds.
pub(crate) const EXISTS: bool = false;

pub(crate) type WaitLeft = Never;
pub(crate) type HostClock = Never;

impl HostClock {
    pub(crate) fn shown(self, _: u64) -> u64 {
        self.never()
    }

    pub(crate) fn moment(self, _: u64) -> u64 {
        self.never()
    }
}

/// A task's panic that no join handle has reported.
#[expect(dead_code, reason = "only a simulation reads it")]
pub(crate) struct UnreadPanic {
    pub(crate) task: u64,
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) message: String,
}

/// Records an unreported panic if a simulation asks for it: never.
pub(crate) fn note_unread(_: impl FnOnce() -> UnreadPanic) {}

/// Draws a seed from the simulation: none.
pub(crate) fn draw_entropy() -> Option<u64> {
    None
}

/// Takes IDs from the simulation's own range: none.
#[inline]
pub(crate) fn take_ids(_: u64) -> Option<u64> {
    None
}

/// Returns the clock of the current task's simulated host: none.
pub(crate) fn host_clock() -> Option<HostClock> {
    None
}

/// Returns the name of the simulated host that a task belongs to: none.
pub(crate) fn host_name_of(_: u64) -> Option<String> {
    None
}

pub(crate) const UPTIME: Option<fn() -> Option<u64>> = None;

pub(crate) type Entries = Never;
pub(crate) type DirectoryEntry = Never;
pub(crate) type Mounted = Never;
pub(crate) type OpenFile = Never;

/// A file system call, whose duration a simulated disk would draw.
#[derive(Debug, Clone, Copy)]
#[expect(dead_code, reason = "only a simulated disk reads them")]
pub(crate) enum Cost {
    Name,
    Read(usize),
    Write(usize),
    Sync,
}

/// The options for opening a file, which std's own options do not reveal.
#[derive(Debug, Clone, Default)]
#[expect(dead_code, reason = "only a simulated disk reads them")]
pub(crate) struct Wish {
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) append: bool,
    pub(crate) truncate: bool,
    pub(crate) create: bool,
    pub(crate) create_new: bool,
    pub(crate) mode: Option<u32>,
    pub(crate) flags: i32,
    pub(crate) is_unknown: bool,
}

/// A value of the operating system, as opposed to a simulated one.
#[derive(Debug)]
pub(crate) enum Either<S, W> {
    System(S),
    Simulated(W),
}

macro_rules! either {
    ($value:expr, System($system:pat) => $call:expr, Simulated($simulated:pat) => $other:expr) => {
        match $value {
            $crate::util::world::Either::System($system) => $call,
            $crate::util::world::Either::Simulated(never) => never.never(),
        }
    };
    ($value:expr, $each:pat => $call:expr) => {
        $crate::util::world::either!($value, System($each) => $call, Simulated($each) => $call)
    };
}

pub(crate) use either;
