//! `WSRT_SCHEDTRACE=50` prints a line each 50 ms to standard error, with the fields that the
//! documentation names; and `WSRT_SCHEDTRACE=50,detail` one more for each processor and machine.

use std::thread;
use std::time::{Duration, Instant};

use wsrt::runtime::{Builder, Runtime};
use wsrt_tests::{compute, in_a_process_of_its_own, text_of};

/// The fields of one line.
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
    background: u64,
}

/// The rest of a line, still to be parsed.
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
        background: rest.field("background"),
    };
    assert_eq!(rest.0, "", "more than is documented: {line}");
    parsed
}

/// The lines of the trace in a process's standard error.
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
fn each_line_has_all_fields_and_steals_rise_under_imbalance() {
    let test = "each_line_has_all_fields_and_steals_rise_under_imbalance";
    // On a busy machine a poll may be kept from its core for as long as a stall takes.
    let environment = [("WSRT_SCHEDTRACE", "50"), ("WSRT_WORKER_THREADS", "3"), ("WSRT_STALL_MS", "0")];
    let output = in_a_process_of_its_own(test, &environment, || {
        Runtime::new().expect("a runtime").run(unbalanced_load(Duration::from_millis(700)));
    });
    let errors = text_of(&output);
    let first = errors.lines().next().expect("there are lines");
    assert!(first.starts_with("wsrt: this is wsrt 0.") && !first.contains("tokio"), "{first}");
    let lines = trace(&errors);
    let last = lines.last().expect("there are lines");
    let most = last.millis as usize / 50 + 2;
    assert!((5..=most).contains(&lines.len()), "{} lines in {} ms: {lines:#?}", lines.len(), last.millis);
    for line in &lines {
        assert_eq!((line.procs, line.stalls, line.background), (3, 0, 0), "as WSRT_WORKER_THREADS says: {line:?}");
        // The load computes for milliseconds at a time, so that spares may come and go.
        assert!(line.rings.len() >= 3 + line.spareprocs && line.machines >= 3, "{line:?}");
        assert!(line.idleprocs <= 3 + line.spareprocs && line.idlemachines <= line.machines, "{line:?}");
        assert!(line.rings.iter().all(|ring| *ring <= 257), "256 in the ring, one in runnext: {line:?}");
        assert!(line.stolen >= line.steal, "each steal moves a task at least: {line:?}");
    }
    for (before, after) in lines.iter().zip(&lines[1..]) {
        // The end of the runtime, which has a line of its own, may fall together with the end of a
        // period.
        assert!(after.millis >= before.millis && after.polls >= before.polls, "{before:?} {after:?}");
        assert!(after.steal >= before.steal && after.stolen >= before.stolen, "{before:?} {after:?}");
        assert!(after.parks >= before.parks && after.overflows >= before.overflows, "{before:?} {after:?}");
    }
    let first = &lines[0];
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
        // For this long nothing happens, as the trace has to show.
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
    // On a busy machine a spare may have come, which idles beside the stuck one.
    let stuck = lines.iter().filter(|line| line.idleprocs == line.spareprocs && line.polls == 1).count();
    assert!(stuck >= 5, "{lines:#?}");
}

/// The words of a line of the detail, `name=value` each.
#[derive(Debug)]
struct Detail<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Detail<'a> {
    fn parse(words: &'a str) -> Self {
        Self(
            words
                .split(' ')
                .map(|word| word.split_once('=').unwrap_or_else(|| panic!("`{word}` in {words}")))
                .collect(),
        )
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    fn number(&self, name: &str) -> u64 {
        let value = self.get(name).unwrap_or_else(|| panic!("no `{name}` in {self:?}"));
        value.trim_end_matches("ms").parse().unwrap_or_else(|_| panic!("`{name}` is no number in {self:?}"))
    }

    fn status(&self) -> &'a str {
        self.get("status").unwrap_or_else(|| panic!("no status in {self:?}"))
    }
}

