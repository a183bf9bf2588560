//! Reads a trace file once, from its first byte to where it ends or breaks off, and produces the
//! report.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use wsrt_trace::decode::{Decoder, FileEnding, NameTable, PacketReader};

use crate::Failure;
use crate::aggregate::Aggregate;

/// The contents of a trace file.
#[derive(Debug)]
pub(crate) struct Report {
    /// The name of the file, as shown on the page.
    pub(crate) file: String,
    pub(crate) bytes: u64,
    pub(crate) ending: FileEnding,
    /// The number of packets that are not valid messages but are followed by further packets.
    pub(crate) malformed: u64,
    pub(crate) names: NameTable,
    pub(crate) aggregate: Aggregate,
}

/// Reads the trace at `path`. Returns an error if the file cannot be read or is not a trace of
/// wsrt.
pub(crate) fn read(path: &Path) -> Result<Report, Failure> {
    let shown = path.display();
    let file = File::open(path).map_err(|error| format!("cannot read `{shown}`: {error}"))?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let report = read_from(file, &name).map_err(|error| format!("cannot read `{shown}`: {error}"))?;
    refuse_other(report).map_err(|wrong| format!("`{shown}` {wrong}").into())
}

/// Returns the report unless there is nothing to report, and otherwise the reason.
pub(crate) fn refuse_other(report: Report) -> Result<Report, &'static str> {
    what_is_wrong(&report).map_or(Ok(report), Err)
}

/// Reads `input` to its end, without checking that it is a trace.
pub(crate) fn read_from(input: impl Read, name: &str) -> std::io::Result<Report> {
    let mut packets = PacketReader::of(input);
    let (mut decoder, mut aggregate, mut malformed) = (Decoder::default(), Aggregate::new(), 0);
    let ending = loop {
        match packets.next_packet()? {
            Ok(packet) => match decoder.decode(packet) {
                Ok(decoded) => aggregate.take(decoded, &decoder.names),
                Err(_) => malformed += 1,
            },
            Err(ending) => break ending,
        }
    };
    aggregate.finish(&decoder.names);
    let (file, bytes) = (name.to_owned(), packets.read());
    Ok(Report { file, bytes, ending, malformed, names: decoder.names, aggregate })
}

/// Returns the reason why there is nothing to report, or `None` if there is something.
fn what_is_wrong(report: &Report) -> Option<&'static str> {
    if report.aggregate.is_of_wsrt() {
        return None;
    }
    Some(match report.ending {
        FileEnding::Whole if report.bytes == 0 => "is empty",
        FileEnding::Damaged { at: 0 } | FileEnding::CutOff { at: 0 } => {
            "is no trace: it does not begin with a packet of Perfetto's"
        }
        _ if report.aggregate.process.is_some() => "is a trace without events: nothing was recorded",
        _ => "is no trace of wsrt: it has packets, but no event of a processor in them",
    })
}

#[cfg(test)]
mod tests {
    use wsrt_trace::fields::{debug_annotation, interned_data, interned_entry, trace_packet, track_event};
    use wsrt_trace::{AnnotationKey as Key, EventName, TaskSource, names};

    use super::*;
    use crate::support::encoder::{
        BEGIN, END, INJECTOR, INSTANT, Message, NETPOLLER, PROCESS, PROCESSOR, QUEUE, THREAD, Trace, Value,
    };
    use crate::support::program::Program;

    fn read_bytes(bytes: &[u8]) -> Report {
        read_from(bytes, "trace").expect("a slice can be read")
    }

