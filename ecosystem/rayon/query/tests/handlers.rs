//! Handlers that query tables with polars, whose pool shares the processors of the runtime.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;

use wsrt_rayon_query::{REGIONS, order};

const ORDERS: u32 = 200_000;

/// The service, in a process of its own, whose threads can be counted.
struct Service {
    process: Child,
    address: String,
}

impl Service {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wsrt-rayon-query"));
        let mut process =
            command.env("WSRT_RAYON_SHARE", "1").stdout(Stdio::piped()).spawn().expect("the program is built");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("a pipe")).read_line(&mut line).expect("it tells its address");
        let address = line.trim().strip_prefix("listening on http://").expect("it listens").to_owned();
        Self { process, address }
    }

    fn ask(&self, route: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        write!(stream, "GET {route} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n").expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head ends");
        assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
        body.to_owned()
    }

    fn threads(&self) -> Vec<String> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.process.id())).expect("it runs").flatten();
        tasks.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok()).collect()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The answer, by a loop.
fn expected(orders: u32) -> String {
    let mut totals = BTreeMap::new();
    for (customer, price) in (0..orders).map(order) {
        let (total, count) = totals.entry(REGIONS[customer as usize % REGIONS.len()]).or_insert((0_i64, 0_u32));
        (*total, *count) = (*total + price, *count + 1);
    }
    let mut totals: Vec<_> = totals.into_iter().collect();
    totals.sort_by_key(|(_, (total, _))| std::cmp::Reverse(*total));
    totals.into_iter().map(|(region, (total, count))| format!("{region} {total} {count}\n")).collect()
}

#[test]
fn queries_have_the_results_of_loops() {
    let service = Service::start();
    for orders in [1, 4, 1_000, ORDERS] {
        assert_eq!(service.ask(&format!("/totals/{orders}")), expected(orders));
    }
}

#[test]
fn queries_compute_on_the_threads_of_the_runtime() {
    const QUERIES: usize = 4;
    let service = Service::start();
    thread::scope(|scope| {
        (0..QUERIES).for_each(|_| drop(scope.spawn(|| service.ask(&format!("/totals/{ORDERS}")))));
    });
    // polars would name its threads after itself.
    let threads = service.threads();
    assert!(threads.iter().all(|name| name.starts_with("wsrt-") && !name.contains("attendant")), "{threads:?}");
    // The main thread, the watcher, the workers, and a spare one for each query that takes long.
    // polars also builds a runtime of tokio's, for files.
    let workers = thread::available_parallelism().expect("Linux tells").get();
    assert!(threads.len() <= 2 * (2 + workers + QUERIES), "{threads:?}");
}
