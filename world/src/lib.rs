//! The simulated world: hosts and a network between them, disks, clocks, entropy, and the faults of
//! all of them, as a seed decides.
//!
//! The executor's feature `sim` runs tasks in a [`World`]. The world knows no scheduler and no
//! task: a task is the number that wsrt-sync gives it while it runs, and the world's questions to
//! the runtime are the trait [`Inhabitants`].
//!
//! ```text
//! the stage ─► World ─┬─ Network   lends sockets to the reactor
//!                     ├─ Disks     answer for `wsrt::fs`
//!                     ├─ Clocks    what hosts are shown, where it differs
//!                     └─ faults    planned or drawn, and the record of them
//! the C library's functions, where the program has `interpose!()`
//!           ─► virtual_time, entropy, names and sockets of the thread that drives
//! ```
//!
//! It is a part of wsrt and changes with it: its API is not stable by itself.

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
mod given;
pub mod host_clock;
mod network;
mod plan;
mod points;
mod record;
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
pub use self::disk::{Cost, Disks, Entry, Mounted, OpenFile, Wish};
pub use self::drawing::{FaultBounds, FaultKind};
pub use self::driving_thread::DrivingThread;
pub use self::given::{Given, Slot};
pub use self::network::{Latency, Link, Member, Network, OUTSIDE, SetBy};
pub use self::plan::{Plan, PlanError, WHOLE};
pub use self::record::{Record, Step};
#[doc(hidden)]
pub use self::system_calls::interposed;
pub use self::system_calls::{lacks_interposition, uptime};
pub use self::world::{GivenWorld, Inhabitants, WaitLeft, World};
