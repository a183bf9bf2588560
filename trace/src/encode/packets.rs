//! Packets: what Perfetto reads. Field numbers are those of its `trace_packet.proto` and what that includes.

use std::collections::HashMap;
use std::panic::Location;

use crate::int_hasher::Scatter;
use crate::wire::write::Message;

/// A name that is spelt out once in a file; a number afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Text(u64);

/// What a packet of an event says of it, beside its time and place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    Task = 1,
    Source,
    Victim,
    SpawnedAt,
    WokenBy,
    Waker,
    Waited,
    Outcome,
    By,
    Tasks,
    Millis,
    Asleep,
    Events,
    Timers,
    Count,
}

const NOTES: [(Note, &str); 15] = [
    (Note::Task, "task"),
    (Note::Source, "source"),
    (Note::Victim, "victim"),
    (Note::SpawnedAt, "spawned_at"),
    (Note::WokenBy, "woken_by"),
    (Note::Waker, "waker"),
    (Note::Waited, "waited_ns"),
    (Note::Outcome, "outcome"),
    (Note::By, "by"),
    (Note::Tasks, "tasks"),
    (Note::Millis, "ms"),
    (Note::Asleep, "asleep"),
    (Note::Events, "events"),
    (Note::Timers, "timers"),
    (Note::Count, "count"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Number(u64),
    Bool(bool),
    Text(Text),
}

/// The kinds of an event's packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Begin = 1,
    End = 2,
    Instant = 3,
}

/// One event to be written.
#[derive(Debug)]
pub(crate) struct Shown<'a> {
    pub(crate) kind: Kind,
    /// In nanoseconds of the system's monotonic clock.
    pub(crate) time: u64,
    pub(crate) track: u64,
    pub(crate) name: Option<Text>,
    pub(crate) notes: &'a [(Note, Value)],
    pub(crate) flow: Option<u64>,
    /// Flows that end here.
    pub(crate) ends: &'a [u64],
}

/// What a track is for.
#[derive(Debug)]
pub(crate) enum Track<'a> {
    Process {
        pid: u64,
        name: &'a str,
    },
    Thread {
        pid: u64,
        tid: u64,
        name: &'a str,
    },
    /// A child of the process, at this place among the others.
    Lane {
        name: &'a str,
        rank: u64,
    },
    Counter {
        name: &'a str,
    },
}

pub(crate) const PROCESS: u64 = 1;

/// CLOCK_MONOTONIC, as Perfetto calls it.
const MONOTONIC: u64 = 3;
const REALTIME: u64 = 1;
const BOOTTIME: u64 = 6;

/// Packets that wait to be written to a file, and what the file has spelt out already.
#[derive(Debug, Default)]
pub(crate) struct Packets {
    bytes: Vec<u8>,
    sites: HashMap<usize, Text, Scatter>,
    words: HashMap<Box<str>, Text>,
    texts: u64,
}

impl Packets {
    /// The packets that have come since the last call.
    pub(crate) fn take(&mut self, into: &mut Vec<u8>) {
        into.clear();
        std::mem::swap(into, &mut self.bytes);
    }

