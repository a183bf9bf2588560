//! Makes a backtrace of a sample.

use std::collections::HashMap;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, Mutex, PoisonError};

use super::sample::Sample;
use super::symbols::Symbols;
use super::walker::Walker;
use crate::{Backtrace, StackFrame};

/// What makes a [`Backtrace`] of a [`Sample`]. It reads the program's file, which takes long where
/// much debug information is in it, and keeps what it has read.
#[derive(Default)]
struct Resolver {
    walker: Option<Walker>,
    symbols: Symbols,
    known: HashMap<(bool, Vec<u64>), Backtrace>,
    /// The functions at each address: of a thread that computes, most are the same each time.
    named: HashMap<u64, Vec<StackFrame>>,
}

/// The most stacks to be remembered: those of a thread that computes differ each time.
const MOST_KNOWN: usize = 1_000;
/// The most addresses to be remembered.
const MOST_NAMED: usize = 20_000;

/// One for the process: each would read and keep the same, some megabytes.
static RESOLVER: LazyLock<Mutex<Resolver>> = LazyLock::new(Mutex::default);

impl Sample {
    /// Returns the backtrace. It has no frames if a fault in a file's debug information has made a
    /// reader of it panic. The first call may take seconds, and others wait for it: call this on a
    /// thread that nobody waits for.
    pub fn backtrace(&self) -> Backtrace {
        RESOLVER.lock().unwrap_or_else(PoisonError::into_inner).backtrace(self)
    }
}

/// Frees what was read, for a thread that has named stacks and ends.
pub fn forget() {
    let read = mem::take(&mut *RESOLVER.lock().unwrap_or_else(PoisonError::into_inner));
    drop(read);
}

impl Resolver {
    fn backtrace(&mut self, sample: &Sample) -> Backtrace {
        catch_unwind(AssertUnwindSafe(|| self.read(sample))).unwrap_or_else(|_| {
            // What the reader may have left half changed.
            *self = Self::default();
            Backtrace::cut(Vec::new(), sample.is_panicking)
        })
    }

    fn read(&mut self, sample: &Sample) -> Backtrace {
        let mut walker = self.walker.take().unwrap_or_else(Walker::new);
        let mut addresses = walker.walk(sample);
        let is_unknown = |&address: &u64| walker.find(address).is_none();
        if addresses.iter().any(is_unknown) && walker.is_outdated() {
            // A library may have been loaded since. Other unknown code is in no file.
            walker = Walker::new();
            addresses = walker.walk(sample);
            self.known.clear();
            self.named.clear();
        }
        let walker = self.walker.insert(walker);
        let key = (sample.is_panicking, addresses);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let (_, addresses) = &key;
        if self.named.len() + addresses.len() > MOST_NAMED {
            self.named.clear();
        }
        let mut frames = Vec::new();
        for &address in addresses {
            let Some(loaded) = walker.find(address) else { continue };
            let at_address = self.named.entry(address).or_insert_with(|| self.symbols.name(address, loaded));
            frames.extend_from_slice(at_address);
        }
        let backtrace = Backtrace::cut(frames, sample.is_panicking);
        if self.known.len() < MOST_KNOWN {
            self.known.insert(key, backtrace.clone());
        }
        backtrace
    }
}
