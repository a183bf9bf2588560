//! The timeline of a runtime shows the threads that help with calls of rayon's.

use std::path::PathBuf;
use std::sync::Barrier;
use std::{env, fs, process};

use rayon_core::join;
use wsrt::runtime::Builder;
use wsrt_trace::TrackEventKind;
use wsrt_trace::decode::{Decoded, Decoder, PacketReader};

/// Runs `compute` in a task of a recorded runtime, and returns how often a thread came to help.
fn visits_of_helpers(name: &str, compute: fn()) -> usize {
    let path: PathBuf = env::temp_dir().join(format!("wsrt-rayon-{}-{name}.perfetto-trace", process::id()));
    let runtime = Builder::new_multi_thread().worker_threads(2).trace(&path).build().expect("a runtime");
    runtime.block_on(async move { wsrt::spawn(async move { compute() }).await.expect("no panic") });
    drop(runtime);
    let (mut decoder, mut visits) = (Decoder::default(), 0);
    let mut packets = PacketReader::of(fs::File::open(&path).expect("it was written"));
    while let Ok(packet) = packets.next_packet().expect("it is read") {
        if let Ok(Decoded::Event(event)) = decoder.decode(packet) {
            let begins = event.kind == TrackEventKind::Begin;
            visits += usize::from(begins && decoder.names.text(event.name) == "helps");
        }
    }
    fs::remove_file(&path).expect("it was there");
    visits
}

#[test]
fn a_join_shows_the_thread_that_helps() {
    let visits = visits_of_helpers("join", || {
        let both = Barrier::new(2);
        join(|| both.wait(), || both.wait());
    });
    assert!(visits > 0, "the second closure ran on another thread");
    assert_eq!(visits_of_helpers("none", || ()), 0);
}
