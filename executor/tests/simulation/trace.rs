//! The timeline of a simulated run has virtual times.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::future::Future;
use std::pin::pin;
use std::process::{Command, id};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use wsrt::runtime::Handle;
use wsrt::sim;
use wsrt::time::sleep;
use wsrt_trace::decode::{Decoded, Decoder, NameTable, PacketReader};
use wsrt_trace::{Track, TrackEventKind};

const SECOND: u64 = 1_000_000_000;

/// The run that is recorded: two virtual hours, in which tasks run each ten minutes.
#[test]
fn subject_of_the_trace() {
    sim::run(7, |sim| async move {
        sim.host("node", || async {
            loop {
                sleep(Duration::from_secs(600)).await;
                wsrt::spawn(async {}).await.expect("it does not panic");
            }
        });
        sleep(Duration::from_secs(7_200)).await;
    });
}

/// A run with more events in a moment of real time than the recorder's buffer has room for.
#[test]
fn busy_subject_of_the_trace() {
    sim::run(7, |_| async {
        for _ in 0..BUSY {
            wsrt::spawn(async {}).await.expect("it does not panic");
        }
    });
}

const BUSY: usize = if cfg!(debug_assertions) { 40_000 } else { 200_000 };

/// The time of an event in nanoseconds, its kind, and its track.
type Seen = (u64, TrackEventKind, Track);

/// Calls `see` with each packet of the record of a run, by a process of its own. Returns what that
/// has printed.
pub(crate) fn read_record(subject: &str, name: &str, mut see: impl FnMut(Decoded, &NameTable)) -> String {
    let path = env::temp_dir().join(format!("wsrt-simulated-{}-{name}.perfetto-trace", id()));
    let printed = run_subject(subject, &[("WSRT_TRACE", path.as_os_str())]);
    let mut packets = PacketReader::of(File::open(&path).expect("it was written"));
    let mut decoder = Decoder::default();
    while let Ok(packet) = packets.next_packet().expect("it is read") {
        let decoded = decoder.decode(packet).expect("it is a trace");
        see(decoded, &decoder.names);
    }
    fs::remove_file(path).expect("it is there");
    printed
}

pub(crate) fn run_subject(subject: &str, variables: &[(&str, &OsStr)]) -> String {
    let mut command = Command::new(env::current_exe().expect("it runs"));
    let command = command.args([subject, "--exact", "--nocapture"]).env_remove("WSRT_TRACE");
    let output = command.envs(variables.iter().copied()).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("it is text")
}

/// The events of a run.
fn recorded(subject: &str, name: &str) -> Vec<Seen> {
    let mut events = Vec::new();
    read_record(subject, name, |decoded, _| {
        if let Decoded::Event(event) = decoded {
            events.push((event.at, event.kind, event.track));
        }
    });
    events
}

/// The beginning and the end of each poll: those on the track of the thread, which has the most.
fn polls(events: &[Seen]) -> Vec<[Seen; 2]> {
    let bounds = |track| events.iter().filter(move |event| event.2 == track && event.1 != TrackEventKind::Instant);
    let tracks = events.iter().map(|event| event.2);
    let track = tracks.max_by_key(|&track| bounds(track).count()).expect("there are events");
    let bounds: Vec<Seen> = bounds(track).copied().collect();
    assert!(bounds.len() > 20, "{events:?}");
    bounds.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
}

#[test]
fn events_have_the_virtual_times_of_their_run() {
    let subject = "trace::subject_of_the_trace";
    let events = recorded(subject, "one");
    let times: Vec<u64> = events.iter().map(|event| event.0).collect();
    assert!(times.is_sorted(), "{events:?}");
    let (first, last) = (times.iter().min().expect("some"), times.iter().max().expect("some"));
    assert!(*first >= 1_000_000 * SECOND, "the clock begins there: {first}");
    assert!((7_200 * SECOND..7_201 * SECOND).contains(&(last - first)), "{first} {last}");
    let apart = times.windows(2).filter(|pair| pair[1].saturating_sub(pair[0]) > 500 * SECOND).count();
    assert!(apart >= 11, "tasks run each ten minutes: {times:?}");
    for pair in polls(&events) {
        assert!(pair[1].0 - pair[0].0 < SECOND / 100, "a poll is shown at the moment of its turn: {pair:?}");
    }
    assert_eq!(events, recorded(subject, "other"), "a seed is one run");
}

#[test]
fn a_busy_run_is_recorded_whole() {
    let events = recorded("trace::busy_subject_of_the_trace", "busy");
    let is_poll = |event: &&Seen| event.1 == TrackEventKind::End && matches!(event.2, Track::Processor(_));
    assert_eq!(events.iter().filter(is_poll).count(), BUSY);
}

/// It is due by the clock of the recorder, which is the system's.
#[test]
fn a_recording_ends_by_the_systems_clock() {
    const LENGTH: Duration = Duration::from_millis(200);
    let path = env::temp_dir().join(format!("wsrt-simulated-{}-for.perfetto-trace", id()));
    let began = Instant::now();
    let summary = sim::run(1, |_| {
        let path = path.clone();
        async move {
            let mut recording = pin!(Handle::current().trace_for(LENGTH, &path));
            // These take 20 s at least, which is far more than it lasts.
            for _ in 0..20_000 {
                sleep(Duration::from_micros(10)).await;
                std::thread::sleep(Duration::from_millis(1));
                // Not by this task's waker: the recorder's thread is no part of the simulation.
                if let Poll::Ready(summary) = recording.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                    return summary.expect("it was written");
                }
            }
            panic!("the recording has not ended");
        }
    });
    assert!(began.elapsed() >= LENGTH, "{:?}", began.elapsed());
    assert!(summary.events > 0, "{summary:?}");
    assert_eq!(fs::metadata(&path).expect("it is there").len(), summary.bytes);
    fs::remove_file(path).expect("it is there");
}
