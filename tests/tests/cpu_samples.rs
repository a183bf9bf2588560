//! CPU samples in a timeline fall into the polls and blocking jobs that they hit, and name the
//! functions that use the CPU time.

use std::collections::HashMap;
use std::fs::{self, File};
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use wsrt::runtime::Builder;
use wsrt::task;
use wsrt_tests::{Directory, HAS_STACKS, in_a_process_of_its_own, text_of};
#[cfg(target_os = "linux")]
use wsrt_tests::{eventually, threads_named};
use wsrt_trace::decode::{Decoded, Decoder, OpenSlices, PacketReader, TrackEvent, TrackSlice};
use wsrt_trace::{EventName, Track, TrackEventKind};

/// A trace, as it is read back.
#[derive(Default)]
struct Read {
    decoder: Decoder,
    samples: Vec<TrackEvent>,
    slices: Vec<TrackSlice>,
}

impl Read {
    fn of(path: &Path) -> Self {
        let mut packets = PacketReader::of(File::open(path).expect("the trace is there"));
        let (mut read, mut open) = (Self::default(), OpenSlices::default());
        while let Ok(packet) = packets.next_packet().expect("it can be read") {
            let Decoded::Event(event) = read.decoder.decode(packet).expect("it is sound") else { continue };
            match event.kind {
                TrackEventKind::Begin => open.begin(&event),
                TrackEventKind::End => read.slices.extend(open.end(&event)),
                TrackEventKind::Instant if read.decoder.names.text(event.name) == EventName::Sample.name() => {
                    read.samples.push(event);
                }
                _ => {}
            }
        }
        read
    }

    /// Returns the functions of a sample, the outermost first.
    fn stack(&self, sample: &TrackEvent) -> Vec<&str> {
        let stack = sample.annotations.stack.expect("each sample has one");
        self.decoder.names.stack(stack).iter().map(|&function| self.decoder.names.text(function)).collect()
    }

    /// Returns the samples with a function whose path ends so.
    fn samples_in<'a>(&'a self, function: &'a str) -> impl Iterator<Item = &'a TrackEvent> {
        self.samples.iter().filter(move |sample| self.stack(sample).iter().any(|name| name.ends_with(function)))
    }

    fn spawned_at(&self, sample: &TrackEvent) -> &str {
        sample.annotations.spawned_at.map_or("", |name| self.decoder.names.text(name))
    }
}

/// Computes until the thread has used this much CPU time.
fn compute_for(time: Duration) -> u64 {
    let (began, mut sum) = (cpu_time(), 0_u64);
    while cpu_time() - began < time {
        for _ in 0..1_000 {
            sum = black_box(sum.wrapping_mul(31).wrapping_add(7));
        }
    }
    sum
}

#[inline(never)]
fn renders(time: Duration) -> u64 {
    compute_for(time)
}

#[inline(never)]
fn compresses(time: Duration) -> u64 {
    compute_for(time)
}

#[inline(never)]
fn sleeps(time: Duration) {
    std::thread::sleep(time);
}

/// The CPU time of the calling thread.
#[cfg(target_os = "linux")]
fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is there to be written to.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(target_os = "linux"))]
fn cpu_time() -> Duration {
    std::time::UNIX_EPOCH.elapsed().expect("it is later")
}

/// Long polls and short ones, a poll that sleeps, and a blocking job.
async fn work() {
    let long = wsrt::spawn(async { renders(Duration::from_millis(400)) });
    let short = wsrt::spawn(async {
        for _ in 0..400 {
            renders(Duration::from_millis(1));
            task::yield_now().await;
        }
    });
    let asleep = wsrt::spawn(async { sleeps(Duration::from_millis(300)) });
    let job = task::spawn_blocking(|| compresses(Duration::from_millis(400)));
    long.await.expect("no panic");
    short.await.expect("no panic");
    asleep.await.expect("no panic");
    job.await.expect("no panic");
}

/// The fewest samples of 400 ms of CPU time. There are 40 due: a busy machine may take some late.
const ENOUGH: usize = 15;

