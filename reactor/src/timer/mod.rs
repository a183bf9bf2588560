//! Timers: one queue for each processor, with lazy cancellation.
//!
//! A timeout that is armed and then cancelled, as most are, takes the lock of its own processor's
//! queue once at most, and no lock that is shared between processors. [`TimerEntry::cancel`] only
//! marks the entry and counts its item as dead; the queue removes dead items later, unless the
//! timer is [revived](TimerEntry::revive) before. Once a quarter of the items are dead, each timer
//! that is armed searches for some of them, a few at a time if the queue is large.

mod earliest;
mod entry;
mod fired;
#[cfg(all(test, wsrt_loom))]
mod loom_models;
mod queue;
mod store;
#[cfg(test)]
mod test_random;
#[cfg(test)]
mod tests;
mod wake_timer;

pub use self::entry::TimerEntry;
pub use self::fired::Fired;
pub use self::queue::TimerQueue;
#[doc(hidden)]
pub use self::wake_timer::WakeTimer;
