//! Records what a pending poll waits for: the kind of the operation, and the place in the source
//! where the lock or channel was created.
//!
//! Every operation of this crate records its wait on the slow path, just before it returns pending.
//! After the poll, a runtime reads the record with [`noted`] and keeps it with the task, so that
//! task dumps can show it. An operation that leaves its wait list removes its record again, so that
//! a poll that then waits for something else is not shown with the wrong wait.
//!
//! # One word
//!
//! A [`TaskWait`] fits into a pointer-sized word: the `'static` address of the place, the kind's
//! number in the seven highest bits, which are zero in every user-space address, and a one in the
//! lowest bit, which is zero in every aligned pointer. A runtime can therefore store a wait in a
//! word that holds a pointer at other times. On targets whose pointers are narrower than 64 bits,
//! no wait is recorded.

use crate::budget::with_state;
use std::panic::Location;
use std::ptr;

/// The place in the source where a lock or channel was created.
pub(crate) type Place = &'static Location<'static>;

const TAG: usize = 1;
const KIND_SHIFT: u32 = usize::BITS - 7;

/// The kinds of operations that a task can wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum WaitKind {
    /// A task waits in [`Mutex::lock`](crate::Mutex::lock).
    Mutex = 1,
    /// A task waits in [`RwLock::read`](crate::RwLock::read).
    RwLockRead,
    /// A task waits in [`RwLock::write`](crate::RwLock::write).
    RwLockWrite,
    /// A task waits in [`Semaphore::acquire`](crate::Semaphore::acquire).
    Semaphore,
    /// A task waits in [`mpsc::Receiver::recv`](crate::mpsc::Receiver::recv).
    MpscReceive,
    /// A task waits in [`mpsc::Sender::send`](crate::mpsc::Sender::send) or `reserve`, because the
    /// channel is full.
    MpscSend,
    /// A task waits in [`mpsc::Sender::closed`](crate::mpsc::Sender::closed).
    MpscClosed,
    /// A task waits for the value of a [`oneshot::Receiver`](crate::oneshot::Receiver).
    OneshotReceive,
    /// A task waits in [`oneshot::Sender::closed`](crate::oneshot::Sender::closed).
    OneshotClosed,
    /// A task waits in [`watch::Receiver::changed`](crate::watch::Receiver::changed) or `wait_for`.
    WatchChanged,
    /// A task waits in [`watch::Sender::closed`](crate::watch::Sender::closed).
    WatchClosed,
    /// A task waits in [`broadcast::Receiver::recv`](crate::broadcast::Receiver::recv).
    BroadcastReceive,
    /// A task waits in [`broadcast::Sender::closed`](crate::broadcast::Sender::closed).
    BroadcastClosed,
    /// A task waits in [`Notify::notified`](crate::Notify::notified).
    Notify,
    /// A task waits in [`Barrier::wait`](crate::Barrier::wait).
    Barrier,
    /// A task waits in [`OnceCell::get_or_init`](crate::OnceCell::get_or_init), while another task
    /// computes the value.
    OnceCell,
    /// A task waits in [`SetOnce::wait`](crate::SetOnce::wait).
    SetOnce,
    /// A task waits in [`CancellationToken::cancelled`](crate::CancellationToken::cancelled) or
    /// `run_until_cancelled`.
    Cancellation,
    /// A task waits in [`mpmc::Receiver::recv`](crate::mpmc::Receiver::recv).
    MpmcReceive,
    /// A task waits in [`mpmc::Sender::send`](crate::mpmc::Sender::send), because the channel is
    /// full.
    MpmcSend,
    /// A task waits in [`mpmc::Sender::closed`](crate::mpmc::Sender::closed).
    MpmcClosed,
}

/// Each kind with its name, and with the words that describe what the task waits for. A kind's
/// number is its position in this array, counted from one.
const KINDS: [(WaitKind, &str, &str); 21] = [
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
    (WaitKind::Cancellation, "cancellation", "the cancellation of the token"),
    (WaitKind::MpmcReceive, "mpmc_receive", "a value from the mpmc channel"),
    (WaitKind::MpmcSend, "mpmc_send", "room in the mpmc channel"),
    (WaitKind::MpmcClosed, "mpmc_closed", "the end of the receivers of the mpmc channel"),
];

