//! The hosts of a simulation: the simulation's thread records the events of all hosts, and notes
//! where the events of another host begin.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::Duration;

use wsrt_trace::{Event, EventKind, EventWriter, NO_PROCESSOR};

use super::recorder::Recorder;
use super::thread_writer::ThreadWriter;
use crate::observe::observer::Observer;
use wsrt_world::{task_hosts, virtual_time};

/// The number that means no host: used for the test itself, and for threads that drive no
/// simulation.
const NO_HOST: u32 = 0;

/// How many times a simulation checks whether there is room for an event, with pauses in between:
/// some seconds in total, in case the recorder waits for a lock of the simulation.
const MOST_LOOKS: u32 = 20_000;
const BETWEEN_LOOKS: Duration = Duration::from_micros(100);

/// Returns whether this thread drives a simulation.
pub(super) fn is_simulated() -> bool {
    virtual_time::shown().is_some()
}

/// Makes a simulation's thread wait for the recorder, which takes no virtual time, so that every
/// event is recorded. Other threads never wait.
#[inline]
fn wait_for_room(events: &mut EventWriter) {
    if events.may_wait() && is_simulated() {
        let mut looks = 0..MOST_LOOKS;
        while looks.next().is_some() && events.may_wait() {
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }
}

/// The simulated hosts of the events that a thread writes.
#[derive(Debug)]
pub(crate) struct WriterHosts {
    /// The host that the thread is currently on.
    current: Cell<u32>,
    /// The host of the next event, as far as the recorder knows.
    told: Cell<u32>,
    /// The hosts whose names the recorder has received.
    named: RefCell<BTreeSet<u32>>,
}

impl WriterHosts {
    pub(super) const fn new() -> Self {
        Self { current: Cell::new(NO_HOST), told: Cell::new(NO_HOST), named: RefCell::new(BTreeSet::new()) }
    }

    /// Resets the state for a new recorder, which knows no host.
    pub(super) fn begin_anew(&self) {
        self.told.set(NO_HOST);
        self.named.borrow_mut().clear();
    }

    /// Writes an event, preceded by an event that names the host if the recorder would otherwise
    /// assign the event to another host.
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

/// A guard for the time that a thread spends on a host, or on none. Dropping it restores the
/// previous host.
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

/// A guard for a turn on a simulation's thread. Dropping it resumes the interrupted turn, if there
/// was one.
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
    /// Switches to the turn of another machine of a simulation, at another time, or back. Returns
    /// the processor of the machine before.
    fn turn_to_another(&self, holds: u16) -> u16 {
        self.ended_at.set(0);
        self.held.replace(holds)
    }
}

impl Recorder {
    /// Sends a host's name to the recorder, before the host's first event.
    fn name_host(&self, host: u32, name: String) {
        self.hosts.lock().insert(host, name);
    }
}

impl Observer {
    /// Records that a simulated machine takes its turn on the current thread, after others or in
    /// the middle of another machine's turn. The same holds for a root, a job, an arrival and a
    /// fault.
    pub(crate) fn turn_begins(&self) -> Option<ObservedTurn> {
        self.with_writer(|writer| {
            let before = writer.hosts.current.replace(NO_HOST);
            ObservedTurn { _on: OnHost { before }, held: writer.turn_to_another(NO_PROCESSOR) }
        })
    }

    /// Records that the thread works for a task, on the task's host. Task 0 means no host.
    pub(crate) fn on_host_of(&self, task: u64) -> Option<OnHost> {
        self.with_writer(|writer| self.go_to_host_of(writer, task)).flatten()
    }

    /// Moves the writer to the host of a task, if the thread drives a simulation.
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
            reader.read(drop);
            reader
        });
        let _time = virtual_time::override_time(0, 0);
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