    fn packet(&mut self, write: impl FnOnce(&mut Message<'_>)) {
        Message::at_the_end_of(&mut self.bytes).message(1, |packet| {
            packet.number(10, 1);
            write(packet);
        });
    }

    /// Begins a file: nothing before it counts, times are by the monotonic clock, and `clocks` (monotonic, since boot, by the
    /// calendar) show the same moment.
    pub(crate) fn begin(&mut self, clocks: [u64; 3]) {
        self.packet(|packet| {
            packet.number(13, 1);
            packet.message(59, |defaults| defaults.number(58, MONOTONIC));
            packet.message(12, |interned| {
                for (note, name) in NOTES {
                    interned.message(3, |entry| spell(entry, note as u64, name));
                }
            });
        });
        self.packet(|packet| {
            packet.message(6, |snapshot| {
                for (clock, time) in [MONOTONIC, BOOTTIME, REALTIME].into_iter().zip(clocks) {
                    snapshot.message(1, |entry| {
                        entry.number(1, clock);
                        entry.number(2, time);
                    });
                }
                snapshot.number(2, MONOTONIC);
            });
        });
    }

    pub(crate) fn describe(&mut self, uuid: u64, track: &Track<'_>) {
        self.packet(|packet| {
            packet.message(60, |descriptor| {
                descriptor.number(1, uuid);
                match track {
                    Track::Process { pid, name } => descriptor.message(3, |process| {
                        process.number(1, *pid);
                        process.text(6, name);
                    }),
                    Track::Thread { pid, tid, name } => {
                        descriptor.number(5, PROCESS);
                        descriptor.message(4, |thread| {
                            thread.number(1, *pid);
                            thread.number(2, *tid);
                            thread.text(5, name);
                        });
                    }
                    Track::Lane { name, rank } => {
                        descriptor.text(2, name);
                        descriptor.number(5, PROCESS);
                        descriptor.number(12, *rank);
                    }
                    Track::Counter { name } => {
                        descriptor.text(2, name);
                        descriptor.number(5, PROCESS);
                        descriptor.message(8, |_| {});
                    }
                }
            });
        });
    }

    /// Where a task was spawned, as a text.
    pub(crate) fn site(&mut self, site: &'static Location<'static>) -> Text {
        let address = std::ptr::from_ref(site).addr();
        if let Some(&text) = self.sites.get(&address) {
            return text;
        }
        let text = self.spell_out(&site.to_string());
        self.sites.insert(address, text);
        text
    }

    pub(crate) fn text(&mut self, word: &str) -> Text {
        if let Some(&text) = self.words.get(word) {
            return text;
        }
        let text = self.spell_out(word);
        self.words.insert(word.into(), text);
        text
    }

    fn spell_out(&mut self, word: &str) -> Text {
        self.texts += 1;
        let text = Text(self.texts);
        self.packet(|packet| {
            packet.number(13, 2);
            packet.message(12, |interned| {
                interned.message(2, |entry| spell(entry, text.0, word));
                interned.message(29, |entry| spell(entry, text.0, word));
            });
        });
        text
    }

    pub(crate) fn show(&mut self, shown: &Shown<'_>) {
        self.packet(|packet| {
            packet.number(8, shown.time);
            packet.number(13, 2);
            packet.message(11, |event| {
                event.number(9, shown.kind as u64);
                event.number(11, shown.track);
                if let Some(Text(name)) = shown.name {
                    event.number(10, name);
                }
                for (note, value) in shown.notes {
                    event.message(4, |annotation| {
                        annotation.number(1, *note as u64);
                        match *value {
                            Value::Bool(value) => annotation.number(2, value.into()),
                            Value::Number(value) => annotation.number(3, value),
                            Value::Text(Text(text)) => annotation.number(17, text),
                        }
                    });
                }
                if let Some(flow) = shown.flow {
                    event.eight_bytes(47, flow);
                }
                for &flow in shown.ends {
                    event.eight_bytes(48, flow);
                }
            });
        });
    }

    pub(crate) fn count(&mut self, time: u64, track: u64, value: u64) {
        self.packet(|packet| {
            packet.number(8, time);
            packet.message(11, |event| {
                event.number(9, 4);
                event.number(11, track);
                event.number(30, value);
            });
        });
    }
}

fn spell(entry: &mut Message<'_>, number: u64, text: &str) {
    entry.number(1, number);
    entry.text(2, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Packets)) -> Vec<u8> {
        let (mut packets, mut bytes) = (Packets::default(), Vec::new());
        write(&mut packets);
        packets.take(&mut bytes);
        bytes
    }

    #[test]
    fn an_event_is_one_packet_with_all_that_was_said() {
        let notes =
            [(Note::Task, Value::Number(5)), (Note::Asleep, Value::Bool(true)), (Note::By, Value::Text(Text(9)))];
        let shown = Shown {
            kind: Kind::Begin,
            time: 300,
            track: 1000,
            name: Some(Text(2)),
            notes: &notes,
            flow: Some(7),
            ends: &[8],
        };
        let bytes = written(|packets| packets.show(&shown));
        #[rustfmt::skip]
        let expected = [
            0x0a, 55, 0x50, 1, 0x40, 0xac, 0x02, 0x68, 2,
            0x5a, 46, 0x48, 1, 0x58, 0xe8, 0x07, 0x50, 2,
            0x22, 4, 0x08, 1, 0x18, 5, 0x22, 4, 0x08, 12, 0x10, 1, 0x22, 5, 0x08, 9, 0x88, 0x01, 9,
            0xf9, 0x02, 7, 0, 0, 0, 0, 0, 0, 0, 0x81, 0x03, 8, 0, 0, 0, 0, 0, 0, 0,
        ];
        assert_eq!(bytes, expected);
    }

    #[test]
    fn a_text_is_spelt_out_once() {
        let site = Location::caller();
        let mut again = None;
        let bytes = written(|packets| {
            let texts = [packets.text("hello"), packets.site(site)];
            again = Some((texts, [packets.text("hello"), packets.site(site)]));
        });
        let (texts, same) = again.expect("set above");
        assert_eq!(texts, same);
        assert_ne!(texts[0], texts[1]);
        let count = |word: &str| bytes.windows(word.len()).filter(|window| *window == word.as_bytes()).count();
        assert_eq!(count("hello"), 2, "as a name and as a value");
        assert_eq!(count(file!()), 2);
    }

    #[test]
    fn notes_are_numbered_as_they_are_spelt() {
        for (place, (note, _)) in NOTES.into_iter().enumerate() {
            assert_eq!(note as usize, place + 1);
        }
    }
}
