//! The figures on the page: those of a trace that was computed by hand, and those that Perfetto's
//! decoder finds in a file that wsrt has written.

use std::path::Path;
use std::process::Command;

mod support;

use wsrt_trace::{AnnotationKey as Key, Awaited, EventName, TaskSource, Track, WakeCause, names};

use support::encoder::Value::{Flag, Number, Text, Texts};
use support::encoder::{BEGIN, END, INJECTOR, INSTANT, NETPOLLER, PROCESSOR, QUEUE, THREAD, Trace};

/// The page's words and figures, with a bar for markup, and plain spaces.
fn words(trace: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_wsrt-report")).arg(trace).args(["-o", "-"]).output();
    let output = output.expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    let page = String::from_utf8(output.stdout).expect("the page is UTF-8").replace('\u{a0}', " ");
    let mut words = String::new();
    let (begin, end) = (page.find("<h1>").expect("it has a title"), page.find("<footer>").expect("it has a foot"));
    for piece in page[begin..end].split('<').filter(|piece| !piece.starts_with("script")) {
        let text = piece.split_once('>').map_or(piece, |(_, text)| text).trim();
        if !text.is_empty() {
            words.push_str(text);
            words.push('|');
        }
    }
    words
}

fn assert_says(words: &str, expected: &[&str]) {
    let missing: Vec<_> = expected.iter().filter(|expected| !words.contains(**expected)).collect();
    assert!(missing.is_empty(), "{missing:#?} are not in {words}");
}

/// Microseconds from the trace's beginning, as a time in it.
fn at(microseconds: u64) -> u64 {
    5_000_000_000 + microseconds * 1_000
}

/// Ten milliseconds of two processors.
fn ten_milliseconds() -> Trace {
    let mut trace = Trace::new("by hand", 2);
    trace.thread(0, "wsrt-machine");
    trace.event(at(0), BEGIN, THREAD, &names::holds(0), &[]);
    add_polls(&mut trace);
    add_a_turn(&mut trace);
    trace.counter(at(3_000), INJECTOR, 7);
    trace.counter(at(3_000), QUEUE, 200);
    trace.event(at(3_500), INSTANT, PROCESSOR, EventName::Overflow.name(), &[(Key::Tasks, Number(129))]);
    let stall = [
        (Key::Task, Number(1)),
        (Key::SpawnedAt, Text("src/a.rs:1:1")),
        (Key::Millis, Number(3)),
        (Key::Asleep, Flag(true)),
    ];
    trace.event(at(3_000), INSTANT, PROCESSOR, EventName::Stall.name(), &stall);
    let in_task =
        [(Key::SpawnedAt, Text("src/a.rs:1:1")), (Key::Stack, Texts(&["main", "app::read", "std::fs::read"]))];
    for time in [1_000, 2_000] {
        trace.event(at(time), INSTANT, PROCESSOR, EventName::Sample.name(), &in_task);
    }
    let outside = [(Key::Stack, Texts(&["main"]))];
    trace.event(at(9_000), INSTANT, THREAD, EventName::Sample.name(), &outside);
    trace.event(at(8_000), END, THREAD, "", &[]);
    trace.close(at(10_000), 0);
    trace
}

/// Two polls on the first processor, and on the second the poll of a stolen task.
fn add_polls(trace: &mut Trace) {
    let serve = |source: TaskSource, waited| {
        [
            (Key::Task, Number(1)),
            (Key::SpawnedAt, Text("src/a.rs:1:1")),
            (Key::Source, Text(source.name())),
            (Key::Waited, Number(waited)),
        ]
    };
    trace.poll(at(0), at(4_000), 0, "serve", &serve(TaskSource::Ring, 2_000));
    trace.poll(at(5_000), at(6_000), 0, "serve", &serve(TaskSource::Network, 4_000));
    let stolen = [
        (Key::Task, Number(2)),
        (Key::SpawnedAt, Text("src/b.rs:2:2")),
        (Key::Source, Text(TaskSource::Stolen.name())),
        (Key::Victim, Number(0)),
        (Key::Waited, Number(900_000)),
    ];
    let steal = [(Key::Victim, Number(0)), (Key::Tasks, Number(3))];
    trace.event(at(1_000), INSTANT, PROCESSOR + 1, EventName::Steal.name(), &steal);
    trace.poll(at(1_000), at(2_500), 1, "src/b.rs:2:2", &stolen);
}

