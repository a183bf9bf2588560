//! What the tests need to put a program on wsrt and a real peer together.
//!
//! The peers are programs that nobody here wrote: curl, wrk, redis-server. Where one is missing,
//! its test says so and passes, except in CI (`CI=true`), where it fails.

mod child;
mod peer;
mod program;
mod scratch;

pub use self::child::{Running, output_of};
pub use self::peer::{peer, python};
pub use self::program::{Example, example};
pub use self::scratch::Scratch;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

/// How long any one thing may take before a test gives it up for lost. Far longer than anything
/// takes on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(60);

/// An address on the loopback whose port nobody listens on just now, for peers that do not choose
/// one themselves.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn free_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
    listener.local_addr().expect("it is bound")
}
