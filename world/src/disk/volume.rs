//! The disk of one host: the names, and the files and directories that they refer to.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use super::contents::FileContents;
use super::dice::DiskDice;
use super::names::{DiskNames, ROOT};
use super::refusal::Refusal;

/// The default capacity of a disk in bytes.
const CAPACITY: u64 = 1 << 30;
/// The permission bits that newly created files and directories do not get.
const UMASK: u32 = 0o022;

type Result<T> = std::result::Result<T, Refusal>;

pub(super) struct Volume {
    /// The number of crashes of the host. A file that was opened before a crash cannot be used
    /// after it.
    pub(super) crashes: u64,
    pub(super) names: DiskNames,
    pub(super) nodes: BTreeMap<u64, DiskNode>,
    next_node: u64,
    pub(super) opens: BTreeMap<u64, OpenDescription>,
    next_open: u64,
    /// The nodes without a name, which are kept because they are open or because a crash may
    /// restore a name.
    orphans: BTreeSet<u64>,
    capacity: u64,
    /// The total length in bytes of all files that have a name or are open.
    used: u64,
    /// The fraction of calls on the disk that fail, as set by the program.
    pub(super) failing: f64,
    /// The factor by which calls are slowed down, as set by the program.
    pub(super) slowness: u32,
    /// The faults that the run has injected, in addition to those that the program has set.
    pub(super) injected: Injected,
}

/// Temporary faults of a disk, as injected by the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Injected {
    pub(crate) is_full: bool,
    pub(crate) failing: f64,
    pub(crate) slowness: u32,
}

impl Default for Injected {
    fn default() -> Self {
        Self { is_full: false, failing: 0.0, slowness: 1 }
    }
}

pub(super) struct DiskNode {
    pub(super) kind: NodeKind,
    pub(super) mode: u32,
    pub(super) modified: SystemTime,
    pub(super) accessed: SystemTime,
}

pub(super) enum NodeKind {
    Directory,
    File(FileContents),
}

/// An open file, which is shared by all clones of a handle.
pub(super) struct OpenDescription {
    pub(super) node: u64,
    pub(super) position: u64,
}

impl DiskNode {
    fn new(kind: NodeKind, mode: u32) -> Self {
        let now = SystemTime::now();
        Self { kind, mode: mode & !UMASK, modified: now, accessed: now }
    }

    pub(super) fn contents(&mut self) -> Result<&mut FileContents> {
        match &mut self.kind {
            NodeKind::File(contents) => Ok(contents),
            NodeKind::Directory => Err(Refusal::IsDirectory),
        }
    }

    pub(super) fn is_directory(&self) -> bool {
        matches!(self.kind, NodeKind::Directory)
    }

    pub(super) fn length(&self) -> u64 {
        match &self.kind {
            NodeKind::File(contents) => contents.length(),
            NodeKind::Directory => 0,
        }
    }
}

/// Returns the absolute path without `.` and `..`, which is possible because there are no symbolic
/// links. Relative paths start at the root.
pub(super) fn absolute(path: &Path) -> Result<PathBuf> {
    if path.as_os_str().is_empty() {
        return Err(Refusal::Missing);
    }
    let mut absolute = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => absolute.push(name),
            Component::ParentDir => _ = absolute.pop(),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    Ok(absolute)
}

impl Volume {
    /// Creates an empty disk with the directory `/tmp`.
    pub(super) fn new() -> Self {
        let mut volume = Self {
            crashes: 0,
            names: DiskNames::new(),
            nodes: BTreeMap::from([(ROOT, DiskNode::new(NodeKind::Directory, 0o755))]),
            next_node: ROOT + 1,
            opens: BTreeMap::new(),
            next_open: 0,
            orphans: BTreeSet::new(),
            capacity: CAPACITY,
            used: 0,
            failing: 0.0,
            slowness: 1,
            injected: Injected::default(),
        };
        volume.add("/tmp".into(), NodeKind::Directory, 0o777);
        volume.names.sync_all();
        volume
    }

    /// Deletes everything on the disk, but keeps its capacity and its faults.
    pub(super) fn wipe(&mut self) {
        let Self { crashes, next_open, capacity, failing, slowness, injected, .. } = *self;
        *self = Self { crashes: crashes + 1, next_open, capacity, failing, slowness, injected, ..Self::new() };
    }

    pub(super) fn set_capacity(&mut self, bytes: u64) {
        self.capacity = bytes;
    }

    /// Applies a crash: what was synced stays, and the dice decide about the rest.
    pub(super) fn crash(&mut self, dice: &mut DiskDice) {
        self.crashes += 1;
        self.opens.clear();
        self.names.crash(dice);
        self.orphans = self.nodes.keys().copied().collect();
        self.sweep();
        self.orphans.clear();
        for node in self.nodes.values_mut() {
            if let NodeKind::File(contents) = &mut node.kind {
                contents.crash(dice);
            }
        }
        self.used = self.nodes.values().map(DiskNode::length).sum();
    }

