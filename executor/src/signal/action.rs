//! `Action`: a function that a signal handler calls, and the pair of sockets through which the
//! function wakes a thread or a task.
//!
//! A signal handler may do very little, but may write to a socket.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use signal_hook_registry::SigId;

use super::unix::SignalKind;

/// A function registered in the handler of a signal, and removed from there when dropped.
pub(super) struct Action {
    kind: SignalKind,
    id: SigId,
}

impl Action {
    /// Writes a byte for each signal from now on. The returned socket, in blocking mode, receives
    /// the bytes, and the end of the stream when the action is dropped.
    pub(super) fn open_pair(kind: SignalKind) -> io::Result<(Self, UnixStream)> {
        require_handled(kind)?;
        let (writer, reader) = UnixStream::pair()?;
        writer.set_nonblocking(true)?;
        let writer = File::from(OwnedFd::from(writer));
        // A write to a full socket may fail: the bytes in it have yet to be read. There is no other
        // error that a caller could act on.
        let announce = move || drop((&writer).write(&[1]));
        // SAFETY: `announce` is one `write` system call, which a signal handler may make. It takes
        // no lock and allocates nothing, its error being a bare number, and the registry saves and
        // restores `errno` around it. A `send`, as a socket of std's makes it, may be the one that
        // a program with `sim::interpose!()` has, and on a simulation's thread that takes locks.
        let action = unsafe { Self::register(kind, announce) }?;
        Ok((action, reader))
    }

    /// Calls `announce` for each signal from now on, after the functions that were registered
    /// earlier. When this call returns, no running handler will still miss `announce`.
    ///
    /// # Safety
    ///
    /// Everything that `announce` does must be allowed in a signal handler.
    pub(super) unsafe fn register(kind: SignalKind, announce: impl Fn() + Send + Sync + 'static) -> io::Result<Self> {
        require_handled(kind)?;
        // SAFETY: the caller's promise.
        let id = unsafe { signal_hook_registry::register(kind.as_raw_value(), announce) }?;
        Ok(Self { kind, id })
    }
}

impl Drop for Action {
    fn drop(&mut self) {
        signal_hook_registry::unregister(self.id);
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

fn require_handled(kind: SignalKind) -> io::Result<()> {
    if signal_hook_registry::FORBIDDEN.contains(&kind.as_raw_value()) {
        let message = format!("cannot listen for {kind}: a program cannot handle it and continue");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(())
}
