//! The libraries, each behind the small traits that the rows are written over.
//!
//! tokio's primitives and wsrt's have the same names, so one macro serves both.

mod broadcasts;
mod locks;
mod notifications;
mod oneshots;
mod queues;
mod watches;

pub(super) use broadcasts::Broadcast;
pub(super) use locks::{Lock, ReadLock, Semaphore};
pub(super) use notifications::Notification;
pub(super) use oneshots::Oneshot;
pub(super) use queues::{Batches, ManyReceivers, Queue, ROOM, Unbounded};
pub(super) use watches::Watch;

/// A library by the name that it has in the table.
pub(super) trait Library: 'static {
    const NAME: &'static str;
}

macro_rules! libraries {
    ($($(#[$meta:meta])* $library:ident = $name:literal,)+) => {
        $(
            $(#[$meta])*
            #[derive(Debug)]
            pub(super) struct $library;

            impl Library for $library {
                const NAME: &'static str = $name;
            }
        )+
    };
}

libraries! {
    /// `wsrt::sync`, and in it the mpsc channels.
    Wsrt = "wsrt",
    /// The mpmc channels of `wsrt::sync`, in the rows of mpsc channels, too.
    WsrtMpmc = "wsrt-mpmc",
    /// `tokio::sync`.
    Tokio = "tokio",
    /// async-channel.
    AsyncChannel = "async-channel",
    /// async-lock.
    AsyncLock = "async-lock",
    /// flume.
    Flume = "flume",
    /// futures-channel, and the lock of futures-util.
    Futures = "futures",
    /// kanal.
    Kanal = "kanal",
}
