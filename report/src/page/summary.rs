//! The first section: the program, the most important numbers, and warnings about the trace.

use std::fmt::Display;

use wsrt_trace::WakeCause;
use wsrt_trace::decode::FileEnding;

use super::frame::Page;
use crate::numbers::{Count, Of, Share, Time};
use crate::reading::Report;
use crate::text::Escaped;

pub(crate) fn write(page: &mut Page, report: &Report) {
    let (process, pid) = report.aggregate.process.unzip();
    let title = process.map_or("A program on wsrt", |name| report.names.text(name));
    page.put(format_args!("<h1>{}</h1>\n<p class=\"from\">A run of wsrt's scheduler, from ", Escaped(title)));
    page.put(format_args!("<code>{}</code>", Escaped(&report.file)));
    if let Some(pid) = pid.flatten() {
        page.put(format_args!(", process {pid}"));
    }
    page.put(format_args!("</p>\n"));
    tiles(page, report);
    notices(page, report);
    page.contents();
}

fn tiles(page: &mut Page, report: &Report) {
    let aggregate = &report.aggregate;
    let (totals, duration) = (&aggregate.totals, aggregate.grid.duration());
    let (processors, busy) = aggregate.processors.busy_workers();
    let spares = aggregate.processors.used().count() as u64 - processors;
    let (tasks, more) = aggregate.task_count();
    let polls = aggregate.polls.times.count();
    let stolen = aggregate.steals.total();
    let stalls = aggregate.stalls.met();

    page.put(format_args!("<dl class=\"tiles\">\n"));
    tile(page, "", "Duration", Time(duration), Of(totals.events, "event"));
    let busy = Share::of(busy, duration.saturating_mul(processors));
    let beside = if spares > 0 { format!(", and {}", Of(spares, "spare")) } else { String::new() };
    tile(page, "", "Processors", Count(processors), format_args!("busy {busy} of the time{beside}"));
    let least = if more { "at least " } else { "" };
    let lives = format!("{} spawned, {} ended", Count(totals.spawns), Count(totals.ends));
    tile(page, "", "Tasks", format_args!("{least}{}", Count(tasks)), lives);
    tile(page, "", "Polls", Count(polls), format_args!("{} a second", rate(polls, duration)));
    tile(page, "", "Wakes", Count(totals.wakes), most_of_wakes(report));
    tile(page, "", "Steals", Count(stolen.steals), format_args!("moved {}", Of(stolen.tasks, "task")));
    let rings = format!("{} of a full ring", Of(totals.overflows, "overflow"));
    tile(page, if stalls > 0 { "alarm" } else { "" }, "Stalls", Count(stalls), rings);
    let dropped = totals.dropped;
    let whole = if dropped > 0 { "figures are too low" } else { "nothing is missing" };
    tile(page, if dropped > 0 { "alarm" } else { "" }, "Dropped events", Count(dropped), whole);
    page.put(format_args!("</dl>\n"));
}

fn tile(page: &mut Page, class: &str, title: &str, value: impl Display, note: impl Display) {
    page.put(format_args!(
        "<div class=\"{class}\"><dt>{title}</dt><dd>{value}</dd><dd class=\"note\">{note}</dd></div>\n"
    ));
}

fn rate(count: u64, duration: u64) -> Count {
    Count((count as f64 / (duration.max(1) as f64 / 1e9)).round() as u64)
}

/// Returns the cause of the most wakes.
fn most_of_wakes(report: &Report) -> String {
    let totals = &report.aggregate.totals;
    let by = WakeCause::ALL.into_iter().max_by_key(|by| totals.wakes_by[*by as usize]).unwrap_or(WakeCause::Task);
    let share = Share::of(totals.wakes_by[by as usize], totals.wakes);
    match by {
        _ if totals.wakes_by[by as usize] == 0 => "by a source that the trace does not name".to_owned(),
        WakeCause::Task => format!("{share} by tasks"),
        WakeCause::Network => format!("{share} by the network"),
        WakeCause::Timer => format!("{share} by timers"),
        WakeCause::Outside => format!("{share} from other threads"),
        WakeCause::Spawn => format!("{share} by being spawned"),
    }
}

fn notices(page: &mut Page, report: &Report) {
    let notices = all_notices(report);
    if notices.is_empty() {
        return;
    }
    page.put(format_args!("<ul class=\"notices\" aria-label=\"About this trace\">\n"));
    for notice in notices {
        page.put(format_args!("<li>{}</li>\n", Escaped(&notice)));
    }
    page.put(format_args!("</ul>\n"));
}

fn all_notices(report: &Report) -> Vec<String> {
    let aggregate = &report.aggregate;
    let mut notices = Vec::new();
    match report.ending {
        FileEnding::CutOff { at } => notices.push(format!(
            "The file ends in the middle of a packet, at byte {}. This is the report of its first part.",
            Count(at)
        )),
        FileEnding::Damaged { at } => notices.push(format!(
            "The file is damaged at byte {}: no packet begins there, and the rest was not read.",
            Count(at)
        )),
        FileEnding::Whole if !aggregate.closed => notices.push(
            "The file has no closing mark: the program was killed, or it was still writing. This is the report of its first part."
                .to_owned(),
        ),
        FileEnding::Whole => {}
    }
    if aggregate.totals.dropped > 0 {
        notices.push(format!(
            "{} could not be kept while the program ran, so counts are too low, and a poll may seem longer than it was.",
            Of(aggregate.totals.dropped, "event")
        ));
    }
    if aggregate.totals.unended > 0 {
        let what = Of(aggregate.totals.unended, "slice");
        notices.push(format!("{what} had no end in the file; they are taken to last until its last event."));
    }
    let (malformed, unmatched, absurd) = (report.malformed, aggregate.unmatched(), aggregate.totals.absurd);
    if malformed > 0 {
        notices.push(format!("{} could not be read and {} passed over.", Of(malformed, "packet"), were(malformed)));
    }
    if unmatched > 0 {
        notices.push(format!(
            "{} without a begin, or with too many, {} passed over.",
            Of(unmatched, "end"),
            were(unmatched)
        ));
    }
    if absurd > 0 {
        notices.push(format!("{} with numbers that cannot be {} passed over.", Of(absurd, "event"), were(absurd)));
    }
    if report.names.lost() {
        notices.push("There are too many different names: the later ones share a row.".to_owned());
    }
    notices
}

fn were(count: u64) -> &'static str {
    if count == 1 { "was" } else { "were" }
}
