//! The `sync` program from outside: every row of every library has its figures, and tables and
//! files are there.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use wsrt_benches::metric::Metric;
use wsrt_benches::plan::Plan;
use wsrt_benches::sync::{self, Request};

mod support;

use support::{directory, failed, succeeded};

/// After this long a child is taken for hung; it needs a small part of a second.
const PATIENCE: Duration = Duration::from_secs(60);

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_sync"))
}

fn run_every_row(workers: usize) {
    for (about, libraries) in sync::all() {
        for library in libraries {
            let plan = Plan {
                workers,
                iterations: Some(2),
                warm_up: Some(1),
                size: Some(300),
                ..Plan::usual(program().to_owned())
            };
            let (library, row) = (library.to_owned(), about.name.to_owned());
            let request = Request { library, row, plan, time_limit: Some(PATIENCE) };
            let figures = request.measure(program());
            let figures = figures.unwrap_or_else(|failure| panic!("{} of {}: {failure}", request.row, request.library));
            let is_idle = about.name.starts_with("idle_");
            let metric = if is_idle { Metric::BYTES_IDLE } else { Metric::NANOSECONDS_PER_OPERATION };
            assert_eq!(figures.len(), 1, "{}", about.name);
            assert_eq!(figures[0].metric, metric, "{}", about.name);
            // So few channels may fit into memory that the process has already.
            assert!(is_idle || figures[0].value > 0.0, "{}: {figures:?}", about.name);
        }
    }
}

#[test]
fn every_row_of_every_library_has_its_figures() {
    run_every_row(2);
}

#[test]
fn one_worker_is_enough_for_every_row() {
    run_every_row(1);
}

#[test]
fn a_comparison_prints_and_saves_its_table_and_its_samples() {
    let mut command = Command::new(program());
    let line = "--only bounded,lock --rivals tokio,kanal --size 200 --iterations 1 --repeats 2 --output";
    command.args(line.split_whitespace()).arg(directory("sync"));
    let printed = succeeded(&command.output().expect("the program starts"));
    let saved = |extension| fs::read_to_string(directory("sync").join("sync-2-workers").with_extension(extension));
    let table = saved("md").unwrap();
    assert!(printed.contains(&table) && table.contains("| bounded ") && table.contains("| lock "), "{table}");
    let csv = saved("csv").unwrap();
    let samples = |start: &str| csv.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(samples("bounded,ns_per_operation,kanal,2,"), 2);
    assert_eq!(samples("lock,ns_per_operation,kanal,2,"), 0);
}

/// Where there is Go, its figures; where there is none, the reason: never neither.
#[test]
fn go_has_its_rows_where_there_is_a_toolchain() {
    let mut command = Command::new(program());
    let line = "--rivals go --size 200 --iterations 1 --repeats 1 --output";
    command.args(line.split_whitespace()).arg(directory("sync-go"));
    let printed = succeeded(&command.output().expect("the program starts"));
    let csv = fs::read_to_string(directory("sync-go").join("sync-2-workers.csv")).unwrap();
    let samples = csv.lines().filter(|line| line.contains(",go,2,0,")).count();
    let is_absent = printed.contains("Go is not measured: ");
    assert_eq!(samples, if is_absent { 0 } else { 12 }, "{csv}");
}

#[test]
fn a_wrong_argument_is_refused_by_name() {
    let output = Command::new(program()).args(["--only", "nothing"]).output().expect("the program starts");
    assert!(failed(&output).contains("\"nothing\""));
}