impl WaitKind {
    /// All kinds, in the order of their numbers.
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

    /// Returns the kind's machine-readable name, for example `mutex` or `mpsc_receive`.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS[self as usize - 1].1
    }

    /// Returns a description of what the task waits for, to be used between "waits for" and "made
    /// at" in a sentence.
    #[must_use]
    pub fn awaited(self) -> &'static str {
        KINDS[self as usize - 1].2
    }
}

/// Returns whether only the holder can end such a wait, by releasing the lock. Readers may wait for
/// other readers, and semaphores receive permits from anywhere.
#[must_use]
pub fn is_exclusive(kind: WaitKind) -> bool {
    matches!(kind, WaitKind::Mutex | WaitKind::RwLockWrite | WaitKind::OnceCell)
}

/// A wait of a task: the kind of the pending operation, and the place where its lock or channel was
/// created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskWait {
    /// The kind of the pending operation.
    pub kind: WaitKind,
    /// The place in the source where the operation's lock or channel was created.
    pub place: &'static Location<'static>,
}

impl TaskWait {
    /// Packs the wait into a pointer-sized word whose lowest bit is set. Returns null if the wait
    /// does not fit.
    #[must_use]
    pub fn pack(self) -> *const () {
        let place: *const Location<'static> = self.place;
        if usize::BITS < 64 || place.addr() >> KIND_SHIFT != 0 {
            return ptr::null();
        }
        place.cast::<()>().map_addr(|addr| addr | TAG | ((self.kind as usize) << KIND_SHIFT))
    }

    /// Returns the wait that `packed` encodes, or `None` if the lowest bit of `packed` is not set.
    ///
    /// # Safety
    ///
    /// If the lowest bit of `packed` is set, `packed` must have been returned by
    /// [`pack`](Self::pack).
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

/// Records what the current poll waits for, and replaces any earlier record.
pub(crate) fn note(kind: WaitKind, place: Place) {
    with_state(|state| state.wait.set(TaskWait { kind, place }.pack()));
}

/// Removes the record of the given wait, if it is the current one: the operation has left its wait
/// list.
pub(crate) fn take_back(kind: WaitKind, place: Place) {
    with_state(|state| {
        if ptr::addr_eq(state.wait.get(), TaskWait { kind, place }.pack()) {
            state.wait.set(ptr::null());
        }
    });
}

/// Returns, in packed form, what the poll that has just returned pending on this thread waits for.
/// Returns null if the poll has recorded no wait since the last [`refill`](crate::budget::refill).
#[inline]
#[must_use]
pub fn noted() -> *const () {
    with_state(|state| state.wait.get())
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_packed_wait_is_unpacked_as_it_was() {
        for (index, (kind, ..)) in KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, index + 1);
            let wait = TaskWait { kind, place: Location::caller() };
            // SAFETY: it comes from `pack`.
            let unpacked = unsafe { TaskWait::unpack(wait.pack()) };
            assert_eq!(unpacked, (usize::BITS == 64).then_some(wait));
        }
    }

    #[test]
    fn a_pointer_to_something_else_is_no_wait() {
        let number = 5_u64;
        // SAFETY: the lowest bit of an aligned pointer is not set.
        assert_eq!(unsafe { TaskWait::unpack((&raw const number).cast()) }, None);
        // SAFETY: as above.
        assert_eq!(unsafe { TaskWait::unpack(ptr::null()) }, None);
    }

    #[test]
    fn a_note_is_taken_back_by_its_own_wait_only() {
        let (here, there) = (Location::caller(), Location::caller());
        note(WaitKind::Mutex, here);
        take_back(WaitKind::Mutex, there);
        take_back(WaitKind::Semaphore, here);
        assert_eq!(noted(), TaskWait { kind: WaitKind::Mutex, place: here }.pack());
        take_back(WaitKind::Mutex, here);
        assert!(noted().is_null());
    }
}
