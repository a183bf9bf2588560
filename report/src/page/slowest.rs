//! The section on the polls that held their processors longest.

use wsrt_trace::decode::NameId;
use wsrt_trace::{TaskSource, names};

use super::frame::Page;
use crate::aggregate::Poll;
use crate::charts::{Part, bar};
use crate::numbers::Time;
use crate::reading::Report;
use crate::text::Escaped;

pub(crate) fn write(page: &mut Page, report: &Report) {
    let how = "While a poll runs, the tasks behind it on its processor wait, unless another processor steals them. Blocking work \
               belongs into <code>spawn_blocking</code> or <code>block_in_place</code>; computations end sooner with \
               <code>wsrt::parallel</code>, on all idle processors.";
    page.section("slowest", finding(report), how);
    let slowest = &report.aggregate.polls.slowest;
    let Some(longest) = slowest.iter().next().map(|poll| poll.slice.duration) else {
        page.end_section();
        return;
    };
    page.table("The slowest polls", "", &["#Took", "Task", "Spawned at", "#Began at", "On", "Found", "#Waited before"]);
    for poll in slowest.iter() {
        row(page, report, poll, longest);
    }
    page.end_table();
    page.end_section();
}

fn finding(report: &Report) -> String {
    let Some(poll) = report.aggregate.polls.slowest.iter().next() else {
        return "There was no poll.".to_owned();
    };
    let name = Escaped(report.names.text(poll.slice.name));
    format!(
        "The slowest poll, of <code>{name}</code>, held {} for {}.",
        names::processor(poll.processor),
        Time(poll.slice.duration)
    )
}

fn row(page: &mut Page, report: &Report, poll: &Poll, longest: u64) {
    let (slice, annotations) = (&poll.slice, &poll.slice.annotations);
    let share = slice.duration as f64 / longest.max(1) as f64;
    let length = bar("", &[Part { class: "amount", share, text: String::new() }]);
    page.put(format_args!("<tr><td class=\"n\">{}{}</td>", Time(slice.duration), hidden(&length)));
    let spawned_at = annotations.spawned_at.unwrap_or(slice.name);
    task(page, report, annotations.task, slice.name, spawned_at);
    site(page, report, spawned_at);
    let begin = Time(slice.begin.saturating_sub(report.aggregate.grid.first()));
    page.put(format_args!("<td class=\"n\">{begin}</td><td>{}</td>", names::processor(poll.processor)));
    match (annotations.source.unwrap_or(TaskSource::Unknown), annotations.victim) {
        (TaskSource::Stolen, Some(victim)) => {
            page.put(format_args!("<td>stolen from {}</td>", names::processor(victim)))
        }
        (source, _) => page.put(format_args!("<td>{}</td>", source.name())),
    }
    match annotations.waited {
        Some(waited) => page.put(format_args!("<td class=\"n\">{}</td></tr>\n", Time(waited))),
        None => page.put(format_args!("<td class=\"n\">–</td></tr>\n")),
    }
}

/// Hides a drawing from screen readers, which read the number beside it instead.
pub(crate) fn hidden(svg: &str) -> String {
    svg.replacen(" role=\"img\" aria-label=\"\"", " aria-hidden=\"true\"", 1).replace("<title></title>", "")
}

/// Writes a cell with a task's name and id. A task without a name is shown with its spawn site,
/// which the next cell contains.
pub(crate) fn task(page: &mut Page, report: &Report, task: Option<u64>, name: NameId, spawned_at: NameId) {
    let text = if name == spawned_at { "" } else { report.names.text(name) };
    page.put(format_args!("<td class=\"text\">{}", Escaped(text)));
    if let Some(task) = task {
        page.put(format_args!(" <span class=\"how\">#{task}</span>"));
    }
    page.put(format_args!("</td>"));
}

/// Writes a cell with a source location.
pub(crate) fn site(page: &mut Page, report: &Report, name: NameId) {
    page.put(format_args!("<td class=\"text\"><code>{}</code></td>", Escaped(report.names.text(name))));
}
