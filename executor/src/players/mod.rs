//! Who runs tasks: processors, the machines that hold them, and the books on which of either are idle.

mod clock;
mod counters;
mod helpers;
mod histogram;
mod idle;
mod keeper;
mod machine;
mod parker;
mod poll_watch;
mod presence;
mod processor;
mod processors;
mod source;
mod stamps;
mod turns;
mod victims;
mod watcher_sleep;
mod whereabouts;

pub(crate) use clock::TickClock;
pub(crate) use counters::{Arrivals, Count, Counters, SharedCounter};
pub(crate) use helpers::Helpers;
pub(crate) use histogram::{Histogram, LATENCY_BUCKETS};
pub(crate) use idle::{Chosen, Idle, Resume, SpareHand};
pub(crate) use keeper::{Keeper, Watch};
pub(crate) use machine::Machine;
pub(crate) use parker::{Parker, Unparked};
pub(crate) use poll_watch::{PollWatch, Sight};
pub(crate) use presence::Presence;
pub(crate) use processor::{OverflowedTasks, Placed, Processor, Shared};
pub(crate) use processors::Processors;
pub(crate) use source::{Found, Source};
pub(crate) use stamps::Stamps;
pub(crate) use turns::{Every, Grant, Turns};
pub(crate) use victims::Victims;
pub(crate) use watcher_sleep::WatcherSleep;
pub(crate) use whereabouts::{Away, Whereabouts};

#[cfg(all(test, loom))]
mod loom_models;
