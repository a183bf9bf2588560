//! Options for opening named pipes.

use super::descriptor::{PipeEnd, check_is_pipe};
use super::{Receiver, Sender};
use crate::error::naming;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Options for opening the sending or the receiving end of a named pipe (FIFO). Opening an end
/// never blocks.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor as wsrt;
/// use wsrt::net::unix::pipe;
///
/// # let folder = std::env::temp_dir().join(format!("wsrt-doc-fifo-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("fifo");
/// # assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
/// # let outcome = wsrt_reactor_testing::run(async {
/// // A sender is refused until there is a receiver.
/// let mut receiver = pipe::OpenOptions::new().open_receiver(&path)?;
/// let mut sender = pipe::OpenOptions::new().open_sender(&path)?;
/// sender.write_all(b"hello").await?;
/// drop(sender);
///
/// let mut heard = Vec::new();
/// receiver.read_to_end(&mut heard).await?;
/// assert_eq!(heard, b"hello");
/// # std::io::Result::Ok(()) });
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # outcome.unwrap();
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    is_read_write: bool,
    is_unchecked: bool,
}

impl OpenOptions {
    /// Creates the default options: an end is opened in its own direction only, and the file is
    /// checked to be a pipe.
    #[must_use]
    pub fn new() -> OpenOptions {
        OpenOptions::default()
    }

    /// Sets whether the pipe is opened for both reading and writing. On Linux, either end can then
    /// be opened first: opening a sender succeeds even if there is no receiver, and a receiver does
    /// not read the end of the stream while it is itself open.
    ///
    /// On systems other than Linux, the effect is undefined.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub fn read_write(&mut self, value: bool) -> &mut OpenOptions {
        self.is_read_write = value;
        self
    }

    /// Sets whether to skip the check that the file is a pipe. A file that the OS cannot poll is
    /// rejected even without the check.
    pub fn unchecked(&mut self, value: bool) -> &mut OpenOptions {
        self.is_unchecked = value;
        self
    }

    /// Opens the receiving end of the pipe at `path`.
    ///
    /// A read waits for the first sender to open the pipe. After the last sender has closed it,
    /// reads return the end of the stream, and continue with new bytes if another sender opens the
    /// pipe.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns `InvalidInput` if the file is not a pipe, or the unchanged OS error if it cannot be
    /// opened.
    #[track_caller]
    pub fn open_receiver<P: AsRef<Path>>(&self, path: P) -> io::Result<Receiver> {
        let file = self.open(path.as_ref(), PipeEnd::Receiving)?;
        Receiver::from_file_unchecked(file)
    }

    /// Opens the sending end of the pipe at `path`.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns `InvalidInput` if the file is not a pipe, or the unchanged OS error, which is
    /// `ENXIO` if no process has opened the receiving end.
    #[track_caller]
    pub fn open_sender<P: AsRef<Path>>(&self, path: P) -> io::Result<Sender> {
        let file = self.open(path.as_ref(), PipeEnd::Sending)?;
        Sender::from_file_unchecked(file)
    }

    fn open(&self, path: &Path, end: PipeEnd) -> io::Result<File> {
        let mut options = fs::OpenOptions::new();
        options
            .read(end == PipeEnd::Receiving || self.is_read_write)
            .write(end == PipeEnd::Sending || self.is_read_write)
            .custom_flags(libc::O_NONBLOCK);
        let file = options.open(path)?;
        if !self.is_unchecked {
            check_is_pipe(&file).map_err(|original| naming("open", format_args!("{path:?}"), original))?;
        }
        Ok(file)
    }
}