/// One line of the trace and the detail below it.
#[derive(Debug)]
struct Picture<'a> {
    line: Line,
    processors: Vec<Detail<'a>>,
    machines: Vec<(u64, Detail<'a>)>,
    sysmon: Option<Detail<'a>>,
}

/// The whole trace with its detail. Processors come first, by index.
fn pictures(errors: &str) -> Vec<Picture<'_>> {
    let mut pictures: Vec<Picture<'_>> = Vec::new();
    for line in errors.lines() {
        if line.starts_with("SCHED ") {
            pictures.push(Picture { line: parse(line), processors: Vec::new(), machines: Vec::new(), sysmon: None });
        } else if let Some((name, words)) = line.strip_prefix("  ").and_then(|line| line.split_once(": ")) {
            let picture = pictures.last_mut().expect("a line of its own comes first");
            if name == "sysmon" {
                picture.sysmon = Some(Detail::parse(words));
                continue;
            }
            let number = name[1..].parse().expect("a number");
            match &name[..1] {
                "P" => {
                    assert_eq!((number, picture.machines.len()), (picture.processors.len() as u64, 0), "{line}");
                    picture.processors.push(Detail::parse(words));
                }
                "M" => picture.machines.push((number, Detail::parse(words))),
                _ => panic!("{line}"),
            }
        }
    }
    pictures
}

fn detail_of(test: &str, body: impl FnOnce()) -> String {
    // A poll that holds a processor on purpose is no stall here: standard error is the trace's.
    let environment = [("WSRT_SCHEDTRACE", "20,detail"), ("WSRT_STALL_MS", "0")];
    text_of(&in_a_process_of_its_own(test, &environment, body))
}

#[test]
fn each_processor_and_machine_has_a_line_of_detail() {
    let test = "each_processor_and_machine_has_a_line_of_detail";
    let errors = detail_of(test, || {
        let runtime = Builder::new_multi_thread().worker_threads(3).build().expect("a runtime");
        runtime.run(unbalanced_load(Duration::from_millis(400)));
    });
    let pictures = pictures(&errors);
    assert!(pictures.len() >= 5, "{errors}");
    for Picture { line, processors, machines, sysmon } in &pictures {
        let sysmon = sysmon.as_ref().expect("a line of sysmon's");
        assert!(sysmon.number("unexplained") <= sysmon.number("rescues"), "{sysmon:?}");
        assert_eq!(processors.len(), line.rings.len(), "{line:?}");
        for processor in processors {
            assert!(["idle", "running", "searching"].contains(&processor.status()), "{processor:?}");
            assert!(processor.number("ring") <= 256 && processor.number("runnext") <= 1, "{processor:?}");
            assert!(processor.number("stolen") >= processor.number("steal"), "{processor:?}");
            for name in ["timers", "polls", "parks", "noops", "overflows"] {
                processor.number(name);
            }
        }
        for (_, machine) in machines {
            let status = machine.status();
            assert!(["running", "searching", "netpoller", "parked", "awake"].contains(&status), "{machine:?}");
            assert!(
                machine.number("thread") > 0
                    && machine.get("p").is_some() == (status == "running" || status == "searching")
            );
        }
    }
    // The load goes on all the time, so that some machine runs a task, and reports which.
    let running = |picture: &&Picture<'_>| {
        picture.processors.iter().enumerate().any(|(index, processor)| {
            let holds = |(number, machine): &(u64, Detail<'_>)| {
                processor.get("m") == Some(number.to_string().as_str())
                    && machine.get("p") == Some(index.to_string().as_str())
            };
            processor.status() == "running" && processor.get("task").is_some() && picture.machines.iter().any(holds)
        })
    };
    assert!(pictures.iter().filter(running).count() >= 3, "{errors}");
}

