//! The section on latency: how long tasks waited before they ran, and how long their polls took.

use super::frame::Page;
use crate::aggregate::Durations;
use crate::charts::columns;
use crate::numbers::{Count, Time};
use crate::reading::Report;

pub(crate) fn write(page: &mut Page, report: &Report) {
    let polls = &report.aggregate.polls;
    let how = "The further right a column stands, the longer it took; each step of the numbers below is ten times the one before. A \
               column's height is how many polls took that long. The dashed lines are quantiles: 99 % of all polls lie left of p99. \
               They are exact to 3 %.";
    page.section("latency", finding(&polls.waits, &polls.times), how);
    chart(page, "waits", "From readied to running", "waits before a poll", &polls.waits);
    chart(page, "times", "Time of a poll", "polls", &polls.times);
    page.end_section();
}

fn finding(waits: &Durations, times: &Durations) -> String {
    let poll = format!(
        "Half of all polls took {} at most, and one in a thousand more than {}.",
        Time(times.quantile(0.5)),
        Time(times.quantile(0.999))
    );
    match (waits.count(), times.count()) {
        (_, 0) => "There was no poll.".to_owned(),
        (0, _) => poll,
        _ => format!(
            "Half of all readied tasks ran within {}, 99\u{a0}% within {}. {poll}",
            Time(waits.quantile(0.5)),
            Time(waits.quantile(0.99))
        ),
    }
}

fn chart(page: &mut Page, class: &str, title: &str, what: &str, histogram: &Durations) {
    page.put(format_args!("<h3>{title}</h3>\n"));
    let quantile = |share| Time(histogram.quantile(share));
    let label = format!(
        "{} {what}: half took up to {}, the longest {}",
        Count(histogram.count()),
        quantile(0.5),
        quantile(1.0)
    );
    let Some((svg, ticks, marks)) = columns(histogram, &label) else {
        page.put(format_args!("<p>The trace has none.</p>\n"));
        return;
    };
    let rows = marks.iter().map(|mark| mark.row + 1).max().unwrap_or(0);
    page.put(format_args!(
        "<div class=\"histogram {class}\">\n<div class=\"marks\" aria-hidden=\"true\" style=\"height:{:.2}rem\">",
        rows as f64 * 1.15
    ));
    for mark in &marks {
        // A line from the word down to the chart; a word at the right end stands left of its line.
        let (top, height) = (mark.row as f64 * 1.15, (rows - mark.row) as f64 * 1.15);
        let style = if mark.is_left {
            format!("right:{:.2}%;border-left:0;border-right:1px solid;padding:0 .25rem", 100.0 - mark.at)
        } else {
            format!("left:{:.2}%", mark.at)
        };
        page.put(format_args!("<span style=\"top:{top:.2}rem;height:{height:.2}rem;{style}\">{}</span>", mark.word));
    }
    page.put(format_args!("</div>\n{svg}\n"));
    page.axis(&ticks);
    page.put(format_args!("\n<dl class=\"quantiles\">"));
    for mark in &marks {
        page.put(format_args!("<div><dt>{}</dt><dd>{}</dd></div>", mark.word, Time(mark.value)));
    }
    let mean = (histogram.sum() / u128::from(histogram.count().max(1))) as u64;
    page.put(format_args!(
        "</dl>\n<p class=\"how\">{} {what}, {} on average.</p>\n</div>\n",
        Count(histogram.count()),
        Time(mean)
    ));
}
