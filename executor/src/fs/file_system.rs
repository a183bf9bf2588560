//! The file system that a call uses: the OS's or, in a simulation, the disk of the current task's
//! host.

use std::fs::{FileType, Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use super::open_options::OpenOptions;
use super::opened::Opened;
use crate::scheduler::Context;
use crate::scheduler::simulation::Simulation;
use crate::util::world::{self, Cost, Either, Mounted, either};

pub(super) type FileSystem = Either<(), Mounted>;

/// Generates std's functions, which a simulated disk offers under the same names.
macro_rules! calls {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => { $(
        pub(super) fn $name(&self, path: &Path $(, $argument: $type)*) -> io::Result<$output> {
            either!(self,
                System(()) => std::fs::$name(path $(, $argument)*), Simulated(disk) => disk.$name(path $(, $argument)*))
        }
    )* };
}

impl FileSystem {
    /// Returns the file system of the calling task. Fails in the tasks of a host that has crashed.
    pub(super) fn of_current_task() -> io::Result<Self> {
        let disk = with_simulation(Simulation::disk_of_current_task).transpose()?.flatten();
        Ok(disk.map_or(Self::System(()), Self::Simulated))
    }

    /// Makes this thread's next blocking job take the simulated time of a call. Start the job right
    /// after.
    pub(super) fn take_time(&self, cost: Cost) {
        either!(self, System(()) => _ = cost, Simulated(disk) => take_time(disk.host(), cost))
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
        either!(self,
            System(()) => std::os::unix::fs::symlink(from, to), Simulated(disk) => disk.symlink(from, to))
    }

    pub(super) fn make_dir(&self, path: &Path, is_recursive: bool, mode: Option<u32>) -> io::Result<()> {
        let make = || {
            let mut builder = std::fs::DirBuilder::new();
            builder.recursive(is_recursive);
            #[cfg(unix)]
            if let Some(mode) = mode {
                std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
            }
            builder.create(path)
        };
        either!(self, System(()) => make(), Simulated(disk) => disk.make_dir(path, is_recursive, mode))
    }

    pub(super) fn open(&self, path: &Path, options: &OpenOptions) -> io::Result<Opened> {
        either!(self,
            System(()) => options.std().open(path).map(Opened::System),
            Simulated(disk) => disk.open(path, options.wish()).map(Opened::Simulated))
    }

    pub(super) fn read_dir(&self, path: &Path) -> io::Result<Entries> {
        either!(self,
            System(()) => std::fs::read_dir(path).map(Entries::System),
            Simulated(disk) => Ok(Entries::Simulated(disk.read_dir(path)?.into_iter())))
    }
}

/// Calls `ask` with the simulation that this thread drives, if any.
fn with_simulation<R>(ask: impl FnOnce(&Simulation) -> R) -> Option<R> {
    Context::of_simulation()?.scheduler().simulation.as_ref().map(ask)
}

/// Makes the next blocking job of this thread, which drives a simulation, take the time of a call
/// on this host's disk.
#[allow(dead_code, reason = "only calls on a simulated disk take time")]
pub(super) fn take_time(host: usize, cost: Cost) {
    with_simulation(|simulation| simulation.take_disk_time(host, cost));
}

/// The remaining entries of a directory.
pub(super) type Entries = Either<std::fs::ReadDir, world::Entries>;

impl Iterator for Entries {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        either!(self,
            System(entries) => entries.next().map(|entry| entry.map(Entry::System)),
            Simulated(entries) => entries.next().map(|entry| Ok(Entry::Simulated(entry))))
    }
}

/// One entry of a directory.
pub(super) type Entry = Either<std::fs::DirEntry, world::Entry>;

/// Generates std's methods, which an entry of a simulated disk offers under the same names.
macro_rules! of_entry {
    ($($name:ident -> $output:ty;)*) => { $(
        pub(super) fn $name(&self) -> $output {
            either!(self, entry => entry.$name())
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
        use std::os::unix::fs::DirEntryExt;

        either!(self, entry => entry.ino())
    }

    /// Makes this thread's next blocking job take the simulated time of a call on names.
    pub(super) fn take_time(&self) {
        either!(self, System(_) => (), Simulated(entry) => take_time(entry.host(), Cost::Name))
    }
}
