//! The section on polls that the runtime's watcher thread reported as stalls while they ran.

use wsrt_trace::decode::NameId;
use wsrt_trace::names;

use super::frame::Page;
use super::slowest::{site, task};
use crate::numbers::{Count, Of, Time};
use crate::reading::Report;

pub(crate) fn write(page: &mut Page, report: &Report) {
    let stalls = &report.aggregate.stalls;
    let how = "A stall is a poll that was still running after the stall threshold, 100 ms unless set otherwise. A thread asleep in \
               the kernel blocks; one that is not computes. Other processors went on meanwhile: a spare stood in.";
    let finding = match stalls.iter().next() {
        Some(first) => format!(
            "{}; the longest had lasted {} when it was seen.",
            Of(stalls.met(), "stall"),
            Time(first.annotations.millis.unwrap_or(0).saturating_mul(1_000_000))
        ),
        None => "There was no stall.".to_owned(),
    };
    page.section("stalls", finding, how);
    if stalls.met() > 0 {
        page.table("Stalls", "", &["#Had lasted", "Task", "Spawned at", "#Seen at", "On", "Its thread was"]);
        for stall in stalls.iter() {
            let annotations = &stall.annotations;
            let lasted = Time(annotations.millis.unwrap_or(0).saturating_mul(1_000_000));
            page.put(format_args!("<tr><td class=\"n\">{lasted}</td>"));
            let name = annotations.task.and_then(|id| report.aggregate.tasks.name(id)).unwrap_or(NameId::NONE);
            let spawned_at = annotations.spawned_at.unwrap_or(name);
            task(page, report, annotations.task, name, spawned_at);
            site(page, report, spawned_at);
            let seen = Time(stall.at.saturating_sub(report.aggregate.grid.first()));
            let asleep = match annotations.asleep {
                Some(true) => "asleep",
                Some(false) => "computing",
                None => "–",
            };
            let processor = names::processor(stall.processor);
            page.put(format_args!("<td class=\"n\">{seen}</td><td>{processor}</td><td>{asleep}</td></tr>\n"));
        }
        page.end_table();
        let listed = stalls.iter().count() as u64;
        if listed < stalls.met() {
            page.put(format_args!("<p class=\"how\">The {} longest are listed.</p>\n", Count(listed)));
        }
    }
    page.end_section();
}
