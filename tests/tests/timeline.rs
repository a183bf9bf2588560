//! The timeline: the record of a real run agrees with Perfetto's own definitions, and no trouble
//! with the file is trouble for the program.

use std::env;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, id};
use std::thread;
use std::time::{Duration, Instant};

use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, FlightRecorder, Runtime};
use wsrt::task;
use wsrt::time::sleep;
use wsrt_tests::{in_a_process_of_its_own, not_checked, text_of};

/// A path that no other test uses. Whatever was there is gone, with the numbered files beside it: a
/// killed process, whose number this one has got, may have left them.
fn path(name: &str) -> PathBuf {
    let path = env::temp_dir().join(format!("wsrt-timeline-{}-{name}", id()));
    for left in [path.clone(), numbered(&path, 1), numbered(&path, 2)] {
        let _ = fs::remove_file(left);
    }
    path
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let extension = format!("-{number}.perfetto-trace");
    path.to_str().expect("a path of letters").replace(".perfetto-trace", &extension).into()
}

/// The Python that has the package `perfetto`, if there is one: that of `WSRT_PERFETTO_PYTHON`, or
/// `python3`.
fn python(test: &str) -> Option<String> {
    let python = env::var("WSRT_PERFETTO_PYTHON").unwrap_or_else(|_| "python3".into());
    let has_it = Command::new(&python).args(["-c", "import perfetto"]).output();
    if has_it.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    not_checked(test, &format!("{python} has no package `perfetto` (pip install perfetto)"));
    None
}

/// The decoder's reading of a file, as JSON; then the file is removed. `None` without a decoder.
#[track_caller]
fn decoded(test: &str, path: &Path) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("timeline/check.py");
    let output = Command::new(python(test)?).arg(script).arg(path).output().expect("Python starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}{said}", String::from_utf8_lossy(&output.stderr));
    fs::remove_file(path).expect("it was there");
    Some(said)
}

#[track_caller]
fn assert_says(said: &str, wanted: &[&str]) {
    for wanted in wanted {
        assert!(said.contains(wanted), "no {wanted} in {said}");
    }
}

async fn echo(listener: TcpListener) -> std::io::Result<()> {
    let (mut stream, _) = listener.accept().await?;
    let mut byte = [0];
    while stream.read(&mut byte).await? == 1 {
        stream.write_all(&byte).await?;
    }
    Ok(())
}

/// Something of everything.
async fn life() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = task::Builder::new().name("the server").spawn(echo(listener));
    let mut stream = TcpStream::connect(address).await?;
    for _ in 0..50 {
        stream.write_all(b"x").await?;
        stream.read_exact(&mut [0]).await?;
    }
    drop(stream);
    server.await??;
    let crowd: Vec<_> = (0..1_000).map(|_| wsrt::spawn(task::yield_now())).collect();
    for one in crowd {
        one.await?;
    }
    sleep(Duration::from_millis(2)).await;
    task::spawn_blocking(|| ()).await?;
    task::block_in_place(|| thread::sleep(Duration::from_millis(1)));
    let inner = wsrt::runtime::Handle::current();
    assert_eq!(inner.block_on(async { wsrt::spawn(async { 7 }).await })?, 7);
    let dropped = wsrt::spawn(std::future::pending::<()>());
    dropped.abort();
    assert!(dropped.await.is_err_and(|error| error.is_cancelled()));
    assert!(wsrt::spawn(async { panic!("meant") }).await.is_err_and(|error| error.is_panic()));
    Ok(())
}

#[test]
fn a_whole_run_is_what_perfetto_expects() {
    let path = path("whole.perfetto-trace");
    let runtime = Builder::new_multi_thread().worker_threads(3).trace(&path).build().expect("a runtime");
    runtime.run(life()).expect("the life is a good one");
    drop(runtime);
    if let Some(said) = decoded("a_whole_run_is_what_perfetto_expects", &path) {
        assert_says(&said, &["\"the server\"", "tests/tests/timeline.rs:", "\"P0\"", "\"netpoller\""]);
        assert_says(&said, &["\"runnext\"", "\"ring\"", "\"injector\"", "\"end\"", "\"wsrt-machine\"", "\"queue P0\""]);
        assert_says(&said, &["\"task\"", "\"network\"", "\"timer\"", "\"spawn\"", "\"dropped\": 0"]);
    }
}

