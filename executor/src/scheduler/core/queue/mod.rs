//! Where tasks wait: the three queues, in the order in which they are tried; and the inbox of
//! the threads that wait for posts.

mod injector;
mod ring;
mod runnext;

pub(crate) use injector::Injector;
pub(crate) use ring::{HALF_RING, Overflow, Owner as RingOwner, Thief as RingThief, ring};
pub(crate) use runnext::{RunNext, SlotAddress};

#[cfg(all(test, wsrt_loom))]
mod loom_models;
