//! A directory of timelines: at any moment its segments are readable, together they keep to the
//! budget, and no trouble with the directory is trouble for the program.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, id};
use std::time::{Duration, Instant};

use wsrt::runtime::{Builder, Runtime, TraceDirectory};
use wsrt::task;
use wsrt::time::sleep;
#[cfg(unix)]
use wsrt_tests::eventually;
use wsrt_tests::{Directory, LIMIT, beside_a_process_of_its_own, in_a_process_of_its_own, text_of};
use wsrt_trace::decode::{Decoder, FileEnding, PacketReader};

/// The files in a directory whose names end like this, in the order of their names.
fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).map(Vec::from_iter).unwrap_or_default();
    let paths = entries.into_iter().map(|entry| entry.expect("it can be listed").path());
    let mut paths: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    paths.sort();
    paths
}

fn segments(directory: &Path) -> Vec<PathBuf> {
    files(directory, ".perfetto-trace")
}

/// Reads a segment to its end, if it is still there.
fn ending(segment: &Path) -> Option<FileEnding> {
    let mut packets = PacketReader::of(File::open(segment).ok()?);
    let mut decoder = Decoder::default();
    loop {
        match packets.next_packet().expect("it can be read") {
            Ok(packet) => drop(decoder.decode(packet).expect("the packet is a message")),
            Err(ending) => return Some(ending),
        }
    }
}

#[track_caller]
fn assert_whole(segment: &Path) {
    let ending = ending(segment);
    assert!(matches!(ending, None | Some(FileEnding::Whole)), "{}: {ending:?}", segment.display());
}

/// Returns whether this is the first segment of its run.
fn is_first(segment: &Path) -> bool {
    segment.to_string_lossy().ends_with("-000001.perfetto-trace")
}

/// Returns whether a file in the directory belongs to a process.
fn is_of(path: &Path, process: u32) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains(&format!("-{process}-")))
}

/// Records events in a runtime until `is_enough`. On a busy machine the recorder, whose priority is
/// low, has little of the cores.
fn run_until(runtime: &Runtime, mut is_enough: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_enough() {
        assert!(began.elapsed() < 5 * LIMIT, "it takes too long");
        runtime.run(async {
            let crowd: Vec<_> = (0..1_000).map(|_| wsrt::spawn(task::yield_now())).collect();
            for one in crowd {
                one.await.expect("it does not panic");
            }
            // The recorder has its turn.
            sleep(Duration::from_millis(5)).await;
        });
    }
}

fn two_workers(traces: TraceDirectory) -> Runtime {
    Builder::new_multi_thread().worker_threads(2).trace_directory(traces).build().expect("a runtime")
}

fn bytes(paths: &[PathBuf]) -> u64 {
    paths.iter().filter_map(|path| fs::metadata(path).ok()).map(|metadata| metadata.len()).sum()
}

/// Runs this test's program with a variable for `directory`, until the program is killed. It
/// pauses between rounds.
#[cfg(unix)]
fn endless_program(test: &str, directory: &Path, limits: &str, pause: Duration) -> Child {
    let value = format!("{}{limits}", directory.display());
    beside_a_process_of_its_own(test, &[("WSRT_TRACE_DIR", &value)], || {
        let runtime = Runtime::new().expect("a runtime");
        let parent = std::os::unix::process::parent_id();
        run_until(&runtime, || {
            std::thread::sleep(pause);
            std::os::unix::process::parent_id() != parent
        });
    })
}

#[cfg(unix)]
fn kill(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("it has ended");
}

#[test]
fn segments_are_whole_at_any_moment_within_their_budget() {
    const BUDGET: u64 = 2 << 20;
    let directory = Directory::new();
    let path = directory.path("new/traces");
    let runtime = two_workers(TraceDirectory::new(&path).max_bytes(BUDGET));
    let mut last = None;
    // Until the first segments are gone.
    run_until(&runtime, || {
        let segments = segments(&path);
        segments.iter().rev().take(2).for_each(|segment| assert_whole(segment));
        // What is recorded in 16 ms may be a good deal in this test.
        assert!(bytes(&segments) <= BUDGET * 4, "{} bytes", bytes(&segments));
        last = segments.last().cloned();
        segments.first().is_some_and(|first| !is_first(first))
    });
    drop(runtime);
    segments(&path).iter().for_each(|segment| assert_whole(segment));
    let names: Vec<_> =
        fs::read_dir(&path).expect("it is there").map(|entry| entry.expect("it is listed").path()).collect();
    assert!(names.iter().all(|name| name.extension() == Some(OsStr::new("perfetto-trace"))), "{names:?}");
    assert!(segments(&path).last() > last.as_ref(), "the last segment is complete, too");
    let file = File::open(segments(&path).last().expect("there is one")).expect("it opens");
    let _ = wsrt_report::page(file, "the last segment").expect("it is a timeline of wsrt's");
}

