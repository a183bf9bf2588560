//! `SignalThread`: a thread that waits for a signal, for work that must run even when no processor
//! does.

use std::io::{self, Read};
use std::os::unix::net::UnixStream as StdStream;
use std::thread;

use super::listener::Action;
use super::unix::SignalKind;

/// A thread that calls a function each time a signal has arrived. Dropping this ends the thread,
/// once the call in progress returns.
#[derive(Debug)]
pub(crate) struct SignalThread {
    action: Option<Action>,
    thread: Option<thread::JoinHandle<()>>,
}

impl SignalThread {
    /// Starts the thread. Signals that arrive during a call lead to one further call.
    pub(crate) fn start(
        name: &str,
        kind: SignalKind,
        mut on_signal: impl FnMut() + Send + 'static,
    ) -> io::Result<Self> {
        let (action, mut reader) = Action::open(kind)?;
        let wait_and_call = move || {
            while is_signalled(&mut reader) {
                on_signal();
            }
        };
        let thread = thread::Builder::new().name(name.into()).spawn(wait_and_call)?;
        Ok(Self { action: Some(action), thread: Some(thread) })
    }
}

/// Waits for the signal. Returns `false` when its handler was removed.
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

impl Drop for SignalThread {
    fn drop(&mut self) {
        // This closes the handler's end of the pair, so the thread's read returns.
        drop(self.action.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
