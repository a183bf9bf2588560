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

/// How often an interrupted call is repeated at once. A system that continues to interrupt it must
/// not keep the thread forever: the task gets the error then.
const MOST_REPETITIONS: usize = 16;

/// Returns a call that is repeated when a signal has interrupted it, as by the standard library.
pub(crate) fn uninterrupted<S, T>(call: impl Fn(&S) -> io::Result<T>) -> impl Fn(&S) -> io::Result<T> {
    move |socket| {
        let is_interrupted = |error: &io::Error| error.kind() == io::ErrorKind::Interrupted;
        let mut outcome = call(socket);
        for _ in 0..MOST_REPETITIONS {
            match &outcome {
                Err(error) if is_interrupted(error) => outcome = call(socket),
                _ => break,
            }
        }
        outcome
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn an_interrupted_call_is_repeated_and_other_errors_are_returned() {
        let calls = Cell::new(0);
        let call = uninterrupted(|_: &()| {
            calls.set(calls.get() + 1);
            let interrupted = calls.get() < 3;
            Err::<(), _>(if interrupted { io::ErrorKind::Interrupted } else { io::ErrorKind::ConnectionAborted }.into())
        });
        assert_eq!(call(&()).map_err(|error| error.kind()), Err(io::ErrorKind::ConnectionAborted));
        assert_eq!(calls.get(), 3);
    }

    #[test]
    fn a_call_that_is_interrupted_for_ever_returns_the_error() {
        let call = uninterrupted(|_: &()| Err::<(), _>(io::ErrorKind::Interrupted.into()));
        assert_eq!(call(&()).map_err(|error| error.kind()), Err(io::ErrorKind::Interrupted));
    }
}
