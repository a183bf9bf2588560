//! The timeline section: how busy the processors were over the whole trace, and how much work came
//! from the network and the injector.

use std::fmt::Write;

use super::frame::Page;
use crate::aggregate::{Bin, Processor, Series, Sum};
use crate::charts::{Kind, Strip, encode, strip, time_axis};
use crate::numbers::{Count, Of, Share, Time};
use crate::reading::Report;
use crate::text::Escaped;

/// The maximum number of processors on a page, for the busiest ones. A process may have hundreds of
/// spare processors.
const MOST_ROWS: usize = 48;
/// The number of columns of a strip. Fewer are drawn if there are many strips.
const COLUMNS: usize = 480;
const ALL_COLUMNS: usize = 16_000;
/// The number of processors from which on the strips are drawn low.
const DENSE: usize = 12;
/// The number of periods in the table of the strips' figures.
const PIECES: usize = 10;

/// A strip with its labels.
struct Row {
    name: String,
    value: String,
    label: String,
    /// The unit of the counts, and the greatest count in a bin, for the script.
    what: &'static str,
    most: u64,
    strip: Strip,
}

pub(crate) fn write(page: &mut Page, report: &Report) {
    let rows = rows(report);
    let how = "One strip for each processor, from the first event on the left to the last on the right: the higher the blue, the \
               larger the share of that moment that it spent polling tasks. Below them stand what the netpoller found ready, and how \
               many tasks waited in the injector.";
    page.section("timeline-section", finding(report), how);
    let dense = if rows.len() > DENSE { " dense" } else { "" };
    page.put(format_args!("<div id=\"timeline\" class=\"timeline{dense}\" role=\"group\" aria-label=\"Timeline\">\n"));
    controls(page);
    page.put(format_args!("<div class=\"rows\">\n"));
    let columns = (ALL_COLUMNS / rows.len().max(1)).clamp(60, COLUMNS);
    for (number, row) in rows.iter().enumerate() {
        if row.strip.kind != Kind::Share && number > 0 && rows[number - 1].strip.kind == Kind::Share {
            page.put(format_args!("<div class=\"gap\"></div>\n"));
        }
        let svg = strip(&row.strip, columns, &row.label);
        page.put(format_args!(
            "<div class=\"row\"><span class=\"name\">{}</span>{svg}<span class=\"value\">{}</span></div>\n",
            row.name, row.value
        ));
    }
    let grid = &report.aggregate.grid;
    let span = grid.width().saturating_mul(grid.bins() as u64);
    page.put(format_args!("<div class=\"row\"><span></span>"));
    page.axis(&time_axis(grid.lead(), grid.duration(), span));
    page.put(format_args!("<span></span></div>\n<div class=\"brush\"></div><div class=\"cursor\"></div>\n</div>\n"));
    marks_legend(page, &rows);
    let used = report.aggregate.processors.used().count();
    if used > MOST_ROWS {
        page.put(format_args!("<p class=\"how\">The {MOST_ROWS} busiest of {used} processors are drawn.</p>\n"));
    }
    page.put(format_args!("</div>\n"));
    figures(page, report, &rows);
    store(page, report, &rows);
    page.end_section();
}

fn finding(report: &Report) -> String {
    let aggregate = &report.aggregate;
    let duration = aggregate.grid.duration();
    let (processors, busy) = aggregate.processors.busy_workers();
    let mut text = format!(
        "In {}, {} {} busy for {} of the time.",
        Time(duration),
        Of(processors, "processor"),
        if processors == 1 { "was" } else { "were" },
        Share::of(busy, duration.saturating_mul(processors))
    );
    if let Some((begin, length, share)) = busiest_piece(report) {
        write!(
            text,
            " The busiest tenth was from {} to {}, with {share}.",
            Time(begin),
            Time(begin.saturating_add(length))
        )
        .expect("a string takes everything");
    }
    text
}

