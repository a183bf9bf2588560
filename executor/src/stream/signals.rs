//! A stream of signal arrivals.

use crate::signal::unix::Signal;

wrap! {
    /// A stream that yields `()` each time the signal arrives. The stream ends when the listener
    /// can receive no further signal.
    ///
    /// # Panics
    ///
    /// Polling panics outside a runtime.
    SignalStream, Signal => (), |signal, cx| signal.poll_recv(cx)
}
