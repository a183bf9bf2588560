//! Calls of a file system, in the words in which a simulated disk asks about them.

/// A call, by which a simulated disk draws how long it takes.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "sim"), expect(dead_code, reason = "only a simulated disk takes a time that is drawn"))]
pub(crate) enum Cost {
    /// One on names, or on the data about a file.
    Name,
    /// One that reads up to so many bytes.
    Read(usize),
    /// One that writes so many, into memory.
    Write(usize),
    /// One that waits for the disk.
    Sync,
}

/// The options of an opening, which std's options do not reveal.
#[derive(Debug, Clone, Default)]
#[cfg_attr(not(feature = "sim"), expect(dead_code, reason = "only a simulated disk reads them"))]
pub(crate) struct Wish {
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) append: bool,
    pub(crate) truncate: bool,
    pub(crate) create: bool,
    pub(crate) create_new: bool,
    pub(crate) mode: Option<u32>,
    /// The flags for the OS's `open`.
    pub(crate) flags: i32,
    /// True if they were made from std's options, so that nothing else is known of them.
    pub(crate) is_unknown: bool,
}

#[cfg(feature = "sim")]
impl From<Cost> for wsrt_world::Cost {
    fn from(cost: Cost) -> Self {
        match cost {
            Cost::Name => Self::Name,
            Cost::Read(bytes) => Self::Read(bytes),
            Cost::Write(bytes) => Self::Write(bytes),
            Cost::Sync => Self::Sync,
        }
    }
}

#[cfg(feature = "sim")]
impl From<&Wish> for wsrt_world::Wish {
    fn from(wish: &Wish) -> Self {
        let Wish { read, write, append, truncate, create, create_new, mode, flags, is_unknown } = *wish;
        Self { read, write, append, truncate, create, create_new, mode, flags, is_unknown }
    }
}