    /// Drops the nodes that have no name and are not open.
    pub(super) fn sweep(&mut self) {
        for node in self.names.nameless(&self.orphans) {
            if !self.is_open(node) {
                self.orphans.remove(&node);
                self.nodes.remove(&node);
            }
        }
    }

    fn is_open(&self, node: u64) -> bool {
        self.opens.values().any(|open| open.node == node)
    }

    /// Updates the used space after a node has lost a name or has been closed. The bytes of a node
    /// that can no longer be reached become free.
    pub(super) fn release(&mut self, node: u64) {
        if self.names.is_named(node) {
            return;
        }
        self.orphans.insert(node);
        if !self.is_open(node) {
            self.give_room(self.nodes.get(&node).map_or(0, DiskNode::length));
        }
    }

    pub(super) fn give_room(&mut self, bytes: u64) {
        self.used -= bytes;
    }

    /// Reserves space for up to `bytes` more bytes, and returns how many bytes there was space for.
    pub(super) fn take_room(&mut self, bytes: u64) -> u64 {
        let capacity = if self.injected.is_full { 0 } else { self.capacity };
        let room = capacity.saturating_sub(self.used).min(bytes);
        self.used += room;
        room
    }

    /// Returns an error if the disk's faults make this call fail.
    pub(super) fn answer(&self, dice: &mut DiskDice) -> Result<()> {
        if dice.happens(self.failing.max(self.injected.failing)) { Err(Refusal::Failed) } else { Ok(()) }
    }

    pub(super) fn node(&mut self, number: u64) -> &mut DiskNode {
        self.nodes.get_mut(&number).expect("the nodes that have names or are open are there")
    }

    /// Returns the node at an absolute path.
    pub(super) fn find(&mut self, path: &Path) -> Result<u64> {
        match self.names.get(path) {
            Some(node) => Ok(node),
            None => Err(self.no_node(path)),
        }
    }

    /// Returns why there is no node at the path: a file is where a directory should be, or the path
    /// does not exist.
    fn no_node(&mut self, path: &Path) -> Refusal {
        let nearest = path.ancestors().find_map(|path| self.names.get(path)).unwrap_or(ROOT);
        if self.node(nearest).is_directory() { Refusal::Missing } else { Refusal::NotDirectory }
    }

    /// Returns an error unless something can be created at the path: nothing may exist there, and
    /// the parent must be a directory.
    fn is_free(&mut self, path: &Path) -> Result<()> {
        if self.names.get(path).is_some() {
            return Err(Refusal::Exists);
        }
        let parent = self.find(path.parent().unwrap_or(Path::new("/")))?;
        if self.node(parent).is_directory() { Ok(()) } else { Err(Refusal::NotDirectory) }
    }

    fn add(&mut self, path: PathBuf, kind: NodeKind, mode: u32) -> u64 {
        let node = self.next_node;
        self.next_node += 1;
        self.nodes.insert(node, DiskNode::new(kind, mode));
        self.names.link(path, node);
        node
    }

    pub(super) fn add_file(&mut self, path: PathBuf, mode: u32) -> Result<u64> {
        self.is_free(&path)?;
        Ok(self.add(path, NodeKind::File(FileContents::default()), mode))
    }

    pub(super) fn add_open(&mut self, node: u64) -> u64 {
        self.next_open += 1;
        self.opens.insert(self.next_open, OpenDescription { node, position: 0 });
        self.next_open
    }

    pub(super) fn create_dir(&mut self, path: &Path, mode: u32) -> Result<()> {
        self.is_free(path)?;
        self.add(path.to_path_buf(), NodeKind::Directory, mode);
        Ok(())
    }

    /// Creates a directory and all its parents that do not exist.
    pub(super) fn create_dir_all(&mut self, path: &Path, mode: u32) -> Result<()> {
        let mut all: Vec<_> = path.ancestors().collect();
        all.reverse();
        for path in all {
            match self.names.get(path) {
                Some(node) if self.node(node).is_directory() => {}
                Some(_) => return Err(Refusal::Exists),
                None => self.create_dir(path, mode)?,
            }
        }
        Ok(())
    }

    pub(super) fn remove_file(&mut self, path: &Path) -> Result<()> {
        let node = self.find(path)?;
        if self.node(node).is_directory() {
            return Err(Refusal::IsDirectory);
        }
        self.names.unlink(path.to_path_buf());
        self.release(node);
        Ok(())
    }

