//! Recognises the sockets that can be spliced, by their types, among all streams.

use std::any::TypeId;
use std::io;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::ptr;
use std::task::{Context, Poll};

use wsrt_reactor::Interest;
use wsrt_reactor::net::{TcpStream, UnixStream};

use super::pipe;

/// The operations that splicing needs from a socket. All take a shared reference, because both
/// directions use each socket.
pub(crate) trait Socket: AsFd + Send + Sync {
    fn poll_ready(&self, interest: Interest, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Runs `call` if the socket is ready for `interest`. If `call` returns `WouldBlock`, the
    /// socket is marked as not ready.
    fn try_call(&self, interest: Interest, call: &mut dyn FnMut() -> io::Result<usize>) -> io::Result<usize>;

    fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Returns whether urgent data has ever arrived. A read passes the mark of urgent data, a
    /// splice does not.
    fn has_seen_urgent(&self) -> bool;

    fn try_write(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Returns whether the stream belongs to a simulation, in which case its descriptor is that of
    /// another socket.
    fn is_lent(&self) -> bool;

    /// Shuts down the writing direction. Does nothing if the direction is already shut down.
    fn end_writing(&self) -> io::Result<()>;
}

/// Implements the trait with the types' own methods of the same names.
macro_rules! is_socket {
    ($($type:ty),*) => {
        $(impl Socket for $type {
            fn poll_ready(&self, interest: Interest, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                match interest.is_readable() {
                    true => self.poll_read_ready(cx),
                    false => self.poll_write_ready(cx),
                }
            }

            fn try_call(&self, interest: Interest, call: &mut dyn FnMut() -> io::Result<usize>) -> io::Result<usize> {
                self.try_io(interest, call)
            }

            fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
                self.try_read(buffer)
            }

            fn has_seen_urgent(&self) -> bool {
                self.has_seen_urgent()
            }

            fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
                self.try_write(bytes)
            }

            fn is_lent(&self) -> bool {
                self.is_lent()
            }

            fn end_writing(&self) -> io::Result<()> {
                match self.shutdown_with(Shutdown::Write) {
                    Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
                    outcome => outcome,
                }
            }
        })*

        fn as_socket<T: ?Sized>(stream: &T) -> Option<&dyn Socket> {
            None$(.or_else(|| cast::<T, $type>(stream).map(|socket| socket as &dyn Socket)))*
        }
    };
}

is_socket!(TcpStream, UnixStream);

/// Returns both streams as sockets if both are the OS's and splicing is safe in this process.
pub(crate) fn sockets<'a, A: ?Sized, B: ?Sized>(a: &'a A, b: &'a B) -> Option<(&'a dyn Socket, &'a dyn Socket)> {
    let (a, b) = as_socket(a).zip(as_socket(b))?;
    (!a.is_lent() && !b.is_lent() && pipe::a_broken_one_is_survived()).then_some((a, b))
}

/// Returns `value` as a `U` if it has that type.
fn cast<T: ?Sized, U: 'static>(value: &T) -> Option<&U> {
    if typeid::of::<T>() != TypeId::of::<U>() {
        return None;
    }
    // SAFETY: both are the same type but for lifetimes, and `U`, being `'static` in all of its
    // parameters, has none: so `T` is `U`, and the reference is to a valid one.
    Some(unsafe { &*ptr::from_ref(value).cast::<U>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_type_itself_is_recognised() {
        let (number, text) = (7_u32, String::from("local"));
        let borrowed: &str = &text;
        assert_eq!(cast::<u32, u32>(&number), Some(&7));
        assert_eq!(cast::<u32, i32>(&number), None);
        assert_eq!(cast::<&u32, u32>(&&number), None);
        assert_eq!(cast::<str, String>(borrowed), None);
        assert_eq!(cast::<dyn Send, u32>(&number as &dyn Send), None);
    }
}
