//! Any bytes may be given to the decoder of traces, and to the report on one: no panic, no hang, no
//! more memory than a small multiple of the file.

use std::ffi::OsString;
use std::fs;

use wsrt_fuzz::{Corpus, Metered, check, corpus};
use wsrt_report::cli;
use wsrt_tests::Directory;
use wsrt_trace::TrackEventKind;
use wsrt_trace::decode::{Decoded, Decoder, FileEnding, OpenSlices, PacketReader};
use wsrt_trace::wire::Fields;

#[global_allocator]
static METERED: Metered = Metered;

/// The reader's buffer, the tables, and a packet for each byte of the file.
const MEMORY: usize = 4 << 20;
const MEMORY_PER_BYTE: usize = 512;

/// The corpus, with cuts of a real trace, which is too long to be mutated whole.
fn traces() -> Corpus {
    let mut traces = corpus("trace", &["\n\u{1}\u{10}", "yield", "spawned_at", "\u{ff}\u{ff}"]);
    let real = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../report/tests/data/beginning.perfetto-trace"));
    let real = real.expect("it is in the tree");
    let lengths = [200, 1_000, 4_000, 12_000].map(|length| length.min(real.len()));
    traces.inputs.extend(lengths.map(|length| real[..length].to_vec()));
    traces
}

/// Decodes as the report does. Returns how many packets there were, and how the file ends.
fn decode(bytes: &[u8]) -> (usize, FileEnding) {
    let (mut packets, mut decoder) = (PacketReader::of(bytes), Decoder::default());
    let (mut open, mut count, mut last) = (OpenSlices::default(), 0, 0);
    loop {
        match packets.next_packet().expect("a slice can be read") {
            Err(ending) => {
                assert!(packets.read() <= bytes.len() as u64);
                open.end_all(last);
                return (count, ending);
            }
            Ok(packet) => {
                count += 1;
                if let Ok(Decoded::Event(event)) = decoder.decode(packet) {
                    last = event.at;
                    decoder.names.text(event.name);
                    match event.kind {
                        TrackEventKind::Begin => open.begin(&event),
                        TrackEventKind::End => drop(open.end(&event)),
                        _ => {}
                    }
                }
            }
        }
    }
}

#[test]
fn no_bytes_break_the_decoder() {
    let tried = check(&traces(), 40_000, |bytes| {
        let (most, allowed) = (Metered::most_during(|| _ = decode(bytes)), MEMORY + MEMORY_PER_BYTE * bytes.len());
        assert!(most <= allowed, "{most} bytes of memory for {} of the file", bytes.len());
        let (count, ending) = decode(bytes);
        assert!(count <= bytes.len());
        match ending {
            FileEnding::Whole => {}
            FileEnding::CutOff { at } | FileEnding::Damaged { at } => assert!(at <= bytes.len() as u64),
        }
        for field in Fields::of(bytes) {
            let Ok((_, value)) = field else { break };
            let _ = (value.number(), value.bytes());
        }
    });
    println!("{tried} inputs");
}

#[test]
fn a_file_that_is_read_again_reads_the_same() {
    check(&traces(), 2_000, |bytes| assert_eq!(decode(bytes), decode(bytes)));
}

#[test]
fn no_file_breaks_the_report() {
    let directory = Directory::new();
    let (file, page) = (directory.path("trace"), directory.path("page"));
    check(&traces(), 1_500, |bytes| {
        fs::write(&file, bytes).expect("the directory is there");
        let words = [file.clone().into(), OsString::from("-o"), page.clone().into()];
        let _ = fs::remove_file(&page);
        if cli::run(words.into_iter()).is_ok() {
            let text = fs::read_to_string(&page).expect("the page is text");
            assert!(text.trim_end().ends_with("</html>"), "the page breaks off");
        }
    });
}
