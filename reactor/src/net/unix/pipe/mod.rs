//! Pipes: anonymous ones, and named ones (FIFOs) in the file system.
//!
//! The two ends of a pipe, [`Sender`] and [`Receiver`], have the same methods and I/O traits as
//! streams. When every sender is dropped, the receiver reads the end of the stream. Writing after
//! the receiver is dropped fails with an error of kind `BrokenPipe`.

mod descriptor;
mod ends;
mod options;
mod receiver;
mod sender;

pub use self::options::OpenOptions;
pub use self::receiver::Receiver;
pub use self::sender::Sender;

use crate::context;
use std::io;

/// Creates an anonymous pipe and returns its two ends. Bytes written to the sender are read from
/// the receiver.
///
/// To pass one end to a child process, convert it into a file descriptor with
/// [`Sender::into_blocking_fd`] or [`Receiver::into_blocking_fd`]: child processes expect blocking
/// descriptors.
///
/// # Panics
///
/// Panics if called outside a runtime.
///
/// # Errors
///
/// Returns the OS error, for example if the process has run out of file descriptors, or an error if
/// the runtime has been shut down.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor as wsrt;
/// use wsrt::net::unix::pipe;
///
/// # wsrt_reactor_testing::run(async {
/// let (mut sender, mut receiver) = pipe::pipe()?;
/// sender.write_all(b"through the pipe").await?;
/// drop(sender);
///
/// let mut heard = String::new();
/// receiver.read_to_string(&mut heard).await?;
/// assert_eq!(heard, "through the pipe");
/// # std::io::Result::Ok(()) }).unwrap();
/// ```
#[track_caller]
pub fn pipe() -> io::Result<(Sender, Receiver)> {
    let context = context::required("pipe");
    let (sender, receiver) = mio::unix::pipe::new()?;
    Ok((Sender::registered(sender, context.handle())?, Receiver::registered(receiver, context.handle())?))
}
