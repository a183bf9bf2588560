//! The disks of a simulation: one for each host, in memory, which a crash leaves as far as it was
//! synced.
//!
//! `wsrt::fs` asks for the disk of the current task's host when a call begins, and makes the call
//! as a blocking job, due after the time that is drawn. So a call takes its effect at once, at the
//! end of its time; one that a crash comes before has none.

mod calls;
mod contents;
mod dice;
mod mounted;
mod names;
mod open_file;
mod opened;
mod refusal;
mod scratch;
mod table;
mod volume;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::Path;
use std::sync::{Arc, Weak};

pub use self::calls::{Cost, Wish};
use self::dice::DiskDice;
pub use self::mounted::{Entry, Mounted};
pub use self::open_file::OpenFile;
use self::scratch::Scratch;
pub(crate) use self::volume::Injected;
use self::volume::{Volume, absolute};
use super::driving_thread::DrivingThread;
use parking_lot::{Mutex, MutexGuard};

/// The disks of all hosts.
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
    /// The volumes by host, from the first use on.
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

    /// Locks them for a call of the program, which ends the run if another thread makes it than the
    /// one that drives.
    fn lock_for_call(&self) -> MutexGuard<'_, DisksState> {
        self.driver.note_caller();
        self.lock()
    }

    /// Returns a counted reference to the disks.
    pub fn counted(&self) -> Arc<Self> {
        self.me.upgrade().expect("the caller borrows it")
    }

    /// The disk of a host, for calls of its present life.
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

    /// Gives a host's disk the faults of the run, instead of those before.
    pub(super) fn inject(&self, host: usize, injected: Injected) {
        self.lock().volume(host).injected = injected;
    }

    /// A host crashes.
    pub(super) fn crash(&self, host: usize) {
        let mut state = self.lock();
        let DisksState { dice, volumes, .. } = &mut *state;
        if let Some(volume) = volumes.get_mut(&host) {
            volume.crash(dice);
        }
    }
}

/// For the test around it.
impl Disks {
    /// Reads a file of a host's disk: as it is or, with `is_kept`, as a crash would leave it at
    /// least.
    pub fn read(&self, host: usize, path: &Path, is_kept: bool) -> io::Result<Vec<u8>> {
        self.lock_for_call().volume(host).bytes(path, is_kept)
    }

    /// Puts a file on the disk, in a directory that is made if there is none.
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

    /// Empties a host's disk.
    pub fn wipe(&self, host: usize) {
        self.lock_for_call().volume(host).wipe();
    }

    /// Sets the number of bytes that a host's disk has room for.
    pub fn set_capacity(&self, host: usize, bytes: u64) {
        self.lock_for_call().volume(host).set_capacity(bytes);
    }

    /// Sets the share of calls that fail on a host's disk.
    pub fn set_failing(&self, host: usize, share: f64) {
        self.lock_for_call().volume(host).failing = share;
    }

    /// Sets how many times as long calls on a host's disk take.
    pub fn set_slowness(&self, host: usize, factor: u32) {
        self.lock_for_call().volume(host).slowness = factor;
    }
}

impl fmt::Debug for Disks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Disks").finish_non_exhaustive()
    }
}
