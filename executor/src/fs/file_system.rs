//! The file system that a call uses: the OS's or, in a simulation, the disk of the current task's
//! host.

use std::fs::{FileTimes, FileType, Metadata, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::fs::open_options::OpenOptions;
use crate::scheduler::Context;
use crate::scheduler::simulation::Simulation;
use crate::util::world::{self, Cost, Either, Mounted, OpenFile, either};

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
pub(super) type Entry = Either<std::fs::DirEntry, world::DirectoryEntry>;

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

pub(super) type Opened = Either<std::fs::File, OpenFile>;

/// Generates std's methods, which a simulated disk offers under the same names.
macro_rules! calls {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => { $(
        pub(super) fn $name(&self $(, $argument: $type)*) -> io::Result<$output> {
            either!(self, file => file.$name($($argument),*))
        }
    )* };
}

impl Opened {
    calls! {
        sync_all() -> ();
        sync_data() -> ();
        set_len(length: u64) -> ();
        metadata() -> Metadata;
        set_permissions(permissions: Permissions) -> ();
        set_times(times: FileTimes) -> ();
    }

    #[cfg(unix)]
    pub(super) fn read_at(&self, room: &mut [u8], offset: u64) -> io::Result<usize> {
        use std::os::unix::fs::FileExt;

        either!(self, file => file.read_at(room, offset))
    }

    #[cfg(unix)]
    pub(super) fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        use std::os::unix::fs::FileExt;

        either!(self, file => file.write_at(bytes, offset))
    }

    pub(super) fn try_clone(&self) -> io::Result<Self> {
        either!(self,
            System(file) => file.try_clone().map(Self::System), Simulated(file) => Ok(Self::Simulated(file.clone())))
    }

    /// Makes this thread's next blocking job take the simulated time of a call. Start the job right
    /// after.
    pub(super) fn take_time(&self, cost: Cost) {
        either!(self, System(_) => _ = cost, Simulated(file) => super::file_system::take_time(file.host(), cost))
    }

    /// Returns the OS's file. A file of a simulated disk has a stand-in, with a descriptor but no
    /// contents.
    pub(super) fn system_file(&self) -> &std::fs::File {
        either!(self, System(file) => file, Simulated(file) => file.stand_in())
    }

    /// Returns whether the file is the OS's.
    pub(super) fn is_of_system(&self) -> bool {
        matches!(self, Self::System(_))
    }

    /// # Panics
    ///
    /// Panics if the file is on a simulated disk.
    pub(super) fn into_system_file(self) -> std::fs::File {
        either!(self,
            System(file) => file,
            Simulated(_) => panic!("wsrt: this file is on the disk of a simulated host: std has none for it"))
    }
}

impl Read for &Opened {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        either!(self, file => (&*file).read(room))
    }
}

impl Write for &Opened {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        either!(self, file => (&*file).write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        either!(self, file => (&*file).flush())
    }
}

impl Seek for &Opened {
    fn seek(&mut self, target: SeekFrom) -> io::Result<u64> {
        either!(self, file => (&*file).seek(target))
    }
}
