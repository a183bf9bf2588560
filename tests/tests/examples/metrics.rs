//! The example with metrics shows the runtime's counts to Prometheus: each figure is documented,
//! and counters grow.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use wsrt_tests::{LIMIT, example};

/// The server as a process. Killed when dropped.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start() -> Self {
        let mut command = Command::new(example("metrics"));
        command.env("PORT", "0").env("WSRT_WORKER_THREADS", "2").stdout(Stdio::piped());
        let mut process = command.spawn().expect("the server starts");
        let mut greeting = String::new();
        let said = process.stdout.take().expect("it is piped");
        BufReader::new(said).read_line(&mut greeting).expect("it tells where it listens");
        let address = greeting.trim().strip_prefix("listening on http://").expect("with these words").to_owned();
        Self { process, address }
    }

    /// The body of the answer.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a timeout can be set");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        body.to_owned()
    }

    fn scrape(&self) -> Scrape {
        Scrape(self.get("/metrics"))
    }

    /// Scrapes until `holds` returns true: publications come twice a second.
    fn scrape_until(&self, what: &str, holds: impl Fn(&Scrape) -> bool) -> Scrape {
        let start = Instant::now();
        loop {
            let scrape = self.scrape();
            if holds(&scrape) {
                return scrape;
            }
            assert!(start.elapsed() < LIMIT, "{what}: never in\n{}", scrape.0);
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The page that the server shows to Prometheus.
struct Scrape(String);

impl Scrape {
    /// The samples: name, labels and value.
    fn samples(&self) -> impl Iterator<Item = (&str, &str, f64)> {
        self.0.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
            let (series, value) = line.rsplit_once(' ').expect("a value");
            let (name, labels) = series.split_once('{').unwrap_or((series, ""));
            (name, labels, value.parse().expect("a number"))
        })
    }

    /// The sum over all labels with `label` in them.
    fn sum_with(&self, name: &str, label: &str) -> f64 {
        let samples = self.samples().filter(|(other, labels, _)| *other == name && labels.contains(label));
        samples.map(|(_, _, value)| value).sum()
    }

    fn sum(&self, name: &str) -> f64 {
        self.sum_with(name, "")
    }

    /// The names of the figures: a histogram has three series of its name.
    fn names(&self) -> BTreeSet<&str> {
        self.samples().map(|(name, _, _)| figure_of(name)).collect()
    }
}

/// The figure that a series belongs to.
fn figure_of(series: &str) -> &str {
    ["_bucket", "_sum", "_count"].into_iter().find_map(|end| series.strip_suffix(end)).unwrap_or(series)
}

#[test]
fn counters_grow_as_the_server_works() {
    let server = Server::start();
    let first = server.scrape_until("the first figures", |scrape| scrape.sum("wsrt_polls_total") > 0.0);
    for _ in 0..20 {
        server.get("/work");
    }
    // Twenty times a hundred tasks, a timer and a blocking job.
    let grown = |scrape: &Scrape, name: &str| scrape.sum(name) - first.sum(name);
    // The figures that are published may be of the middle of the last request.
    let last = server.scrape_until("2000 polls and 20 timers more, and the jobs' thread", |scrape| {
        grown(scrape, "wsrt_polls_total") >= 2_000.0
            && grown(scrape, "wsrt_timers_fired_total") >= 20.0
            && scrape.sum("wsrt_blocking_threads") >= 1.0
    });
    // On a busy machine the bytes are there before a task would wait for them.
    assert!(grown(&last, "wsrt_network_events_total") >= 1.0);
    assert!(grown(&last, "wsrt_netpolls_total") >= 1.0);
    assert!(last.sum("wsrt_wakes_total") >= 1.0 && last.sum("wsrt_parks_total") >= 1.0);
    assert!(last.sum("wsrt_timer_lateness_seconds_total") > 0.0);
    assert_eq!(last.sum("wsrt_processors"), 2.0);
    assert!(last.sum("wsrt_machines") >= 2.0 && last.sum("wsrt_alive_tasks") >= 1.0);
    for processor in ["processor=\"0\"", "processor=\"1\""] {
        assert!(last.samples().any(|(name, labels, _)| name == "wsrt_polls_total" && labels.contains(processor)));
    }
    let sampled = server.scrape_until("samples", |scrape| scrape.sum("wsrt_poll_time_seconds_count") > 0.0);
    for name in ["wsrt_poll_time_seconds", "wsrt_schedule_latency_seconds"] {
        let bucket = |bound| sampled.sum_with(&format!("{name}_bucket"), &format!("le=\"{bound}\""));
        let (within_a_millisecond, all) = (bucket("0.001048576"), bucket("+Inf"));
        assert!(within_a_millisecond <= all && all > 0.0, "{name}: {within_a_millisecond} {all}");
    }
}

#[test]
fn each_figure_is_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../executor/docs/METRICS.md");
    let documentation = std::fs::read_to_string(path).expect("it is there");
    let server = Server::start();
    server.get("/work");
    let scrape = server.scrape_until("all of the figures", |scrape| scrape.sum("wsrt_poll_time_seconds_count") > 0.0);
    for name in scrape.names() {
        assert!(documentation.contains(&format!("`{name}`")), "{name} is not in executor/docs/METRICS.md");
    }
    // In queries too, between marks of all kinds.
    let documented: BTreeSet<_> = documentation
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != ':')
        .filter(|word| word.starts_with("wsrt_") && word.len() > 5 && !word.contains("::"))
        .collect();
    // They need a stall to be there, or a variable.
    let rare = [
        "wsrt_stalls_by_site_total",
        "wsrt_site_longest_poll_seconds",
        "wsrt_site_poll_time_seconds",
        "wsrt_name_longest_poll_seconds",
        "wsrt_name_poll_time_seconds",
    ];
    for name in documented {
        let figure = figure_of(name);
        assert!(
            scrape.names().contains(figure) || rare.contains(&figure),
            "{name} is documented, and is not published"
        );
    }
}

#[test]
fn dashboards_and_alerts_name_documented_figures() {
    let read = |path: &str| {
        let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let documentation = read("executor/docs/METRICS.md");
    for path in ["contrib/grafana/wsrt.json", "contrib/prometheus/alerts.yml", "contrib/prometheus/alerts_test.yml"] {
        let text = read(path);
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let named: BTreeSet<_> = words.filter(|word| word.starts_with("wsrt_")).map(figure_of).collect();
        assert!(!named.is_empty(), "{path}");
        for name in named {
            assert!(documentation.contains(&format!("`{name}`")), "{path} names {name}");
        }
    }
}
