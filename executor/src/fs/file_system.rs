//! The file system that a call goes to: the system's, or in a simulation the disk of the current
//! task's host. Without feature `sim` there is only the first.

use std::fs::{FileType, Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use super::open_options::OpenOptions;
use super::opened::Opened;
#[cfg(feature = "sim")]
use crate::scheduler::Context;
use crate::util::file_calls::Cost;

#[derive(Debug)]
pub(super) enum FileSystem {
    System,
    #[cfg(feature = "sim")]
    Simulated(wsrt_world::Mounted),
}

/// The functions of std, by the same names on a simulated disk.
macro_rules! calls {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => { $(
        pub(super) fn $name(&self, path: &Path $(, $argument: $type)*) -> io::Result<$output> {
            match self {
                Self::System => std::fs::$name(path $(, $argument)*),
                #[cfg(feature = "sim")]
                Self::Simulated(disk) => disk.$name(path $(, $argument)*),
            }
        }
    )* };
}

impl FileSystem {
    /// That of the task that calls. It fails in the tasks of a host that has crashed.
    pub(super) fn of_current_task() -> io::Result<Self> {
        #[cfg(feature = "sim")]
        if let Some(context) = Context::of_simulation() {
            let simulation = context.scheduler().simulation.as_ref();
            if let Some(disk) = simulation.map(|it| it.world().disk_of_current_task()).transpose()?.flatten() {
                return Ok(Self::Simulated(disk));
            }
        }
        Ok(Self::System)
    }

    /// Has the next blocking job of this thread take the time of a call. The job is to be begun
    /// right after it.
    pub(super) fn take_time(&self, cost: Cost) {
        match self {
            Self::System => _ = cost,
            #[cfg(feature = "sim")]
            Self::Simulated(disk) => take_time(disk.host(), cost),
        }
    }

    calls! {
        create_dir() -> ();
        create_dir_all() -> ();
        remove_dir() -> ();
        remove_dir_all() -> ();
        remove_file() -> ();
        rename(to: &Path) -> ();
        hard_link(to: &Path) -> ();
        read_link() -> PathBuf;
        canonicalize() -> PathBuf;
        metadata() -> Metadata;
        symlink_metadata() -> Metadata;
        exists() -> bool;
        set_permissions(permissions: Permissions) -> ();
        read() -> Vec<u8>;
        read_to_string() -> String;
        write(contents: &[u8]) -> ();
        copy(to: &Path) -> u64;
    }

    #[cfg(unix)]
    pub(super) fn symlink(&self, from: &Path, to: &Path) -> io::Result<()> {
        match self {
            Self::System => std::os::unix::fs::symlink(from, to),
            #[cfg(feature = "sim")]
            Self::Simulated(disk) => disk.symlink(from, to),
        }
    }

    pub(super) fn make_dir(&self, path: &Path, is_recursive: bool, mode: Option<u32>) -> io::Result<()> {
        match self {
            Self::System => {
                let mut builder = std::fs::DirBuilder::new();
                builder.recursive(is_recursive);
                #[cfg(unix)]
                if let Some(mode) = mode {
                    std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
                }
                builder.create(path)
            }
            #[cfg(feature = "sim")]
            Self::Simulated(disk) => disk.make_dir(path, is_recursive, mode),
        }
    }

    pub(super) fn open(&self, path: &Path, options: &OpenOptions) -> io::Result<Opened> {
        match self {
            Self::System => options.std().open(path).map(Opened::System),
            #[cfg(feature = "sim")]
            Self::Simulated(disk) => disk.open(path, &options.wish().into()).map(Opened::Simulated),
        }
    }

    pub(super) fn read_dir(&self, path: &Path) -> io::Result<Entries> {
        match self {
            Self::System => std::fs::read_dir(path).map(Entries::System),
            #[cfg(feature = "sim")]
            Self::Simulated(disk) => Ok(Entries::Simulated(disk.read_dir(path)?.into_iter())),
        }
    }
}

/// Has the next blocking job of this thread, which drives a simulation, take the time of a call on
/// this host's disk.
#[cfg(feature = "sim")]
pub(super) fn take_time(host: usize, cost: Cost) {
    if let Some(context) = Context::of_simulation() {
        if let Some(simulation) = &context.scheduler().simulation {
            simulation.take_disk_time(host, cost.into());
        }
    }
}

/// The entries of a directory that were not returned yet.
#[derive(Debug)]
pub(super) enum Entries {
    System(std::fs::ReadDir),
    #[cfg(feature = "sim")]
    Simulated(std::vec::IntoIter<wsrt_world::Entry>),
}

impl Iterator for Entries {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::System(entries) => entries.next().map(|entry| entry.map(Entry::System)),
            #[cfg(feature = "sim")]
            Self::Simulated(entries) => entries.next().map(|entry| Ok(Entry::Simulated(entry))),
        }
    }
}

/// One of them.
#[derive(Debug)]
pub(super) enum Entry {
    System(std::fs::DirEntry),
    #[cfg(feature = "sim")]
    Simulated(wsrt_world::Entry),
}

/// The methods of std's, by the same names on a simulated disk.
macro_rules! of_entry {
    ($($name:ident -> $output:ty;)*) => { $(
        pub(super) fn $name(&self) -> $output {
            match self {
                Self::System(entry) => entry.$name(),
                #[cfg(feature = "sim")]
                Self::Simulated(entry) => entry.$name(),
            }
        }
    )* };
}

impl Entry {
    of_entry! {
        path -> PathBuf;
        file_name -> std::ffi::OsString;
        metadata -> io::Result<Metadata>;
        file_type -> io::Result<FileType>;
    }

    #[cfg(unix)]
    pub(super) fn ino(&self) -> u64 {
        match self {
            Self::System(entry) => std::os::unix::fs::DirEntryExt::ino(entry),
            #[cfg(feature = "sim")]
            Self::Simulated(entry) => entry.ino(),
        }
    }

    /// Has the next blocking job of this thread take the time of a call on names.
    pub(super) fn take_time(&self) {
        match self {
            Self::System(_) => {}
            #[cfg(feature = "sim")]
            Self::Simulated(entry) => take_time(entry.host(), Cost::Name),
        }
    }
}
