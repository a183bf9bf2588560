//! The timeline of a simulated run has tracks for each of its hosts, and for their processors.

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use wsrt::sim::{self, Sim};
use wsrt::sync::mpsc;
use wsrt::task::{Builder, block_in_place, spawn_blocking, yield_now};
use wsrt::time::sleep;
use wsrt_trace::decode::Decoded;
use wsrt_trace::{Track, TrackEventKind, WakeCause};

use crate::trace::read_record;
use crate::with_processors;

const MOMENT: Duration = Duration::from_millis(1);
const MOMENT_NANOS: u64 = 1_000_000;

fn named(name: &str, task: impl Future<Output = ()> + Send + 'static) -> wsrt::task::JoinHandle<()> {
    Builder::new().name(name).spawn(task)
}

/// Two hosts and the test itself, whose tasks wake each other, block, and run in the middle of
/// others' turns.
#[test]
fn subject_with_two_hosts() {
    sim::run(7, |sim| async move {
        let (to_beta, of_alpha) = mpsc::unbounded_channel();
        let of_alpha = std::sync::Mutex::new(Some(of_alpha));
        sim.host("alpha", move || {
            let to_beta = to_beta.clone();
            async move {
                named("alpha counts", async move {
                    for number in 0..20 {
                        sleep(MOMENT).await;
                        let _ = to_beta.send(number);
                    }
                });
                named("alpha blocks", async {
                    for _ in 0..3 {
                        let handle = wsrt::runtime::Handle::current();
                        block_in_place(|| handle.block_on(sleep(5 * MOMENT)));
                        named("alpha after blocking", yield_now());
                    }
                });
                named("alpha roots", async {
                    let root = async {
                        sleep(MOMENT).await;
                        drop(named("alpha from a root", async {}));
                    };
                    wsrt::runtime::Handle::current().block_on(root);
                });
                spawn_blocking(|| named("alpha from a job", async {})).await.expect("it does not panic");
            }
        });
        sim.host("beta", move || {
            let numbers = of_alpha.lock().expect("no panic").take();
            async move {
                let mut numbers = numbers.expect("it starts once");
                named("beta receives", async move { while numbers.recv().await.is_some() {} });
                for _ in 0..20 {
                    named("beta works", sleep(MOMENT)).await.expect("it does not panic");
                }
            }
        });
        for _ in 0..20 {
            named("test looks", sleep(MOMENT)).await.expect("it does not panic");
        }
    });
}

/// A host that crashes and starts again, beside the test.
#[test]
fn subject_with_a_crash() {
    sim::run(7, |sim| async move {
        let life = Arc::new(AtomicU32::new(0));
        sim.host("node", move || {
            let life = life.fetch_add(1, Relaxed) + 1;
            async move {
                named("node waits", pending());
                loop {
                    named(if life == 1 { "node works" } else { "node works again" }, sleep(MOMENT))
                        .await
                        .expect("no panic");
                }
            }
        });
        sleep(10 * MOMENT).await;
        named("test crashes it", async { Sim::current().crash("node") }).await.expect("no panic");
        named("test looks", sleep(10 * MOMENT)).await.expect("no panic");
        named("test restarts it", async { Sim::current().restart("node") }).await.expect("no panic");
        sleep(10 * MOMENT).await;
    });
}

/// A record: the names of its tracks, and its events.
#[derive(Default)]
struct Shown {
    tracks: BTreeMap<u64, String>,
    events: Vec<ShownEvent>,
}

#[derive(Debug, PartialEq)]
struct ShownEvent {
    at: u64,
    kind: TrackEventKind,
    track: String,
    name: String,
    /// The task that it is about.
    task: Option<u64>,
    waker: Option<u64>,
    cause: Option<WakeCause>,
}

impl ShownEvent {
    /// The host of its track.
    fn host(&self) -> &str {
        first_word(&self.track)
    }
}

/// The host of a track, by its name, `alpha` or `alpha P0`; and of a task, for such are their names
/// here.
fn first_word(name: &str) -> &str {
    name.split_once(' ').map_or(name, |(host, _)| host)
}

