//! The server of its own: one thread that owns the listener and all connections.
//!
//! | file | is about |
//! |---|---|
//! | `listener.rs` | TCP and Unix sockets by one name |
//! | `head.rs` | the head of a request |
//! | `connection.rs` | one client: its request, its answer, its time limits |
//! | `outgoing.rs` | an answer that is being sent |
//! | `reception.rs` | the loop: who comes, who is heard, who is closed |
//! | `inbox.rs` | answers on their way from the threads that make them |
//!
//! It is a small HTTP/1.1 server over `mio` rather than hyper on the runtime, because it has to
//! answer when no worker is left, and rather than a thread for each connection, because a hundred
//! silent clients should cost a hundred descriptors and nothing else.

mod connection;
mod head;
mod inbox;
mod listener;
mod outgoing;
mod reception;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use self::inbox::Inbox;
use self::listener::Listener;
use self::reception::Reception;
use crate::address::{Address, Clients};

/// Serves the pages at `address`: a loopback address with a port, or `unix:` and a path.
///
/// Port 0 takes a free port, which [`Server::local_addr`] returns. The file of a Unix socket can be
/// opened by this user only; a socket that an earlier process has left there is replaced.
///
/// # Errors
///
/// Returns an error if `address` is no such address, or can be reached from other machines, which
/// takes [`serve_anyone`]. Returns the operating system's error if the server cannot listen there,
/// or if the system refuses to create a thread.
///
/// # Examples
///
/// ```
/// let debug = wsrt_debug::serve("127.0.0.1:0")?;
/// println!("look at {debug}");
/// # std::io::Result::Ok(())
/// ```
pub fn serve(address: &str) -> io::Result<Server> {
    start(address, Clients::OfThisMachine)
}

/// Serves the pages to anyone who can reach `address`, which may be any address with a port, or
/// `unix:` and a path.
///
/// The server asks for no password and does not encrypt. It is meant for networks that keep others
/// out, such as a container's network.
///
/// # Errors
///
/// Returns the errors of [`serve`], except that any address is allowed.
///
/// # Examples
///
/// ```no_run
/// let _debug = wsrt_debug::serve_anyone("0.0.0.0:6670")?;
/// # std::io::Result::Ok(())
/// ```
pub fn serve_anyone(address: &str) -> io::Result<Server> {
    start(address, Clients::Anyone)
}

pub(crate) fn start(address: &str, clients: Clients) -> io::Result<Server> {
    let refuse = |message| io::Error::new(io::ErrorKind::InvalidInput, message);
    let address = Address::parse(address, clients).map_err(refuse)?;
    let listener = Listener::bind(&address)?;
    let (local, address) = match address {
        Address::Ip(_) => listener.local_addr().map(|local| (Some(local), Address::Ip(local)))?,
        path => (None, path),
    };
    // A client of a Unix socket has no site's name to send, and may have passed the file's mode.
    let checks_host = clients == Clients::OfThisMachine && local.is_some();
    let (reception, inbox) = Reception::new(listener, checks_host)?;
    let thread = thread::Builder::new().name("wsrt-debug".into()).spawn(move || reception.run())?;
    Ok(Server { address, local, inbox, thread: Some(thread) })
}

/// A running server of the pages, returned by [`serve`]. Dropping it closes all connections.
///
/// The `Display` output is the server's URL, or `unix:` and the path of its socket. It says so if
/// browsers refuse the port, which they do for some that were once chat servers', 6669 among them.
#[must_use = "dropping it ends the server"]
pub struct Server {
    address: Address,
    local: Option<SocketAddr>,
    inbox: Arc<Inbox>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Returns the address that the server listens on, or `None` for a Unix socket.
    ///
    /// # Examples
    ///
    /// ```
    /// let debug = wsrt_debug::serve("127.0.0.1:0")?;
    /// assert!(debug.local_addr().is_some_and(|address| address.port() != 0));
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.local
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)?;
        if self.address.is_refused_by_browsers() {
            f.write_str(" (not for browsers: they refuse this port)")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.inbox.end();
        if let Some(thread) = self.thread.take() {
            // A thread that has panicked has reported it.
            let _ = thread.join();
        }
    }
}