#[test]
fn the_detail_names_the_stuck_task_and_since_when() {
    let test = "the_detail_names_the_stuck_task_and_since_when";
    let errors = detail_of(test, || {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let stuck = runtime.spawn(async { thread::sleep(Duration::from_millis(400)) });
        let in_place =
            runtime.spawn(async { wsrt::task::block_in_place(|| thread::sleep(Duration::from_millis(400))) });
        eprintln!("STUCK {}", stuck.id());
        runtime.block_on(async { (stuck.await.expect("no panic"), in_place.await.expect("no panic")) });
    });
    let id = errors.lines().find_map(|line| line.strip_prefix("STUCK ")).expect("the process says it");
    let pictures = pictures(&errors);
    let of_task = |picture: &Picture<'_>| {
        let processor = picture.processors.iter().find(|processor| processor.get("task") == Some(id))?;
        (processor.status() == "running" && processor.get("since").is_some()).then(|| processor.number("since"))
    };
    let since: Vec<_> = pictures.iter().filter_map(of_task).collect();
    assert!(since.len() >= 5 && since.is_sorted() && since[since.len() - 1] >= 100, "{since:?} in {errors}");
    let blocked = pictures.iter().filter(|picture| picture.processors.iter().any(|p| p.status() == "blocked")).count();
    assert!(blocked >= 5, "{errors}");
}

/// The poll that blocks has a task in runnext, and only sysmon can have another machine run it.
#[test]
fn the_detail_counts_what_sysmon_has_mended() {
    let errors = detail_of("the_detail_counts_what_sysmon_has_mended", || {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        runtime.run(async {
            let (send, receive) = std::sync::mpsc::channel();
            wsrt::spawn(async move { send.send(()).expect("the other waits") });
            receive.recv().expect("it runs");
            wsrt::time::sleep(Duration::from_millis(400)).await;
        });
    });
    let pictures = pictures(&errors);
    let last = pictures.iter().filter_map(|picture| picture.sysmon.as_ref()).next_back().expect("a line of sysmon's");
    assert!(last.number("rescues") >= 1 && last.number("unexplained") == 0, "{errors}");
}

#[test]
fn a_machine_blocked_with_a_task_is_seen() {
    let test = "a_machine_blocked_with_a_task_is_seen";
    let errors = detail_of(test, || {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let handle = runtime.handle().clone();
        runtime.run(async move { handle.block_on(wsrt::time::sleep(Duration::from_millis(400))) });
    });
    let pictures = pictures(&errors);
    let with = |status: &str| {
        let has = |picture: &&Picture<'_>| picture.machines.iter().any(|(_, machine)| machine.status() == status);
        pictures.iter().filter(has).count()
    };
    assert!(with("blocked") >= 5, "{errors}");
    assert!(with("netpoller") >= 5, "{errors}");
    let idle = pictures.iter().filter(|picture| picture.processors.iter().all(|p| p.status() == "idle")).count();
    assert!(idle >= 5, "the machine that waits holds no processor: {errors}");
}

#[test]
fn helpers_and_regions_are_seen() {
    let test = "helpers_and_regions_are_seen";
    let errors = detail_of(test, || {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        runtime.run(async {
            let end = Instant::now() + Duration::from_millis(400);
            while Instant::now() < end {
                wsrt::parallel::for_each(0..2_000_usize, |_| compute(2_000));
            }
        });
    });
    let pictures = pictures(&errors);
    let computing =
        pictures.iter().filter(|picture| picture.processors.iter().any(|p| p.status() == "computing")).count();
    let helping =
        pictures.iter().filter(|picture| picture.machines.iter().any(|(_, m)| m.status() == "helping")).count();
    assert!(computing >= 3 && helping >= 1, "{computing} {helping} in {errors}");
}

#[test]
fn without_the_variable_there_is_no_trace() {
    let test = "without_the_variable_there_is_no_trace";
    let output = in_a_process_of_its_own(test, &[("WSRT_STALL_MS", "0")], || {
        Runtime::new().expect("a runtime").run(unbalanced_load(Duration::from_millis(60)));
    });
    assert_eq!(text_of(&output), "");
}
