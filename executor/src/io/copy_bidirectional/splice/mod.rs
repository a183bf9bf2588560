//! Copies between sockets with `splice(2)`: the kernel moves the pages through a pipe.
//!
//! Splicing pays off for bulk data. A message that fits into a buffer costs one more system call,
//! because a splice that moved less than requested proves nothing, and splicing needs descriptors.
//! Each direction therefore starts with the buffer, opens a pipe after much data has arrived in
//! large bursts, and closes the pipe after a small burst.
//!
//! # The socket that a `WouldBlock` is about
//!
//! Either end of a splice can be the reason for `WouldBlock`, and the error does not say which. The
//! order of the calls decides: bytes are moved from a socket into the pipe only while the pipe is
//! empty, so it must be the socket that is empty; they are moved from the pipe into a socket only
//! while the pipe holds some, so it must be the socket that is full. Each answer clears that
//! socket's readiness, and no other.
//!
//! # Urgent data
//!
//! A splice from TCP stops at the mark of urgent data and never gets past it, unlike a read. There
//! it answers as for an empty socket: `WouldBlock`, or 0 when the peer has ended, even if more
//! bytes follow the mark. So a 0 counts only after a read has found the end too, which is one call
//! for each stream; and `WouldBlock` does not count when the netpoller has ever reported urgent
//! data. The direction then continues with the buffer. Urgent data that the netpoller has yet to
//! report comes with an event, after which the socket is tried again.

mod pipe;

use std::any::TypeId;
use std::future::poll_fn;
use std::net::Shutdown;
use std::ops::Range;
use std::os::fd::AsFd;
use std::task::{Context, Poll, ready};
use std::{io, ptr};

use wsrt_reactor::Interest;
use wsrt_reactor::net::{TcpStream, UnixStream};

use crate::io::copy::{CopyBudget, write_zero};
use crate::io::copy_bidirectional::splice::pipe::{Pipe, receive};

pub(super) async fn copy(
    a: &dyn SpliceSocket,
    b: &dyn SpliceSocket,
    (a_to_b, b_to_a): (usize, usize),
) -> io::Result<(u64, u64)> {
    let (mut a_to_b, mut b_to_a) = (Direction::new(a, b, a_to_b), Direction::new(b, a, b_to_a));
    poll_fn(|cx| match (a_to_b.poll(cx)?, b_to_a.poll(cx)?) {
        (Poll::Ready(there), Poll::Ready(back)) => Poll::Ready(Ok((there, back))),
        _ => Poll::Pending,
    })
    .await
}

/// The size in bytes below which a burst is small: the buffer copies it with a read or two. A burst
/// is all bytes that arrive until the source is empty.
const SMALL_BURST: usize = 16 * 1024;

/// The number of bytes after which a pipe is opened, if no small burst came in between. Copying
/// this much takes many times as long as opening a pipe.
const BULK: usize = 64 * 1024;

struct Direction<'a> {
    from: &'a dyn SpliceSocket,
    to: &'a dyn SpliceSocket,
    stage: SpliceStage,
    buffer: Box<[u8]>,
    /// The filled range of the buffer, which is empty while there is a pipe.
    held: Range<usize>,
    /// The pipe, open while there is much to copy.
    pipe: Option<Pipe>,
    /// The number of bytes that have arrived since the source was last empty.
    burst: usize,
    /// The number of bytes that have arrived since the last small burst.
    bulk: usize,
    /// True while splicing is possible: false once the OS has refused, or urgent data has arrived:
    /// from then on only the buffer is used.
    can_splice: bool,
    total: u64,
}

#[derive(Clone, Copy, Debug)]
enum SpliceStage {
    Copying,
    /// The source has ended and all of its bytes are written.
    ShuttingDown,
    Done,
}

/// The result of one attempt to fetch bytes.
enum Fetched {
    Bytes,
    End,
    /// Nothing was moved: the socket was not ready after all, or the buffer must be used.
    Nothing,
}

impl<'a> Direction<'a> {
    fn new(from: &'a dyn SpliceSocket, to: &'a dyn SpliceSocket, size: usize) -> Self {
        Self {
            from,
            to,
            stage: SpliceStage::Copying,
            buffer: vec![0; size].into(),
            held: 0..0,
            pipe: None,
            burst: 0,
            bulk: 0,
            can_splice: true,
            total: 0,
        }
    }