/// A turn of the netpoller with three wakes.
fn add_a_turn(trace: &mut Trace) {
    for by in [WakeCause::Network, WakeCause::Network, WakeCause::Timer] {
        let wake = [(Key::Task, Number(1)), (Key::By, Text(by.name()))];
        trace.event(at(4_500), INSTANT, NETPOLLER, EventName::Wake.name(), &wake);
    }
    let turn = [(Key::Events, Number(4)), (Key::Timers, Number(1))];
    trace.event(at(4_400), BEGIN, NETPOLLER, EventName::Turn.name(), &turn);
    trace.event(at(4_600), END, NETPOLLER, "", &[]);
}

#[test]
fn what_was_worked_out_by_hand_is_on_the_page() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures");
    std::fs::write(&path, ten_milliseconds().bytes).expect("a file can be written");
    let words = words(&path);
    assert_says(
        &words,
        &[
            "|Duration|10.0 ms|",
            "|Processors|2|busy 32 % of the time|",
            "|Tasks|2|",
            "|Polls|3|300 a second|",
            "|Wakes|3|67 % by the network|",
            "|Steals|1|moved 3 tasks|",
            "|Stalls|1|1 overflow of a full ring|",
            "|Dropped events|0|nothing is missing|",
            "|netpoller|5|",
            "|injector|≤ 7|",
            // A processor: its time by source, then the row of the table.
            "|P0|ring: 4.00 ms in polls, 40 %|",
            "|network: 1.00 ms in polls, 10 %|held, looking for work: 3.00 ms, 30 %|50 %|",
            "|P0|50 %|2|2.50 ms|0|200|1|1|",
            "|P1|15 %|1|1.50 ms|3|0|0|0|",
            "|stolen|1|33 %|23 %|900 µs|900 µs|900 µs|900 µs|",
            "1 steal moved 3 tasks; the most, 3, went from P0 to P1.",
            "The slowest poll, of|serve|, held P0 for 4.00 ms.",
            "|1.50 ms|#2|src/b.rs:2:2|1.00 ms|P1|stolen from P0|900 µs|",
            "Tasks spawned at|src/a.rs:1:1|took 77 % of all poll time.",
            "|src/a.rs:1:1|5.00 ms|77 %|1|2|2.50 ms|4.00 ms|3.00 µs|",
            "Task 1,|serve|, was woken most: 3 times.",
            "|serve|#1|src/a.rs:1:1|3|network, 67 %|2|5.00 ms|",
            "1 stall; the longest had lasted 3.00 ms when it was seen.",
            "|3.00 ms|serve|#1|src/a.rs:1:1|3.00 ms|P0|asleep|",
            "|67 % of 3 samples ended in|std::fs::read|.|",
            "|Tasks spawned at|src/a.rs:1:1|: 2 samples, 67 %|main|app::read|fs::read|",
            "|Outside of tasks: 1 sample, 33 %|main|",
            "|std::fs::read|2|67 %|main|1|33 %|",
            "|wsrt-machine 4242|",
        ],
    );
}

#[test]
fn spares_are_counted_beside_the_workers() {
    let mut trace = Trace::new("by hand", 2);
    for index in [2, 3] {
        trace.processor(index, &names::spare_processor(index));
    }
    for (index, end) in [(0, 10_000), (1, 5_000), (2, 1_000), (3, 2_000)] {
        trace.poll(at(0), at(end), index, "serve", &[(Key::Task, Number(index))]);
    }
    trace.close(at(10_000), 0);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spares");
    std::fs::write(&path, trace.bytes).expect("a file can be written");
    let words = words(&path);
    assert_says(
        &words,
        &[
            "|Processors|2|busy 75 % of the time, and 2 spares|",
            "2 processors were busy for 75 % of the time.",
            "P0 was the busiest with 100 % of the time, P1 the least busy with 50 %.",
            "|P1|50 %|1|5.00 ms|",
            "|P2 (spare)|10 %|1|1.00 ms|",
            "|P3 (spare)|20 %|1|2.00 ms|",
        ],
    );
}

/// Ten milliseconds of a simulation with two hosts: their tasks share a processor, and one of them
/// blocks.
fn two_hosts() -> Trace {
    let mut trace = Trace::new("simulated", 0);
    for (host, name) in [(1, "alpha"), (2, "beta")] {
        trace.host(host, name, 0);
        let lane = Track::HostProcessor { host, processor: 0 }.uuid();
        let (begin, source) = (at(u64::from(host) * 2_000), Text(TaskSource::Ring.name()));
        trace.event(begin, BEGIN, lane, name, &[(Key::Task, Number(host.into())), (Key::Source, source)]);
        let steal = [(Key::Victim, Number(1)), (Key::Tasks, Number(3))];
        trace.event(begin, INSTANT, lane, EventName::Steal.name(), &steal);
        trace.end_poll(begin + 1_500_000, lane);
    }
    trace.event(at(6_000), BEGIN, Track::Host(2).uuid(), EventName::BlockingJob.name(), &[]);
    trace.event(at(8_500), END, Track::Host(2).uuid(), "", &[]);
    trace.close(at(10_000), 0);
    trace
}

