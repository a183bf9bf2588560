//! An open file of the OS or, in a simulation, of a host's disk.

use std::fs::{FileTimes, Metadata, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::util::world::{Cost, Either, OpenFile, either};

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
