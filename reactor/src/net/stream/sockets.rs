//! How the connections of stream sockets begin and end.

use socket2::SockRef;
use std::io;
use std::net::Shutdown;

/// Returns the outcome of a connect, once the socket is writable; `WouldBlock` while there is none.
pub(crate) fn outcome_of_connect(socket: SockRef<'_>) -> io::Result<()> {
    if let Some(error) = socket.take_error()? {
        return Err(error);
    }
    match socket.peer_addr() {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotConnected => Err(io::ErrorKind::WouldBlock.into()),
        Err(error) => Err(error),
    }
}

/// Ends the writing direction of a socket. Some systems report an error if it has ended already,
/// which is a success here.
pub(crate) fn end_of_socket(shutdown: impl FnOnce(Shutdown) -> io::Result<()>) -> io::Result<()> {
    match shutdown(Shutdown::Write) {
        Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
        outcome => outcome,
    }
}
