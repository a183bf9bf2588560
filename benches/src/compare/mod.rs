//! The comparison of the runtimes, one process for each measurement.

use std::path::Path;
use std::time::Duration;

use crate::child::{self, BARE, Request};
use crate::cores::Cores;
use crate::go::{self, Go};
use crate::harness::{Case, Job, Line, Program, Report, is_wanted};
use crate::measure::Summary;
use crate::metric::Metric;
use crate::picture::Head;
use crate::picture::bars;
use crate::plan::Plan;
use crate::workloads::{self, About};
use crate::{Failure, load, machine, runtimes};

mod growth;
mod options;

use options::Options;

/// The program `compare`.
pub const PROGRAM: Program = Program {
    name: "compare",
    help: options::help,
    roles: &[("--child", child::role), ("--load", load::role)],
    compare: |arguments| {
        let options = Options::take(arguments)?;
        Ok(Box::new(move || run(&options)) as Job)
    },
};

/// The crates whose versions stand above the table.
const CRATES: [&str; 6] = ["wsrt", "tokio", "async-executor", "async-io", "async-net", "async-channel"];

/// A workload with its plan: one line of the table, or a few where it has several metrics.
#[derive(Clone, Debug)]
struct Work {
    label: String,
    about: About,
    plan: Plan,
}

/// Returns the work of a comparison, in the table's order.
fn works(options: &Options) -> Vec<Work> {
    let wanted = |about: &About| is_wanted(&options.only, about.name);
    if options.growth {
        return growth::works(&options.plan, wanted);
    }
    workloads::all().into_iter().filter(wanted).flat_map(|about| works_of(about, options)).collect()
}

fn works_of(about: About, options: &Options) -> Vec<Work> {
    if about.name != workloads::ECHO {
        return vec![Work { label: about.name.to_owned(), about, plan: options.plan.clone() }];
    }
    let with_connections = |&connections: &usize| Work {
        label: format!("{}/{connections}", about.name),
        about,
        plan: Plan { connections, ..options.plan.clone() },
    };
    options.connections.iter().map(with_connections).collect()
}

/// Measures everything, prints the table and saves it.
fn run(options: &Options) -> Result<(), Failure> {
    let directory = options.settings.directory()?;
    let program = std::env::current_exe()?;
    let works = works(options);
    let mut facts = machine::describe(&CRATES);
    let wants_go = options.rivals.iter().any(|rival| rival == runtimes::GO);
    let go = Go::find(wants_go, &directory, options.install_go, &mut facts);
    if !options.growth {
        facts.push(format!("{} workers each", options.plan.workers));
    }
    if let Some(Cores { measured, .. }) = &options.plan.apart {
        let of_clients = options.plan.cores_of_clients();
        facts.push(format!("runtimes on cores {measured:?}, the echo's clients on {of_clients:?}"));
    }
    let subjects = subjects(&options.rivals);
    let lines = works.iter().map(|work| (line(work), work.about.summary)).collect();
    let mut report = Report::on_rivals(subjects.clone(), lines);
    report.facts = facts;
    let limit = options.time_limit;
    let cases: Vec<_> = works.iter().map(|work| case(work, &subjects, &program, go.as_ref(), limit)).collect();
    options.settings.measure(&cases, &mut report);
    let workers = options.plan.workers;
    let (stem, drawing) = if options.growth {
        ("growth".to_owned(), growth::svg(&report))
    } else {
        (format!("compare-{workers}-workers"), chart(&report, workers))
    };
    options.settings.finish(&report, &stem, Some(drawing))
}

fn line(work: &Work) -> Line {
    Line::new(&work.label, work.plan.workers)
}

fn case<'a>(work: &'a Work, subjects: &[String], program: &'a Path, go: Option<&'a Go>, limit: Duration) -> Case<'a> {
    let Work { about, plan, .. } = work;
    let has_it = |subject: &&String| *subject != runtimes::GO || (go.is_some() && go::has(about.name));
    let measure = move |subject: &str| match go {
        Some(go) if subject == runtimes::GO => go.measure(about, plan, limit),
        _ => {
            let (runtime, workload) = (subject.to_owned(), about.name.to_owned());
            let request = Request { runtime, workload, plan: plan.clone(), time_limit: Some(limit) };
            child::measure(program, &request)
        }
    };
    Case {
        line: line(work),
        subjects: subjects.iter().filter(has_it).cloned().collect(),
        last: about.bare.map(|_| BARE),
        measure: Box::new(measure),
    }
}

/// Returns wsrt, if it is in this build, and its rivals.
fn subjects(rivals: &[String]) -> Vec<String> {
    let subject = runtimes::all().into_iter().find(|entry| entry.name == runtimes::SUBJECT);
    subject.map(|entry| entry.name.to_owned()).into_iter().chain(rivals.iter().cloned()).collect()
}

/// Draws a panel for each row of the table, a bar for each runtime, beside the best rival.
fn chart(report: &Report, workers: usize) -> String {
    let title = format!("wsrt and its rivals, {workers} workers");
    let head = Head {
        title: &title,
        about: "Cost beside the best rival's: shorter is better; the median, with a line from quartile to quartile, and the \
                figure itself.",
        note: "dashed: the best rival",
    };
    let panel = |(line, metric): (&Line, Metric)| {
        let best = report.best_rival(line, metric);
        let title = format!("{}, {}", line.label, metric.unit());
        let length = |summary| Some(beside(metric, summary, best?));
        report.panel(title, report.subjects(), (line, metric), length, best.map(|_| 1.0))
    };
    bars::svg(head, [0.0, 0.5, 1.0, 1.5, 2.0], &report.lines().map(panel).collect::<Vec<_>>())
}

/// Makes `summary` a multiple of the cost of `best`. A rate's quartiles change places.
fn beside(metric: Metric, summary: Summary, best: f64) -> Summary {
    let cost = |value: f64| metric.cost_ratio(value, best).unwrap_or(0.0);
    let (one, other) = (cost(summary.low_quartile), cost(summary.high_quartile));
    Summary {
        minimum: cost(summary.minimum),
        low_quartile: one.min(other),
        median: cost(summary.median),
        high_quartile: one.max(other),
        maximum: cost(summary.maximum),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_choice_every_workload_is_measured() {
        assert_eq!(works(&Options::of("")).len(), workloads::all().len());
    }

    #[test]
    fn each_number_of_connections_is_a_case_of_the_echo() {
        let works = works(&Options::of("--only echo_tcp --connections 1,1000"));
        let seen: Vec<_> = works.iter().map(|work| (&*work.label, work.plan.connections)).collect();
        assert_eq!(seen, [("echo_tcp/1", 1), ("echo_tcp/1000", 1000)]);
    }

    #[test]
    fn a_rate_twice_the_best_is_half_the_bar() {
        let summary = Summary::of(&[150.0, 200.0, 300.0]).unwrap();
        let bar = beside(Metric::REQUESTS_PER_SECOND, summary, 100.0);
        assert_eq!(bar.median, 0.5);
        assert!(bar.low_quartile < bar.median && bar.median < bar.high_quartile);
        assert_eq!(beside(Metric::NANOSECONDS_PER_OPERATION, summary, 100.0).median, 2.0);
    }
}
