//! A stream of directory entries.

use std::io;

use crate::fs::{DirEntry, ReadDir};

wrap! {
    /// A stream that yields the entries of a directory and ends after the last entry.
    ///
    /// # Panics
    ///
    /// Polling panics outside a runtime.
    ///
    /// # Errors
    ///
    /// Yields the errors of [`ReadDir::next_entry`] as items, and continues after each error.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use std::pin::Pin;
    /// use wsrt::fs::read_dir;
    /// use wsrt::stream::{ReadDirStream, Stream};
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut entries = ReadDirStream::new(read_dir(std::env::temp_dir()).await?);
    /// while let Some(entry) = poll_fn(|cx| Pin::new(&mut entries).poll_next(cx)).await {
    ///     println!("{}", entry?.path().display());
    /// }
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    ReadDirStream, ReadDir => io::Result<DirEntry>, |entries, cx| entries.poll_next_entry(cx).map(Result::transpose)
}
