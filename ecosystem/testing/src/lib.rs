//! Tools for tests that connect a program on wsrt with a real peer.
//!
//! The peers are programs of other projects, such as curl, wrk and redis-server. If a peer is not
//! installed, its test prints a message and passes, except in CI (`CI=true`), where the test fails.

mod asking;
mod child;
mod name_server;
mod patience;
mod peer;
mod postgres;
mod program;
mod redis;
mod scratch;

pub use self::asking::Asking;
pub use self::child::{Running, output_of};
pub use self::name_server::NameServer;
pub use self::patience::Patience;
pub use self::peer::{peer, python};
pub use self::postgres::Postgres;
pub use self::program::{Example, example};
pub use self::redis::Redis;
pub use self::scratch::Scratch;

use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// The time limit for each step of a test. The limit is far longer than a step takes, even on a
/// busy machine.
pub const LIMIT: Duration = Duration::from_secs(60);

/// The folder in which cargo builds the programs of `native` and of the adapters. The programs are
/// built with the same features as their tests, so that nothing is built twice.
pub const WITHOUT_TOKIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Returns a loopback address with a free port, for peers that cannot choose a free port
/// themselves.
///
/// The port is below the range from which the OS assigns ports, so that no other socket gets it by
/// chance before the peer has started.
///
/// # Panics
///
/// Panics if no port is free.
#[must_use]
pub fn free_address() -> SocketAddr {
    const PORTS: Range<u32> = 12_000..30_000;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let is_free = |address: &SocketAddr| TcpListener::bind(address).is_ok() && UdpSocket::bind(address).is_ok();
    // Each process begins elsewhere.
    let first = std::process::id().wrapping_mul(64);
    let addresses = (0..1_000).map(|_| {
        let number = first.wrapping_add(NEXT.fetch_add(1, Relaxed));
        let port = PORTS.start + number % PORTS.len() as u32;
        SocketAddr::from((Ipv4Addr::LOCALHOST, port as u16))
    });
    addresses.into_iter().find(is_free).expect("there is a free port")
}