#[test]
fn a_spare_processors_track_says_so() {
    let path = path("spare.perfetto-trace");
    let runtime = Builder::new_multi_thread().worker_threads(1).trace(&path).build().expect("a runtime");
    runtime.run(async {
        let (send, receive) = std::sync::mpsc::channel();
        drop(wsrt::spawn(async move { send.send(()) }));
        // The one worker waits for a task that only a spare can run.
        receive.recv().expect("it is sent");
    });
    drop(runtime);
    let file = fs::read(&path).expect("it was written");
    fs::remove_file(&path).expect("it was there");
    let says = |name: &str| file.windows(name.len()).any(|window| window == name.as_bytes());
    assert!(says("P1 (spare)") && !says("P0 (spare)"));
}

#[test]
fn a_current_thread_runtime_and_its_local_tasks_are_recorded() {
    let path = path("current.perfetto-trace");
    let runtime = Builder::new_current_thread().trace(&path).build().expect("a runtime");
    let set = task::LocalSet::new();
    let sum = runtime.block_on(set.run_until(async {
        let local = task::spawn_local(async {
            task::yield_now().await;
            wsrt::spawn(async { 2 }).await.expect("it does not panic")
        });
        local.await.expect("it does not panic") + 1
    }));
    assert_eq!(sum, 3);
    drop(set);
    drop(runtime);
    if let Some(said) = decoded("a_current_thread_runtime_is_seen_too", &path) {
        assert_says(&said, &["\"local\"", "\"P0\"", "\"spawn\""]);
    }
}

#[test]
fn a_running_program_is_recorded_for_a_while() {
    let path = path("while.perfetto-trace");
    let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    let before = task::Builder::new().name("there before").spawn_on(
        async {
            loop {
                sleep(Duration::from_millis(1)).await;
            }
        },
        runtime.handle(),
    );
    let summary = runtime.block_on(async {
        sleep(Duration::from_millis(5)).await;
        runtime.handle().trace_for(Duration::from_millis(60), &path).await
    });
    let summary = summary.expect("it is recorded");
    assert_eq!(fs::metadata(&path).expect("it is there").len(), summary.bytes);
    assert!(summary.events > 10, "{summary:?}");
    if let Some(said) = decoded("a_running_program_is_recorded_for_a_while", &path) {
        assert_says(&said, &["\"there before\"", "\"timer\""]);
    }
    // And once more: nothing is left of the first.
    let again = runtime.block_on(runtime.handle().trace_for(Duration::from_millis(100), &path));
    let _ = decoded("a_running_program_is_recorded_for_a_while", &path);
    let again = again.expect("it is recorded");
    assert!(again.events > 0, "{again:?}");
    before.abort();
}

#[test]
fn an_unawaited_recording_ends_and_its_file_is_complete() {
    let path = path("dropped.perfetto-trace");
    let runtime = Runtime::new().expect("a runtime");
    drop(runtime.handle().trace_for(Duration::from_secs(3_600), &path));
    runtime.run(async { task::yield_now().await });
    drop(runtime);
    let _ = decoded("a_recording_that_nobody_awaits_ends", &path);
}

#[test]
fn a_storm_of_events_is_reported_in_order_or_counted() {
    let path = path("storm.perfetto-trace");
    let runtime = Builder::new_multi_thread().worker_threads(4).build().expect("a runtime");
    let storm = runtime.handle().trace_for(Duration::from_secs(60), &path);
    runtime.run(async {
        let spawners: Vec<_> = (0..4)
            .map(|_| {
                wsrt::spawn(async {
                    for _ in 0..200 {
                        let crowd: Vec<_> = (0..100).map(|_| wsrt::spawn(task::yield_now())).collect();
                        for one in crowd {
                            one.await.expect("it does not panic");
                        }
                    }
                })
            })
            .collect();
        for spawner in spawners {
            spawner.await.expect("it does not panic");
        }
    });
    drop(storm);
    drop(runtime);
    let _ = decoded("a_storm_of_events_is_reported_in_order_or_counted", &path);
}

