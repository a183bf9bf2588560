//! The operations on open files.

use std::io::SeekFrom;
use std::path::PathBuf;
use std::time::SystemTime;

use super::dice::DiskDice;
use super::refusal::Refusal;
use super::volume::{NodeKind, Volume};
use crate::disk::Wish;

/// The maximum length of a file in bytes. The limit exists because contents are kept in memory.
const MOST_LENGTH: u64 = 4 << 30;

type Result<T> = std::result::Result<T, Refusal>;

/// Returns an error if the options contradict each other, by the same rules as the standard
/// library.
fn check(wish: &Wish) -> Result<()> {
    let is_for_nothing = !(wish.read || wish.write || wish.append);
    let changes = wish.truncate || wish.create || wish.create_new;
    let is_contradiction = match (wish.write, wish.append) {
        (true, false) => false,
        (false, false) => changes,
        (_, true) => wish.truncate && !wish.create_new,
    };
    if is_for_nothing || is_contradiction { Err(Refusal::Invalid) } else { Ok(()) }
}

impl Volume {
    /// Opens the file at an absolute path, and returns the number of the open file.
    pub(super) fn open(&mut self, path: PathBuf, wish: &Wish) -> Result<u64> {
        check(wish)?;
        let node = match self.names.get(&path) {
            Some(_) if wish.create_new => return Err(Refusal::Exists),
            Some(node) => node,
            None if wish.create || wish.create_new => self.add_file(path, wish.mode.unwrap_or(0o666))?,
            None => self.find(&path)?,
        };
        if self.node(node).is_directory() && (wish.write || wish.append || wish.create) {
            return Err(Refusal::IsDirectory);
        }
        if wish.truncate && !wish.create_new {
            self.set_length(node, 0)?;
        }
        Ok(self.add_open(node))
    }

    /// Closes an open file whose last handle has been dropped.
    pub(super) fn close(&mut self, open: u64) {
        let Some(closed) = self.opens.remove(&open) else { return };
        if !self.names.is_named(closed.node) {
            self.release(closed.node);
            self.sweep();
        }
    }

    /// Reads at `at`, or at the file's position, which then advances. Returns the number of bytes
    /// read.
    pub(super) fn read(&mut self, open: u64, room: &mut [u8], at: Option<u64>, dice: &mut DiskDice) -> Result<usize> {
        self.answer(dice)?;
        let (node, position) = self.place(open)?;
        let node = self.node(node);
        let count = node.contents()?.read(at.unwrap_or(position), room);
        node.accessed = SystemTime::now();
        self.advance(open, at, position + count as u64);
        Ok(count)
    }

    /// Writes at `at`, at the file's position, or at the end of the file. Returns the number of
    /// bytes written, which is limited by the free space.
    pub(super) fn write(&mut self, open: u64, bytes: &[u8], at: Option<u64>, wish: &Wish) -> Result<usize> {
        let (number, position) = self.place(open)?;
        if bytes.is_empty() {
            return Ok(0);
        }
        let length = self.node(number).length();
        let start = if wish.append { length } else { at.unwrap_or(position) };
        let end = start.checked_add(bytes.len() as u64).filter(|&end| end <= MOST_LENGTH).ok_or(Refusal::TooLarge)?;
        let missing = end.saturating_sub(length);
        let room = self.take_room(missing);
        let count = bytes.len().saturating_sub((missing - room) as usize);
        if count == 0 {
            self.give_room(room);
            return Err(Refusal::Full);
        }
        let node = self.node(number);
        node.contents()?.write(start, &bytes[..count]);
        node.modified = SystemTime::now();
        self.advance(open, at, start + count as u64);
        Ok(count)
    }

    /// Writes a file, or the names in a directory, to the disk. After an error, the system gives up
    /// the writes that it has tried, so that a second sync succeeds without them.
    pub(super) fn sync(&mut self, open: u64, dice: &mut DiskDice) -> Result<()> {
        let (number, _) = self.place(open)?;
        let answer = self.answer(dice);
        match (&mut self.node(number).kind, answer) {
            (NodeKind::File(contents), Ok(())) => contents.sync(),
            (NodeKind::File(contents), Err(_)) => contents.give_up(dice),
            (NodeKind::Directory, Ok(())) => {
                self.names.sync(number);
                self.sweep();
            }
            (NodeKind::Directory, Err(_)) => {}
        }
        answer
    }

    pub(super) fn set_length(&mut self, number: u64, length: u64) -> Result<()> {
        if length > MOST_LENGTH {
            return Err(Refusal::TooLarge);
        }
        let before = self.node(number).length();
        let missing = length.saturating_sub(before);
        let room = self.take_room(missing);
        if room < missing {
            self.give_room(room);
            return Err(Refusal::Full);
        }
        let node = self.node(number);
        node.contents()?.set_length(length);
        node.modified = SystemTime::now();
        self.give_room(before.saturating_sub(length));
        Ok(())
    }

    pub(super) fn seek(&mut self, open: u64, target: SeekFrom) -> Result<u64> {
        let (node, position) = self.place(open)?;
        let length = self.node(node).length();
        let sought = match target {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => length.checked_add_signed(by),
            SeekFrom::Current(by) => position.checked_add_signed(by),
        };
        let sought = sought.filter(|&at| i64::try_from(at).is_ok()).ok_or(Refusal::Invalid)?;
        self.advance(open, None, sought);
        Ok(sought)
    }

    /// Returns the node of an open file, and the file's position.
    pub(super) fn place(&self, open: u64) -> Result<(u64, u64)> {
        self.opens.get(&open).map(|open| (open.node, open.position)).ok_or(Refusal::Failed)
    }

    fn advance(&mut self, open: u64, at: Option<u64>, to: u64) {
        if let Some(open) = self.opens.get_mut(&open).filter(|_| at.is_none()) {
            open.position = to;
        }
    }
}
