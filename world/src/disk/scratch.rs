//! Creates `Metadata` for simulated files. The standard library creates `Metadata` only from real
//! files, so one real file and one real directory without names provide it.

use std::fs::{File, FileTimes, FileType, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::SystemTime;

use super::volume::DiskNode;

/// A real file and a real directory, created on first use.
#[derive(Default)]
pub(super) struct Scratch {
    file: Option<File>,
    directory: Option<File>,
}

impl Scratch {
    /// Returns metadata with the length, the permissions, the type and the timestamps of the node.
    pub(super) fn metadata(&mut self, node: &DiskNode) -> io::Result<Metadata> {
        let place = self.place(node.is_directory())?;
        if !node.is_directory() {
            place.set_len(node.length())?;
        }
        place.set_permissions(permissions(place, node.mode)?)?;
        place.set_times(FileTimes::new().set_modified(node.modified).set_accessed(node.accessed))?;
        place.metadata()
    }

    pub(super) fn file_type(&mut self, is_directory: bool) -> io::Result<FileType> {
        Ok(self.place(is_directory)?.metadata()?.file_type())
    }

    /// Returns the modification and access times that `times` would set on the file `node`.
    pub(super) fn times(&mut self, node: &DiskNode, times: FileTimes) -> io::Result<(SystemTime, SystemTime)> {
        let place = self.place(false)?;
        place.set_times(FileTimes::new().set_modified(node.modified).set_accessed(node.accessed))?;
        place.set_times(times)?;
        let shown = place.metadata()?;
        Ok((shown.modified()?, shown.accessed()?))
    }

    fn place(&mut self, is_directory: bool) -> io::Result<&File> {
        let (place, make): (_, fn() -> io::Result<File>) =
            if is_directory { (&mut self.directory, make_directory) } else { (&mut self.file, make_file) };
        if place.is_none() {
            *place = Some(make()?);
        }
        Ok(place.as_ref().expect("it was made"))
    }
}

/// Returns a new name for temporary use.
fn name() -> PathBuf {
    /// Relaxed: no two are alike.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    std::env::temp_dir().join(format!("wsrt-scratch-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed)))
}

/// Creates something under a new name, skipping names that a killed process has left behind.
fn make<T>(create: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, PathBuf)> {
    loop {
        let name = name();
        match create(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|created| (created, name)),
        }
    }
}

fn make_file() -> io::Result<File> {
    let (file, name) = make(|name| OpenOptions::new().read(true).write(true).create_new(true).open(name))?;
    std::fs::remove_file(name)?;
    Ok(file)
}

/// Creates an empty file that is open only for reading.
pub(super) fn make_empty_file() -> io::Result<File> {
    let (_, name) = make(|name| OpenOptions::new().write(true).create_new(true).open(name))?;
    let file = File::open(&name);
    std::fs::remove_file(name)?;
    file
}

fn make_directory() -> io::Result<File> {
    let ((), name) = make(|name| std::fs::create_dir(name))?;
    let directory = File::open(&name);
    std::fs::remove_dir(name)?;
    directory
}

#[cfg(unix)]
fn permissions(_: &File, mode: u32) -> io::Result<Permissions> {
    Ok(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn permissions(place: &File, mode: u32) -> io::Result<Permissions> {
    let mut permissions = place.metadata()?.permissions();
    permissions.set_readonly(mode & 0o222 == 0);
    Ok(permissions)
}

/// Returns the permission bits as a number.
#[cfg(unix)]
pub(super) fn mode(permissions: &Permissions) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(permissions) & 0o7777
}

#[cfg(not(unix))]
pub(super) fn mode(permissions: &Permissions) -> u32 {
    if permissions.readonly() { 0o444 } else { 0o644 }
}