/// Runs a program of many tasks with `WSRT_TRACE` set; returns its messages.
fn complaints_of_a_run(test: &str, trace: &str) -> String {
    let output = in_a_process_of_its_own(test, &[("WSRT_TRACE", trace)], || {
        let runtime = Runtime::new().expect("a runtime");
        for _ in 0..5 {
            runtime.run(async {
                let crowd: Vec<_> = (0..1_000).map(|_| wsrt::spawn(task::yield_now())).collect();
                for one in crowd {
                    one.await.expect("it does not panic");
                }
                sleep(Duration::from_millis(10)).await;
            });
        }
        println!("ran to its end");
    });
    assert!(String::from_utf8_lossy(&output.stdout).contains("ran to its end"), "{output:?}");
    text_of(&output)
}

#[track_caller]
fn assert_said_once(complaints: &str, what: &str) {
    assert_eq!(complaints.matches("the timeline cannot be written to").count(), 1, "{complaints}");
    assert!(complaints.contains(what), "{what}: {complaints}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_once_without_harm() {
    let complaints = complaints_of_a_run("a_full_disk_is_reported_once_without_harm", "/dev/full");
    assert_said_once(&complaints, "/dev/full: No space left");
}

#[test]
fn a_directory_for_a_file_is_reported_once() {
    let directory = env::temp_dir();
    let directory = directory.to_str().expect("a path of letters");
    let complaints = complaints_of_a_run("a_directory_for_a_file_is_reported_once", directory);
    assert_said_once(&complaints, directory);
}

#[test]
fn a_missing_path_is_reported_once_without_harm() {
    let complaints = complaints_of_a_run("a_missing_path_is_reported_once_without_harm", "/no/such/directory/trace");
    assert_said_once(&complaints, "/no/such/directory/trace");
}

#[cfg(unix)]
#[test]
fn a_broken_pipe_is_reported_once_without_harm() {
    let test = "a_broken_pipe_is_reported_once_without_harm";
    let output = in_a_process_of_its_own(test, &[], || {
        let fifo = path("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo starts").success());
        let reader = {
            let fifo = fifo.clone();
            thread::spawn(move || fs::File::open(fifo).expect("it is there").read_exact(&mut [0; 16]))
        };
        let runtime = Builder::new_multi_thread().trace(&fifo).build().expect("a runtime");
        reader.join().expect("it does not panic").expect("something is written");
        runtime.run(async {
            for _ in 0..20 {
                sleep(Duration::from_millis(5)).await;
            }
        });
        drop(runtime);
        fs::remove_file(fifo).expect("it was there");
    });
    assert_said_once(&text_of(&output), "Broken pipe");
}

#[test]
fn errors_of_a_recording_are_the_systems() {
    let runtime = Runtime::new().expect("a runtime");
    let recording = runtime.handle().trace_for(Duration::from_millis(1), "/no/such/directory/trace");
    let error = runtime.block_on(recording).expect_err("it cannot be made");
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.raw_os_error(), Some(2), "ENOENT: {error}");
    let handle = runtime.handle().clone();
    drop(runtime);
    let late = path("late.perfetto-trace");
    let other = Runtime::new().expect("a runtime");
    let error = other.block_on(handle.trace_for(Duration::from_millis(1), &late)).expect_err("it is over");
    assert!(error.to_string().contains("shut down"), "{error}");
    let _ = fs::remove_file(late);
}