/// Returns the busiest of the [`PIECES`] periods: its start, its length, and how busy it was.
fn busiest_piece(report: &Report) -> Option<(u64, u64, Share)> {
    let grid = &report.aggregate.grid;
    let processors: Vec<_> = report.aggregate.processors.workers().map(|(_, processor)| processor).collect();
    if grid.bins() < PIECES || processors.is_empty() {
        return None;
    }
    let mut total = vec![Sum::default(); grid.bins()];
    for processor in &processors {
        total.iter_mut().zip(processor.busy.all(grid)).for_each(|(sum, bin)| sum.join(bin));
    }
    let step = grid.bins().div_ceil(PIECES);
    let covered: Vec<u64> = (0..grid.bins()).map(|bin| grid.covered(bin)).collect();
    let pieces = total.chunks(step).zip(covered.chunks(step)).enumerate().map(|(number, (busy, covered))| {
        let sum = busy.iter().fold(0, |sum: u64, bin| sum.saturating_add(bin.0));
        let covered: u64 = covered.iter().sum();
        let begin = (number * step) as u64 * grid.width();
        let share = Share::of(sum, covered.saturating_mul(processors.len() as u64));
        (begin.saturating_sub(grid.lead()), covered, share)
    });
    pieces.filter(|(_, covered, _)| *covered > 0).max_by(|one, other| one.2.value().total_cmp(&other.2.value()))
}

fn rows(report: &Report) -> Vec<Row> {
    let aggregate = &report.aggregate;
    let mut processors: Vec<_> = aggregate.processors.used().collect();
    processors.sort_by_key(|(index, processor)| (u64::MAX - processor.busy_time(), *index));
    processors.truncate(MOST_ROWS);
    processors.sort_by_key(|(index, _)| *index);
    let mut rows: Vec<_> =
        processors.iter().map(|(index, processor)| processor_row(report, *index, processor)).collect();
    rows.push(network_row(report));
    rows.push(injector_row(report));
    rows
}

fn processor_row(report: &Report, index: usize, processor: &Processor) -> Row {
    let grid = &report.aggregate.grid;
    let share = Share::of(processor.busy_time(), grid.duration());
    let name = processor.name(index);
    let mut label = format!("{name} was busy {share} of the time");
    for (count, what) in [(processor.stall_count, "stall"), (processor.overflow_count, "overflow")] {
        if count > 0 {
            write!(label, ", {}", Of(count, what)).expect("a string takes everything");
        }
    }
    let marks = |series: &Series<Sum>, any: bool| if any { sums(report, series) } else { Vec::new() };
    let strip = Strip {
        stalls: marks(&processor.stalls, processor.stall_count > 0),
        overflows: marks(&processor.overflows, processor.overflow_count > 0),
        ..plain(report, Kind::Share, sums(report, &processor.busy))
    };
    Row { name, value: share.to_string(), label, what: "", most: 0, strip }
}

fn network_row(report: &Report) -> Row {
    let network = &report.aggregate.network;
    let found = network.events.saturating_add(network.timers);
    let amounts = sums(report, &network.found);
    let most = amounts.iter().copied().max().unwrap_or(0);
    let label = format!(
        "The netpoller found {} ready and {} due in {}",
        Of(network.events, "event"),
        Of(network.timers, "timer"),
        Of(network.turns, "turn")
    );
    let value = Count(found).to_string();
    Row { name: "netpoller".to_owned(), value, label, what: "events", most, strip: plain(report, Kind::Rate, amounts) }
}

fn injector_row(report: &Report) -> Row {
    let injector = &report.aggregate.injector;
    let amounts = injector.length.highest(&report.aggregate.grid);
    let most = injector.longest;
    let label = format!("At most {} waited in the injector", Of(most, "task"));
    let value = if most > 0 { format!("≤\u{a0}{}", Count(most)) } else { "0".to_owned() };
    Row {
        name: "injector".to_owned(),
        value,
        label,
        what: "tasks waiting",
        most,
        strip: plain(report, Kind::Level, amounts),
    }
}

fn plain(report: &Report, kind: Kind, amounts: Vec<u64>) -> Strip {
    let grid = &report.aggregate.grid;
    let covered = (0..grid.bins()).map(|bin| grid.covered(bin)).collect();
    Strip { kind, amounts, covered, stalls: Vec::new(), overflows: Vec::new() }
}

fn sums(report: &Report, series: &Series<Sum>) -> Vec<u64> {
    series.all(&report.aggregate.grid).into_iter().map(|bin| bin.0).collect()
}

fn controls(page: &mut Page) {
    page.put(format_args!(
        "<div class=\"controls\" role=\"toolbar\" aria-label=\"Zoom\"><span>Drag over a piece of time, or</span>"
    ));
    for (name, text, label) in [
        ("in", "Zoom in", "Zoom in (key plus)"),
        ("out", "Zoom out", "Zoom out (key minus)"),
        ("left", "←", "Earlier (key arrow left)"),
        ("right", "→", "Later (key arrow right)"),
        ("whole", "Whole trace", "Show the whole trace (key 0)"),
    ] {
        page.put(format_args!("<button type=\"button\" data-do=\"{name}\" aria-label=\"{label}\">{text}</button>"));
    }
    page.put(format_args!("<output aria-live=\"polite\"></output></div>\n"));
}

