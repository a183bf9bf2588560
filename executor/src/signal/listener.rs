//! `Listener`: a pair of sockets for one signal, written by the signal handler and read by a task.
//!
//! A signal handler may do very little, but it may write to a socket. So each listener has a pair:
//! the registry's handler for the signal writes a byte to one end, and the other end is a source
//! like any other for the netpoller. Each listener has its own pair, so that no part of the runtime
//! has to distribute signals to listeners.

use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream as StdStream;
use std::task::{self, Poll};

use mio::net::UnixStream;
use signal_hook_registry::SigId;
use wsrt_reactor::{Evented, Interest};
use wsrt_sync::drop_in::OUTSIDE;

use super::unix::SignalKind;
use crate::scheduler::Context;

/// Listens for a signal from its creation on. A task can wait for it once it is attached to a
/// runtime.
#[derive(Debug)]
pub(crate) struct Listener {
    // The first field, so that the handler's end of the pair is closed before ours: the handler
    // must not write to a closed socket.
    _action: Action,
    receiver: Receiver,
}

#[derive(Debug)]
enum Receiver {
    /// No task has waited yet. Empty only after attaching has failed.
    Detached(Option<UnixStream>),
    Attached(Evented<UnixStream>),
}

impl Listener {
    pub(crate) fn new(kind: SignalKind) -> io::Result<Self> {
        let (action, reader) = Action::open(kind)?;
        reader.set_nonblocking(true)?;
        Ok(Self { _action: action, receiver: Receiver::Detached(Some(UnixStream::from_std(reader))) })
    }

    /// Registers with the current runtime's netpoller, unless it is registered. Returns `false` if
    /// there is no current runtime.
    pub(super) fn attach(&mut self) -> io::Result<bool> {
        if let Receiver::Attached(_) = self.receiver {
            return Ok(true);
        }
        let netpoller = Context::with(|context| context.map(|context| context.scheduler().netpoller.handle().clone()));
        let Some(netpoller) = netpoller else { return Ok(false) };
        self.attach_to(&netpoller)?;
        Ok(true)
    }

    /// Registers with `netpoller`, unless it is registered.
    pub(crate) fn attach_to(&mut self, netpoller: &wsrt_reactor::Handle) -> io::Result<()> {
        let Receiver::Detached(stream) = &mut self.receiver else { return Ok(()) };
        let stream = stream.take().expect("a listener that could not be attached is not used again");
        self.receiver = Receiver::Attached(Evented::of_kind("signal", stream, netpoller)?);
        Ok(())
    }

    /// Returns ready when at least one signal has arrived since it last did. The listener has to be
    /// attached.
    pub(crate) fn poll_recv(&self, cx: &mut task::Context<'_>) -> Poll<io::Result<()>> {
        let Receiver::Attached(stream) = &self.receiver else {
            unreachable!("a listener is attached before it is waited for");
        };
        stream.poll_io(Interest::READABLE, cx, |mut stream| drain(&mut stream))
    }
}

/// Reads all bytes of the socket; fails with `WouldBlock` if there are none.
fn drain(stream: &mut impl Read) -> io::Result<()> {
    let mut bytes = [0; 64];
    let mut seen = false;
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the signal's handler was removed")),
            // Fewer than there is room for: no more were there.
            Ok(count) if count < bytes.len() => return Ok(()),
            Ok(_) => seen = true,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && seen => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// The action of the registry's handler for one listener; dropping it removes it from the registry.
pub(super) struct Action {
    kind: SignalKind,
    id: SigId,
}

impl Action {
    /// Listens from now on. The returned socket, which blocks, receives a byte for each signal, and
    /// its end of stream when the action is dropped.
    pub(super) fn open(kind: SignalKind) -> io::Result<(Self, StdStream)> {
        if signal_hook_registry::FORBIDDEN.contains(&kind.as_raw_value()) {
            let message = format!("cannot listen for {kind}: a program cannot handle it and go on");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let (writer, reader) = StdStream::pair()?;
        writer.set_nonblocking(true)?;
        Ok((Self::register(kind, writer)?, reader))
    }

    fn register(kind: SignalKind, writer: StdStream) -> io::Result<Self> {
        // A write to a full socket may fail: the listener has yet to read the bytes in it. There is
        // no other error that a caller could act on.
        let announce = move || drop((&writer).write(&[1]));
        // SAFETY: `announce` is one `send` system call, which a signal handler may make. It takes
        // no lock and allocates nothing, its error being a bare number, and the registry saves and
        // restores `errno` around it.
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

/// Panics with the message that `what` has to happen inside a runtime.
#[track_caller]
pub(super) fn needs_runtime(what: &str) -> ! {
    panic!(
        "wsrt: {OUTSIDE}{what} outside of a wsrt runtime: do it inside `#[wsrt::main]`, a spawned task or `Runtime::block_on`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::tests::in_own_process;
    use std::os::fd::AsFd;

    #[test]
    fn unseen_signals_of_any_number_count_as_one() {
        let (mut writer, mut reader) = StdStream::pair().expect("sockets are to be had");
        reader.set_nonblocking(true).expect("a socket can be non-blocking");
        for count in [1, 64, 1_000] {
            writer.write_all(&vec![1; count]).expect("there is room");
            drain(&mut reader).expect("the signal was seen");
            let error = drain(&mut reader).expect_err("and is seen once");
            assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        }
    }

    #[test]
    fn a_handler_that_is_gone_is_an_error() {
        let (writer, mut reader) = StdStream::pair().expect("sockets are to be had");
        drop(writer);
        assert_eq!(drain(&mut reader).expect_err("end of stream").kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn dropping_a_listener_closes_the_handlers_end() {
        in_own_process(module_path!(), "dropping_a_listener_closes_the_handlers_end", || {
            let listener = Listener::new(SignalKind::hangup()).expect("the system lets us listen");
            let Receiver::Detached(Some(stream)) = &listener.receiver else { panic!("it is not attached yet") };
            let mut witness = StdStream::from(stream.as_fd().try_clone_to_owned().expect("a descriptor"));
            drop(listener);
            assert_eq!(witness.read(&mut [0; 1]).expect("end of stream, at once"), 0);
        });
    }
}
