//! Which names and events the recorder has, batch by batch.

use std::panic::Location;

use wsrt_trace::Event;

use super::*;
use crate::observe::observer::Observer;
use crate::observe::timeline::thread_writer::ThreadWriter;
use crate::observe::timeline::{FlightRecorder, HeldProcessor};
use crate::task::OwnedTasks;
use crate::util::world::UPTIME;

enum NoRuntime {}

impl Recorded for NoRuntime {
    fn observer(&self) -> &Observer {
        match *self {}
    }

    fn tasks(&self) -> &OwnedTasks {
        match *self {}
    }

    fn sample_queues(&self, _: &mut dyn FnMut(Option<usize>, usize)) -> usize {
        match *self {}
    }

    fn look_at_polls(&self, _: &mut dyn FnMut(HeldProcessor)) {
        match *self {}
    }

    fn is_simulated(&self) -> bool {
        match *self {}
    }
}

#[test]
fn the_flight_recorder_forgets_tasks_with_their_last_batch() {
    StampCounter::choose(UPTIME);
    let recorder = Recorder::new();
    let mut writer = recorder.register_current_thread();
    let mut thread = RecorderThread::new(Arc::clone(&recorder), Weak::<NoRuntime>::new());
    let flight = FlightBuffer::new(FlightRecorder::new("unused").max_bytes(20 * size_of::<EventBatch>()));
    thread.pass_on(Requests { flight: Some(flight), ..Requests::default() });
    for task in 1..=1000 {
        recorder.name_task(task, "named".into());
        writer.write(Event::new(StampCounter::read(), EventKind::Ended { task, processor: 0 }));
        thread.collect(StampCounter::read());
        thread.pass_on(Requests::default());
        assert!(thread.names.contains_key(&task), "the last batch is kept");
    }
    assert!(thread.names.len() <= 21, "{} names", thread.names.len());
}

#[test]
fn events_wait_for_no_poll_that_was_handed_over() {
    StampCounter::choose(UPTIME);
    let recorder = Recorder::new();
    ThreadWriter::with(|writer| {
        writer.write_for(&recorder);
        let begin = |task| writer.begin_poll(task, Location::caller(), 0, 0, false);
        begin(1);
        writer.hand_over();
        begin(2);
        writer.ready(3, None);
        writer.end_poll();
        writer.end_poll();
        begin(4);
        writer.end_poll();
    });
    let mut thread = RecorderThread::new(recorder, Weak::<NoRuntime>::new());
    thread.collect(u64::MAX);
    let seen = thread.batch.entries.iter().map(|entry| match entry.event.kind() {
        EventKind::Poll { task, .. } | EventKind::Readied { task, .. } => (task, entry.event.depth()),
        other => panic!("{other:?}"),
    });
    assert_eq!(seen.collect::<Vec<_>>(), [(1, 0), (3, 1), (2, 0), (4, 0)]);
}

#[cfg(feature = "sim")]
#[test]
fn each_wake_of_a_simulation_is_timed() {
    /// Writes wakes in many light polls, and returns how many of them are untimed.
    fn untimed_wakes() -> usize {
        let recorder = Recorder::new();
        ThreadWriter::with(|writer| {
            writer.write_for(&recorder);
            for _ in 0..100 {
                writer.begin_poll(1, Location::caller(), 0, 0, false);
                writer.ready(2, None);
                writer.end_poll();
            }
        });
        let mut thread = RecorderThread::new(recorder, Weak::<NoRuntime>::new());
        thread.collect(u64::MAX);
        assert_eq!(thread.batch.entries.len(), 200);
        thread.batch.entries.iter().filter(|entry| entry.event.is_untimed()).count()
    }

    StampCounter::choose(UPTIME);
    let time = wsrt_world::virtual_time::override_time(0, 0);
    assert_eq!(untimed_wakes(), 0);
    drop(time);
    // Polls are light where the thread has its core for a moment.
    while untimed_wakes() == 0 {}
}

#[test]
fn a_name_is_kept_until_the_poll_around_is_over() {
    StampCounter::choose(UPTIME);
    let recorder = Recorder::new();
    let mut writer = recorder.register_current_thread();
    let mut thread = RecorderThread::new(Arc::clone(&recorder), Weak::<NoRuntime>::new());
    let mut names_after = |task, outcome, depth| {
        let poll = EventKind::Poll { task, processor: 0, source: 0, lasted: 0, outcome };
        writer.write(Event::new(StampCounter::read(), poll).within(depth));
        thread.collect(StampCounter::read());
        thread.pass_on(Requests::default());
        thread.names.len()
    };
    recorder.name_task(2, "inner".into());
    assert_eq!(names_after(2, PollOutcome::Ready, 1), 1, "it is shown when the poll around it ends");
    assert_eq!(names_after(1, PollOutcome::Pending, 0), 0);
}