fn marks_legend(page: &mut Page, rows: &[Row]) {
    let has = |of: fn(&Strip) -> &Vec<u64>| rows.iter().any(|row| of(&row.strip).iter().any(|count| *count > 0));
    let swatch = |class: &str, top: u32| {
        format!("<svg viewBox=\"0 0 12 14\" aria-hidden=\"true\"><path class=\"{class}\" d=\"M6 {top}V14\"/></svg>")
    };
    page.put(format_args!(
        "<ul class=\"legend\"><li><i style=\"background:var(--busy)\"></i>share of time in polls</li>"
    ));
    if has(|strip| &strip.stalls) {
        page.put(format_args!("<li>{}a stall: a poll that took too long</li>", swatch("stall", 0)));
    }
    if has(|strip| &strip.overflows) {
        page.put(format_args!("<li>{}an overflow: a full ring gave half to the injector</li>", swatch("overflow", 9)));
    }
    page.put(format_args!(
        "<li><i style=\"background:var(--network)\"></i>events and timers found</li>\
         <li><i style=\"background:var(--injector)\"></i>tasks in the injector</li></ul>\n"
    ));
}

/// Writes the figures of the picture as a table.
fn figures(page: &mut Page, report: &Report, rows: &[Row]) {
    let grid = &report.aggregate.grid;
    let step = grid.bins().div_ceil(PIECES);
    let begins: Vec<String> = (0..grid.bins())
        .step_by(step)
        .map(|bin| format!("#from {}", Time((bin as u64 * grid.width()).saturating_sub(grid.lead()))))
        .collect();
    let titles: Vec<&str> = [""].into_iter().chain(begins.iter().map(String::as_str)).collect();
    page.put(format_args!("<details class=\"fold\"><summary>The same in figures</summary>\n"));
    page.table("The timeline in figures", "", &titles);
    for row in rows {
        page.put(format_args!("<tr><th scope=\"row\">{}</th>", row.name));
        for (amounts, covered) in row.strip.amounts.chunks(step).zip(row.strip.covered.chunks(step)) {
            let sum = amounts.iter().fold(0, |sum: u64, amount| sum.saturating_add(*amount));
            match row.strip.kind {
                Kind::Share => page.put(format_args!("<td class=\"n\">{}</td>", Share::of(sum, covered.iter().sum()))),
                Kind::Rate => page.put(format_args!("<td class=\"n\">{}</td>", Count(sum))),
                Kind::Level => {
                    page.put(format_args!(
                        "<td class=\"n\">{}</td>",
                        Count(amounts.iter().copied().max().unwrap_or(0))
                    ));
                }
            }
        }
        page.put(format_args!("</tr>\n"));
    }
    page.end_table();
    page.put(format_args!("</details>\n"));
}

/// Writes the bins for the script. They contain no text from the trace.
fn store(page: &mut Page, report: &Report, rows: &[Row]) {
    let grid = &report.aggregate.grid;
    page.put(format_args!(
        "<script type=\"application/json\" id=\"bins\">{{\"width\":{},\"lead\":{},\"duration\":{},\"bins\":{},\"rows\":[",
        grid.width(),
        grid.lead(),
        grid.duration(),
        grid.bins()
    ));
    for (number, row) in rows.iter().enumerate() {
        page.put(format_args!(
            "{}\n{{\"name\":\"{}\",\"kind\":\"{}\",\"what\":\"{}\",\"most\":{},\"amounts\":\"{}\",\"stalls\":{:?},\"overflows\":{:?}}}",
            if number > 0 { "," } else { "" },
            Escaped(&row.name),
            row.strip.kind.text(),
            row.what,
            row.most,
            encode(&row.strip),
            marked(&row.strip.stalls),
            marked(&row.strip.overflows)
        ));
    }
    page.put(format_args!("]}}</script>\n"));
}

/// Returns the indices of the bins that have a mark.
fn marked(marks: &[u64]) -> Vec<usize> {
    marks.iter().enumerate().filter(|(_, count)| **count > 0).map(|(bin, _)| bin).collect()
}
