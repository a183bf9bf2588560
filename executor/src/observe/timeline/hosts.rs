//! The hosts of a simulation: its thread records the events of all of them, and notes where another
//! one's begin.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use wsrt_trace::{Event, EventKind, NO_PROCESSOR};

use super::thread_writer::ThreadWriter;
use crate::observe::observer::Observer;
use wsrt_world::task_hosts;

/// The number of no host: of the test itself, and of threads that drive no simulation.
const NO_HOST: u32 = 0;

/// The hosts of the events that a thread writes.
#[derive(Debug)]
pub(crate) struct WriterHosts {
    /// The host that the thread is on.
    current: Cell<u32>,
    /// The host of the next event, as far as the recorder knows.
    told: Cell<u32>,
    /// The hosts whose names the recorder has.
    named: RefCell<BTreeSet<u32>>,
}

impl WriterHosts {
    pub(super) const fn new() -> Self {
        Self { current: Cell::new(NO_HOST), told: Cell::new(NO_HOST), named: RefCell::new(BTreeSet::new()) }
    }

    /// The events are written for another recorder, which knows nothing.
    pub(super) fn begin_anew(&self) {
        self.told.set(NO_HOST);
        self.named.borrow_mut().clear();
    }

    /// Returns the event that is to be written before the next one, if the recorder takes that for
    /// another host's.
    #[inline]
    pub(super) fn untold(&self) -> Option<Event> {
        let host = self.current.get();
        // The time of an event that is not shown: the batch that it comes in does not matter.
        (host != self.told.get()).then(|| Event::new(0, EventKind::Host(host)))
    }

    pub(super) fn note_told(&self, was_written: bool) {
        if was_written {
            self.told.set(self.current.get());
        }
    }
}

/// The thread is on a host, or on none, until this is dropped: then it is where it was before.
#[must_use]
#[derive(Debug)]
pub(crate) struct OnHost {
    before: u32,
}

impl Drop for OnHost {
    #[inline]
    fn drop(&mut self) {
        ThreadWriter::with(|writer| writer.hosts().current.set(self.before));
    }
}

/// A turn on the thread of a simulation, until this is dropped: then the turn goes on that it was
/// taken in, if it was.
#[must_use]
#[derive(Debug)]
pub(crate) struct ObservedTurn {
    _on: OnHost,
    held: u16,
}

impl Drop for ObservedTurn {
    fn drop(&mut self) {
        ThreadWriter::with(|writer| writer.turn_to_another(self.held));
    }
}

impl Observer {
    /// Observes that a machine of a simulation takes its turn on the current thread, after others,
    /// or in the middle of the turn of another; and so for a root, a job, an arrival and a fault.
    pub(crate) fn turn_begins(&self) -> Option<ObservedTurn> {
        self.with_writer(|writer| {
            let before = writer.hosts().current.replace(NO_HOST);
            ObservedTurn { _on: OnHost { before }, held: writer.turn_to_another(NO_PROCESSOR) }
        })
    }

    /// Observes that the thread works for a task, on the task's host; task 0 stands for none.
    pub(crate) fn on_host_of(&self, task: u64) -> Option<OnHost> {
        self.with_writer(|writer| self.go_to_host_of(writer, task)).flatten()
    }

    /// Moves the writer to the host of a task, if its thread drives a simulation.
    #[inline]
    pub(super) fn go_to_host_of(&self, writer: &ThreadWriter, task: u64) -> Option<OnHost> {
        let host = task_hosts::host_of(task)?;
        let hosts = writer.hosts();
        if host != NO_HOST && hosts.named.borrow_mut().insert(host) {
            self.name_host(host);
        }
        Some(OnHost { before: hosts.current.replace(host) })
    }

    #[cold]
    fn name_host(&self, host: u32) {
        let recorder = self.timeline.current();
        if let (Some(recorder), Some(name)) = (recorder, task_hosts::name_of(host)) {
            recorder.name_host(host, name);
        }
    }
}
