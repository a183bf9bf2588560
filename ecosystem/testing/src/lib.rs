//! Tools of the tests that connect a program on wsrt with a real peer.
//!
//! The peers are programs of other projects: curl, wrk, redis-server. Where one is missing, its
//! test reports that and passes, except in CI (`CI=true`), where it fails.

mod child;
mod name_server;
mod peer;
mod postgres;
mod program;
mod redis;
mod scratch;

pub use self::child::{Running, output_of};
pub use self::name_server::NameServer;
pub use self::peer::{peer, python};
pub use self::postgres::Postgres;
pub use self::program::{Example, example};
pub use self::redis::Redis;
pub use self::scratch::Scratch;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

/// How long any one step may take before a test fails. Far longer than a step takes on a busy
/// machine.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Returns an address on the loopback whose port is free at the moment, for peers that do not
/// choose one themselves.
///
/// # Panics
///
/// Panics if there is none.
#[must_use]
pub fn free_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
    listener.local_addr().expect("it is bound")
}
