//! A connection that enters the poll late: at its second wait, or at a try in vain. One that is
//! accepted, answered and closed never enters it, which saves two system calls.
//!
//! The first wait wakes its own task instead. A server that finds no second request closes the
//! connection in the same poll, and one that came too early for the first finds it there when the
//! other tasks have had their turn.
//!
//! No event is lost: a waiter leaves its waker before it enters the connection, and the OS reports
//! as an event what a source is ready for when it enters. So a waiter that finds the connection
//! entered by another may rely on that one, whose call may still be under way.

use crate::descriptor::RawDescriptor;
use crate::source::SourceState;
use crate::sync::atomic::AtomicU8;
use crate::sync::atomic::Ordering::Relaxed;
use crate::waiters::wake_all;
use std::io;
use std::task::{Context, Poll};

/// What has become of a connection that has not entered the poll from the start.
#[derive(Debug)]
pub(crate) struct LateEntry {
    descriptor: RawDescriptor,
    stage: EntryStage,
}

impl LateEntry {
    pub(crate) fn of(descriptor: RawDescriptor) -> Self {
        Self { descriptor, stage: EntryStage::new() }
    }

    pub(crate) fn descriptor(&self) -> RawDescriptor {
        self.descriptor
    }

    #[inline]
    pub(crate) fn is_entered(&self) -> bool {
        self.stage.is_entered()
    }

    /// Continues a wait for `source` that has left its waker: puts it off, or enters the connection
    /// by `register`.
    #[cold]
    pub(crate) fn approach<R>(
        &self,
        source: &SourceState,
        cx: &Context<'_>,
        register: impl FnOnce(RawDescriptor) -> io::Result<()>,
    ) -> Poll<io::Result<R>> {
        if self.stage.put_off() {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        match self.enter(source, register) {
            Ok(()) => Poll::Pending,
            Err(error) => Poll::Ready(Err(error)),
        }
    }

    /// Enters the connection by `register`, unless another thread has, or is about to.
    #[cold]
    pub(crate) fn enter(
        &self,
        source: &SourceState,
        register: impl FnOnce(RawDescriptor) -> io::Result<()>,
    ) -> io::Result<()> {
        if !self.stage.enter() {
            return Ok(());
        }
        register(self.descriptor).inspect_err(|_| {
            self.stage.leave();
            // They rely on this thread. Now they try themselves, and see the error.
            let mut others = Vec::new();
            source.take_waiters(&mut others);
            wake_all(others);
        })
    }
}

const UNTOUCHED: u8 = 0;
const PUT_OFF: u8 = 1;
const ENTERED: u8 = 2;

/// How far a connection has come. Relaxed throughout: it publishes nothing. A waker and an event
/// meet under the lock of the source.
#[derive(Debug)]
struct EntryStage(AtomicU8);

impl EntryStage {
    fn new() -> Self {
        Self(AtomicU8::new(UNTOUCHED))
    }

    fn is_entered(&self) -> bool {
        self.0.load(Relaxed) == ENTERED
    }

    /// Returns whether this was the first wait.
    #[must_use]
    fn put_off(&self) -> bool {
        self.0.compare_exchange(UNTOUCHED, PUT_OFF, Relaxed, Relaxed).is_ok()
    }

    /// Returns whether the caller is the one to enter the connection.
    #[must_use]
    fn enter(&self) -> bool {
        self.0.swap(ENTERED, Relaxed) != ENTERED
    }

    fn leave(&self) {
        self.0.store(PUT_OFF, Relaxed);
    }
}
