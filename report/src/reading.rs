//! A file to a report: reads it once, from its first byte to where it ends or breaks off.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use wsrt_trace::decode::{Decoder, Ending, Packets, Strings};

use crate::Failure;
use crate::aggregate::Aggregate;

/// What a file comes to.
#[derive(Debug)]
pub(crate) struct Report {
    /// As the page shows it.
    pub(crate) file: String,
    pub(crate) bytes: u64,
    pub(crate) ending: Ending,
    /// Packets that are no messages, though the file goes on behind them.
    pub(crate) malformed: u64,
    pub(crate) strings: Strings,
    pub(crate) aggregate: Aggregate,
}

/// Reads the trace at `path`.
pub(crate) fn read(path: &Path) -> Result<Report, Failure> {
    let shown = path.display();
    let file = File::open(path).map_err(|error| format!("cannot read `{shown}`: {error}"))?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let report = read_from(file, &name).map_err(|error| format!("cannot read `{shown}`: {error}"))?;
    match what_is_wrong(&report) {
        Some(wrong) => Err(format!("`{shown}` {wrong}").into()),
        None => Ok(report),
    }
}

/// Reads `input` to its end; whether it is a trace at all is not judged.
pub(crate) fn read_from(input: impl Read, name: &str) -> std::io::Result<Report> {
    let mut packets = Packets::of(input);
    let (mut decoder, mut aggregate, mut malformed) = (Decoder::default(), Aggregate::new(), 0);
    let ending = loop {
        match packets.next_packet()? {
            Ok(packet) => match decoder.decode(packet) {
                Ok(said) => aggregate.take(said, &decoder.strings),
                Err(_) => malformed += 1,
            },
            Err(ending) => break ending,
        }
    };
    aggregate.finish(&decoder.strings);
    let (file, bytes) = (name.to_owned(), packets.read());
    Ok(Report { file, bytes, ending, malformed, strings: decoder.strings, aggregate })
}

/// Why there is nothing to report of.
fn what_is_wrong(report: &Report) -> Option<&'static str> {
    if report.aggregate.is_of_wsrt() {
        return None;
    }
    Some(match report.ending {
        Ending::Whole if report.bytes == 0 => "is empty",
        Ending::Damaged { at: 0 } | Ending::CutOff { at: 0 } => {
            "is no trace: it does not begin with a packet of Perfetto's"
        }
        _ if report.aggregate.process.is_some() => "is a trace without events: nothing was recorded",
        _ => "is no trace of wsrt: it has packets, but no event of a processor in them",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::encoder::{END, INSTANT, PROCESSOR, Trace, Value};
    use crate::support::program::Program;

    fn read_bytes(bytes: &[u8]) -> Report {
        read_from(bytes, "trace").expect("a slice can be read")
    }

    #[test]
    fn a_program_is_counted_as_it_was_written() {
        let report = read_bytes(&Program::usual(3_000).bytes());
        let aggregate = &report.aggregate;
        assert_eq!((report.ending, report.malformed, aggregate.unmatched()), (Ending::Whole, 0, 0));
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
            cut_off += usize::from(matches!(report.ending, Ending::CutOff { .. }));
        }
        assert_eq!(polls, 12);
        assert!(cut_off > bytes.len() / 2, "{cut_off} of {}", bytes.len());
    }

    #[test]
    fn a_poll_that_the_file_leaves_open_lasts_until_the_file_ends() {
        let mut trace = Trace::new("demo", 1);
        trace.event(1_000, 1, PROCESSOR, "stuck", &[]);
        trace.event(9_000, INSTANT, PROCESSOR, "wake", &[]);
        let report = read_bytes(&trace.bytes);
        let slowest = report.aggregate.polls.slowest.iter().next().expect("one is open");
        assert_eq!((slowest.slice.duration, report.aggregate.totals.unended), (8_000, 1));
    }

    #[test]
    fn names_may_be_numbers_that_stand_behind_their_use() {
        use crate::support::encoder::Message;
        let entry = |iid: u64, text: &str| Message::new().varint(1, iid).text(2, text);
        let mut trace = Trace::new("demo", 1);
        let annotation = Message::new().varint(1, 5).varint(17, 6);
        let event = Message::new().varint(9, 1).varint(11, PROCESSOR).varint(10, 4).message(4, &annotation);
        let interned = Message::new()
            .message(2, &entry(4, "serve"))
            .message(3, &entry(5, "source"))
            .message(29, &entry(6, "stolen"));
        trace.packet(&Message::new().varint(8, 5).varint(10, 1).message(11, &event).message(12, &interned));
        trace.event(9, END, PROCESSOR, "", &[]);
        let report = read_bytes(&trace.bytes);
        let slowest = report.aggregate.polls.slowest.iter().next().expect("there is a poll");
        assert_eq!(report.strings.text(slowest.slice.name), "serve");
        assert_eq!(slowest.slice.details.source.map(|source| source.text()), Some("stolen"));
    }

    #[test]
    fn numbers_that_cannot_be_are_told_and_do_no_harm() {
        let mut trace = Trace::new("demo", 1);
        let steal = [("victim", Value::Number(u64::MAX)), ("tasks", Value::Number(u64::MAX))];
        trace.event(u64::MAX, INSTANT, PROCESSOR, "steal", &steal);
        trace.counter(0, 11, u64::MAX);
        trace.poll(u64::MAX, 0, 0, "backwards", &[("waited_ns", Value::Number(u64::MAX))]);
        trace.poll(0, u64::MAX, 0, "endless", &[("task", Value::Number(u64::MAX))]);
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
    fn anything(random: &mut fastrand::Rng, depth: u32) -> crate::support::encoder::Message {
        let fields = [1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 17, 23, 29, 30, 59, 60];
        let words = ["steal", "victim", "tasks", "wake", "task", "stall", "holds P9", "turn", "ms", "waited_ns"];
        let mut message = crate::support::encoder::Message::new();
        for _ in 0..random.usize(..12) {
            let field = fields[random.usize(..fields.len())];
            message = match random.u32(..6) {
                0 => message.varint(field, random.u64(..) >> random.u32(..64)),
                1 => message.varint(field, random.u64(..5)),
                2 => message.varint(11, [1, 10, 11, 1_000, 1_999, 2_500, 100_000][random.usize(..7)]),
                3 => message.text(field, words[random.usize(..words.len())]),
                4 => message.fixed64(field, random.u64(..)),
                _ if depth > 0 => message.message(field, &anything(random, depth - 1)),
                _ => message,
            };
        }
        message
    }
}