#[test]
fn samples_fall_into_the_polls_that_they_hit() {
    if !HAS_STACKS {
        return;
    }
    let folder = Directory::new();
    let path = folder.path("run.perfetto-trace");
    let variable = format!("{},cpu=100", path.display());
    let test = "samples_fall_into_the_polls_that_they_hit";
    let output = in_a_process_of_its_own(test, &[("WSRT_TRACE", &variable), ("WSRT_STALL_MS", "0")], || {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        runtime.run(work());
    });
    text_of(&output);
    let read = Read::of(&path);
    let mut by_site: HashMap<&str, usize> = HashMap::new();
    for sample in read.samples_in("cpu_samples::renders") {
        *by_site.entry(read.spawned_at(sample)).or_default() += 1;
        let is_around = |slice: &&TrackSlice| {
            slice.track == sample.track && (slice.begin..=slice.begin + slice.duration).contains(&sample.at)
        };
        let hit = read.slices.iter().filter(is_around).find(|slice| slice.annotations.task == sample.annotations.task);
        assert!(hit.is_some() && matches!(sample.track, Track::Processor(_)), "{sample:?}");
    }
    assert_eq!(by_site.len(), 2, "the long poll, and the short ones: {by_site:?}");
    assert!(
        by_site.iter().all(|(site, &count)| site.contains("tests/cpu_samples.rs:") && count >= ENOUGH),
        "{by_site:?}"
    );
    let of_job: Vec<_> = read.samples_in("cpu_samples::compresses").collect();
    assert!(of_job.len() >= ENOUGH, "{}", of_job.len());
    for sample in of_job {
        assert!(matches!(sample.track, Track::Thread(_)) && sample.annotations.task.is_none(), "{sample:?}");
        assert!(read.spawned_at(sample).contains("tests/cpu_samples.rs:"), "{}", read.spawned_at(sample));
    }
    assert!(read.samples_in("cpu_samples::sleeps").count() < 3, "a thread that sleeps uses no CPU time");
}

#[test]
fn an_invalid_number_of_samples_is_named_once() {
    let test = "an_invalid_number_of_samples_is_named_once";
    let folder = Directory::new();
    let variable = format!("{},cpu=often", folder.path("run").display());
    let output = in_a_process_of_its_own(test, &[("WSRT_TRACE", &variable)], || {
        for _ in 0..2 {
            let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
            runtime.run(task::yield_now());
        }
    });
    let errors = text_of(&output);
    assert!(errors.starts_with(&format!("wsrt: WSRT_TRACE={variable} is neither a path nor")), "{errors}");
    assert!(errors.trim_end().ends_with("such as run.perfetto-trace,cpu=99; no timeline is recorded"), "{errors}");
    assert_eq!(errors.matches("WSRT_TRACE=").count(), 1, "{errors}");
    assert_eq!(fs::read_dir(folder.path("")).expect("it is there").count(), 0);
}

/// Returns the nice value of the thread of this process with this name, once it has been at work.
#[cfg(target_os = "linux")]
fn nice_value_of(name: &str) -> i32 {
    // In nanoseconds: a thread sets its priority before it has used so much CPU time.
    let has_worked = |thread: u32| {
        let text = fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).expect("the thread lives");
        text.split(' ').next().and_then(|time| time.parse::<u64>().ok()).expect("a number") > 2_000_000
    };
    eventually("no such thread works", || threads_named(name).into_iter().any(has_worked));
    // SAFETY: it takes numbers.
    unsafe { libc::getpriority(libc::PRIO_PROCESS, threads_named(name)[0]) }
}

/// With twice the recorder's, no stack was named in time on a busy machine.
#[cfg(target_os = "linux")]
#[test]
fn stacks_are_named_with_the_priority_of_the_recorder() {
    if !HAS_STACKS {
        return;
    }
    let folder = Directory::new();
    let variable = format!("{},cpu=100", folder.path("run.perfetto-trace").display());
    let test = "stacks_are_named_with_the_priority_of_the_recorder";
    let output = in_a_process_of_its_own(test, &[("WSRT_TRACE", &variable)], || {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        runtime.run(async {
            renders(Duration::from_millis(50));
            assert_eq!(nice_value_of("wsrt-samples"), nice_value_of("wsrt-timeline"));
        });
    });
    text_of(&output);
}
