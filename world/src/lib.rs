//! The simulated world of wsrt's deterministic simulations: hosts, the network between them, disks,
//! clocks, entropy, and faults, all determined by one seed.
//!
//! With its feature `sim`, the executor runs tasks in a [`World`]. This crate does not depend on
//! the scheduler: it knows a task only by the number that wsrt-sync assigns, and reaches the
//! runtime through the trait [`Inhabitants`].
//!
//! ```text
//! the stage ─► World ─┬─ Network   has the sockets of the reactor
//!                     ├─ Disks     answer the calls of `wsrt::fs`
//!                     ├─ Clocks    the clocks that differ from the simulation's
//!                     └─ faults    planned or drawn at random, and the record of both
//! the C library's functions, if the program invokes `interpose!()`
//!           ─► virtual_time, entropy, names and sockets of the driving thread
//! ```
//!
//! This crate is an implementation detail of wsrt. Its API may change in any release.

#[cfg_attr(
    not(all(
        target_os = "linux",
        target_env = "gnu",
        target_pointer_width = "64",
        not(target_feature = "crt-static"),
        not(miri)
    )),
    expect(dead_code, reason = "nothing else calls them")
)]
mod bound_sockets;
mod clocks;
mod disk;
mod drawing;
mod driving_thread;
pub mod entropy;
mod faults;
pub mod host_clock;
mod network;
mod plan;
mod points;
mod record;
mod sequence_override;
mod settling;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    target_pointer_width = "64",
    not(target_feature = "crt-static"),
    not(miri)
))]
mod system_calls;
#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    target_pointer_width = "64",
    not(target_feature = "crt-static"),
    not(miri)
)))]
#[path = "system_calls_off.rs"]
mod system_calls;
pub mod task_hosts;
pub mod task_ids;
pub mod unread_panics;
pub mod virtual_time;
mod world;

pub use self::clocks::{ClockSkew, Clocks};
pub use self::disk::{Cost, DirectoryEntry, Disks, Mounted, OpenFile, Wish};
pub use self::drawing::{FaultBounds, FaultKind};
pub use self::driving_thread::DrivingThread;
pub use self::network::{HostLife, LatencyModel, LinkProperties, Network, OUTSIDE, SetBy};
pub use self::plan::{FaultPlan, FaultPlanError, WHOLE};
pub use self::record::{RecordedStep, RunRecord};
pub use self::sequence_override::{SequenceOverride, Slot};
#[doc(hidden)]
pub use self::system_calls::interposed;
pub use self::system_calls::{lacks_interposition, uptime};
pub use self::world::{Inhabitants, WaitLeft, World, WorldOverride};