    pub(super) fn remove_dir(&mut self, path: &Path) -> Result<()> {
        let node = self.find(path)?;
        if !self.node(node).is_directory() {
            return Err(Refusal::NotDirectory);
        }
        if !self.names.children(path).is_empty() {
            return Err(Refusal::NotEmpty);
        }
        if node == ROOT {
            return Err(Refusal::NotAllowed);
        }
        self.names.unlink(path.to_path_buf());
        self.release(node);
        Ok(())
    }

    pub(super) fn remove_dir_all(&mut self, path: &Path) -> Result<()> {
        let node = self.find(path)?;
        if !self.node(node).is_directory() {
            return Err(Refusal::NotDirectory);
        }
        for (path, node) in self.names.within(path).into_iter().rev() {
            if node == ROOT {
                return Err(Refusal::NotAllowed);
            }
            self.names.unlink(path);
            self.release(node);
        }
        Ok(())
    }

    pub(super) fn rename(&mut self, from: PathBuf, to: PathBuf) -> Result<()> {
        let node = self.find(&from)?;
        let is_directory = self.node(node).is_directory();
        let replaced = self.names.get(&to);
        match replaced {
            Some(other) if other == node => return Ok(()),
            Some(other) => match (is_directory, self.node(other).is_directory()) {
                (true, false) => return Err(Refusal::NotDirectory),
                (false, true) => return Err(Refusal::IsDirectory),
                (true, true) if !self.names.children(&to).is_empty() => return Err(Refusal::NotEmpty),
                _ => {}
            },
            None => self.is_free(&to)?,
        }
        if to.starts_with(&from) {
            return Err(Refusal::Invalid);
        }
        self.names.rename(from, to);
        if let Some(replaced) = replaced {
            self.release(replaced);
        }
        Ok(())
    }

    pub(super) fn hard_link(&mut self, from: &Path, to: PathBuf) -> Result<()> {
        let node = self.find(from)?;
        self.is_free(&to)?;
        if self.node(node).is_directory() {
            return Err(Refusal::NotAllowed);
        }
        self.names.link(to, node);
        Ok(())
    }

    /// Returns the whole contents of a file. If `is_kept` is `true`, returns the contents that are
    /// certain to survive a crash.
    pub(super) fn bytes(&mut self, path: &Path, is_kept: bool) -> io::Result<Vec<u8>> {
        let path = absolute(path)?;
        let node = if is_kept { self.names.kept(&path).ok_or(Refusal::Missing)? } else { self.find(&path)? };
        let contents = self.node(node).contents()?;
        Ok(if is_kept { contents.kept() } else { contents.bytes() }.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Wish;

    const NAMES: [&str; 4] = ["/a", "/b", "/tmp/c", "/tmp/d"];

    /// Performs one random operation or crash, which may be refused.
    fn act(volume: &mut Volume, open: &mut Vec<u64>, dice: &mut DiskDice) {
        let [one, other] = [(); 2].map(|()| PathBuf::from(NAMES[dice.below(NAMES.len())]));
        let wish = Wish { write: true, create: true, truncate: dice.below(4) == 0, ..Wish::default() };
        let last = open.last().copied().unwrap_or_default();
        match dice.below(12) {
            0..=2 => open.extend(volume.open(one, &wish)),
            3..=5 => _ = volume.write(last, &[1; 300], None, &wish),
            6 => _ = open.pop().map(|last| volume.close(last)),
            7 => _ = volume.remove_file(&one),
            8 => _ = volume.rename(one, other),
            9 => _ = volume.hard_link(&one, other),
            10 => _ = volume.sync(last, dice),
            _ if dice.below(8) == 0 => {
                open.clear();
                volume.crash(dice);
            }
            _ => _ = volume.place(last).and_then(|(node, _)| volume.set_length(node, dice.below(900) as u64)),
        }
    }

    #[test]
    fn the_bytes_in_use_are_those_of_files_in_reach() {
        let mut dice = DiskDice::new(1);
        for _ in 0..100 {
            let (mut volume, mut open) = (Volume::new(), Vec::new());
            volume.set_capacity(2_000);
            for _ in 0..200 {
                act(&mut volume, &mut open, &mut dice);
                let is_in_reach = |node: u64| volume.names.is_named(node) || volume.is_open(node);
                let in_reach = volume.nodes.iter().filter(|&(&node, _)| is_in_reach(node));
                assert_eq!(volume.used, in_reach.map(|(_, node)| node.length()).sum::<u64>());
            }
        }
    }

    #[test]
    fn files_out_of_reach_are_forgotten_when_that_is_synced() {
        let mut volume = Volume::new();
        for round in 0..1_000 {
            let path = PathBuf::from(format!("/tmp/{round}"));
            volume.add_file(path.clone(), 0o666).expect("it is free");
            volume.remove_file(&path).expect("it is there");
        }
        volume.names.sync_all();
        volume.sweep();
        assert_eq!((volume.nodes.len(), volume.orphans.len()), (2, 0));
    }
}