    #[test]
    fn a_program_is_counted_as_it_was_written() {
        let report = read_bytes(&Program::usual(3_000).bytes());
        let aggregate = &report.aggregate;
        assert_eq!((report.ending, report.malformed, aggregate.unmatched()), (FileEnding::Whole, 0, 0));
        assert_eq!((aggregate.polls.times.count(), aggregate.totals.wakes), (3_000, 3_000));
        assert_eq!((aggregate.totals.dropped, aggregate.closed), (12, true));
        assert_eq!(aggregate.processors.used().count(), 4);
        assert_eq!(aggregate.stalls.met(), 2);
        let slowest = aggregate.polls.slowest.iter().next().expect("there are polls");
        assert_eq!(slowest.slice.duration, 140_000_000);
        let of_sites: u64 = aggregate.sites.by_time().iter().map(|(_, site)| site.polls).sum();
        assert_eq!(of_sites, 3_000);
    }

    #[test]
    fn a_file_cut_off_anywhere_is_read_up_to_there() {
        let bytes = Program::usual(12).bytes();
        let (mut polls, mut cut_off) = (0, 0);
        for length in 0..bytes.len() {
            let report = read_bytes(&bytes[..length]);
            let read = report.aggregate.polls.times.count();
            assert!(read >= polls, "{length} bytes");
            assert_eq!(report.malformed, 0, "{length} bytes");
            assert!(!report.aggregate.closed || length > bytes.len() - 200, "{length} bytes");
            polls = read;
            cut_off += usize::from(matches!(report.ending, FileEnding::CutOff { .. }));
        }
        assert_eq!(polls, 12);
        assert!(cut_off > bytes.len() / 2, "{cut_off} of {}", bytes.len());
    }

    #[test]
    fn a_poll_left_open_lasts_until_the_file_ends() {
        let mut trace = Trace::new("demo", 1);
        trace.event(1_000, BEGIN, PROCESSOR, "stuck", &[]);
        trace.event(9_000, INSTANT, PROCESSOR, EventName::Wake.name(), &[]);
        let report = read_bytes(&trace.bytes);
        let slowest = report.aggregate.polls.slowest.iter().next().expect("one is open");
        assert_eq!((slowest.slice.duration, report.aggregate.totals.unended), (8_000, 1));
    }

    #[test]
    fn names_may_be_numbers_that_stand_behind_their_use() {
        let entry =
            |iid: u64, text: &str| Message::new().varint(interned_entry::IID, iid).text(interned_entry::TEXT, text);
        let mut trace = Trace::new("demo", 1);
        let annotation =
            Message::new().varint(debug_annotation::NAME_IID, 5).varint(debug_annotation::STRING_VALUE_IID, 6);
        let event = Message::new()
            .varint(track_event::TYPE, BEGIN)
            .varint(track_event::TRACK_UUID, PROCESSOR)
            .varint(track_event::NAME_IID, 4)
            .message(track_event::DEBUG_ANNOTATIONS, &annotation);
        let interned = Message::new()
            .message(interned_data::EVENT_NAMES, &entry(4, "serve"))
            .message(interned_data::DEBUG_ANNOTATION_NAMES, &entry(5, Key::Source.name()))
            .message(interned_data::DEBUG_ANNOTATION_STRING_VALUES, &entry(6, TaskSource::Stolen.name()));
        let packet = Message::new()
            .varint(trace_packet::TIMESTAMP, 5)
            .varint(trace_packet::TRUSTED_PACKET_SEQUENCE_ID, 1)
            .message(trace_packet::TRACK_EVENT, &event)
            .message(trace_packet::INTERNED_DATA, &interned);
        trace.packet(&packet);
        trace.event(9, END, PROCESSOR, "", &[]);
        let report = read_bytes(&trace.bytes);
        let slowest = report.aggregate.polls.slowest.iter().next().expect("there is a poll");
        assert_eq!(report.names.text(slowest.slice.name), "serve");
        assert_eq!(slowest.slice.annotations.source, Some(TaskSource::Stolen));
    }

