//! The section on threads: how the operating system's threads spent their time.

use super::frame::Page;
use crate::aggregate::{Doing, Thread};
use crate::charts::{Part, bar};
use crate::numbers::{Of, Share, Time};
use crate::reading::Report;
use crate::text::Escaped;

/// The maximum number of rows. A blocking pool may have hundreds of threads.
const MOST: usize = 32;
/// The CSS classes of the colours, in the order of [`Doing::ALL`].
const CLASSES: [&str; Doing::ALL.len()] = ["holds", "helps", "in-place", "blocking", "netpoller", "parked", "other"];

pub(crate) fn write(page: &mut Page, report: &Report) {
    let threads = report.aggregate.threads.by_activity();
    let how = "A machine is a thread that can hold a processor; other threads run blocking jobs. Each bar is the whole time; \
               the trace does not cover its empty parts. The most active come first.";
    let finding = match threads.len() {
        0 => "The trace has no events of threads.".to_owned(),
        count => {
            let parked = threads.iter().filter(|(_, thread)| thread.active() == 0).count();
            let idle = match parked {
                0 => String::new(),
                _ => format!(" {parked} of them never held a processor and ran nothing."),
            };
            format!("{} took part.{idle}", Of(count as u64, "thread"))
        }
    };
    page.section("threads", finding, how);
    if !threads.is_empty() {
        let seen = |doing: &Doing| threads.iter().any(|(_, thread)| thread.times[*doing as usize] > 0);
        let colours = Doing::ALL.into_iter().filter(seen).map(|doing| (CLASSES[doing as usize], doing.text()));
        page.legend(colours.collect::<Vec<_>>());
        page.put(format_args!("<div class=\"rows wide\">\n"));
        threads.iter().take(MOST).for_each(|(number, thread)| row(page, report, *number, thread));
        page.put(format_args!("</div>\n"));
    }
    if threads.len() > MOST {
        let rest = Of((threads.len() - MOST) as u64, "other thread");
        page.put(format_args!("<p class=\"how\">{rest} did less than these.</p>\n"));
    }
    page.end_section();
}

fn row(page: &mut Page, report: &Report, number: u64, thread: &Thread) {
    let duration = report.aggregate.grid.duration();
    // Machines share a name.
    let name = match (thread.name, thread.id) {
        (Some(name), Some(id)) => format!("{} {id}", report.names.text(name)),
        (Some(name), None) => report.names.text(name).to_owned(),
        (None, _) => format!("thread {number}"),
    };
    let mut words = Vec::new();
    let mut part = |doing: Doing| {
        let time = thread.times[doing as usize];
        let share = Share::of(time, duration);
        if time > 0 {
            words.push(format!("{} {share}", doing.text()));
        }
        let text = format!("{}: {}, {share}", doing.text(), Time(time));
        Part { class: CLASSES[doing as usize], share: share.value(), text }
    };
    let parts: Vec<_> = Doing::ALL.into_iter().map(&mut part).collect();
    let label = format!("{name}: {}", words.join(", "));
    page.put(format_args!(
        "<div class=\"row\"><span class=\"name\">{}</span>{}<span class=\"value\">{}</span></div>\n",
        Escaped(&name),
        bar(&label, &parts),
        Share::of(thread.active(), duration)
    ));
}
