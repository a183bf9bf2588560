//! The names on a disk: the names that programs see, the names that are certain to survive a crash,
//! and the journal of changes between the two.
//!
//! The journal is ordered. A crash keeps a number of changes from its beginning, each of them
//! entirely, and loses all later ones. Syncing a directory writes its changes to the disk, together
//! with all earlier changes.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use super::dice::DiskDice;
use super::path_table::PathTable;

/// The node of the root directory.
pub(super) const ROOT: u64 = 1;
/// The maximum number of unsynced changes. Beyond that, the oldest changes are written to the disk.
const MOST_CHANGES: usize = 1_024;

pub(super) struct DiskNames {
    now: PathTable,
    kept: PathTable,
    journal: VecDeque<JournalEntry>,
}

/// A change of names, with the directories that it changes.
struct JournalEntry {
    change: NameChange,
    directories: [u64; 2],
}

enum NameChange {
    Link {
        path: PathBuf,
        node: u64,
    },
    Unlink(PathBuf),
    /// Renames a file or a directory with everything in it. The target may be an existing file or
    /// empty directory, which is replaced.
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
}

impl DiskNames {
    pub(super) fn new() -> Self {
        let mut table = PathTable::default();
        table.insert(PathBuf::from("/"), ROOT);
        Self { now: table.clone(), kept: table, journal: VecDeque::new() }
    }

    pub(super) fn get(&self, path: &Path) -> Option<u64> {
        self.now.get(path)
    }

    /// Returns the node that is certain to be at this path after a crash.
    pub(super) fn kept(&self, path: &Path) -> Option<u64> {
        self.kept.get(path)
    }

    /// Returns the path and everything below it, with each directory before its contents.
    pub(super) fn within(&self, path: &Path) -> Vec<(PathBuf, u64)> {
        self.now.within(path).map(|(path, node)| (path.to_path_buf(), node)).collect()
    }

    /// Returns the contents of a directory, sorted by name.
    pub(super) fn children(&self, directory: &Path) -> Vec<(PathBuf, u64)> {
        let all = self.now.within(directory).filter(|(path, _)| path.parent() == Some(directory));
        all.map(|(path, node)| (path.to_path_buf(), node)).collect()
    }

    pub(super) fn link(&mut self, path: PathBuf, node: u64) {
        let directories = [self.parent(&path); 2];
        self.change(NameChange::Link { path, node }, directories);
    }

    pub(super) fn unlink(&mut self, path: PathBuf) {
        let directories = [self.parent(&path); 2];
        self.change(NameChange::Unlink(path), directories);
    }

    pub(super) fn rename(&mut self, from: PathBuf, to: PathBuf) {
        let directories = [self.parent(&from), self.parent(&to)];
        self.change(NameChange::Rename { from, to }, directories);
    }

    fn parent(&self, path: &Path) -> u64 {
        path.parent().and_then(|parent| self.get(parent)).unwrap_or(ROOT)
    }

    fn change(&mut self, change: NameChange, directories: [u64; 2]) {
        change.apply(&mut self.now);
        self.journal.push_back(JournalEntry { change, directories });
        if self.journal.len() > MOST_CHANGES {
            self.commit(1);
        }
    }

    fn commit(&mut self, count: usize) {
        self.journal.drain(..count).for_each(|entry| entry.change.apply(&mut self.kept));
    }

    /// Writes the changes in this directory to the disk, together with all earlier changes.
    pub(super) fn sync(&mut self, directory: u64) {
        let last = self.journal.iter().rposition(|entry| entry.directories.contains(&directory));
        self.commit(last.map_or(0, |last| last + 1));
    }

    pub(super) fn sync_all(&mut self) {
        self.commit(self.journal.len());
    }

    /// Applies a crash: the names become what the disk has kept.
    pub(super) fn crash(&mut self, dice: &mut DiskDice) {
        let count = match dice.below(3) {
            0 => 0,
            1 => self.journal.len(),
            _ => dice.below(self.journal.len() + 1),
        };
        self.commit(count);
        self.journal.clear();
        self.now.clone_from(&self.kept);
    }

    /// Returns whether programs can see a name for this node.
    pub(super) fn is_named(&self, node: u64) -> bool {
        self.now.is_named(node)
    }

    /// Returns the nodes that have no name now, and that cannot have one after a crash.
    pub(super) fn nameless(&self, nodes: &BTreeSet<u64>) -> Vec<u64> {
        let linked: BTreeSet<_> = self.journal.iter().filter_map(|entry| entry.change.linked()).collect();
        let has_name = |node| self.now.is_named(node) || self.kept.is_named(node) || linked.contains(&node);
        nodes.iter().copied().filter(|&node| !has_name(node)).collect()
    }
}

impl NameChange {
    /// Returns the node that the change gives a name to.
    fn linked(&self) -> Option<u64> {
        match self {
            Self::Link { node, .. } => Some(*node),
            Self::Unlink(_) | Self::Rename { .. } => None,
        }
    }

    fn apply(&self, table: &mut PathTable) {
        match self {
            Self::Link { path, node } => table.insert(path.clone(), *node),
            Self::Unlink(path) => _ = table.remove(path),
            Self::Rename { from, to } => {
                let moved: Vec<_> = table.within(from).map(|(path, node)| (path.to_path_buf(), node)).collect();
                for (path, node) in moved {
                    table.remove(&path);
                    let rest = path.strip_prefix(from).unwrap_or(Path::new(""));
                    let path = if rest.as_os_str().is_empty() { to.clone() } else { to.join(rest) };
                    table.insert(path, node);
                }
            }
        }
    }
}
