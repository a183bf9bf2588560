//! `WSRT_SCHEDTRACE=50` prints a line each 50 ms to standard error, with the fields that the documentation names.

use std::thread;
use std::time::{Duration, Instant};

use wsrt::runtime::{Builder, Runtime};
use wsrt_tests::{compute, in_a_process_of_its_own, text_of};

/// What one line says.
#[derive(Debug)]
struct Line {
    millis: u64,
    procs: usize,
    idleprocs: usize,
    spareprocs: usize,
    machines: usize,
    searching: usize,
    idlemachines: usize,
    runqueue: u64,
    rings: Vec<usize>,
    steal: u64,
    stolen: u64,
    polls: u64,
    parks: u64,
    overflows: u64,
    stalls: u64,
}

/// What is left of a line to be parsed.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    /// Takes `text`, which has to come next.
    fn skip(&mut self, text: &str) {
        self.0 = self.0.strip_prefix(text).unwrap_or_else(|| panic!("`{text}` is missing before `{}`", self.0));
    }

    fn until(&mut self, end: &str) -> &'a str {
        let (taken, rest) = self.0.split_once(end).unwrap_or_else(|| panic!("`{end}` is missing in `{}`", self.0));
        self.0 = rest;
        taken
    }

    fn number<T: std::str::FromStr>(&mut self) -> T {
        let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(end);
        self.0 = rest;
        digits.parse().unwrap_or_else(|_| panic!("`{digits}` before `{rest}` is no number"))
    }

    /// Takes ` name=number`, which has to come next.
    fn field<T: std::str::FromStr>(&mut self, name: &str) -> T {
        self.skip(" ");
        self.skip(name);
        self.skip("=");
        self.number()
    }
}

fn parse(line: &str) -> Line {
    let mut rest = Rest(line);
    rest.skip("SCHED ");
    let millis = rest.number();
    rest.skip("ms:");
    let parsed = Line {
        millis,
        procs: rest.field("procs"),
        idleprocs: rest.field("idleprocs"),
        spareprocs: rest.field("spareprocs"),
        machines: rest.field("machines"),
        searching: rest.field("searching"),
        idlemachines: rest.field("idlemachines"),
        runqueue: rest.field("runqueue"),
        rings: {
            rest.skip(" [");
            rest.until("]").split(' ').map(|ring| ring.parse().expect("a ring's length")).collect()
        },
        steal: rest.field("steal"),
        stolen: rest.field("stolen"),
        polls: rest.field("polls"),
        parks: rest.field("parks"),
        overflows: rest.field("overflows"),
        stalls: rest.field("stalls"),
    };
    assert_eq!(rest.0, "", "more than is documented: {line}");
    parsed
}

/// The trace in what a process wrote to its standard error.
fn trace(errors: &str) -> Vec<Line> {
    errors.lines().filter(|line| line.starts_with("SCHED ")).map(parse).collect()
}

/// Tasks born on one processor, again and again, until `period` is over.
async fn unbalanced_load(period: Duration) {
    let end = Instant::now() + period;
    while Instant::now() < end {
        let tasks: Vec<_> = (0..400).map(|_| wsrt::spawn(async { compute(20_000) })).collect();
        for task in tasks {
            task.await.expect("computing does not panic");
        }
    }
}

#[test]
fn each_line_has_all_fields_and_steals_rise_under_an_unbalanced_load() {
    let test = "each_line_has_all_fields_and_steals_rise_under_an_unbalanced_load";
    let environment = [("WSRT_SCHEDTRACE", "50"), ("WSRT_WORKER_THREADS", "3")];
    let output = in_a_process_of_its_own(test, &environment, || {
        Runtime::new().expect("a runtime").run(unbalanced_load(Duration::from_millis(700)));
    });
    let lines = trace(&text_of(&output));
    assert!((5..=20).contains(&lines.len()), "{} lines in 700 ms: {lines:#?}", lines.len());
    for line in &lines {
        assert_eq!((line.procs, line.stalls), (3, 0), "as WSRT_WORKER_THREADS says: {line:?}");
        // The load computes for milliseconds at a time, so that spares may come and go.
        assert!(line.rings.len() >= 3 + line.spareprocs && line.machines >= 3, "{line:?}");
        assert!(line.idleprocs <= 3 + line.spareprocs && line.idlemachines <= line.machines, "{line:?}");
        assert!(line.rings.iter().all(|ring| *ring <= 257), "256 in the ring, one in runnext: {line:?}");
        assert!(line.stolen >= line.steal, "each steal moves a task at least: {line:?}");
    }
    for (before, after) in lines.iter().zip(&lines[1..]) {
        // The end of the runtime, which has a line of its own, may fall together with the end of a period.
        assert!(after.millis >= before.millis && after.polls >= before.polls, "{before:?} {after:?}");
        assert!(after.steal >= before.steal && after.stolen >= before.stolen, "{before:?} {after:?}");
        assert!(after.parks >= before.parks && after.overflows >= before.overflows, "{before:?} {after:?}");
    }
    let (first, last) = (&lines[0], &lines[lines.len() - 1]);
    assert!(last.steal > first.steal && last.stolen > first.stolen, "nothing was stolen: {first:?} {last:?}");
    assert!(last.polls > first.polls && last.millis >= first.millis + 200, "{first:?} {last:?}");
    assert!(last.overflows > 0, "400 tasks do not fit a ring: {last:?}");
    assert!(lines.iter().any(|line| line.runqueue > 0 || line.rings.iter().any(|ring| *ring > 0)), "{lines:#?}");
}

#[test]
fn an_idle_runtime_is_seen_to_be_idle() {
    let test = "an_idle_runtime_is_seen_to_be_idle";
    let output = in_a_process_of_its_own(test, &[("WSRT_SCHEDTRACE", "20")], || {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        // For this long nothing happens: that is what the trace is to show.
        runtime.block_on(wsrt::time::sleep(Duration::from_millis(300)));
    });
    let lines = trace(&text_of(&output));
    let last = lines.last().expect("there are lines");
    assert_eq!((last.idleprocs, last.searching, last.runqueue), (2, 0, 0), "{last:?}");
    assert_eq!(last.rings, [0, 0]);
}

#[test]
fn the_trace_goes_on_while_every_processor_is_stuck() {
    let test = "the_trace_goes_on_while_every_processor_is_stuck";
    let output = in_a_process_of_its_own(test, &[("WSRT_SCHEDTRACE", "20")], || {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        runtime.run(async { thread::sleep(Duration::from_millis(400)) });
    });
    let lines = trace(&text_of(&output));
    let stuck = lines.iter().filter(|line| line.idleprocs == 0 && line.polls == 1).count();
    assert!(stuck >= 5, "{lines:#?}");
}

#[test]
fn without_the_variable_there_is_no_trace() {
    let test = "without_the_variable_there_is_no_trace";
    let output = in_a_process_of_its_own(test, &[], || {
        Runtime::new().expect("a runtime").run(unbalanced_load(Duration::from_millis(60)));
    });
    assert_eq!(text_of(&output), "");
}
