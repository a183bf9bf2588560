//! The only seam between the executor and the simulated world. Its twin without feature `sim` knows
//! that nothing is simulated, so that each question compiles to nothing.

pub(crate) use wsrt_world::entropy::draw as draw_entropy;
pub(crate) use wsrt_world::host_clock::{HostClock, of_current_task as host_clock};
pub(crate) use wsrt_world::task_hosts::host_name_of;
pub(crate) use wsrt_world::task_ids::take as take_ids;
pub(crate) use wsrt_world::unread_panics::{UnreadPanic, note as note_unread};
pub(crate) use wsrt_world::{Cost, DirectoryEntry, Mounted, OpenFile, WaitLeft, Wish};

/// True if this build has simulated worlds.
pub(crate) const EXISTS: bool = true;

/// The clock that counts from the start of the computer, if a simulation provides one: for time
/// stamps.
pub(crate) const UPTIME: Option<fn() -> Option<u64>> = Some(wsrt_world::virtual_time::uptime);

/// The entries of a directory on a simulated disk.
pub(crate) type Entries = std::vec::IntoIter<DirectoryEntry>;

/// A value of the operating system, or its replacement in the simulated world.
#[derive(Debug)]
pub(crate) enum Either<S, W> {
    System(S),
    Simulated(W),
}

/// Matches on both kinds; a single expression serves for both. Without feature `sim`, the simulated
/// kind does not exist, and its expression is not compiled.
macro_rules! either {
    ($value:expr, System($system:pat) => $call:expr, Simulated($simulated:pat) => $other:expr) => {
        match $value {
            $crate::util::world::Either::System($system) => $call,
            $crate::util::world::Either::Simulated($simulated) => $other,
        }
    };
    ($value:expr, $each:pat => $call:expr) => {
        $crate::util::world::either!($value, System($each) => $call, Simulated($each) => $call)
    };
}

pub(crate) use either;
