//! Timers: a queue per processor, cancelled lazily.
//!
//! A timeout that is armed and dropped, as most are, takes its own processor's queue lock once and
//! no lock that is shared between processors: [`TimerEntry::cancel`] marks the entry and counts its
//! item as dead; the queue removes dead items later. Once they are a quarter of it, each timer that
//! is armed looks for some of them, a few at a time if the queue is large.

mod dead;
mod earliest;
mod entry;
mod fired;
mod heap;
#[cfg(all(test, loom))]
mod loom_models;
mod queue;
#[cfg(test)]
mod test_random;
#[cfg(test)]
mod tests;

pub use self::entry::TimerEntry;
pub use self::fired::Fired;
pub use self::queue::TimerQueue;
