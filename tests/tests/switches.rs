//! What only a builder could switch on, a variable or the attribute of `main` does as well.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use wsrt::runtime::{Handle, Runtime, Stall};
use wsrt_tests::{Directory, in_a_process_of_its_own, text_of};

static HAS_STALLED: AtomicBool = AtomicBool::new(false);

fn note_stall(_: &Stall) {
    HAS_STALLED.store(true, Relaxed);
}

#[wsrt::test(flavor = "multi_thread", worker_threads = 2, configure = |builder| builder.name("tuned").on_stall(note_stall))]
async fn the_attribute_configures_the_builder() {
    assert_eq!(Handle::current().name(), Some("tuned"));
    let began = Instant::now();
    // Stuck until the watcher has seen it.
    while !HAS_STALLED.load(Relaxed) && began.elapsed() < Duration::from_secs(30) {
        thread::sleep(Duration::from_millis(5));
    }
    assert!(HAS_STALLED.load(Relaxed), "no stall was reported");
}

#[test]
fn a_variable_limits_the_machines() {
    let environment = [("WSRT_MAX_MACHINES", "7"), ("WSRT_WORKER_THREADS", "2")];
    let output = in_a_process_of_its_own("a_variable_limits_the_machines", &environment, || {
        eprintln!("{}", Runtime::new().expect("a runtime").resize(8).expect_err("7 are allowed"));
    });
    assert!(text_of(&output).contains("has from 1 to 7 processors"), "{output:?}");
}

#[test]
fn a_variable_switches_histograms_on() {
    let environment = [("WSRT_LATENCY_HISTOGRAMS", "1")];
    let output = in_a_process_of_its_own("a_variable_switches_histograms_on", &environment, || {
        let runtime = Runtime::new().expect("a runtime");
        runtime.run(async {
            for _ in 0..1_000 {
                wsrt::spawn(async {}).await.expect("it does not panic");
            }
        });
        eprintln!("polls: {}", runtime.metrics().snapshot().total().poll_time().count());
    });
    let errors = text_of(&output);
    assert!(errors.contains("polls: ") && !errors.contains("polls: 0\n"), "{errors}");
}

#[test]
fn a_variable_switches_the_flight_recorder_on() {
    let directory = Directory::new();
    let path = directory.path("flight.perfetto-trace");
    let value = format!("{},60s,1M", path.display());
    let environment = [("WSRT_FLIGHT", &*value)];
    let output = in_a_process_of_its_own("a_variable_switches_the_flight_recorder_on", &environment, || {
        for _ in 0..2 {
            let runtime = Runtime::new().expect("a runtime");
            let record = runtime.block_on(runtime.handle().write_flight_record()).expect("it is written");
            eprintln!("record: {}", record.display());
        }
    });
    let errors = text_of(&output);
    for name in ["flight-1.perfetto-trace", "flight-2-1.perfetto-trace"] {
        assert!(errors.contains(&format!("record: {}\n", directory.path(name).display())), "{errors}");
    }
}
