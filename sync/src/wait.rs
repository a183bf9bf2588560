//! The wait of a poll: the kind of its operation, and the place in the source where the lock or
//! channel was made.
//!
//! Each operation of this crate that is about to return pending notes its wait, on its slow path. A
//! runtime reads the note once the poll has returned ([`noted`]), and keeps it with the task for
//! dumps. The note of an operation that has left its line is taken back, so that
//! a poll that then waits for something else is not shown with it.
//!
//! # One word
//!
//! A [`Wait`] fits into a pointer: the `'static` place of its lock, the number of its kind in the
//! seven highest bits, which no address of a user's program has set, and a one in the lowest bit,
//! which no pointer to an aligned value has. So a runtime can keep it in a word that holds a
//! pointer at other times. On targets whose pointers have fewer than 64 bits nothing is recorded.

use crate::budget::with_state;
use std::panic::Location;
use std::ptr;

/// The place in the source where a lock or channel was made.
pub(crate) type Place = &'static Location<'static>;

const TAG: usize = 1;
const KIND_SHIFT: u32 = usize::BITS - 7;

/// The kinds of operations that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum WaitKind {
    /// `Mutex::lock`.
    Mutex = 1,
    /// `RwLock::read`.
    RwLockRead,
    /// `RwLock::write`.
    RwLockWrite,
    /// `Semaphore::acquire`.
    Semaphore,
    /// `mpsc::Receiver::recv`.
    MpscReceive,
    /// `mpsc::Sender::send` and `reserve`: the channel is full.
    MpscSend,
    /// `mpsc::Sender::closed`.
    MpscClosed,
    /// A `oneshot::Receiver`.
    OneshotReceive,
    /// `oneshot::Sender::closed`.
    OneshotClosed,
    /// `watch::Receiver::changed` and `wait_for`.
    WatchChanged,
    /// `watch::Sender::closed`.
    WatchClosed,
    /// `broadcast::Receiver::recv`.
    BroadcastReceive,
    /// `broadcast::Sender::closed`.
    BroadcastClosed,
    /// `Notify::notified`.
    Notify,
    /// `Barrier::wait`.
    Barrier,
    /// `OnceCell::get_or_init`, while another task computes the value.
    OnceCell,
    /// `SetOnce::wait`.
    SetOnce,
}

/// Each kind with its name, and what one waits for in words. The number of a kind is its place
/// here, counted from one.
const KINDS: [(WaitKind, &str, &str); 17] = [
    (WaitKind::Mutex, "mutex", "Mutex"),
    (WaitKind::RwLockRead, "rwlock_read", "RwLock, to read,"),
    (WaitKind::RwLockWrite, "rwlock_write", "RwLock, to write,"),
    (WaitKind::Semaphore, "semaphore", "Semaphore"),
    (WaitKind::MpscReceive, "mpsc_receive", "a value from the mpsc channel"),
    (WaitKind::MpscSend, "mpsc_send", "room in the mpsc channel"),
    (WaitKind::MpscClosed, "mpsc_closed", "the end of the receiver of the mpsc channel"),
    (WaitKind::OneshotReceive, "oneshot_receive", "the value of the oneshot channel"),
    (WaitKind::OneshotClosed, "oneshot_closed", "the end of the receiver of the oneshot channel"),
    (WaitKind::WatchChanged, "watch_changed", "a change in the watch channel"),
    (WaitKind::WatchClosed, "watch_closed", "the end of all receivers of the watch channel"),
    (WaitKind::BroadcastReceive, "broadcast_receive", "a value from the broadcast channel"),
    (WaitKind::BroadcastClosed, "broadcast_closed", "the end of all receivers of the broadcast channel"),
    (WaitKind::Notify, "notify", "Notify"),
    (WaitKind::Barrier, "barrier", "Barrier"),
    (WaitKind::OnceCell, "once_cell", "the first value of OnceCell"),
    (WaitKind::SetOnce, "set_once", "the value of SetOnce"),
];

