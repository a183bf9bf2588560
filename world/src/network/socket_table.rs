//! Tables of sockets by number. A number is never reused.

use std::collections::BTreeMap;

/// A table of entries by number. Removed entries take up no room.
pub(super) struct SocketTable<T> {
    entries: BTreeMap<usize, T>,
    next: usize,
}

impl<T> Default for SocketTable<T> {
    fn default() -> Self {
        Self { entries: BTreeMap::new(), next: 0 }
    }
}

impl<T> SocketTable<T> {
    /// Returns the number that the next entry will get.
    pub(super) fn next_id(&self) -> usize {
        self.next
    }

    /// Adds an entry, and returns its number.
    pub(super) fn add(&mut self, entry: T) -> usize {
        let id = self.next;
        self.entries.insert(id, entry);
        self.next += 1;
        id
    }

    pub(super) fn get(&self, id: usize) -> Option<&T> {
        self.entries.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: usize) -> Option<&mut T> {
        self.entries.get_mut(&id)
    }

    pub(super) fn remove(&mut self, id: usize) -> Option<T> {
        self.entries.remove(&id)
    }

    pub(super) fn retain(&mut self, is_kept: impl Fn(&T) -> bool) {
        self.entries.retain(|_, entry| is_kept(entry));
    }

    /// Returns the numbers of the entries for which `is_meant` returns `true`, in ascending order.
    pub(super) fn ids_of(&self, is_meant: impl Fn(&T) -> bool) -> Vec<usize> {
        self.entries.iter().filter(|(_, entry)| is_meant(entry)).map(|(&id, _)| id).collect()
    }
}

#[test]
fn a_number_is_never_given_again() {
    let mut table = SocketTable::default();
    let ids = ["a", "b", "c"].map(|entry| table.add(entry));
    assert_eq!((table.remove(ids[2]), table.remove(ids[2])), (Some("c"), None));
    table.retain(|entry| *entry != "a");
    assert_eq!((table.add("d"), table.next_id()), (3, 4));
    assert_eq!(table.ids_of(|_| true), [1, 3]);
    assert_eq!((table.get(0), table.get(1)), (None, Some(&"b")));
    assert_eq!(table.get_mut(3), Some(&mut "d"));
}
