//! The hosts of a simulation: its thread records the events of all of them, and notes where another
//! one's begin.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::Duration;

use wsrt_trace::{Event, EventKind, EventWriter, NO_PROCESSOR};

use super::recorder::Recorder;
use super::thread_writer::ThreadWriter;
use crate::observe::observer::Observer;
use wsrt_world::{task_hosts, virtual_time};

/// The number of no host: of the test itself, and of threads that drive no simulation.
const NO_HOST: u32 = 0;

/// How often, and after which pauses, a simulation looks whether there is room for an event: for
/// some seconds, in case the recorder waits for a lock of the simulation.
const MOST_LOOKS: u32 = 20_000;
const BETWEEN_LOOKS: Duration = Duration::from_micros(100);

/// Returns whether this thread drives a simulation.
pub(super) fn is_simulated() -> bool {
    virtual_time::shown().is_some()
}

/// Makes the thread of a simulation wait for the recorder, since that takes no virtual time: all
/// its events are recorded, however many there are. Other threads never wait.
#[inline]
fn wait_for_room(events: &mut EventWriter) {
    if events.may_wait() && is_simulated() {
        let mut looks = 0..MOST_LOOKS;
        while looks.next().is_some() && events.may_wait() {
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }
}

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

    /// Writes an event, after the one that names its host, if the recorder would take it for
    /// another host's.
    #[inline]
    pub(super) fn write(&self, events: &mut EventWriter, event: Event) {
        wait_for_room(events);
        let host = self.current.get();
        if host == self.told.get() {
            events.write(event);
            return;
        }
        // The time of an event that is not shown: the batch that it comes in does not matter.
        // Without room for both, the event would be shown on another host.
        if events.write_both(Event::new(0, EventKind::Host(host)), event) {
            self.told.set(host);
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
        ThreadWriter::with(|writer| writer.hosts.current.set(self.before));
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

impl ThreadWriter {
    /// Another machine of a simulation has its turn on this thread, at another time, or has had it.
    /// Returns the processor of the one before.
    fn turn_to_another(&self, holds: u16) -> u16 {
        self.ended_at.set(0);
        self.held.replace(holds)
    }
}

impl Recorder {
    /// Names a host, before its first event is written.
    fn name_host(&self, host: u32, name: String) {
        self.hosts.lock().insert(host, name);
    }
}

impl Observer {
    /// Observes that a machine of a simulation takes its turn on the current thread, after others,
    /// or in the middle of the turn of another; and so for a root, a job, an arrival and a fault.
    pub(crate) fn turn_begins(&self) -> Option<ObservedTurn> {
        self.with_writer(|writer| {
            let before = writer.hosts.current.replace(NO_HOST);
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
        let hosts = &writer.hosts;
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

#[cfg(test)]
mod tests {
    use super::*;
    use wsrt_trace::{EVENT_CAPACITY, event_buffer};

    #[test]
    fn a_simulation_waits_for_room_in_a_full_buffer() {
        let (mut writer, mut reader) = event_buffer();
        let event = Event::new(1, EventKind::Overflow { processor: 0, tasks: 1 });
        (0..EVENT_CAPACITY).for_each(|_| writer.write(event));
        let (full, is_full) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            is_full.recv().expect("it is sent");
            reader.read(&mut Vec::new());
            reader
        });
        let _time = virtual_time::give_time(0, 0);
        full.send(()).expect("it is received");
        wait_for_room(&mut writer);
        writer.write(event);
        let reader = thread.join().expect("it only reads");
        assert_eq!(reader.dropped(), 0);
        drop(reader);
        (0..EVENT_CAPACITY).for_each(|_| writer.write(event));
        wait_for_room(&mut writer);
    }
}