#[test]
fn each_runtime_of_a_process_has_its_own_file() {
    let test = "each_runtime_of_a_process_has_its_own_file";
    let first = path("several.perfetto-trace");
    let trace = first.to_str().expect("a path of letters");
    let output = in_a_process_of_its_own(test, &[("WSRT_TRACE", trace), ("WSRT_STALL_MS", "0")], || {
        let runtimes = [Runtime::new().expect("a runtime"), Runtime::new().expect("a runtime")];
        for runtime in &runtimes {
            runtime.run(task::yield_now());
        }
    });
    assert_eq!(text_of(&output), "");
    let second = numbered(&first, 2);
    for path in [first, second] {
        assert!(fs::metadata(&path).expect("it is there").len() > 100);
        let _ = decoded(test, &path);
        let _ = fs::remove_file(path);
    }
}

/// The path of the first record, once it is there in full.
fn await_record(flight: &Path) -> PathBuf {
    let record = numbered(flight, 1);
    let began = Instant::now();
    while !record.exists() {
        assert!(began.elapsed() < Duration::from_secs(30), "no {}", record.display());
        thread::sleep(Duration::from_millis(5));
    }
    record
}

#[test]
fn a_stall_makes_the_flight_recorder_write() {
    let flight = path("stall.perfetto-trace");
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .flight_recorder(FlightRecorder::new(&flight).keep(Duration::from_secs(60)))
        .build()
        .expect("a runtime");
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let stuck = task::Builder::new().name("stuck").spawn_on(async move { wait.recv().is_ok() }, runtime.handle());
    let record = await_record(&flight);
    go.send(()).expect("it waits");
    assert!(runtime.block_on(stuck).expect("it does not panic"));
    drop(runtime);
    if let Some(said) = decoded("a_stall_makes_the_flight_recorder_write", &record) {
        assert_says(&said, &["\"stall\": 1", "\"stuck\""]);
    }
    let _ = fs::remove_file(record);
}

#[test]
fn a_panic_makes_the_flight_recorder_write() {
    let flight = path("panic.perfetto-trace");
    let recorder = FlightRecorder::new(&flight).keep(Duration::from_secs(60));
    let runtime = Builder::new_multi_thread().flight_recorder(recorder).build().expect("a runtime");
    let panicked = runtime.run(async {
        let panicking = wsrt::spawn(async { panic!("meant") });
        panicking.await.is_err()
    });
    assert!(panicked);
    let record = await_record(&flight);
    drop(runtime);
    let _ = decoded("a_panic_makes_the_flight_recorder_write", &record);
    let _ = fs::remove_file(record);
}

#[test]
fn records_are_written_on_demand_and_numbered() {
    let flight = path("demand.perfetto-trace");
    let recorder = FlightRecorder::new(&flight).keep(Duration::from_secs(60)).max_bytes(1 << 20);
    let runtime = Builder::new_multi_thread().flight_recorder(recorder).build().expect("a runtime");
    runtime.run(life()).expect("the life is a good one");
    let stem = flight.file_stem().expect("it has a name").to_string_lossy().into_owned();
    let mut written = Vec::new();
    for _ in 0..2 {
        written.push(runtime.block_on(runtime.handle().write_flight_record()).expect("it is written"));
    }
    drop(runtime);
    for record in written {
        assert!(record.file_name().expect("it has a name").to_string_lossy().starts_with(&stem));
        let _ = decoded("records_are_written_on_demand_and_numbered", &record);
        let _ = fs::remove_file(record);
    }
    let _ = fs::remove_file(numbered(&flight, 1));
}

#[test]
fn a_record_is_written_though_its_future_is_dropped() {
    let flight = path("unawaited.perfetto-trace");
    let recorder = FlightRecorder::new(&flight).keep(Duration::from_secs(60));
    let runtime = Builder::new_multi_thread().flight_recorder(recorder).build().expect("a runtime");
    drop(runtime.handle().write_flight_record());
    let record = await_record(&flight);
    drop(runtime);
    let _ = decoded("a_record_is_written_though_its_future_is_dropped", &record);
    let _ = fs::remove_file(record);
}

#[test]
fn a_runtime_without_a_flight_recorder_says_so() {
    let runtime = Runtime::new().expect("a runtime");
    let error = runtime.block_on(runtime.handle().write_flight_record()).expect_err("there is none");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("Builder::flight_recorder"), "{error}");
}