impl Shown {
    fn of(subject: &str, name: &str) -> Self {
        let mut shown = Self::default();
        read_record(subject, name, |decoded, names| match decoded {
            Decoded::Track { track, name, .. } => {
                let before = shown.tracks.insert(track.uuid(), names.text(name).to_owned());
                assert_eq!(before, None, "described twice");
            }
            Decoded::Event(event) => shown.events.push(ShownEvent {
                at: event.at,
                kind: event.kind,
                track: shown.tracks[&event.track.uuid()].clone(),
                name: names.text(event.name).to_owned(),
                task: event.annotations.task,
                waker: event.annotations.waker,
                cause: event.annotations.woken_by,
            }),
            Decoded::Nothing => {}
        });
        shown
    }

    /// The events of this name, but for the ends of slices.
    fn named(&self, name: &str) -> Vec<&ShownEvent> {
        self.events.iter().filter(|event| event.name == name && event.kind != TrackEventKind::End).collect()
    }

    /// The tasks of this name, by their polls.
    fn tasks_named(&self, is_name: impl Fn(&str) -> bool) -> BTreeSet<u64> {
        self.events.iter().filter(|event| is_name(&event.name)).filter_map(|event| event.task).collect()
    }
}

#[test]
fn each_host_has_tracks_of_its_own() {
    let shown = Shown::of("tracks::subject_with_two_hosts", "hosts");
    let names: BTreeSet<_> = shown.tracks.values().map(String::as_str).collect();
    assert_eq!(names.len(), shown.tracks.len(), "no name stands for two tracks: {:?}", shown.tracks);
    for host in ["alpha", "beta"] {
        assert!(names.contains(host), "{names:?}");
        let processors: Vec<_> = (0..4).map(|index| format!("{host} P{index}")).collect();
        assert!(processors.iter().any(|name| names.contains(name.as_str())), "{names:?}");
    }
    for task in [
        "alpha counts",
        "alpha blocks",
        "alpha after blocking",
        "alpha from a job",
        "alpha from a root",
        "beta receives",
        "beta works",
    ] {
        let polls = shown.named(task);
        assert!(!polls.is_empty(), "no poll of {task}");
        for poll in polls {
            assert!(poll.track.starts_with(&format!("{} P", first_word(task))), "{poll:?}");
        }
    }
    for poll in shown.named("test looks") {
        assert!(poll.track.starts_with('P'), "the test's own tasks are on no host: {poll:?}");
    }
    for range in ["blocking job", "in place"] {
        let ranges = shown.named(range);
        assert!(!ranges.is_empty() && ranges.iter().all(|range| range.track == "alpha"), "{ranges:?}");
    }
    let held: Vec<_> = shown.events.iter().filter(|event| event.name.starts_with("holds ")).collect();
    assert!(held.is_empty(), "one thread's track has no room for what its machines hold: {held:?}");
}

/// All that a task does stands on tracks of its host: its polls, its spawns, its wakes of others,
/// its end.
#[test]
fn no_event_is_on_the_track_of_another_host() {
    let shown = Shown::of("tracks::subject_with_two_hosts", "apart");
    let places = |wanted: &str| {
        let tasks = shown.tasks_named(|name| first_word(name) == wanted);
        let is_its = |event: &&ShownEvent| {
            ["spawn", "end"].contains(&event.name.as_str()) && event.task.is_some_and(|task| tasks.contains(&task))
        };
        shown.events.iter().filter(is_its).map(ShownEvent::host).collect::<Vec<_>>()
    };
    for host in ["alpha", "beta"] {
        let tracks = places(host);
        assert!(tracks.len() >= 6, "{tracks:?}");
        assert!(tracks.iter().all(|&track| track == host), "{host}: {tracks:?}");
    }
    let tracks = places("test");
    assert!(tracks.len() >= 6 && tracks.iter().all(|&track| track != "alpha" && track != "beta"), "{tracks:?}");
    // Machines and timers are no host's, though they run in the midst of alpha's waits.
    let by_timers = shown.named("wake").into_iter().filter(|event| event.cause == Some(WakeCause::Timer));
    let tracks: Vec<_> = by_timers.map(ShownEvent::host).collect();
    assert!(tracks.len() >= 10 && !tracks.iter().any(|track| ["alpha", "beta"].contains(track)), "{tracks:?}");
    // The one that waits for alpha's numbers is on beta, and is woken by alpha.
    let receiver = shown.tasks_named(|name| name == "beta receives");
    let wakes =
        shown.events.iter().filter(|event| event.name == "wake" && event.task.is_some_and(|it| receiver.contains(&it)));
    let tracks: Vec<_> = wakes.map(ShownEvent::host).collect();
    assert!(tracks.len() >= 10 && tracks.iter().all(|&track| track == "alpha"), "{tracks:?}");
}