    /// Returns the number of copied bytes once the direction is done, and on every later poll.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        if let SpliceStage::Copying = self.stage {
            ready!(self.poll_copy(cx))?;
            self.pipe = None;
            self.stage = SpliceStage::ShuttingDown;
        }
        if let SpliceStage::ShuttingDown = self.stage {
            self.to.end_writing()?;
            self.stage = SpliceStage::Done;
        }
        Poll::Ready(Ok(self.total))
    }

    /// Returns ready when the source has ended and all of its bytes are written.
    fn poll_copy(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut budget = CopyBudget::new();
        loop {
            while self.holds_something() {
                let count = ready!(self.poll_deliver(cx))?;
                self.total += count as u64;
                budget.spend(count);
            }
            ready!(budget.poll_left(cx));
            if let Fetched::End = ready!(self.poll_fetch(cx))? {
                return Poll::Ready(Ok(()));
            }
        }
    }

    fn holds_something(&self) -> bool {
        !self.held.is_empty() || self.pipe.as_ref().is_some_and(|pipe| pipe.held() > 0)
    }

    /// Writes some of the buffered bytes to the target.
    fn poll_deliver(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.to.poll_ready(Interest::WRITABLE, cx))?;
            let outcome = match &mut self.pipe {
                Some(pipe) => self.to.try_call(Interest::WRITABLE, &mut || pipe.empty_to(self.to.as_fd())),
                None => self.to.try_write(&self.buffer[self.held.clone()]),
            };
            let count = match outcome {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                outcome => outcome?,
            };
            if count == 0 {
                return Poll::Ready(Err(write_zero()));
            }
            if self.pipe.is_none() {
                self.held.start += count;
            }
            return Poll::Ready(Ok(count));
        }
    }

    /// Reads from the source. Called while no bytes are buffered.
    fn poll_fetch(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Fetched>> {
        let Poll::Ready(outcome) = self.from.poll_ready(Interest::READABLE, cx) else {
            self.end_burst();
            return Poll::Pending;
        };
        outcome?;
        self.take_pipe_for_bulk();
        let fetched = if self.pipe.is_some() { self.fetch_by_pipe() } else { self.fetch_by_buffer() };
        Poll::Ready(match fetched {
            Ok(0) => Ok(Fetched::End),
            Ok(count) => {
                self.burst = self.burst.saturating_add(count);
                self.bulk = self.bulk.saturating_add(count);
                Ok(Fetched::Bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Fetched::Nothing),
            // A sandbox, or a kernel that cannot splice these sockets: no bytes were moved.
            Err(error) if self.pipe.is_some() && is_refusal(&error) => {
                self.stop_splicing();
                Ok(Fetched::Nothing)
            }
            Err(error) => Err(error),
        })
    }

    fn fetch_by_buffer(&mut self) -> io::Result<usize> {
        let count = self.from.try_read(&mut self.buffer)?;
        self.held = 0..count;
        Ok(count)
    }

    /// Fetches bytes with a splice, and with a read if the splice's result is ambiguous. Both are
    /// one operation on the socket, so that only the read's `WouldBlock` clears the socket's
    /// readiness.
    fn fetch_by_pipe(&mut self) -> io::Result<usize> {
        let (from, buffer) = (self.from, &mut self.buffer);
        let pipe = self.pipe.as_mut().expect("there is one");
        let mut was_doubted = false;
        let outcome = from.try_call(Interest::READABLE, &mut || match pipe.fill_from(from.as_fd()) {
            answer if is_doubtful(&answer, from) => {
                was_doubted = true;
                receive(from.as_fd(), buffer)
            }
            answer => answer,
        });
        if was_doubted {
            self.held = 0..*outcome.as_ref().unwrap_or(&0);
            self.stop_splicing();
        }
        outcome
    }

    fn stop_splicing(&mut self) {
        self.pipe = None;
        self.can_splice = false;
    }

    /// Opens a pipe after bulk data. If that fails, for example because no descriptor is left, the
    /// buffer is used for a while.
    fn take_pipe_for_bulk(&mut self) {
        if self.pipe.is_none() && self.can_splice && self.bulk >= BULK {
            self.pipe = Pipe::new().ok();
            if self.pipe.is_none() {
                self.bulk = 0;
            }
        }
    }

    /// Called when the source is empty. Closes the pipe after a small burst, to free its
    /// descriptors.
    fn end_burst(&mut self) {
        // Nothing has arrived: the task was woken for the other direction.
        if self.burst == 0 {
            return;
        }
        if self.burst < SMALL_BURST {
            self.bulk = 0;
            self.pipe = None;
        }
        self.burst = 0;
    }
}

/// Returns whether the result of a splice may come from a mark of urgent data that more bytes
/// follow.
fn is_doubtful(answer: &io::Result<usize>, from: &dyn SpliceSocket) -> bool {
    match answer {
        Ok(count) => *count == 0,
        Err(error) => error.kind() == io::ErrorKind::WouldBlock && from.has_seen_urgent(),
    }
}

fn is_refusal(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS | libc::EPERM | libc::EOPNOTSUPP))
}

/// The operations that splicing needs from a socket. All take a shared reference, because both
/// directions use each socket.
pub(super) trait SpliceSocket: AsFd + Send + Sync {
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
        $(impl SpliceSocket for $type {
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
                self.is_simulated()
            }

            fn end_writing(&self) -> io::Result<()> {
                match self.shutdown_with(Shutdown::Write) {
                    Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
                    outcome => outcome,
                }
            }
        })*

        fn as_socket<T: ?Sized>(stream: &T) -> Option<&dyn SpliceSocket> {
            None$(.or_else(|| cast::<T, $type>(stream).map(|socket| socket as &dyn SpliceSocket)))*
        }
    };
}

is_socket!(TcpStream, UnixStream);

/// Returns both streams as sockets if both are the OS's and splicing is safe in this process.
pub(crate) fn sockets<'a, A: ?Sized, B: ?Sized>(
    a: &'a A,
    b: &'a B,
) -> Option<(&'a dyn SpliceSocket, &'a dyn SpliceSocket)> {
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
