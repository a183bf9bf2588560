//! A host's disk, as calls of one of its lives see it: with the names and answers of `std::fs`.

use std::ffi::OsString;
use std::fs::{FileType, Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::dice::DiskDice;
use super::refusal::{Refusal, unsupported};
use super::scratch::{self, Scratch};
use super::volume::{Node, Volume, absolute};
use super::{Disks, DisksState, OpenFile};
use crate::disk::Wish;

/// A host's disk, for the calls of one life of the host.
#[derive(Debug, Clone)]
pub struct Mounted {
    disks: Arc<Disks>,
    host: usize,
    /// The crashes of the host before this life.
    crashes: u64,
}

impl Mounted {
    pub(super) fn new(disks: Arc<Disks>, host: usize, crashes: u64) -> Self {
        Self { disks, host, crashes }
    }

    /// Returns the index of the host.
    pub fn host(&self) -> usize {
        self.host
    }

    /// Makes a call, unless the host has crashed.
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

    /// The metadata of the node that `find` names.
    pub(super) fn metadata_of(&self, find: impl FnOnce(&mut Volume) -> Result<u64, Refusal>) -> io::Result<Metadata> {
        self.with_found(find, |scratch, node| scratch.metadata(node))
    }

    /// Sets the times of the last write and read of the node that `find` names.
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

    /// Calls `act` with the node that `find` names, and the files that lend their metadata.
    fn with_found<T>(
        &self,
        find: impl FnOnce(&mut Volume) -> Result<u64, Refusal>,
        act: impl FnOnce(&mut Scratch, &mut Node) -> io::Result<T>,
    ) -> io::Result<T> {
        let number = self.call(|volume, _| find(volume))?;
        let mut state = self.disks.lock();
        let DisksState { volumes, scratch, .. } = &mut *state;
        let volume = volumes.get_mut(&self.host).expect("it was asked just now");
        act(scratch, volume.node(number))
    }

    /// Opens a file.
    pub fn open(&self, path: &Path, wish: &Wish) -> io::Result<OpenFile> {
        if wish.is_unknown {
            return Err(unsupported("way to look into `std::fs::OpenOptions`: make `wsrt::fs::OpenOptions` anew"));
        }
        let path = absolute(path)?;
        let number = self.call(|volume, _| volume.open(path.clone(), wish))?;
        Ok(OpenFile::new(self.clone(), number, path, wish.clone()))
    }

    /// Does what [`std::fs::create_dir`] does, on this disk.
    pub fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.make_dir(path, false, None)
    }

    /// Does what [`std::fs::create_dir_all`] does, on this disk.
    pub fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.make_dir(path, true, None)
    }

    /// Creates a directory, with its parents if `is_recursive`.
    pub fn make_dir(&self, path: &Path, is_recursive: bool, mode: Option<u32>) -> io::Result<()> {
        let (path, mode) = (absolute(path)?, mode.unwrap_or(0o777));
        self.call(
            |volume, _| {
                if is_recursive { volume.create_dir_all(&path, mode) } else { volume.create_dir(&path, mode) }
            },
        )
    }

    /// Does what [`std::fs::remove_dir`] does, on this disk.
    pub fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.remove_dir(&path))
    }

    /// Does what [`std::fs::remove_dir_all`] does, on this disk.
    pub fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.remove_dir_all(&path))
    }

    /// Does what [`std::fs::remove_file`] does, on this disk.
    pub fn remove_file(&self, path: &Path) -> io::Result<()> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.remove_file(&path))
    }

    /// Does what [`std::fs::rename`] does, on this disk.
    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (absolute(from)?, absolute(to)?);
        self.call(|volume, _| volume.rename(from, to))
    }

    /// Does what [`std::fs::hard_link`] does, on this disk.
    pub fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (absolute(from)?, absolute(to)?);
        self.call(|volume, _| volume.hard_link(&from, to))
    }

    /// Fails: the disk has no symbolic links.
    pub fn symlink(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(unsupported("symbolic links"))
    }

    /// No file is a symbolic link.
    pub fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.find(&path).and(Err(Refusal::Invalid)))
    }

    /// Does what [`std::fs::canonicalize`] does, on this disk.
    pub fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.find(&path).map(|_| path))
    }

    /// Does what [`std::fs::metadata`] does, on this disk.
    pub fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let path = absolute(path)?;
        self.metadata_of(|volume| volume.find(&path))
    }

    /// Does what [`std::fs::symlink_metadata`] does, on this disk.
    pub fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.metadata(path)
    }

    /// Does what [`std::fs::exists`] does, on this disk.
    pub fn exists(&self, path: &Path) -> io::Result<bool> {
        let path = absolute(path)?;
        self.call(|volume, _| Ok::<_, Refusal>(volume.find(&path).is_ok()))
    }

    /// Does what [`std::fs::set_permissions`] does, on this disk.
    pub fn set_permissions(&self, path: &Path, permissions: Permissions) -> io::Result<()> {
        let path = absolute(path)?;
        self.call(|volume, _| {
            let node = volume.find(&path)?;
            volume.node(node).mode = scratch::mode(&permissions);
            Ok::<_, Refusal>(())
        })
    }

    /// Does what [`std::fs::read`] does, on this disk.
    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.call(|volume, dice| {
            volume.answer(dice)?;
            volume.bytes(path, false)
        })
    }

    /// Does what [`std::fs::read_to_string`] does, on this disk.
    pub fn read_to_string(&self, path: &Path) -> io::Result<String> {
        String::from_utf8(self.read(path)?)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
    }

    /// Does what [`std::fs::write`] does, on this disk.
    pub fn write(&self, path: &Path, contents: &[u8]) -> io::Result<()> {
        let wish = Wish { write: true, create: true, truncate: true, ..Wish::default() };
        io::Write::write_all(&mut &self.open(path, &wish)?, contents)
    }

    /// Does what [`std::fs::copy`] does, on this disk.
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

    /// The entries of a directory, by their names.
    pub fn read_dir(&self, path: &Path) -> io::Result<Vec<Entry>> {
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

    fn entry(&self, directory: &Path, child: &Path, node: u64) -> io::Result<Entry> {
        let is_directory = self.call(|volume, _| Ok::<_, Refusal>(volume.node(node).is_directory()))?;
        let name = child.file_name().unwrap_or_default().to_owned();
        let file_type = self.disks.lock().scratch.file_type(is_directory)?;
        Ok(Entry { disk: self.clone(), path: directory.join(&name), name, node, file_type })
    }
}

/// An entry of a directory.
#[derive(Debug)]
pub struct Entry {
    disk: Mounted,
    path: PathBuf,
    name: OsString,
    node: u64,
    file_type: FileType,
}

impl Entry {
    /// Returns the whole path.
    pub fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Returns the name.
    pub fn file_name(&self) -> OsString {
        self.name.clone()
    }

    /// Returns the metadata.
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.disk.metadata(&self.path)
    }

    /// It never fails, unlike std's.
    pub fn file_type(&self) -> io::Result<FileType> {
        Ok(self.file_type)
    }

    /// Returns the number of the node.
    pub fn ino(&self) -> u64 {
        self.node
    }

    /// Returns the index of the host.
    pub fn host(&self) -> usize {
        self.disk.host
    }
}
