//! The file system calls of a simulated disk, and the options for opening a file.

/// The kind and size of a file system call, from which a simulated disk draws the call's duration.
#[derive(Debug, Clone, Copy)]
pub enum Cost {
    /// A call on file names, or on a file's metadata.
    Name,
    /// A call that reads at most this many bytes.
    Read(usize),
    /// A call that writes this many bytes into memory, without waiting for the disk.
    Write(usize),
    /// A call that waits until data has reached the disk.
    Sync,
}

/// The options for opening a file.
///
/// A simulated disk has to inspect the options, which `std::fs::OpenOptions` does not allow.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// True if the file is opened for reading.
    pub read: bool,
    /// True if the file is opened for writing.
    pub write: bool,
    /// True if every write goes to the end of the file.
    pub append: bool,
    /// True if opening the file truncates it to zero bytes.
    pub truncate: bool,
    /// True if the file is created when there is none yet.
    pub create: bool,
    /// True if the file must be created, so that opening an existing file fails.
    pub create_new: bool,
    /// The permission bits of a newly created file, or `None` for the default.
    pub mode: Option<u32>,
    /// Additional flags to pass to the operating system's `open`.
    pub flags: i32,
    /// True if these options were converted from `std::fs::OpenOptions`, in which case the other
    /// fields are unknown.
    pub is_unknown: bool,
}
