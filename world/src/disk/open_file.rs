//! An open file of a simulated disk, with the methods of `std::fs::File`.

use std::fmt;
use std::fs::{FileTimes, Metadata, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::refusal::Refusal;
use super::{Mounted, scratch};
use crate::disk::Wish;

/// An open file on a simulated disk.
///
/// Clones of a handle share one position in the file, as duplicated descriptors do.
#[derive(Clone)]
pub struct OpenFile(Arc<Handle>);

struct Handle {
    disk: Mounted,
    number: u64,
    /// The path at which the file was opened.
    path: PathBuf,
    wish: Wish,
    /// A real descriptor for callers that need one, created on first use.
    stand_in: OnceLock<std::fs::File>,
}

impl Handle {
    fn check(&self, allows: bool) -> io::Result<()> {
        if allows { Ok(()) } else { Err(Refusal::NotOpenedForIt.into()) }
    }

    fn is_writable(&self) -> bool {
        self.wish.write || self.wish.append
    }

    #[cfg(unix)]
    fn syncs_writes(&self) -> bool {
        self.wish.flags & (libc::O_SYNC | libc::O_DSYNC) != 0
    }

    #[cfg(not(unix))]
    fn syncs_writes(&self) -> bool {
        false
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // After a crash it is closed already.
        let _ = self.disk.call(|volume, _| {
            volume.close(self.number);
            Ok::<_, Refusal>(())
        });
    }
}

impl OpenFile {
    pub(super) fn new(disk: Mounted, number: u64, path: PathBuf, wish: Wish) -> Self {
        Self(Arc::new(Handle { disk, number, path, wish, stand_in: OnceLock::new() }))
    }

    /// Returns the index of the host whose disk the file is on.
    pub fn host(&self) -> usize {
        self.0.disk.host()
    }

    /// Returns a real file of the operating system that stands in for this one where a descriptor
    /// is needed.
    ///
    /// The stand-in reads as empty and cannot be written. Each open file has a stand-in of its own,
    /// so that locking it with `flock` never conflicts with another host or another run.
    pub fn stand_in(&self) -> &std::fs::File {
        let make = || scratch::make_empty_file().expect("a simulated file needs a descriptor of the system's here");
        self.0.stand_in.get_or_init(make)
    }

    /// Reads into `room`, starting at `offset` bytes from the beginning of the file, and returns
    /// the number of bytes read. The file's position does not change.
    pub fn read_at(&self, room: &mut [u8], offset: u64) -> io::Result<usize> {
        self.read_from(room, Some(offset))
    }

    /// Writes `bytes` at `offset` bytes from the beginning of the file, and returns the number of
    /// bytes written. The file's position does not change.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.write_to(bytes, Some(offset))
    }

    fn read_from(&self, room: &mut [u8], at: Option<u64>) -> io::Result<usize> {
        self.0.check(self.0.wish.read)?;
        self.0.disk.call(|volume, dice| volume.read(self.0.number, room, at, dice))
    }

    fn write_to(&self, bytes: &[u8], at: Option<u64>) -> io::Result<usize> {
        let handle = &*self.0;
        handle.check(handle.is_writable())?;
        handle.disk.call(|volume, dice| {
            volume.answer(dice)?;
            let count = volume.write(handle.number, bytes, at, &handle.wish)?;
            if handle.syncs_writes() {
                volume.sync(handle.number, dice)?;
            }
            Ok::<_, Refusal>(count)
        })
    }

    /// Writes the file's data and metadata to the disk, like [`std::fs::File::sync_all`].
    pub fn sync_all(&self) -> io::Result<()> {
        self.0.disk.call(|volume, dice| volume.sync(self.0.number, dice))
    }

    /// Writes the file's data to the disk, like [`std::fs::File::sync_data`].
    pub fn sync_data(&self) -> io::Result<()> {
        self.sync_all()
    }

    /// Truncates or extends the file to `length` bytes, like [`std::fs::File::set_len`].
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        // The system has no other number for this refusal.
        if !self.0.is_writable() {
            return Err(Refusal::Invalid.into());
        }
        self.0.disk.call(|volume, _| {
            let (node, _) = volume.place(self.0.number)?;
            volume.set_length(node, length)
        })
    }

    /// Returns the file's metadata, like [`std::fs::File::metadata`].
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.0.disk.metadata_of(|volume| volume.place(self.0.number).map(|(node, _)| node))
    }

    /// Changes the file's permissions, like [`std::fs::File::set_permissions`].
    pub fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.0.disk.call(|volume, _| {
            let (node, _) = volume.place(self.0.number)?;
            volume.node(node).mode = scratch::mode(&permissions);
            Ok::<_, Refusal>(())
        })
    }

    /// Changes the file's timestamps, like [`std::fs::File::set_times`].
    pub fn set_times(&self, times: FileTimes) -> io::Result<()> {
        self.0.disk.set_times(|volume| volume.place(self.0.number).map(|(node, _)| node), times)
    }
}

impl Read for &OpenFile {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.read_from(room, None)
    }
}

impl Write for &OpenFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_to(bytes, None)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for &OpenFile {
    fn seek(&mut self, target: SeekFrom) -> io::Result<u64> {
        self.0.disk.call(|volume, _| volume.seek(self.0.number, target))
    }
}

impl fmt::Debug for OpenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Handle { path, wish, .. } = &*self.0;
        f.debug_struct("File")
            .field("path", path)
            .field("read", &wish.read)
            .field("write", &self.0.is_writable())
            .finish()
    }
}
