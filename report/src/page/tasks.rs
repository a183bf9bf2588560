//! The section on tasks: where the time went by spawn site, and which tasks were woken most often.

use wsrt_trace::WakeCause;
use wsrt_trace::decode::NameId;

use super::frame::Page;
use super::slowest::{hidden, site, task};
use crate::aggregate::{Site, Task};
use crate::charts::{Part, bar};
use crate::numbers::{Count, Of, Share, Time};
use crate::reading::Report;
use crate::text::Escaped;

const MOST_SITES: usize = 25;
const MOST_TASKS: usize = 10;

pub(crate) fn write(page: &mut Page, report: &Report) {
    sites(page, report);
    woken(page, report);
}

fn sites(page: &mut Page, report: &Report) {
    let sites = report.aggregate.sites.by_time();
    let total = report.aggregate.polls.found.iter().map(|found| found.busy).sum();
    let finding = match sites.first() {
        Some((name, first)) => format!(
            "Tasks spawned at <code>{}</code> took {} of all poll time.",
            Escaped(report.names.text(*name)),
            Share::of(first.busy, total)
        ),
        None => "There was no poll.".to_owned(),
    };
    let how =
        "All tasks spawned at one place in the source, together: the sites whose polls took the most time come first.";
    page.section("sites", finding, how);
    if !sites.is_empty() {
        page.table(
            "Spawn sites",
            "",
            &[
                "Spawned at",
                "#Time in polls",
                "#Of all",
                "#Tasks",
                "#Polls",
                "#Mean poll",
                "#Longest poll",
                "#Mean wait",
            ],
        );
        sites.iter().take(MOST_SITES).for_each(|(name, each)| site_row(page, report, *name, each, total));
        page.end_table();
    }
    rest(page, &sites[sites.len().min(MOST_SITES)..], total);
    page.end_section();
}

fn site_row(page: &mut Page, report: &Report, name: NameId, each: &Site, total: u64) {
    let share = Share::of(each.busy, total);
    let length = bar("", &[Part { class: "amount", share: share.value(), text: String::new() }]);
    page.put(format_args!("<tr>"));
    site(page, report, name);
    page.put(format_args!(
        "<td class=\"n\">{}{}</td><td class=\"n\">{share}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>",
        Time(each.busy),
        hidden(&length),
        Count(each.tasks),
        Count(each.polls),
        Time(each.busy / each.polls.max(1)),
        Time(each.longest)
    ));
    match each.mean_wait() {
        Some(wait) => page.put(format_args!("<td class=\"n\">{}</td></tr>\n", Time(wait))),
        None => page.put(format_args!("<td class=\"n\">–</td></tr>\n")),
    }
}

fn rest(page: &mut Page, sites: &[(NameId, Site)], total: u64) {
    if !sites.is_empty() {
        let busy = sites.iter().map(|(_, site)| site.busy).sum();
        let (count, share) = (Of(sites.len() as u64, "other site"), Share::of(busy, total));
        page.put(format_args!("<p class=\"how\">{count} took the remaining {share}.</p>\n"));
    }
}

fn woken(page: &mut Page, report: &Report) {
    let tasks = report.aggregate.tasks.most_woken(MOST_TASKS);
    let finding = match tasks.first() {
        Some((id, first)) => format!(
            "Task {id}, <code>{}</code>, was woken most: {}.",
            Escaped(report.names.text(first.name.unwrap_or(NameId::NONE))),
            Of(first.woken.into(), "time")
        ),
        None => "Nothing was woken.".to_owned(),
    };
    let how = "A task that is woken more often than it is polled is readied again before it runs, which costs little. One that is polled much and \
               takes little time each may be better off waiting for more at once.";
    page.section("woken", finding, how);
    if !tasks.is_empty() {
        page.table(
            "The most woken tasks",
            "",
            &["Task", "Spawned at", "#Woken", "Mostly by", "#Polls", "#Time in polls"],
        );
        tasks.iter().for_each(|(id, each)| woken_row(page, report, *id, each));
        page.end_table();
    }
    if let Some(lost) = tasks.iter().map(|(_, task)| task.forgotten).max().filter(|lost| *lost > 0) {
        page.put(format_args!(
            "<p class=\"how\">There were too many tasks to follow them all: a count here may be too low by up to {}.</p>\n",
            Count(lost.into())
        ));
    }
    page.end_section();
}

fn woken_row(page: &mut Page, report: &Report, id: u64, each: &Task) {
    let name = each.name.unwrap_or(NameId::NONE);
    page.put(format_args!("<tr>"));
    let spawned_at = each.spawned_at.unwrap_or(NameId::NONE);
    task(page, report, Some(id), name, spawned_at);
    site(page, report, spawned_at);
    let by = WakeCause::ALL.into_iter().max_by_key(|by| each.woken_by[*by as usize]).unwrap_or(WakeCause::Task);
    let count = each.woken_by[by as usize];
    page.put(format_args!("<td class=\"n\">{}</td>", Count(each.woken.into())));
    if count > 0 {
        page.put(format_args!("<td>{}, {}</td>", by.name(), Share::of(count.into(), each.woken.into())));
    } else {
        page.put(format_args!("<td>–</td>"));
    }
    page.put(format_args!(
        "<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        Count(each.polls.into()),
        Time(each.busy)
    ));
}
