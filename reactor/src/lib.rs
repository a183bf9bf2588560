//! The netpoller, timers and sockets below the wsrt runtime.
//!
//! This crate depends on [`std::task::Waker`] but knows nothing about tasks. The `wsrt` crate
//! drives it: wsrt's machines take turns in the [`Netpoller`], each processor owns a
//! [`timer::TimerQueue`], and both hand back wakers for the machine to wake. Most users reach this
//! crate through `wsrt::net`.
//!
//! | To learn | read |
//! |---|---|
//! | which thread may poll, and how the poll is interrupted | [`Netpoller`] |
//! | how a socket waits, and why no wake-up is lost | `source.rs`, `readiness.rs`, `waiters.rs` |
//! | how any pollable source becomes a socket | [`Evented`] |
//! | how any file descriptor becomes a source of events | `async_fd/` |
//! | the whole API of a socket type | its file: `net/tcp/stream.rs`, `net/udp/mod.rs`, ... |
//! | what streams, datagram sockets and pipes have in common | `net/stream/`, `net/datagram/` |
//! | which runtime a new socket belongs to | [`context`] |
//! | why a socket that is always ready does not keep its task running | [`budget`] |
//! | how timers are armed, fired and cancelled | [`timer`] |
//! | how a dump finds which task waits for which source | `walk.rs` |

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(docsrs, doc(auto_cfg(hide(wsrt_loom))))]

mod address;
mod announcement;
#[cfg(unix)]
pub mod async_fd;
pub use wsrt_sync::budget;
pub mod context;
mod descriptor;
mod drop_in;
mod error;
mod evented;
mod handle;
mod interest;
#[cfg(unix)]
mod late_entry;
#[cfg(all(test, wsrt_loom))]
mod loom_models;
pub mod net;
mod poller;
mod readiness;
mod ready;
mod registry;
mod services;
#[doc(hidden)]
pub mod simulated_net;
mod source;
mod sync;
pub mod timer;
mod waiters;
mod walk;

pub use self::address::Address;
pub use self::announcement::WaiterKey;
pub use self::error::{is_rt_shutdown_err, rt_shutdown_err};
pub use self::evented::Evented;
pub use self::handle::Handle;
pub use self::interest::Interest;
pub use self::poller::{EventsPerTurn, Netpoller, Turn};
pub use self::ready::Ready;
pub use self::walk::WatchedSource;