/// Both lives are on the same tracks; what the crash ends, ends there.
#[test]
fn a_host_keeps_its_tracks_across_a_crash() {
    let shown = Shown::of("tracks::subject_with_a_crash", "crash");
    let names: BTreeSet<_> = shown.tracks.values().collect();
    assert_eq!(names.len(), shown.tracks.len(), "no name stands for two tracks: {:?}", shown.tracks);
    let moment = |name| shown.named(name).first().unwrap_or_else(|| panic!("no `{name}`")).at;
    let (crash, restart) = (moment("test crashes it"), moment("test restarts it"));
    let is_down = |event: &&ShownEvent| event.host() == "node" && event.at > crash + MOMENT_NANOS && event.at < restart;
    assert_eq!(shown.events.iter().find(is_down), None, "it is down");
    for (life, is_first) in [("node works", true), ("node works again", false)] {
        let polls = shown.named(life);
        assert!(polls.len() >= 5, "{life}: {polls:?}");
        assert!(polls.iter().all(|poll| poll.track.starts_with("node P")), "{polls:?}");
        assert!(polls.iter().all(|poll| (poll.at < restart) == is_first), "{polls:?}");
    }
    let ends: Vec<_> = shown
        .tasks_named(|name| name == "node waits")
        .into_iter()
        .map(|task| {
            let ends = shown.named("end").into_iter().filter(|event| event.task == Some(task));
            ends.map(|event| (event.host(), event.at < restart)).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(ends, [[("node", true)], [("node", false)]], "by the crash, and by the end of the run");
}

#[test]
fn one_seed_makes_the_same_record_twice() {
    for subject in ["tracks::subject_with_two_hosts", "tracks::subject_with_a_crash"] {
        let (one, other) = (Shown::of(subject, "one-seed"), Shown::of(subject, "the-same-seed"));
        assert!(one.events.len() > 100, "{}", one.events.len());
        let differs = one.events.iter().zip(&other.events).find(|(one, other)| one != other);
        assert_eq!(differs, None);
        assert_eq!(one.events.len(), other.events.len());
    }
}

const MANY: usize = 1_024;

/// A host whose tasks run on very many processors.
#[test]
fn subject_with_many_processors() {
    with_processors(7, MANY).run(async {
        let sim = Sim::current();
        sim.host("node", || async {
            let tasks: Vec<_> = (0..4 * MANY).map(|_| wsrt::spawn(sim::compute(MOMENT))).collect();
            for task in tasks {
                task.await.expect("it does not panic");
            }
        });
        sleep(Duration::from_secs(1)).await;
    });
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux tells");
        println!("peak {}", peak.trim().trim_end_matches(" kB"));
    }
}

/// In kilobytes: a chunk of 32 kB for each processor would take more than twice as much.
#[cfg(target_os = "linux")]
const MOST: u64 = 16 * 1_024;

#[cfg(target_os = "linux")]
#[test]
fn the_tracks_of_1024_processors_take_little_memory() {
    let peak = |printed: &str| -> u64 {
        let line = printed.lines().find_map(|line| line.split_once("peak "));
        line.expect("it is printed").1.parse().expect("a number")
    };
    let subject = "tracks::subject_with_many_processors";
    let without = peak(&crate::trace::run_subject(subject, &[]));
    let mut used = BTreeSet::new();
    let printed = read_record(subject, "many", |decoded, _| {
        if let Decoded::Event(event) = decoded {
            if let Track::HostProcessor { processor, .. } = event.track {
                used.insert(processor);
            }
        }
    });
    let with = peak(&printed);
    assert!(used.len() > MANY / 2, "{} processors", used.len());
    assert!(with < without + MOST, "{with} kB with the timeline, {without} kB without");
}
