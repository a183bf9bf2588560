//! An open file: one of the system's, or in a simulation one of a host's disk. Without feature
//! `sim` there is only the first.

use std::fs::{FileTimes, Metadata, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};

#[cfg(feature = "sim")]
use super::file_system::take_time;
use crate::util::file_calls::Cost;
#[cfg(feature = "sim")]
use wsrt_world::OpenFile;

pub(super) enum Opened {
    System(std::fs::File),
    #[cfg(feature = "sim")]
    Simulated(OpenFile),
}

/// The methods of std's, by the same names on a simulated disk.
macro_rules! calls {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => { $(
        pub(super) fn $name(&self $(, $argument: $type)*) -> io::Result<$output> {
            match self {
                Self::System(file) => file.$name($($argument),*),
                #[cfg(feature = "sim")]
                Self::Simulated(file) => file.$name($($argument),*),
            }
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
        match self {
            Self::System(file) => std::os::unix::fs::FileExt::read_at(file, room, offset),
            #[cfg(feature = "sim")]
            Self::Simulated(file) => file.read_at(room, offset),
        }
    }

    #[cfg(unix)]
    pub(super) fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::System(file) => std::os::unix::fs::FileExt::write_at(file, bytes, offset),
            #[cfg(feature = "sim")]
            Self::Simulated(file) => file.write_at(bytes, offset),
        }
    }

    pub(super) fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::System(file) => file.try_clone().map(Self::System),
            #[cfg(feature = "sim")]
            Self::Simulated(file) => Ok(Self::Simulated(file.clone())),
        }
    }

    /// Has the next blocking job of this thread take the time of a call. The job is to be begun
    /// right after it.
    pub(super) fn take_time(&self, cost: Cost) {
        match self {
            Self::System(_) => _ = cost,
            #[cfg(feature = "sim")]
            Self::Simulated(file) => take_time(file.host(), cost),
        }
    }

    /// The system's file: for one of a simulated disk a stand-in, with a descriptor and without
    /// contents.
    pub(super) fn system_file(&self) -> &std::fs::File {
        match self {
            Self::System(file) => file,
            #[cfg(feature = "sim")]
            Self::Simulated(file) => file.stand_in(),
        }
    }

    /// Whether it is the system's.
    pub(super) fn is_of_system(&self) -> bool {
        #[cfg(feature = "sim")]
        return matches!(self, Self::System(_));
        #[cfg(not(feature = "sim"))]
        true
    }

    /// # Panics
    ///
    /// If it is a file of a simulated disk.
    pub(super) fn into_system_file(self) -> std::fs::File {
        match self {
            Self::System(file) => file,
            #[cfg(feature = "sim")]
            Self::Simulated(_) => panic!("wsrt: this file is on the disk of a simulated host: std has none for it"),
        }
    }
}

impl Read for &Opened {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        match self {
            Opened::System(file) => (&*file).read(room),
            #[cfg(feature = "sim")]
            Opened::Simulated(file) => (&*file).read(room),
        }
    }
}

impl Write for &Opened {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Opened::System(file) => (&*file).write(bytes),
            #[cfg(feature = "sim")]
            Opened::Simulated(file) => (&*file).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Opened::System(file) => (&*file).flush(),
            #[cfg(feature = "sim")]
            Opened::Simulated(file) => (&*file).flush(),
        }
    }
}

impl Seek for &Opened {
    fn seek(&mut self, target: SeekFrom) -> io::Result<u64> {
        match self {
            Opened::System(file) => (&*file).seek(target),
            #[cfg(feature = "sim")]
            Opened::Simulated(file) => (&*file).seek(target),
        }
    }
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::System(file) => file.fmt(f),
            #[cfg(feature = "sim")]
            Self::Simulated(file) => file.fmt(f),
        }
    }
}
