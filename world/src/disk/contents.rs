//! The contents of a file: the bytes that readers see, and the bytes that survive a crash.
//!
//! A write changes what readers see at once. It reaches the disk when the file is synced, or when
//! so much is unsynced that the system writes the oldest data back. For each write in between, a
//! crash decides whether the write is kept, lost or torn. A sector is never torn.

use std::collections::VecDeque;

use super::dice::DiskDice;

const SECTOR: u64 = 512;
/// The maximum number of unsynced writes, and the maximum of their total length in bytes.
const MOST_CHANGES: usize = 1_024;
const MOST_BYTES: usize = 8 << 20;

#[derive(Default)]
pub(super) struct FileContents {
    now: Vec<u8>,
    kept: Vec<u8>,
    /// The changes that turn `kept` into `now`.
    unsynced: VecDeque<ContentChange>,
    unsynced_bytes: usize,
}

#[derive(Debug)]
enum ContentChange {
    Write { at: u64, bytes: Vec<u8> },
    Length(u64),
}

impl FileContents {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.now
    }

    /// Returns the bytes that are certain to survive a crash, even if everything unsynced is lost.
    pub(super) fn kept(&self) -> &[u8] {
        &self.kept
    }

    pub(super) fn length(&self) -> u64 {
        self.now.len() as u64
    }

    /// Copies bytes into `room`, starting at `at`, and returns the number of bytes copied.
    pub(super) fn read(&self, at: u64, room: &mut [u8]) -> usize {
        let rest = usize::try_from(at).ok().and_then(|at| self.now.get(at..)).unwrap_or_default();
        let count = rest.len().min(room.len());
        room[..count].copy_from_slice(&rest[..count]);
        count
    }

    pub(super) fn write(&mut self, at: u64, bytes: &[u8]) {
        self.unsynced_bytes += bytes.len();
        self.change(ContentChange::Write { at, bytes: bytes.to_vec() });
    }

    pub(super) fn set_length(&mut self, length: u64) {
        self.change(ContentChange::Length(length));
    }

    fn change(&mut self, change: ContentChange) {
        change.apply(&mut self.now);
        self.unsynced.push_back(change);
        while self.unsynced.len() > MOST_CHANGES || self.unsynced_bytes > MOST_BYTES {
            let Some(oldest) = self.unsynced.pop_front() else { return };
            self.unsynced_bytes -= oldest.length();
            oldest.apply(&mut self.kept);
        }
    }

    /// Writes all unsynced changes to the disk.
    pub(super) fn sync(&mut self) {
        self.unsynced_bytes = 0;
        self.unsynced.drain(..).for_each(|change| change.apply(&mut self.kept));
    }

    /// Applies a crash: the contents become what the disk has kept.
    pub(super) fn crash(&mut self, dice: &mut DiskDice) {
        self.give_up(dice);
        self.now.clone_from(&self.kept);
    }

    /// Gives up all unsynced writes, because of a crash or a failed sync. Each write reaches the
    /// disk entirely, partly or not at all.
    pub(super) fn give_up(&mut self, dice: &mut DiskDice) {
        self.unsynced_bytes = 0;
        let mut changes = std::mem::take(&mut self.unsynced);
        match dice.below(3) {
            0 => {}
            // They have come to the disk in their order.
            1 => {
                let whole = dice.below(changes.len() + 1);
                changes.drain(..whole).for_each(|change| change.apply(&mut self.kept));
                changes.drain(..).take(1).for_each(|change| change.tear(dice).apply(&mut self.kept));
            }
            _ => changes.drain(..).for_each(|change| match dice.below(3) {
                0 => {}
                1 => change.apply(&mut self.kept),
                _ => change.tear(dice).apply(&mut self.kept),
            }),
        }
    }
}

impl ContentChange {
    fn length(&self) -> usize {
        match self {
            Self::Write { bytes, .. } => bytes.len(),
            Self::Length(_) => 0,
        }
    }

    fn apply(&self, to: &mut Vec<u8>) {
        match self {
            Self::Write { at, bytes } => {
                let (at, end) = (*at as usize, *at as usize + bytes.len());
                if to.len() < end && !bytes.is_empty() {
                    to.resize(end, 0);
                }
                if !bytes.is_empty() {
                    to[at..end].copy_from_slice(bytes);
                }
            }
            Self::Length(length) => to.resize(*length as usize, 0),
        }
    }

    /// Returns the first sectors of a write. A change that only sets the length cannot be torn.
    fn tear(self, dice: &mut DiskDice) -> Self {
        let Self::Write { at, mut bytes } = self else { return self };
        let first_end = SECTOR - at % SECTOR;
        let ends = (bytes.len() as u64).saturating_sub(first_end).div_ceil(SECTOR);
        let whole = dice.below(ends as usize + 1) as u64;
        let left = if whole == 0 { 0 } else { first_end + (whole - 1) * SECTOR };
        bytes.truncate(left as usize);
        Self::Write { at, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_write_keeps_whole_sectors_of_the_file() {
        let mut dice = DiskDice::new(7);
        let mut lengths = std::collections::BTreeSet::new();
        for _ in 0..1_000 {
            let torn = ContentChange::Write { at: 500, bytes: vec![1; 1_100] }.tear(&mut dice);
            lengths.insert(torn.length());
        }
        // The write ends at 1,600: in the middle of the sector that begins with 1,536.
        assert_eq!(lengths.into_iter().collect::<Vec<_>>(), [0, 12, 524, 1_036]);
        assert_eq!(
            ContentChange::Write { at: 512, bytes: vec![1; 512] }.tear(&mut dice).length(),
            0,
            "one sector is not torn"
        );
    }

    #[test]
    fn old_writes_are_written_back_without_a_sync() {
        let mut contents = FileContents::default();
        (0..MOST_CHANGES as u64 + 3).for_each(|at| contents.write(at, &[1]));
        assert_eq!((contents.kept().len(), contents.length()), (3, MOST_CHANGES as u64 + 3));
        contents.write(0, &vec![2; MOST_BYTES]);
        assert!(contents.unsynced_bytes <= MOST_BYTES);
        contents.sync();
        assert_eq!((contents.unsynced_bytes, contents.kept()), (0, contents.bytes()));
    }
}