#[cfg(unix)]
#[test]
fn a_killed_program_leaves_all_but_its_last_segment_whole() {
    let test = "a_killed_program_leaves_all_but_its_last_segment_whole";
    let directory = Directory::new();
    let path = directory.path("traces");
    let child = endless_program(test, &path, ",1s,32M", Duration::ZERO);
    eventually("there are not two segments", || segments(&path).len() >= 2);
    kill(child);
    segments(&path).iter().for_each(|segment| assert_whole(segment));
    assert!(files(&path, ".part").len() <= 1);
}

#[cfg(unix)]
#[test]
fn a_program_deletes_segments_of_ended_programs_alone() {
    let test = "a_program_deletes_segments_of_ended_programs_alone";
    let directory = Directory::new();
    let path = directory.path("traces");
    // It keeps within its own budget, and deletes nothing itself.
    let other = endless_program(test, &path, ",1s,1G", Duration::from_millis(100));
    eventually("there is no segment", || !segments(&path).is_empty());
    fs::write(path.join("mine.perfetto-trace"), "not a segment").expect("it is written");
    let number = other.id();
    let is_others = |path: &PathBuf| is_of(path, number);
    let of_other = |path: &Path| segments(path).into_iter().filter(is_others).collect::<Vec<_>>();
    let is_own = |path: &PathBuf| is_of(path, id());
    let runtime = two_workers(TraceDirectory::new(&path).max_bytes(1 << 20));
    let (mut rounds, first) = (0, of_other(&path)[0].clone());
    // A run's own segments come and go.
    run_until(&runtime, || {
        rounds += usize::from(segments(&path).into_iter().find(is_own).is_some_and(|first| !is_first(&first)));
        rounds >= 3
    });
    assert!(first.exists(), "the other program runs");
    kill(other);
    run_until(&runtime, || !files(&path, "").iter().any(is_others));
    drop(runtime);
    assert!(path.join("mine.perfetto-trace").exists());
}

#[test]
fn a_directory_that_is_no_directory_is_reported_once() {
    let test = "a_directory_that_is_no_directory_is_reported_once";
    let directory = Directory::new();
    let path = directory.path("file");
    fs::write(&path, "a file").expect("it is written");
    let value = path.to_str().expect("a path of letters");
    let output = in_a_process_of_its_own(test, &[("WSRT_TRACE_DIR", value)], || {
        let runtime = Runtime::new().expect("a runtime");
        let mut rounds = 0..100;
        run_until(&runtime, || rounds.next().is_none());
    });
    let errors = text_of(&output);
    let report = format!("wsrt: the timeline cannot be written to the directory {value}: ");
    assert_eq!(errors.matches(&report).count(), 1, "{errors}");
}

/// A limit on the size of files stands for the disk: a write beyond it fails.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_no_program_and_leaves_no_part() {
    let test = "a_full_disk_ends_no_program_and_leaves_no_part";
    let directory = Directory::new();
    let path = directory.path("traces");
    let value = path.to_str().expect("a path of letters");
    let output = in_a_process_of_its_own(test, &[("WSRT_TRACE_DIR", value)], || {
        let limit = libc::rlimit { rlim_cur: 1 << 16, rlim_max: 1 << 16 };
        // SAFETY: the signal is ignored, which calls no function of this program.
        let ignored = unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        assert_ne!(ignored, libc::SIG_ERR);
        // SAFETY: `limit` is valid for the read.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) }, 0);
        let path = PathBuf::from(std::env::var_os("WSRT_TRACE_DIR").expect("it is set"));
        let runtime = Runtime::new().expect("a runtime");
        let mut rounds = 0..100;
        run_until(&runtime, || {
            let has_begun = !files(&path, ".lock").is_empty();
            has_begun && files(&path, ".part").is_empty() && rounds.next().is_none()
        });
        println!("ran to its end");
    });
    let errors = text_of(&output);
    assert!(String::from_utf8_lossy(&output.stdout).contains("ran to its end"), "{output:?}");
    assert_eq!(errors.matches("the timeline cannot be written to the directory").count(), 1, "{errors}");
    assert!(files(&path, ".part").is_empty());
}

#[test]
fn a_folder_with_a_segments_name_is_left_alone() {
    let directory = Directory::new();
    let path = directory.path("traces");
    let folder = path.join("other-1-2-3-000001.perfetto-trace");
    fs::create_dir_all(&folder).expect("it is made");
    let runtime = two_workers(TraceDirectory::new(&path).max_bytes(1 << 20));
    let is_own = |path: &PathBuf| is_of(path, id());
    run_until(&runtime, || segments(&path).into_iter().find(is_own).is_some_and(|first| !is_first(&first)));
    drop(runtime);
    assert!(folder.is_dir());
}
