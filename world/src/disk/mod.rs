//! The disks of a simulation: one in-memory disk per host. A crash leaves only what was synced, and
//! perhaps some of the rest.
//!
//! When a call of `wsrt::fs` begins, it asks for the disk of the current task's host and runs as a
//! blocking job that is due after a randomly drawn time. The call takes effect all at once, at the
//! end of that time. A call that is interrupted by a crash has no effect.

mod calls;
mod contents;
mod dice;
mod mounted;
mod names;
mod open_file;
mod opened;
mod path_table;
mod refusal;
mod scratch;
mod volume;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::Path;
use std::sync::{Arc, Weak};

pub use self::calls::{Cost, Wish};
use self::dice::DiskDice;
pub use self::mounted::{DirectoryEntry, Mounted};
pub use self::open_file::OpenFile;
use self::scratch::Scratch;
pub(crate) use self::volume::Injected;
use self::volume::{Volume, absolute};
use super::driving_thread::DrivingThread;
use parking_lot::{Mutex, MutexGuard};

/// The in-memory disks of all hosts of a simulation.
///
/// A test uses these methods to prepare files before a run, to inspect them afterwards, and to make
/// a disk full, slow or faulty.
pub struct Disks {
    me: Weak<Self>,
    driver: Arc<DrivingThread>,
    state: Mutex<DisksState>,
}

// No foreign code runs while the lock is held, so a panic never leaves the state half changed.
impl UnwindSafe for Disks {}
impl RefUnwindSafe for Disks {}

struct DisksState {
    dice: DiskDice,
    /// The volumes by host, created on first use.
    volumes: BTreeMap<usize, Volume>,
    scratch: Scratch,
}

impl DisksState {
    fn volume(&mut self, host: usize) -> &mut Volume {
        self.volumes.entry(host).or_insert_with(Volume::new)
    }
}

impl Disks {
    pub(super) fn new(seed: u64, driver: Arc<DrivingThread>) -> Arc<Self> {
        let state = DisksState { dice: DiskDice::new(seed), volumes: BTreeMap::new(), scratch: Scratch::default() };
        Arc::new_cyclic(|me| Self { me: Weak::clone(me), driver, state: Mutex::new(state) })
    }

    fn lock(&self) -> MutexGuard<'_, DisksState> {
        self.state.lock()
    }

    /// Locks the disks for a call of the program. If a thread other than the driver makes the call,
    /// the run is marked as disturbed.
    fn lock_for_call(&self) -> MutexGuard<'_, DisksState> {
        self.driver.note_caller();
        self.lock()
    }

    /// Returns a new reference-counted handle to the disks.
    pub fn counted(&self) -> Arc<Self> {
        self.me.upgrade().expect("the caller borrows it")
    }

    /// Returns the disk of a host, for the calls of the host's current life.
    pub(super) fn mount(&self, host: usize) -> Mounted {
        Mounted::new(self.counted(), host, self.lock().volume(host).crashes)
    }

    /// Draws how long a call on a host's disk takes, in nanoseconds.
    pub(super) fn draw_time(&self, host: usize, cost: Cost) -> u64 {
        let mut state = self.lock();
        let volume = state.volume(host);
        let slowness = u64::from(volume.slowness).saturating_mul(volume.injected.slowness.into());
        // A moment that far ahead is never reached, and leaves room to add to it.
        state.dice.time(cost).saturating_mul(slowness).min(u64::MAX / 4)
    }

    /// Replaces the faults that the run has injected into a host's disk.
    pub(super) fn inject(&self, host: usize, injected: Injected) {
        self.lock().volume(host).injected = injected;
    }

    /// Crashes a host's disk: unsynced data may be lost.
    pub(super) fn crash(&self, host: usize) {
        let mut state = self.lock();
        let DisksState { dice, volumes, .. } = &mut *state;
        if let Some(volume) = volumes.get_mut(&host) {
            volume.crash(dice);
        }
    }
}

/// Methods for the test that runs the simulation.
impl Disks {
    /// Returns the contents of a file on a host's disk.
    ///
    /// If `is_kept` is `false`, these are the bytes that the host's programs would read now. If
    /// `is_kept` is `true`, they are the bytes that are certain to survive a crash.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no file at the path.
    pub fn read(&self, host: usize, path: &Path, is_kept: bool) -> io::Result<Vec<u8>> {
        self.lock_for_call().volume(host).bytes(path, is_kept)
    }

    /// Writes a file to a host's disk, and creates the file's parent directories if they are
    /// missing. The file is synced, so that it survives a crash.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is invalid, or if the file does not fit on the disk.
    pub fn put(&self, host: usize, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.lock_for_call();
        let DisksState { dice, volumes, .. } = &mut *state;
        let volume = volumes.entry(host).or_insert_with(Volume::new);
        let path = absolute(path)?;
        volume.create_dir_all(path.parent().unwrap_or(Path::new("/")), 0o777)?;
        let wish = Wish { write: true, create: true, truncate: true, ..Wish::default() };
        let open = volume.open(path, &wish)?;
        let written = volume.write(open, bytes, None, &wish);
        let (failing, injected) = (std::mem::take(&mut volume.failing), std::mem::take(&mut volume.injected));
        volume.sync(open, dice)?;
        (volume.failing, volume.injected) = (failing, injected);
        volume.names.sync_all();
        volume.close(open);
        if written? < bytes.len() { Err(refusal::Refusal::Full.into()) } else { Ok(()) }
    }

    /// Deletes everything on a host's disk. The disk's capacity and its faults stay as they are.
    pub fn wipe(&self, host: usize) {
        self.lock_for_call().volume(host).wipe();
    }

    /// Sets the capacity of a host's disk, in bytes.
    pub fn set_capacity(&self, host: usize, bytes: u64) {
        self.lock_for_call().volume(host).set_capacity(bytes);
    }

    /// Sets the fraction of calls that fail on a host's disk, from 0 to 1.
    pub fn set_failing(&self, host: usize, share: f64) {
        self.lock_for_call().volume(host).failing = share;
    }

    /// Sets the factor by which calls on a host's disk are slowed down.
    pub fn set_slowness(&self, host: usize, factor: u32) {
        self.lock_for_call().volume(host).slowness = factor;
    }
}

impl fmt::Debug for Disks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Disks").finish_non_exhaustive()
    }
}
