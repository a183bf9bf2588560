//! Who runs tasks: processors, the machines that hold them, and the books on which of either are idle.

mod clock;
mod counters;
mod idle;
mod keeper;
mod machine;
mod parker;
mod processor;

pub(crate) use clock::TickClock;
pub(crate) use counters::Counters;
pub(crate) use idle::{Chosen, Idle, Resume};
pub(crate) use keeper::{Keeper, Watch};
pub(crate) use machine::Machine;
pub(crate) use parker::{Parker, Unparked};
pub(crate) use processor::{Placed, Processor, Shared, processors};

#[cfg(all(test, loom))]
mod loom_models;
