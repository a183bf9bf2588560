//! Byte streams: the parts that connections and pipes of every kind share.
//!
//! | file | it has |
//! |---|---|
//! | `ends.rs` | the system calls of a kind of descriptor, and the evidence of a short transfer |
//! | `sockets.rs` | how connections begin and end |
//! | `transfer.rs`, `bulk.rs` | moving bytes through any such descriptor |
//! | `poll_transfer.rs` | the polls by which each family of I/O traits moves them |
//! | `tokio_traits.rs` and its twins | the three families of I/O traits |
//! | `methods.rs`, `halves.rs` | the inherent methods, and the halves of a stream |
//! | `doors.rs` | the same for a family of another crate |
//!
//! Reading and writing methods take `&mut self` although the OS needs no such thing: this keeps two
//! readers from taking bytes from one another by accident, and, being inherent with the receiver
//! that the extension traits use, the methods are preferred to those and never ambiguous.

pub(super) mod bulk;
pub mod doors;
mod ends;
#[cfg(feature = "futures-io")]
pub(super) mod futures_traits;
pub(super) mod halves;
#[cfg(feature = "hyper")]
pub(super) mod hyper_traits;
pub(super) mod methods;
mod poll_transfer;
mod sockets;
#[cfg(feature = "tokio-io")]
pub(super) mod tokio_traits;
mod transfer;

// The ends of pipes implement them, and simulated sockets.
#[allow(unused_imports, reason = "some builds have neither")]
pub(super) use self::ends::{Peek, Receive, StreamSocket, Transmit};
pub(super) use self::sockets::{end_of_socket, outcome_of_connect, uninterrupted};

/// Implements the reading traits for `$kind`: tokio's, futures-io's and hyper's, with their
/// features.
///
/// A macro, because the traits are foreign: no blanket implementation is allowed. `$kind` has a
/// method `evented(&self) -> &Evented<impl Receive>`.
macro_rules! reads {
    ($kind:ty) => {
        $crate::net::stream::doors::door_to_read!($kind);
        #[cfg(feature = "tokio-io")]
        $crate::net::stream::tokio_traits::tokio_read!($kind);
        #[cfg(feature = "futures-io")]
        $crate::net::stream::futures_traits::futures_read!($kind);
        #[cfg(feature = "hyper")]
        $crate::net::stream::hyper_traits::hyper_read!($kind);
    };
}

/// Implements the writing traits for `$kind`, in the way of `reads!`. `$kind` has a method
/// `end_writing` besides, and its `evented` returns an `Evented<impl Transmit>`.
macro_rules! writes {
    ($kind:ty) => {
        $crate::net::stream::doors::door_to_write!($kind);
        #[cfg(feature = "tokio-io")]
        $crate::net::stream::tokio_traits::tokio_write!($kind);
        #[cfg(feature = "futures-io")]
        $crate::net::stream::futures_traits::futures_write!($kind);
        #[cfg(feature = "hyper")]
        $crate::net::stream::hyper_traits::hyper_write!($kind);
    };
}

pub(super) use {reads, writes};
