//! The section on the locks and channels that tasks waited for.

use wsrt_trace::{Awaited, WakeCause};

use super::frame::Page;
use super::slowest::hidden;
use crate::aggregate::{Ender, Place, Waited};
use crate::charts::{Part, bar};
use crate::numbers::{Count, Of, Share, Time};
use crate::reading::Report;
use crate::text::Escaped;

/// The maximum number of rows of a table.
const MOST: usize = 15;

pub(crate) fn write(page: &mut Page, report: &Report) {
    let waits = &report.aggregate.waits;
    let (locks, others) = (waits.by_time(true), waits.by_time(false));
    let how = "A wait lasts from the end of the poll that began it to the wake that ends it. Waits of several tasks at once are added up, so that a \
               total may exceed the duration of the trace. The first table has what other tasks had taken: locks, permits, room in channels. The \
               second has what had yet to happen; much time there may mean that tasks had nothing to do.";
    page.section("waits", finding(report, &locks, &others), how);
    table(page, report, "Waits for locks", &locks);
    table(page, report, "Waits for values and events", &others);
    if waits.lost > 0 {
        let lost = Of(waits.lost, "wait");
        page.put(format_args!("<p class=\"how\">There was no room for {lost}: the figures are too low.</p>\n"));
    }
    page.end_section();
}

fn finding(report: &Report, locks: &[(Place, &Waited)], others: &[(Place, &Waited)]) -> String {
    match locks.first().or(others.first()) {
        Some(((awaited, place), waited)) => format!(
            "Tasks waited for the {} made at <code>{}</code> for {}, {}.",
            noun(*awaited),
            Escaped(report.names.text(*place)),
            total(waited),
            Of(waited.times.count(), "time")
        ),
        None => "No task waited for a lock or channel.".to_owned(),
    }
}

/// Returns the total duration of all waits.
fn total(waited: &Waited) -> Time {
    Time(waited.times.sum().try_into().unwrap_or(u64::MAX))
}

fn table(page: &mut Page, report: &Report, about: &str, places: &[(Place, &Waited)]) {
    let Some((_, first)) = places.first() else { return };
    let titles = [
        "Kind",
        "Made at",
        "#Waited",
        "#Waits",
        "#Median",
        "#Longest",
        "#At the end",
        "Mostly by tasks spawned at",
        "Mostly ended by",
    ];
    page.table(about, "", &titles);
    for (place, waited) in places.iter().take(MOST) {
        row(page, report, *place, waited, total(first).0);
    }
    page.end_table();
    if places.len() > MOST {
        let rest = Of((places.len() - MOST) as u64, "place");
        page.put(format_args!("<p class=\"how\">{rest} with less time are not listed.</p>\n"));
    }
}

fn row(page: &mut Page, report: &Report, (awaited, place): Place, waited: &Waited, most: u64) {
    let share = total(waited).0 as f64 / most.max(1) as f64;
    let length = bar("", &[Part { class: "amount", share, text: String::new() }]);
    let count = waited.times.count();
    page.put(format_args!(
        "<tr><td>{}</td><td class=\"text\"><code>{}</code></td><td class=\"n\">{}{}</td><td class=\"n\">{}</td>",
        awaited.name(),
        Escaped(report.names.text(place)),
        total(waited),
        hidden(&length),
        Count(count)
    ));
    let (median, longest) = (Time(waited.times.quantile(0.5)), Time(waited.times.quantile(1.0)));
    page.put(format_args!(
        "<td class=\"n\">{median}</td><td class=\"n\">{longest}</td><td class=\"n\">{}</td>",
        Count(waited.at_end)
    ));
    match waited.waiter() {
        Some((site, times)) => spawned_at(page, report.names.text(site), Share::of(times, count)),
        None => page.put(format_args!("<td>–</td>")),
    }
    match waited.ender() {
        Some((Ender::Task(site), times)) => spawned_at(page, report.names.text(site), Share::of(times, count)),
        Some((Ender::Wake(cause), times)) => {
            page.put(format_args!("<td>{}, {}</td>", cause_of(cause), Share::of(times, count)));
        }
        Some((Ender::Unknown, _)) | None => page.put(format_args!("<td>–</td>")),
    }
    page.put(format_args!("</tr>\n"));
}

/// Writes a cell with a spawn site and its share.
fn spawned_at(page: &mut Page, site: &str, share: Share) {
    page.put(format_args!("<td class=\"text\"><code>{}</code>, {share}</td>", Escaped(site)));
}

fn cause_of(cause: WakeCause) -> &'static str {
    match cause {
        WakeCause::Task => "a task",
        WakeCause::Network => "the network",
        WakeCause::Timer => "a timer",
        WakeCause::Outside => "another thread",
        WakeCause::Spawn => "being spawned",
    }
}

/// Returns the noun for the lock or channel that a kind of wait is for.
fn noun(awaited: Awaited) -> &'static str {
    use Awaited as A;
    match awaited {
        A::Mutex => "mutex",
        A::RwLockRead | A::RwLockWrite => "readers-writer lock",
        A::Semaphore => "semaphore",
        A::MpscReceive | A::MpscSend | A::MpscClosed => "mpsc channel",
        A::OneshotReceive | A::OneshotClosed => "oneshot channel",
        A::WatchChanged | A::WatchClosed => "watch channel",
        A::BroadcastReceive | A::BroadcastClosed => "broadcast channel",
        A::Notify => "Notify",
        A::Barrier => "barrier",
        A::OnceCell => "OnceCell",
        A::SetOnce => "SetOnce",
        A::Cancellation => "cancellation token",
        A::MpmcReceive | A::MpmcSend | A::MpmcClosed => "mpmc channel",
    }
}
