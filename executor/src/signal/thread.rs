//! `SignalThread`: a thread that waits for a signal, for work that must run even if no processor
//! does.

use std::io::{self, Read};
use std::os::unix::net::UnixStream as StdStream;
use std::thread;

use super::action::Action;
use super::unix::SignalKind;
use crate::util::joined_thread::JoinedThread;

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
fn is_signalled(reader: &mut StdStream) -> bool {
    let mut bytes = [0; 1024];
    loop {
        match reader.read(&mut bytes) {
            Ok(count) => return count > 0,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}
