//! The pipe through which the kernel moves bytes between two sockets.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::{io, ptr};

/// The capacity of the pipe in bytes, which is the OS's default. Four times as much would save a
/// tenth of the time, but allow only a quarter of the pipes, because the OS limits the total
/// capacity of a user's pipes.
const USUAL_CAPACITY: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct Pipe {
    reader: OwnedFd,
    writer: OwnedFd,
    capacity: usize,
    /// The number of bytes in the pipe.
    held: usize,
}

impl Pipe {
    /// Opens a pipe. Fails if no descriptor is left, or if the user's limit for pipes is reached.
    pub(super) fn new() -> io::Result<Self> {
        let mut ends = [-1; 2];
        // SAFETY: the array has room for the two numbers that the call stores.
        check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) })?;
        // SAFETY: the OS has just opened the descriptor, and it has no other owner.
        let reader = unsafe { OwnedFd::from_raw_fd(ends[0]) };
        // SAFETY: as above.
        let writer = unsafe { OwnedFd::from_raw_fd(ends[1]) };
        // SAFETY: the call takes numbers, and touches no memory of this process.
        let capacity = check(unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_GETPIPE_SZ) })?;
        let capacity = usize::try_from(capacity).expect("a capacity is not negative");
        // The OS gives tiny pipes to a user with very many.
        if capacity < USUAL_CAPACITY {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        Ok(Self { reader, writer, capacity, held: 0 })
    }

    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// Moves bytes from `source` into the empty pipe, until the pipe is full or a mark of urgent
    /// data is reached. Returns 0 at the end of the source. `WouldBlock` means that the source is
    /// empty, unless it stands at such a mark, after which more bytes may follow.
    pub(super) fn fill_from(&mut self, source: BorrowedFd<'_>) -> io::Result<usize> {
        debug_assert_eq!(self.held, 0, "a full pipe's answer would be taken for the source's");
        let count = splice(source, self.writer.as_fd(), self.capacity)?;
        self.held = count;
        Ok(count)
    }

    /// Moves bytes from the pipe to `target`, until the target is full. `WouldBlock` means that the
    /// target accepts no bytes now.
    pub(super) fn empty_to(&mut self, target: BorrowedFd<'_>) -> io::Result<usize> {
        debug_assert_ne!(self.held, 0, "an empty pipe's answer would be taken for the target's");
        let count = splice(self.reader.as_fd(), target, self.held)?;
        self.held -= count;
        Ok(count)
    }
}

fn splice(source: BorrowedFd<'_>, target: BorrowedFd<'_>, count: usize) -> io::Result<usize> {
    let flags = libc::SPLICE_F_MOVE | libc::SPLICE_F_NONBLOCK;
    let (source, target) = (source.as_raw_fd(), target.as_raw_fd());
    retried(|| {
        // SAFETY: the descriptors are open, being borrowed; neither has an offset, so the pointers
        // may be null.
        unsafe { libc::splice(source, ptr::null_mut(), target, ptr::null_mut(), count, flags) }
    })
}

/// Returns whether the process survives a splice to a socket that the peer has closed. Unlike a
/// write, a splice cannot suppress SIGPIPE, which Rust programs ignore unless they were built
/// otherwise.
pub(super) fn a_broken_one_is_survived() -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: a null pointer changes nothing, and the other points to room for the value that the
    // call stores.
    let answer = unsafe { libc::sigaction(libc::SIGPIPE, ptr::null(), action.as_mut_ptr()) };
    if answer != 0 {
        return false;
    }
    // SAFETY: the call has succeeded, so it has stored it.
    let action = unsafe { action.assume_init() };
    action.sa_sigaction != libc::SIG_DFL
}

/// Reads from a socket without checking its readiness.
pub(super) fn receive(source: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<usize> {
    retried(|| {
        let (start, length) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: the descriptor is open, being borrowed, and the call stores up to `length` bytes
        // in the buffer, which has room for them.
        unsafe { libc::recv(source.as_raw_fd(), start, length, 0) }
    })
}

/// Repeats `call` while it is interrupted, and returns the number of bytes that it has moved.
fn retried(mut call: impl FnMut() -> libc::ssize_t) -> io::Result<usize> {
    loop {
        if let Ok(moved) = usize::try_from(call()) {
            return Ok(moved);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn check(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    #[test]
    fn bytes_pass_and_the_answers_are_the_sockets_own() {
        let (mut ours, from) = UnixStream::pair().expect("sockets are to be had");
        let (to, mut theirs) = UnixStream::pair().expect("sockets are to be had");
        from.set_nonblocking(true).expect("it can be");
        to.set_nonblocking(true).expect("it can be");
        let mut pipe = Pipe::new().expect("a pipe is to be had");
        let error = pipe.fill_from(from.as_fd()).expect_err("nothing was sent");
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);

        ours.write_all(b"some bytes").expect("there is room");
        assert_eq!(pipe.fill_from(from.as_fd()).expect("something was sent"), 10);
        assert_eq!(pipe.held(), 10);
        assert_eq!(pipe.empty_to(to.as_fd()).expect("there is room"), 10);
        assert_eq!(pipe.held(), 0);
        let mut received = [0; 10];
        theirs.read_exact(&mut received).expect("they were sent");
        assert_eq!(&received, b"some bytes");

        drop(ours);
        assert_eq!(pipe.fill_from(from.as_fd()).expect("the end is no error"), 0);
    }

    #[test]
    fn a_full_target_keeps_the_rest_in_the_pipe() {
        let (mut ours, from) = UnixStream::pair().expect("sockets are to be had");
        let (to, mut theirs) = UnixStream::pair().expect("sockets are to be had");
        for socket in [&ours, &from, &to] {
            socket.set_nonblocking(true).expect("it can be");
        }
        let mut pipe = Pipe::new().expect("a pipe is to be had");
        let mut sent = 0_usize;
        let error = loop {
            if pipe.held() == 0 {
                sent += ours.write(&[7; 4096]).expect("there is room");
                pipe.fill_from(from.as_fd()).expect("something was sent");
            }
            if let Err(error) = pipe.empty_to(to.as_fd()) {
                break error;
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert_ne!(pipe.held(), 0);
        let mut received = vec![0; sent - pipe.held()];
        theirs.read_exact(&mut received).expect("they were sent");
        let held = pipe.held();
        assert_eq!(pipe.empty_to(to.as_fd()).expect("there is room again"), held);
    }

    #[test]
    fn this_process_survives_a_broken_one() {
        assert!(a_broken_one_is_survived(), "Rust programs ignore SIGPIPE");
    }
}
