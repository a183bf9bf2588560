//! The nodes by their full paths, and the number of paths of each node.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A table of paths and nodes, ordered so that a directory comes before its contents.
#[derive(Clone, Default)]
pub(super) struct PathTable {
    nodes: BTreeMap<PathBuf, u64>,
    counts: BTreeMap<u64, usize>,
}

impl PathTable {
    pub(super) fn get(&self, path: &Path) -> Option<u64> {
        self.nodes.get(path).copied()
    }

    pub(super) fn insert(&mut self, path: PathBuf, node: u64) {
        *self.counts.entry(node).or_default() += 1;
        if let Some(replaced) = self.nodes.insert(path, node) {
            self.uncount(replaced);
        }
    }

    pub(super) fn remove(&mut self, path: &Path) -> Option<u64> {
        let node = self.nodes.remove(path)?;
        self.uncount(node);
        Some(node)
    }

    fn uncount(&mut self, node: u64) {
        let Some(count) = self.counts.get_mut(&node) else { return };
        *count -= 1;
        if *count == 0 {
            self.counts.remove(&node);
        }
    }

    pub(super) fn is_named(&self, node: u64) -> bool {
        self.counts.contains_key(&node)
    }

    /// Returns the path and everything below it.
    pub(super) fn within<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = (&'a Path, u64)> {
        let from = self.nodes.range(path.to_path_buf()..);
        from.take_while(move |(other, _)| other.starts_with(path)).map(|(path, &node)| (&**path, node))
    }
}
