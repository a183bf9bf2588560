//! A host's disk as seen by the calls of one life of the host, with the method names and errors of
//! `std::fs`.

use std::ffi::OsString;
use std::fs::{FileType, Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::dice::DiskDice;
use super::refusal::{Refusal, unsupported};
use super::scratch::{self, Scratch};
use super::volume::{DiskNode, Volume, absolute};
use super::{Disks, DisksState, OpenFile};
use crate::disk::Wish;

/// A host's disk, mounted for one life of the host.
///
/// The methods mirror the functions of `std::fs`. After the host has crashed, every call fails.
#[derive(Debug, Clone)]
pub struct Mounted {
    disks: Arc<Disks>,
    host: usize,
    /// How many times the host had crashed before this life.
    crashes: u64,
}

impl Mounted {
    pub(super) fn new(disks: Arc<Disks>, host: usize, crashes: u64) -> Self {
        Self { disks, host, crashes }
    }

    /// Returns the index of the host that the disk belongs to.
    pub fn host(&self) -> usize {
        self.host
    }

    /// Runs a call on the disk, unless the host has crashed.
    pub(super) fn call<T, E: Into<io::Error>>(
        &self,
        call: impl FnOnce(&mut Volume, &mut DiskDice) -> Result<T, E>,
    ) -> io::Result<T> {
        let mut state = self.disks.lock_for_call();
        let DisksState { dice, volumes, .. } = &mut *state;
        match volumes.get_mut(&self.host).filter(|volume| volume.crashes == self.crashes) {
            Some(volume) => call(volume, dice).map_err(Into::into),
            None => Err(Refusal::Failed.into()),
        }
    }

    /// Returns the metadata of the node that `find` returns.
    pub(super) fn metadata_of(&self, find: impl FnOnce(&mut Volume) -> Result<u64, Refusal>) -> io::Result<Metadata> {
        self.with_found(find, |scratch, node| scratch.metadata(node))
    }

    /// Sets the modification and access times of the node that `find` returns.
    pub(super) fn set_times(
        &self,
        find: impl FnOnce(&mut Volume) -> Result<u64, Refusal>,
        times: std::fs::FileTimes,
    ) -> io::Result<()> {
        self.with_found(find, |scratch, node| {
            (node.modified, node.accessed) = scratch.times(node, times)?;
            Ok(())
        })
    }

    /// Calls `act` with the node that `find` returns, and with the files whose metadata stands in
    /// for the simulated one.
    fn with_found<T>(
        &self,
        find: impl FnOnce(&mut Volume) -> Result<u64, Refusal>,
        act: impl FnOnce(&mut Scratch, &mut DiskNode) -> io::Result<T>,
    ) -> io::Result<T> {
        let number = self.call(|volume, _| find(volume))?;
        let mut state = self.disks.lock();
        let DisksState { volumes, scratch, .. } = &mut *state;
        let volume = volumes.get_mut(&self.host).expect("it was asked just now");
        act(scratch, volume.node(number))
    }

    /// Opens the file at `path` with the given options.
    pub fn open(&self, path: &Path, wish: &Wish) -> io::Result<OpenFile> {
        if wish.is_unknown {
            return Err(unsupported("way to look into `std::fs::OpenOptions`: make `wsrt::fs::OpenOptions` anew"));
        }
        let path = absolute(path)?;
        let number = self.call(|volume, _| volume.open(path.clone(), wish))?;
        Ok(OpenFile::new(self.clone(), number, path, wish.clone()))
    }

    /// Creates an empty directory, like [`std::fs::create_dir`].
    pub fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.make_dir(path, false, None)
    }

    /// Creates a directory and all its missing parents, like [`std::fs::create_dir_all`].
    pub fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.make_dir(path, true, None)
    }

    /// Creates a directory with the permission bits `mode`. If `is_recursive` is `true`, missing
    /// parent directories are created too.
    pub fn make_dir(&self, path: &Path, is_recursive: bool, mode: Option<u32>) -> io::Result<()> {
        let (path, mode) = (absolute(path)?, mode.unwrap_or(0o777));
        self.call(
            |volume, _| {
                if is_recursive { volume.create_dir_all(&path, mode) } else { volume.create_dir(&path, mode) }
            },
        )
    }

    /// Removes an empty directory, like [`std::fs::remove_dir`].
    pub fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.remove_dir(&path))
    }

    /// Removes a directory and everything in it, like [`std::fs::remove_dir_all`].
    pub fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.remove_dir_all(&path))
    }

    /// Removes a file, like [`std::fs::remove_file`].
    pub fn remove_file(&self, path: &Path) -> io::Result<()> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.remove_file(&path))
    }

    /// Renames a file or directory, like [`std::fs::rename`].
    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (absolute(from)?, absolute(to)?);
        self.call(|volume, _| volume.rename(from, to))
    }

    /// Creates another name for a file, like [`std::fs::hard_link`].
    pub fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (absolute(from)?, absolute(to)?);
        self.call(|volume, _| volume.hard_link(&from, to))
    }

    /// Always fails, because the disk does not support symbolic links.
    pub fn symlink(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(unsupported("symbolic links"))
    }

    /// Always fails, because no file on the disk is a symbolic link.
    pub fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.find(&path).and(Err(Refusal::Invalid)))
    }

    /// Returns the absolute path of an existing file without `.` and `..`, like
    /// [`std::fs::canonicalize`].
    pub fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.find(&path).map(|_| path))
    }

    /// Returns the metadata of a file or directory, like [`std::fs::metadata`].
    pub fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let path = absolute(path)?;
        self.metadata_of(|volume| volume.find(&path))
    }

    /// Returns the metadata of a file or directory, like [`std::fs::symlink_metadata`]. The disk
    /// has no symbolic links to follow.
    pub fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.metadata(path)
    }

    /// Returns whether something exists at `path`, like [`std::fs::exists`].
    pub fn exists(&self, path: &Path) -> io::Result<bool> {
        let path = absolute(path)?;
        self.call(|volume, _| Ok::<_, Refusal>(volume.find(&path).is_ok()))
    }

    /// Changes the permissions of a file or directory, like [`std::fs::set_permissions`].
    pub fn set_permissions(&self, path: &Path, permissions: Permissions) -> io::Result<()> {
        let path = absolute(path)?;
        self.call(|volume, _| {
            let node = volume.find(&path)?;
            volume.node(node).mode = scratch::mode(&permissions);
            Ok::<_, Refusal>(())
        })
    }

    /// Returns the whole contents of a file, like [`std::fs::read`].
    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.call(|volume, dice| {
            volume.answer(dice)?;
            volume.bytes(path, false)
        })
    }

    /// Returns the whole contents of a file as a string, like [`std::fs::read_to_string`].
    pub fn read_to_string(&self, path: &Path) -> io::Result<String> {
        String::from_utf8(self.read(path)?)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
    }

    /// Writes `contents` as the whole contents of a file, like [`std::fs::write`].
    pub fn write(&self, path: &Path, contents: &[u8]) -> io::Result<()> {
        let wish = Wish { write: true, create: true, truncate: true, ..Wish::default() };
        io::Write::write_all(&mut &self.open(path, &wish)?, contents)
    }

    /// Copies a file and returns the number of bytes copied, like [`std::fs::copy`].
    pub fn copy(&self, from: &Path, to: &Path) -> io::Result<u64> {
        let bytes = self.read(from)?;
        self.write(to, &bytes)?;
        let (from, to) = (absolute(from)?, absolute(to)?);
        self.call(|volume, _| {
            let (from, to) = (volume.find(&from)?, volume.find(&to)?);
            volume.node(to).mode = volume.node(from).mode;
            Ok::<_, Refusal>(bytes.len() as u64)
        })
    }

    /// Returns the entries of a directory, sorted by name.
    pub fn read_dir(&self, path: &Path) -> io::Result<Vec<DirectoryEntry>> {
        let directory = absolute(path)?;
        let children = self.call(|volume, _| {
            let node = volume.find(&directory)?;
            if volume.node(node).is_directory() {
                Ok(volume.names.children(&directory))
            } else {
                Err(Refusal::NotDirectory)
            }
        })?;
        children.into_iter().map(|(child, node)| self.entry(path, &child, node)).collect()
    }

    fn entry(&self, directory: &Path, child: &Path, node: u64) -> io::Result<DirectoryEntry> {
        let is_directory = self.call(|volume, _| Ok::<_, Refusal>(volume.node(node).is_directory()))?;
        let name = child.file_name().unwrap_or_default().to_owned();
        let file_type = self.disks.lock().scratch.file_type(is_directory)?;
        Ok(DirectoryEntry { disk: self.clone(), path: directory.join(&name), name, node, file_type })
    }
}

/// An entry of a directory, as returned by [`Mounted::read_dir`].
#[derive(Debug)]
pub struct DirectoryEntry {
    disk: Mounted,
    path: PathBuf,
    name: OsString,
    node: u64,
    file_type: FileType,
}

impl DirectoryEntry {
    /// Returns the entry's full path.
    pub fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Returns the entry's file name, without the path.
    pub fn file_name(&self) -> OsString {
        self.name.clone()
    }

    /// Returns the metadata of the file or directory that the entry refers to.
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.disk.metadata(&self.path)
    }

    /// Returns the entry's file type. Unlike the method of the standard library, this one never
    /// fails.
    pub fn file_type(&self) -> io::Result<FileType> {
        Ok(self.file_type)
    }

    /// Returns the entry's inode number.
    pub fn ino(&self) -> u64 {
        self.node
    }

    /// Returns the index of the host whose disk the entry is on.
    pub fn host(&self) -> usize {
        self.disk.host
    }
}