    #[test]
    fn impossible_numbers_are_reported_and_do_no_harm() {
        let mut trace = Trace::new("demo", 1);
        let steal = [(Key::Victim, Value::Number(u64::MAX)), (Key::Tasks, Value::Number(u64::MAX))];
        trace.event(u64::MAX, INSTANT, PROCESSOR, EventName::Steal.name(), &steal);
        trace.counter(0, INJECTOR, u64::MAX);
        trace.poll(u64::MAX, 0, 0, "backwards", &[(Key::Waited, Value::Number(u64::MAX))]);
        trace.poll(0, u64::MAX, 0, "endless", &[(Key::Task, Value::Number(u64::MAX))]);
        let report = read_bytes(&trace.bytes);
        assert_eq!(report.aggregate.totals.absurd, 2);
        assert_eq!(report.aggregate.polls.times.quantile(1.0), u64::MAX);
        crate::page::html(&report);
    }

    #[test]
    fn no_damage_makes_it_panic() {
        let whole = Program::usual(60).bytes();
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..200 {
            let mut bytes = whole.clone();
            for _ in 0..random.usize(1..20) {
                let place = random.usize(..bytes.len());
                match random.u32(..3) {
                    0 => bytes[place] = random.u8(..),
                    1 => bytes.truncate(place.max(1)),
                    _ => drop(bytes.drain(place..bytes.len().min(place + random.usize(..40)))),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            crate::page::html(&read_bytes(&bytes));
        }
    }

    /// Packets that are framed soundly, with anything in them.
    #[test]
    fn no_packet_makes_it_panic() {
        let mut random = fastrand::Rng::with_seed(6);
        for _ in 0..600 {
            let mut trace = Trace::new("demo", 1);
            for _ in 0..random.usize(..20) {
                trace.packet(&anything(&mut random, 3));
            }
            crate::page::html(&read_bytes(&trace.bytes));
        }
    }

    /// A message with fields that are likely to mean something, down to some depth.
    fn anything(random: &mut fastrand::Rng, depth: u32) -> Message {
        let fields = [
            trace_packet::TIMESTAMP,
            trace_packet::TRACK_EVENT,
            trace_packet::INTERNED_DATA,
            trace_packet::SEQUENCE_FLAGS,
            trace_packet::TRACE_PACKET_DEFAULTS,
            trace_packet::TRACK_DESCRIPTOR,
            track_event::DEBUG_ANNOTATIONS,
            track_event::TYPE,
            track_event::NAME_IID,
            track_event::NAME,
            track_event::COUNTER_VALUE,
            interned_data::EVENT_NAMES,
            interned_data::DEBUG_ANNOTATION_NAMES,
            interned_data::DEBUG_ANNOTATION_STRING_VALUES,
            interned_entry::IID,
            debug_annotation::STRING_VALUE_IID,
            debug_annotation::ARRAY_VALUES,
        ];
        let words = [
            &names::holds(9),
            EventName::Steal.name(),
            EventName::Wake.name(),
            EventName::Stall.name(),
            EventName::Turn.name(),
            Key::Victim.name(),
            Key::Tasks.name(),
            Key::Task.name(),
            Key::Millis.name(),
            Key::Waited.name(),
            EventName::Sample.name(),
            Key::Stack.name(),
        ];
        let tracks = [PROCESS, NETPOLLER, INJECTOR, PROCESSOR, PROCESSOR + 999, QUEUE + 500, THREAD];
        let mut message = Message::new();
        for _ in 0..random.usize(..12) {
            let field = fields[random.usize(..fields.len())];
            message = match random.u32(..6) {
                0 => message.varint(field, random.u64(..) >> random.u32(..64)),
                1 => message.varint(field, random.u64(..5)),
                2 => message.varint(track_event::TRACK_UUID, tracks[random.usize(..tracks.len())]),
                3 => message.text(field, words[random.usize(..words.len())]),
                4 => message.fixed64(field, random.u64(..)),
                _ if depth > 0 => message.message(field, &anything(random, depth - 1)),
                _ => message,
            };
        }
        message
    }
}
