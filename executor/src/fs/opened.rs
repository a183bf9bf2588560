//! An open file: of the system, or in a simulation of a host's disk.

use std::fs::{FileTimes, Metadata, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::util::world::{Cost, Either, OpenFile, either};

pub(super) type Opened = Either<std::fs::File, OpenFile>;

/// The methods of std's, by the same names on a simulated disk.
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

    /// Lets the next blocking job of this thread take the time of a call. The job is to be begun
    /// right after it.
    pub(super) fn take_time(&self, cost: Cost) {
        either!(self, System(_) => _ = cost, Simulated(file) => super::file_system::take_time(file.host(), cost))
    }

    /// The system's file: for one of a simulated disk a stand-in, with a descriptor and without
    /// contents.
    pub(super) fn system_file(&self) -> &std::fs::File {
        either!(self, System(file) => file, Simulated(file) => file.stand_in())
    }

    /// Returns whether the file is the system's.
    pub(super) fn is_of_system(&self) -> bool {
        matches!(self, Self::System(_))
    }

    /// # Panics
    ///
    /// If it is a file of a simulated disk.
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
