//! How the connections of stream sockets begin and end.

use socket2::SockRef;
use std::io;
use std::net::Shutdown;

/// What came of a connect, asked once the socket is writable; `WouldBlock` if nothing yet.
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

/// What came of ending the writing direction of a socket. That it has ended already is what was
/// wanted: some systems call it an error.
pub(crate) fn end_of_socket(shutdown: impl FnOnce(Shutdown) -> io::Result<()>) -> io::Result<()> {
    match shutdown(Shutdown::Write) {
        Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
        outcome => outcome,
    }
}
