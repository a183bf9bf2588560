//! Every workload at a tiny size on every runtime: the results are right, whatever the figures.

use std::net::Ipv4Addr;
use std::path::Path;
use std::time::Duration;

use wsrt_benches::child::{self, Request};
use wsrt_benches::metric::{Measurement, Metric};
use wsrt_benches::plan::Plan;
use wsrt_benches::runtimes::{self, Listed, Runtime, Smol, Static, Tokio};
use wsrt_benches::workloads;

/// After this long a child is taken for hung; it needs a small part of a second, and longer on a
/// busy machine.
const PATIENCE: Duration = Duration::from_secs(600);

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_compare"))
}

fn tiny(workers: usize) -> Plan {
    Plan {
        workers,
        iterations: Some(2),
        warm_up: Some(1),
        size: Some(30),
        connections: 5,
        ..Plan::usual(program().to_owned())
    }
}

fn assert_figures(workload: &str, measurements: &[Measurement]) {
    let metrics: Vec<_> = measurements.iter().map(|measurement| measurement.metric).collect();
    let expected = match workload {
        workloads::ECHO => {
            vec![Metric::REQUESTS_PER_SECOND, Metric::CPU_MICROSECONDS_PER_REQUEST, Metric::SLEEPS_PER_REQUEST]
        }
        "timer_sleepers" | "timer_ticks" | "root_ticks" => {
            vec![Metric::MEDIAN_MICROSECONDS_LATE, Metric::WORST_MICROSECONDS_LATE, Metric::CPU_MICROSECONDS_PER_TIMER]
        }
        "timer_busy" => vec![Metric::MEDIAN_MICROSECONDS_LATE, Metric::WORST_MICROSECONDS_LATE],
        "readied" | "readied_busy" => vec![Metric::MEDIAN_MICROSECONDS, Metric::WORST_MICROSECONDS],
        "idle_server" => {
            vec![
                Metric::MEDIAN_MICROSECONDS_LATE,
                Metric::WORST_MICROSECONDS_LATE,
                Metric::CPU_MILLISECONDS_PER_SECOND,
                Metric::SLEEPS_PER_SECOND,
            ]
        }
        "timer_hold" => {
            vec![Metric::NANOSECONDS_PER_OPERATION, Metric::CPU_MICROSECONDS_PER_TIMER, Metric::BYTES_PER_TIMER]
        }
        name if name.starts_with("proxy_") => {
            vec![Metric::MEGABYTES_PER_SECOND, Metric::CPU_MILLISECONDS_PER_GIGABYTE]
        }
        "tree" => vec![Metric::MILLISECONDS],
        "parked" => vec![Metric::MILLISECONDS, Metric::BYTES_PER_TASK],
        _ => vec![Metric::NANOSECONDS_PER_OPERATION],
    };
    assert_eq!(metrics, expected, "{workload}");
    // A process may not have slept, and the kernel may not have charged it yet.
    assert!(measurements[0].value > 0.0, "{workload}: {measurements:?}");
    assert!(measurements.iter().all(|measurement| measurement.value >= 0.0));
}

/// Runs it as a child, as a comparison does, so that a runtime that hangs fails the test in the
/// end.
fn run_every_workload(runtime: &str, workers: usize) {
    for about in workloads::all() {
        let request = Request {
            runtime: runtime.to_owned(),
            workload: about.name.to_owned(),
            plan: tiny(workers),
            time_limit: Some(PATIENCE),
        };
        let measurements = child::measure(program(), &request)
            .unwrap_or_else(|failure| panic!("{} on {runtime}: {failure}", about.name));
        assert_figures(about.name, &measurements);
    }
}

#[test]
fn every_workload_gives_its_figures_on_every_runtime() {
    for runtime in runtimes::all() {
        run_every_workload(runtime.name, 2);
    }
}

#[test]
fn one_worker_is_enough_for_every_workload() {
    for runtime in runtimes::all() {
        run_every_workload(runtime.name, 1);
    }
}

#[test]
fn workloads_with_a_library_in_them_run_without_a_runtime() {
    for about in workloads::all() {
        match workloads::run_bare(about.name, &tiny(1)) {
            Ok(measurements) => {
                assert!(about.bare.is_some(), "{}", about.name);
                assert_figures(about.name, &measurements);
            }
            Err(failure) => assert!(about.bare.is_none(), "{}: {failure}", about.name),
        }
    }
}

async fn talk<R: Runtime>() {
    let listener = R::bind((Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
    let address = R::local_addr(&listener).unwrap();
    let client = R::spawn(async move {
        let mut stream = R::connect(address).await.unwrap();
        R::write_all(&mut stream, b"ping").await.unwrap();
        let mut answer = Vec::new();
        let mut buffer = [0; 3];
        loop {
            let read = R::read(&mut stream, &mut buffer).await.unwrap();
            if read == 0 {
                return answer;
            }
            answer.extend_from_slice(&buffer[..read]);
        }
    });
    let mut stream = R::accept(&listener).await.unwrap();
    let mut request = [0; 16];
    let mut length = 0;
    while length < 4 {
        length += R::read(&mut stream, &mut request[length..]).await.unwrap();
    }
    assert_eq!(&request[..length], b"ping");
    R::write_all(&mut stream, b"pong pong pong").await.unwrap();
    drop(stream);
    assert_eq!(client.await, b"pong pong pong");
}

#[test]
fn the_sockets_of_every_runtime_carry_bytes_both_ways() {
    Tokio::build(2).unwrap().run(talk::<Tokio>());
    Smol::<Listed>::build(2).unwrap().run(talk::<Smol<Listed>>());
    Smol::<Static>::build(2).unwrap().run(talk::<Smol<Static>>());
    #[cfg(feature = "wsrt")]
    runtimes::Wsrt::build(2).unwrap().run(talk::<runtimes::Wsrt>());
}
