//! The signals to the process.

use crate::signal::unix::Signal;

wrap! {
    /// Streams the arrivals of one kind of signal. It ends when the listener can receive no more.
    ///
    /// # Panics
    ///
    /// A poll panics outside a runtime.
    SignalStream, Signal => (), |signal, cx| signal.poll_recv(cx)
}
