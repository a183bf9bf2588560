//! Asynchronous access to files and directories.
//!
//! The names and semantics follow [`std::fs`] and `tokio::fs`. Operating systems offer no portable
//! way to wait for a file, so each call runs on a thread of the blocking pool (see
//! [`spawn_blocking`](crate::task::spawn_blocking)), which adds a few microseconds to the call
//! itself. Many small operations are cheaper in one batch: use [`read`] and [`write()`] for whole
//! files, or a single `spawn_blocking` closure that makes several [`std::fs`] calls.
//!
//! All futures in this module need a runtime, and panic when polled outside one.
//!
//! With feature `sim`, tasks of a simulated host use the host's simulated disk, `wsrt::sim::Disk`.
//!
//! # Errors
//!
//! All functions return the OS error unchanged, with the same kind and error number as the
//! corresponding [`std::fs`] call. As in `std`, the error does not contain the path.
//!
//! # Cancel safety
//!
//! A call that a pool thread has started is not interrupted. If a future of this module is dropped
//! before it completes, the call may or may not take effect. The methods of [`File`] document what
//! happens to bytes that were read or written.
//!
//! # Examples
//!
//! ```
//! use wsrt::fs::{self, File};
//! use wsrt::io::{AsyncReadExt, AsyncWriteExt};
//!
//! # wsrt::runtime::Runtime::new()?.block_on(async {
//! let directory = std::env::temp_dir().join(format!("wsrt-fs-{}", std::process::id()));
//! fs::create_dir(&directory).await?;
//!
//! let mut file = File::create(directory.join("greeting")).await?;
//! file.write_all(b"hello, ").await?;
//! file.write_all(b"file").await?;
//! file.flush().await?;
//!
//! let mut text = String::new();
//! File::open(directory.join("greeting")).await?.read_to_string(&mut text).await?;
//! assert_eq!(text, "hello, file");
//!
//! fs::remove_dir_all(&directory).await?;
//! let error = File::open(&directory).await.unwrap_err();
//! assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
//! # std::io::Result::Ok(()) })?;
//! # std::io::Result::Ok(())
//! ```

mod directories;
mod file;
mod file_system;
mod open_options;
mod paths;

pub use self::directories::{
    DirBuilder, DirEntry, ReadDir, create_dir, create_dir_all, read_dir, remove_dir, remove_dir_all,
};
pub use self::file::File;
pub use self::open_options::OpenOptions;
#[cfg(unix)]
pub use self::paths::symlink;
pub use self::paths::{
    canonicalize, copy, hard_link, metadata, read, read_link, read_to_string, remove_file, rename, set_permissions,
    symlink_metadata, try_exists, write,
};
#[doc(no_inline)]
pub use std::fs::FileTimes;