#[test]
fn the_tracks_of_hosts_count_for_their_processors() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hosts");
    std::fs::write(&path, two_hosts().bytes).expect("a file can be written");
    assert_says(
        &words(&path),
        &[
            "|Polls|2|",
            "|Tasks|2|",
            "|Steals|2|moved 6 tasks|",
            "|P0|ring: 3.00 ms in polls, 38 %|",
            "|beta|",
            "2.50 ms",
        ],
    );
}

/// Two tasks wait for a mutex, which a third releases: one for 1.9 ms, one for 300 µs. Then the
/// third waits for a channel, until the end.
fn waits() -> Trace {
    let mut trace = Trace::new("by hand", 1);
    let wait = |task, awaited: Awaited, place| {
        let kind = (Key::WaitsFor, Text(awaited.name()));
        [(Key::Task, Number(task)), kind, (Key::MadeAt, Text(place))]
    };
    let woken = |task, waited, waker| {
        let by = [(Key::WokenBy, Text(WakeCause::Task.name())), (Key::Waker, Number(waker))];
        let its = [(Key::Task, Number(task)), (Key::SpawnedAt, Text("src/a.rs:1:1")), (Key::Waited, Number(waited))];
        [&its[..], &by[..]].concat()
    };
    for (begin, task) in [(1_000, 1), (2_600, 2)] {
        trace.event(at(begin - 10), BEGIN, PROCESSOR, "src/a.rs:1:1", &woken(task, 1, 4));
        let mutex = wait(task, Awaited::Mutex, "src/lock.rs:3:3");
        trace.event(at(begin), INSTANT, PROCESSOR, EventName::Wait.name(), &mutex);
        trace.event(at(begin), END, PROCESSOR, "", &[]);
    }
    let third = [(Key::Task, Number(3)), (Key::SpawnedAt, Text("src/b.rs:2:2"))];
    trace.event(at(2_800), BEGIN, PROCESSOR, "src/b.rs:2:2", &third);
    let channel = wait(3, Awaited::MpscReceive, "src/queue.rs:4:4");
    trace.event(at(3_000), INSTANT, PROCESSOR, EventName::Wait.name(), &channel);
    trace.event(at(3_000), END, PROCESSOR, "", &[]);
    trace.poll(at(3_000), at(3_100), 0, "src/a.rs:1:1", &woken(1, 100_000, 3));
    trace.poll(at(3_100), at(3_200), 0, "src/a.rs:1:1", &woken(2, 200_000, 3));
    trace.close(at(5_000), 0);
    trace
}

#[test]
fn waits_are_ranked_by_lock_with_both_sides() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("waits");
    std::fs::write(&path, waits().bytes).expect("a file can be written");
    assert_says(
        &words(&path),
        &[
            "Tasks waited for the mutex made at|src/lock.rs:3:3|for 2.20 ms, 2 times.",
            "|mutex|src/lock.rs:3:3|2.20 ms|2|303 µs|1.90 ms|0|src/a.rs:1:1|, 100 %|src/b.rs:2:2|, 100 %|",
            "|mpsc_receive|src/queue.rs:4:4|2.00 ms|1|2.00 ms|2.00 ms|1|src/b.rs:2:2|, 100 %|–|",
        ],
    );
}

/// The first 48 kB of a trace of `examples/mixed_server.rs`, at a packet's end. The figures were
/// counted with the Python package `perfetto`.
#[test]
fn a_file_of_wsrt_is_read_as_perfetto_reads_it() {
    let words = words(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/beginning.perfetto-trace"));
    assert_says(
        &words,
        &[
            "|Duration|307 ms|1,152 events|",
            "|Processors|4|",
            "|Tasks|35|35 spawned, 1 ended|",
            "|Polls|245|",
            "|Wakes|237|100 % by the network|",
            "|Steals|12|moved 16 tasks|",
            "The file has no closing mark",
            "|runnext|26|",
            "|ring|140|",
            "|injector|33|",
            "|network|34|",
            "|stolen|12|",
            "The slowest poll, of|connection|, held P",
            "|258 µs|connection|#32|",
            "|323 µs|",
        ],
    );
}
