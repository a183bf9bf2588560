//! Async versions of the standard library's functions for files and directories.

use crate::io::AsyncSeek;
use crate::io::door::{read_through_door, write_through_door};
use std::io::{self, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll};

pub use wsrt::fs::{
    DirBuilder, DirEntry, File, FileTimes, OpenOptions, ReadDir, canonicalize, copy, create_dir, create_dir_all,
    hard_link, metadata, read, read_dir, read_link, read_to_string, remove_dir, remove_dir_all, remove_file, rename,
    set_permissions, symlink, symlink_metadata, try_exists, write,
};

read_through_door!(File);
write_through_door!(File);

impl AsyncSeek for File {
    fn start_seek(self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        File::start_seek(self.get_mut(), position)
    }

    fn poll_complete(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        self.get_mut().poll_seek_complete(cx)
    }
}
