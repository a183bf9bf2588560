//! Calls of a file system, in the words in which a disk asks about them.

/// A call, by which a simulated disk draws how long it takes.
#[derive(Debug, Clone, Copy)]
pub enum Cost {
    /// A call on names, or on the data about a file.
    Name,
    /// A call that reads up to so many bytes.
    Read(usize),
    /// A call that writes so many bytes into memory.
    Write(usize),
    /// A call that waits for the disk.
    Sync,
}

/// The options of an opening, which std's options do not reveal.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// To read.
    pub read: bool,
    /// To write.
    pub write: bool,
    /// To write at the end.
    pub append: bool,
    /// To empty the file.
    pub truncate: bool,
    /// To create a file that is not there.
    pub create: bool,
    /// To fail if the file is there.
    pub create_new: bool,
    /// The permissions of a new file.
    pub mode: Option<u32>,
    /// The flags for the OS's `open`.
    pub flags: i32,
    /// True if they were made from std's options, so that nothing else is known of them.
    pub is_unknown: bool,
}
