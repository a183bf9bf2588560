//! `Action`: a function that a signal handler calls, and the pair of sockets through which the
//! function wakes a thread or a task.
//!
//! A signal handler may do very little, but may write to a socket. `SignalThread` is a thread that
//! waits for a signal, for work that must run even if no processor does.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::{fmt, io, thread};

use signal_hook_registry::SigId;

use crate::signal::unix::SignalKind;
use crate::util::threads::JoinedThread;

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

/// A thread that calls a function whenever a signal has arrived. Dropping this handle ends the
/// thread, after the call in progress has returned.
#[derive(Debug)]
pub(crate) struct SignalThread {
    /// Closes the handler's end of the pair when dropped, so that the thread's read returns.
    /// Dropped before the thread is joined.
    _action: Action,
    _thread: JoinedThread,
}

impl SignalThread {
    /// Starts the thread. Signals that arrive during a call lead to one more call.
    pub(crate) fn start(
        name: &str,
        kind: SignalKind,
        mut on_signal: impl FnMut() + Send + 'static,
    ) -> io::Result<Self> {
        let (action, mut reader) = Action::open_pair(kind)?;
        let wait_and_call = move || {
            while is_signalled(&mut reader) {
                on_signal();
            }
        };
        let thread = thread::Builder::new().name(name.into()).spawn(wait_and_call)?;
        Ok(Self { _action: action, _thread: JoinedThread::new(thread) })
    }
}

/// Waits for the signal. Returns `false` once its handler was removed.
fn is_signalled(reader: &mut UnixStream) -> bool {
    let mut bytes = [0; 1024];
    loop {
        match reader.read(&mut bytes) {
            Ok(count) => return count > 0,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}
