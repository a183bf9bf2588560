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
use crate::util::file_calls::Wish;

#[derive(Debug, Clone)]
pub(crate) struct Mounted {
    disks: Arc<Disks>,
    host: usize,
    /// The crashes of the host before this life.
    crashes: u64,
}

impl Mounted {
    pub(super) fn new(disks: Arc<Disks>, host: usize, crashes: u64) -> Self {
        Self { disks, host, crashes }
    }

    pub(crate) fn host(&self) -> usize {
        self.host
    }

    /// Makes a call, unless the host has crashed meanwhile.
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

    pub(crate) fn open(&self, path: &Path, wish: &Wish) -> io::Result<OpenFile> {
        if wish.is_unknown {
            return Err(unsupported("way to look into `std::fs::OpenOptions`: make `wsrt::fs::OpenOptions` anew"));
        }
        let path = absolute(path)?;
        let number = self.call(|volume, _| volume.open(path.clone(), wish))?;
        Ok(OpenFile::new(self.clone(), number, path, wish.clone()))
    }

    pub(crate) fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.make_dir(path, false, None)
    }

    pub(crate) fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.make_dir(path, true, None)
    }

    pub(crate) fn make_dir(&self, path: &Path, is_recursive: bool, mode: Option<u32>) -> io::Result<()> {
        let (path, mode) = (absolute(path)?, mode.unwrap_or(0o777));
        self.call(
            |volume, _| {
                if is_recursive { volume.create_dir_all(&path, mode) } else { volume.create_dir(&path, mode) }
            },
        )
    }

    pub(crate) fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.remove_dir(&path))
    }

    pub(crate) fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.remove_dir_all(&path))
    }

    pub(crate) fn remove_file(&self, path: &Path) -> io::Result<()> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.remove_file(&path))
    }

    pub(crate) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (absolute(from)?, absolute(to)?);
        self.call(|volume, _| volume.rename(from, to))
    }

    pub(crate) fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (absolute(from)?, absolute(to)?);
        self.call(|volume, _| volume.hard_link(&from, to))
    }

    pub(crate) fn symlink(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(unsupported("symbolic links"))
    }

    /// No file is a symbolic link.
    pub(crate) fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.find(&path).and(Err(Refusal::Invalid)))
    }

    pub(crate) fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        let path = absolute(path)?;
        self.call(|volume, _| volume.find(&path).map(|_| path))
    }

    pub(crate) fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let path = absolute(path)?;
        self.metadata_of(|volume| volume.find(&path))
    }

    pub(crate) fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.metadata(path)
    }

    pub(crate) fn exists(&self, path: &Path) -> io::Result<bool> {
        let path = absolute(path)?;
        self.call(|volume, _| Ok::<_, Refusal>(volume.find(&path).is_ok()))
    }

    pub(crate) fn set_permissions(&self, path: &Path, permissions: Permissions) -> io::Result<()> {
        let path = absolute(path)?;
        self.call(|volume, _| {
            let node = volume.find(&path)?;
            volume.node(node).mode = scratch::mode(&permissions);
            Ok::<_, Refusal>(())
        })
    }

    pub(crate) fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.call(|volume, dice| {
            volume.answer(dice)?;
            volume.bytes(path, false)
        })
    }

    pub(crate) fn read_to_string(&self, path: &Path) -> io::Result<String> {
        String::from_utf8(self.read(path)?)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
    }

    pub(crate) fn write(&self, path: &Path, contents: &[u8]) -> io::Result<()> {
        let wish = Wish { write: true, create: true, truncate: true, ..Wish::default() };
        io::Write::write_all(&mut &self.open(path, &wish)?, contents)
    }

    pub(crate) fn copy(&self, from: &Path, to: &Path) -> io::Result<u64> {
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
    pub(crate) fn read_dir(&self, path: &Path) -> io::Result<Vec<Entry>> {
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
pub(crate) struct Entry {
    disk: Mounted,
    path: PathBuf,
    name: OsString,
    node: u64,
    file_type: FileType,
}

impl Entry {
    pub(crate) fn path(&self) -> PathBuf {
        self.path.clone()
    }

    pub(crate) fn file_name(&self) -> OsString {
        self.name.clone()
    }

    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.disk.metadata(&self.path)
    }

    /// It never fails, as that of std may.
    pub(crate) fn file_type(&self) -> io::Result<FileType> {
        Ok(self.file_type)
    }

    pub(crate) fn ino(&self) -> u64 {
        self.node
    }

    pub(crate) fn host(&self) -> usize {
        self.disk.host
    }
}
