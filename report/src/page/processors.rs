//! The section on processors: how each processor spent its time, and how many tasks came from each
//! place in the scheduler.

use wsrt_trace::{TaskSource, names};

use super::frame::Page;
use crate::aggregate::Processor;
use crate::charts::{Part, bar};
use crate::numbers::{Count, Share, Time};
use crate::reading::Report;

/// The maximum number of rows of bars and of the table, for the busiest processors.
const MOST: usize = 48;

pub(crate) fn write(page: &mut Page, report: &Report) {
    let how = "A bar is the whole time of a processor. Its colours are the time in polls by where their tasks were found: in runnext \
               (readied by the task that ran before), in its ring, in the injector, in the netpoller's turn or by a timer just \
               before, or stolen. Grey is the time in which a thread held the processor and looked for work; in the empty \
               time no thread held it. A spare stands in for a poll that does not return.";
    let mut used: Vec<_> = report.aggregate.processors.used().collect();
    page.section("processors", finding(report), how);
    used.sort_by_key(|(index, processor)| (u64::MAX - processor.busy_time(), *index));
    let all = used.len();
    used.truncate(MOST);
    used.sort_by_key(|(index, _)| *index);

    let sources: Vec<_> = TaskSource::ALL.into_iter().filter(|source| is_shown(report, *source)).collect();
    let colours = sources.iter().map(|source| (source.name(), source.name()));
    // The style sheet has a class with the name of each source.
    page.legend(colours.chain([("held", "held, looking for work"), ("idle", "not held")]));
    page.put(format_args!("<div class=\"rows\">\n"));
    for (index, processor) in &used {
        row(page, report, *index, processor);
    }
    page.put(format_args!("</div>\n"));
    if all > MOST {
        page.put(format_args!("<p class=\"how\">The {MOST} busiest of {all} are shown.</p>\n"));
    }
    table(page, report, &used);
    by_source(page, report, &sources);
    page.end_section();
}

fn is_shown(report: &Report, source: TaskSource) -> bool {
    !matches!(source, TaskSource::Local | TaskSource::Unknown)
        || report.aggregate.polls.found[source as usize].polls > 0
}

fn finding(report: &Report) -> String {
    let duration = report.aggregate.grid.duration();
    let workers = || report.aggregate.processors.workers();
    let busiest = workers().max_by_key(|(index, processor)| (processor.busy_time(), usize::MAX - index));
    let laziest = workers().min_by_key(|(index, processor)| (processor.busy_time(), *index));
    let (Some((busiest, most)), Some((laziest, least))) = (busiest, laziest) else {
        return "No processor ran.".to_owned();
    };
    let (most, least) = (Share::of(most.busy_time(), duration), Share::of(least.busy_time(), duration));
    let found = &report.aggregate.polls.found;
    let usual =
        TaskSource::ALL.into_iter().max_by_key(|source| found[*source as usize].polls).unwrap_or(TaskSource::Unknown);
    let share = Share::of(found[usual as usize].polls, report.aggregate.polls.times.count());
    let is_one = busiest == laziest;
    let (busiest, laziest) = (names::processor(busiest), names::processor(laziest));
    let extremes = if is_one {
        format!("{busiest} was busy {most} of the time.")
    } else {
        format!("{busiest} was the busiest with {most} of the time, {laziest} the least busy with {least}.")
    };
    match usual {
        TaskSource::Unknown => extremes,
        _ => format!("{extremes} {share} of all polls were of tasks found {}.", place(usual)),
    }
}

/// Returns the name of the place for use within a sentence.
fn place(source: TaskSource) -> &'static str {
    match source {
        TaskSource::Runnext => "in runnext",
        TaskSource::Ring => "in the processor's own ring",
        TaskSource::Injector => "in the injector",
        TaskSource::Network => "by a turn of the netpoller",
        TaskSource::Timer => "by another processor's timer",
        TaskSource::Stolen => "on other processors",
        TaskSource::Local => "in a LocalSet",
        TaskSource::Unknown => "where the trace does not say",
    }
}

fn row(page: &mut Page, report: &Report, index: usize, processor: &Processor) {
    let duration = report.aggregate.grid.duration();
    let busy = Share::of(processor.busy_time(), duration);
    let mut parts: Vec<Part> = TaskSource::ALL
        .into_iter()
        .map(|source| {
            let time = processor.busy_by_source[source as usize];
            let share = Share::of(time, duration);
            let text = format!("{}: {} in polls, {share}", source.name(), Time(time));
            Part { class: source.name(), share: share.value(), text }
        })
        .collect();
    let looking = processor.held.saturating_sub(processor.busy_time());
    let share = Share::of(looking, duration);
    let text = format!("held, looking for work: {}, {share}", Time(looking));
    parts.push(Part { class: "held", share: share.value(), text });
    let name = processor.name(index);
    let label = format!("{name} was busy {busy} of the time and looked for work {share}");
    page.put(format_args!(
        "<div class=\"row\"><span class=\"name\">{name}</span>{}<span class=\"value\">{busy}</span></div>\n",
        bar(&label, &parts)
    ));
}

fn table(page: &mut Page, report: &Report, used: &[(usize, &Processor)]) {
    let titles =
        ["Processor", "#Busy", "#Polls", "#Mean poll", "#Tasks stolen", "#Longest queue seen", "#Overflows", "#Stalls"];
    page.table("The processors in figures", "", &titles);
    for (index, processor) in used {
        let name = processor.name(*index);
        let mean = match processor.polls {
            0 => "–".to_owned(),
            polls => Time(processor.busy_time() / polls).to_string(),
        };
        page.put(format_args!(
            "<tr><th scope=\"row\">{name}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{mean}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            Share::of(processor.busy_time(), report.aggregate.grid.duration()),
            Count(processor.polls),
            Count(processor.stolen),
            Count(processor.longest_queue),
            Count(processor.overflow_count),
            Count(processor.stall_count)
        ));
    }
    page.end_table();
}

fn by_source(page: &mut Page, report: &Report, sources: &[TaskSource]) {
    let polls = &report.aggregate.polls;
    let (count, busy) = (polls.times.count(), polls.found.iter().map(|found| found.busy).sum());
    page.put(format_args!(
        "<h3>Where tasks were found</h3>\n<p class=\"how\">A wait runs from the moment a task was readied to the begin of its poll; \
         nine of ten waits are at most as long as p90 says.</p>\n"
    ));
    page.table(
        "Polls by where their tasks were found",
        "",
        &[
            "Found in",
            "#Polls",
            "#Of all polls",
            "#Of poll time",
            "#Wait p50",
            "#Wait p90",
            "#Wait p99",
            "#Longest wait",
        ],
    );
    for source in sources {
        let found = &polls.found[*source as usize];
        page.put(format_args!(
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>",
            source.name(),
            Count(found.polls),
            Share::of(found.polls, count),
            Share::of(found.busy, busy)
        ));
        for share in [0.5, 0.9, 0.99, 1.0] {
            if found.waits.count() > 0 {
                page.put(format_args!("<td class=\"n\">{}</td>", Time(found.waits.quantile(share))));
            } else {
                page.put(format_args!("<td class=\"n\">–</td>"));
            }
        }
        page.put(format_args!("</tr>\n"));
    }
    page.end_table();
}