impl WaitKind {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; KINDS.len()] = {
        let mut all = [Self::Mutex; KINDS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = KINDS[at].0;
            at += 1;
        }
        all
    };

    fn of_number(number: usize) -> Option<Self> {
        Some(KINDS.get(number.checked_sub(1)?)?.0)
    }

    /// Returns the name of the kind, for programs: `mutex`, `mpsc_receive`.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS[self as usize - 1].1
    }

    /// Returns the words that follow "waits for" and precede "made at".
    #[must_use]
    pub fn awaited(self) -> &'static str {
        KINDS[self as usize - 1].2
    }
}

/// One wait: for what kind of operation, on the lock or channel that was made where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The kind of the operation.
    pub kind: WaitKind,
    /// The place where its lock or channel was made.
    pub place: &'static Location<'static>,
}

impl Wait {
    /// Packs the wait into a pointer with its lowest bit set. Null where it does not fit.
    #[must_use]
    pub fn pack(self) -> *const () {
        let place: *const Location<'static> = self.place;
        if usize::BITS < 64 || place.addr() >> KIND_SHIFT != 0 {
            return ptr::null();
        }
        place.cast::<()>().map_addr(|addr| addr | TAG | ((self.kind as usize) << KIND_SHIFT))
    }

    /// Returns the wait that `packed` stands for; `None` if its lowest bit is not set.
    ///
    /// # Safety
    ///
    /// If its lowest bit is set, `packed` comes from [`pack`](Self::pack).
    #[must_use]
    pub unsafe fn unpack(packed: *const ()) -> Option<Self> {
        let word = packed.addr();
        if word & TAG == 0 {
            return None;
        }
        let kind = WaitKind::of_number(word >> KIND_SHIFT)?;
        let place = packed.map_addr(|addr| addr & !TAG & !(usize::MAX << KIND_SHIFT));
        // SAFETY: it is the address of a `'static` place, as `pack` found it.
        Some(Self { kind, place: unsafe { &*place.cast::<Location<'static>>() } })
    }
}

/// Notes what the poll under way waits for, instead of what it noted before.
pub(crate) fn note(kind: WaitKind, place: Place) {
    with_state(|state| state.wait.set(Wait { kind, place }.pack()));
}

/// Takes the note back, if it is of this wait: its operation has left the line.
pub(crate) fn take_back(kind: WaitKind, place: Place) {
    with_state(|state| {
        if ptr::addr_eq(state.wait.get(), Wait { kind, place }.pack()) {
            state.wait.set(ptr::null());
        }
    });
}

/// Returns what the poll waits for that has just returned pending on this thread, packed; null if
/// it noted nothing since the last [`refill`](crate::budget::refill).
#[inline]
#[must_use]
pub fn noted() -> *const () {
    with_state(|state| state.wait.get())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_packed_wait_is_unpacked_as_it_was() {
        for (index, (kind, ..)) in KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, index + 1);
            let wait = Wait { kind, place: Location::caller() };
            // SAFETY: it comes from `pack`.
            let unpacked = unsafe { Wait::unpack(wait.pack()) };
            assert_eq!(unpacked, (usize::BITS == 64).then_some(wait));
        }
    }

    #[test]
    fn a_pointer_to_something_else_is_no_wait() {
        let number = 5_u64;
        // SAFETY: the lowest bit of an aligned pointer is not set.
        assert_eq!(unsafe { Wait::unpack((&raw const number).cast()) }, None);
        // SAFETY: as above.
        assert_eq!(unsafe { Wait::unpack(ptr::null()) }, None);
    }

    #[test]
    fn a_note_is_taken_back_by_its_own_wait_only() {
        let (here, there) = (Location::caller(), Location::caller());
        note(WaitKind::Mutex, here);
        take_back(WaitKind::Mutex, there);
        take_back(WaitKind::Semaphore, here);
        assert_eq!(noted(), Wait { kind: WaitKind::Mutex, place: here }.pack());
        take_back(WaitKind::Mutex, here);
        assert!(noted().is_null());
    }
}
