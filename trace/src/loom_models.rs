//! Models of the event buffer: in every interleaving, the reader gets each event once and in order,
//! or the event was counted as dropped. Under loom, a buffer has two chunks of one event each, so
//! that three events are enough to fill the buffer and to add and free chunks.

use loom::model::Builder;

use crate::sync::thread;
use crate::{Event, EventKind, EventReader, EventWriter, event_buffer};

fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

fn write_all(writer: &mut EventWriter, count: u64) {
    (0..count).for_each(|number| writer.write(Event::new(number, EventKind::Overflow { processor: 0, tasks: number })));
}

fn read_stamps(reader: &mut EventReader) -> Vec<u64> {
    let mut events = Vec::new();
    reader.read(|event| events.push(event));
    events.into_iter().map(|event| event.stamp).collect()
}

#[test]
fn each_event_is_read_once_or_counted() {
    explore(|| {
        let (mut writer, mut reader) = event_buffer();
        let writes = thread::spawn(move || write_all(&mut writer, 4));
        let mut stamps = read_stamps(&mut reader);
        stamps.extend(read_stamps(&mut reader));
        writes.join().expect("it only writes");
        stamps.extend(read_stamps(&mut reader));
        assert!(stamps.is_sorted_by(|one, next| one < next), "{stamps:?}");
        assert_eq!(stamps.len() as u64 + reader.dropped(), 4);
    });
}

#[test]
fn a_reader_that_sees_a_closed_buffer_misses_nothing() {
    explore(|| {
        let (mut writer, mut reader) = event_buffer();
        let writes = thread::spawn(move || write_all(&mut writer, 2));
        if reader.is_closed() {
            assert_eq!(read_stamps(&mut reader), [0, 1]);
        }
        writes.join().expect("it only writes");
    });
}

#[test]
fn a_buffer_without_its_reader_is_freed_by_the_writer() {
    explore(|| {
        let (mut writer, mut reader) = event_buffer();
        let reads = thread::spawn(move || read_stamps(&mut reader).len());
        write_all(&mut writer, 2);
        // Loom reports a chunk that is never freed by its cells.
        drop(writer);
        assert!(reads.join().expect("it only reads") <= 2);
    });
}
