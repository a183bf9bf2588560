//! The netpoller, timers and sockets below the wsrt runtime.
//!
//! This crate knows [`std::task::Waker`] and nothing of tasks. The `wsrt` crate drives it: its
//! machines take turns in the [`Netpoller`], its processors each own a [`timer::TimerQueue`], and
//! what they are handed are wakers to wake. Users meet it as `wsrt::net`.
//!
//! | to learn | read |
//! |---|---|
//! | who may be in the poll, and how they are got out | [`Netpoller`] |
//! | how a socket waits, and why no wake-up is lost | `source.rs`, `readiness.rs`, `waiters.rs` |
//! | how any pollable thing becomes a socket | [`Evented`] |
//! | how any descriptor does | `async_fd/` |
//! | what streams, datagrams and pipes share | `net/kinds/`, `net/stream/`, `net/datagram/` |
//! | what a new socket belongs to | [`context`] |
//! | why a socket that is always ready does not keep its task running | [`budget`] |
//! | timers | [`timer`] |
//! | how a dump learns who waits for what | `walk.rs` |

mod address;
#[cfg(unix)]
pub mod async_fd;
pub mod budget;
pub mod context;
mod descriptor;
mod error;
mod evented;
mod handle;
mod interest;
#[cfg(all(test, loom))]
mod loom_models;
pub mod net;
mod poller;
mod readiness;
mod ready;
mod registry;
mod source;
mod sync;
pub mod timer;
mod waiters;
mod walk;

pub use self::address::Address;
pub use self::evented::Evented;
pub use self::handle::Handle;
pub use self::interest::Interest;
pub use self::poller::{Netpoller, Turn};
pub use self::ready::Ready;
pub use self::walk::WatchedSource;
