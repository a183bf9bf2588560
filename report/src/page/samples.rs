//! The section on CPU samples: a flame graph for each spawn site.

use wsrt_trace::decode::NameTable;

use super::frame::Page;
use crate::aggregate::{Flame, SiteSamples};
use crate::folded::OUTSIDE;
use crate::numbers::{Count, Of, Share};
use crate::reading::Report;
use crate::text::Escaped;

/// The most spawn sites with a flame graph, and the most functions in a table.
const MOST_SITES: usize = 8;
const MOST_FUNCTIONS: usize = 10;
/// The most boxes of a flame graph, and how many times as wide as its narrowest box the graph may
/// be.
const MOST_BOXES: usize = 500;
const NARROWEST: u64 = 250;

/// Writes the head of a page that has nothing else.
pub(super) fn write_head(page: &mut Page, report: &Report) {
    let process = report.aggregate.process.map_or("a program on wsrt", |(name, _)| report.names.text(name));
    page.put(format_args!(
        "<h1>What <code>{}</code> used CPU time for</h1>\n<p class=\"from\">{}</p>\n</header>\n<main id=\"main\">\n",
        Escaped(process),
        Escaped(&report.file)
    ));
}

pub(super) fn write(page: &mut Page, report: &Report) {
    let (samples, names) = (&report.aggregate.samples, &report.names);
    let total = samples.total();
    let functions = samples.by_function(names);
    let finding = match functions.first() {
        Some(&(function, count)) => format!(
            "{} of {} ended in <code>{}</code>.",
            Share::of(count, total),
            Of(total, "sample"),
            Escaped(names.text(function))
        ),
        None => "There are no CPU samples.".to_owned(),
    };
    let how = if total == 0 {
        "<code>WSRT_TRACE=run.perfetto-trace,cpu=99</code> takes 99 in each second of CPU time that a thread uses."
    } else {
        "A sample is the stack of a thread that used CPU time, without the functions of the runtime. In a flame graph each box is a \
         function, called by the one above; the wider, the more samples were in it."
    };
    page.section("samples", finding, how);
    if total > 0 {
        let sites = samples.by_site();
        sites.iter().take(MOST_SITES).for_each(|site| graph(page, names, site, total));
        rest(page, &sites[sites.len().min(MOST_SITES)..], total);
        page.table("Functions at the ends of stacks", "", &["Function", "#Samples", "#Of all"]);
        for (function, count) in functions.into_iter().take(MOST_FUNCTIONS) {
            page.put(format_args!(
                "<tr><td class=\"text\"><code>{}</code></td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                Escaped(names.text(function)),
                Count(count),
                Share::of(count, total)
            ));
        }
        page.end_table();
    }
    page.end_section();
}

/// Writes the flame graph of one spawn site.
fn graph(page: &mut Page, names: &NameTable, site: &SiteSamples, total: u64) {
    let (count, share) = (Of(site.count, "sample"), Share::of(site.count, total));
    match site.spawned_at {
        Some(name) => {
            let name = Escaped(names.text(name));
            page.put(format_args!("<h3>Tasks spawned at <code>{name}</code>: {count}, {share}</h3>\n"));
        }
        None => page.put(format_args!("<h3>{}: {count}, {share}</h3>\n", capitalized(OUTSIDE))),
    }
    page.put(format_args!("<div class=\"scroll flame\" role=\"region\" aria-label=\"Flame graph\" tabindex=\"0\">"));
    let flames = Flame::of(&site.stacks, names);
    let least = least(&flames, site.count);
    calls(page, names, &flames, Widths { above: site.count, whole: site.count, least });
    page.put(format_args!("</div>\n"));
}

/// Returns how many samples a box has at least, so that not too many are drawn. A function has no
/// more samples than the one that has called it: no box is drawn without the one above.
fn least(flames: &[Flame], whole: u64) -> u64 {
    fn collect(flames: &[Flame], counts: &mut Vec<u64>) {
        for flame in flames {
            counts.push(flame.count);
            collect(&flame.calls, counts);
        }
    }
    let mut counts = Vec::new();
    collect(flames, &mut counts);
    counts.sort_unstable_by_key(|&count| u64::MAX - count);
    let first_too_many = counts.get(MOST_BOXES).copied().unwrap_or(0);
    (first_too_many + 1).max(whole / NARROWEST)
}

/// The number of samples in the box above and in the whole graph, and the least number in a box.
#[derive(Clone, Copy)]
struct Widths {
    above: u64,
    whole: u64,
    least: u64,
}

/// Writes the boxes of functions side by side, below the one that has called them.
fn calls(page: &mut Page, names: &NameTable, flames: &[Flame], widths: Widths) {
    let mut wide = flames.iter().filter(|flame| flame.count >= widths.least).peekable();
    if wide.peek().is_none() {
        return;
    }
    page.put(format_args!("<div class=\"calls\">"));
    for flame in wide {
        let name = names.text(flame.function);
        let width = flame.count as f64 / widths.above.max(1) as f64 * 100.0;
        page.put(format_args!(
            "<div class=\"call\" style=\"width:{width:.2}%\"><span title=\"{}: {}, {}\">{}</span>",
            Escaped(name),
            Of(flame.count, "sample"),
            Share::of(flame.count, widths.whole),
            Escaped(short(name))
        ));
        calls(page, names, &flame.calls, Widths { above: flame.count, ..widths });
        page.put(format_args!("</div>"));
    }
    page.put(format_args!("</div>"));
}

fn rest(page: &mut Page, sites: &[SiteSamples], total: u64) {
    if !sites.is_empty() {
        let (count, samples) = (Of(sites.len() as u64, "other site"), sites.iter().map(|site| site.count).sum());
        page.put(format_args!("<p class=\"how\">{count} had the remaining {}.</p>\n", Share::of(samples, total)));
    }
}

/// Returns the end of a function's path: its module and its name. A method of a trait is left as it
/// is.
fn short(function: &str) -> &str {
    if function.contains(['<', ' ', '/']) {
        return function;
    }
    let mut places = function.rmatch_indices("::").map(|(at, _)| at);
    places.nth(1).map_or(function, |at| &function[at + 2..])
}

fn capitalized(words: &str) -> String {
    let (first, rest) = words.split_at(1);
    first.to_uppercase() + rest
}

#[cfg(test)]
mod tests {
    use wsrt_trace::decode::NameId;

    use super::*;

    #[test]
    fn a_graph_has_a_bounded_number_of_boxes() {
        let leaf = |count| Flame { function: NameId::NONE, count, calls: Vec::new() };
        let narrow = Flame { calls: (1..=300).rev().map(leaf).collect(), ..leaf(50_000) };
        let wide = Flame { calls: vec![leaf(300_000); 3], ..leaf(900_000) };
        assert_eq!(least(&[wide, narrow], 950_000), 3_800, "a 250th");
        let many = Flame { calls: (1..=600).rev().map(leaf).collect(), ..leaf(10_000) };
        let least = least(std::slice::from_ref(&many), 10_000);
        assert_eq!(1 + many.calls.iter().filter(|flame| flame.count >= least).count(), MOST_BOXES);
        assert_eq!(super::least(&[leaf(3), leaf(1)], 4), 1, "all of them");
    }

    #[test]
    fn a_function_is_shown_with_its_module() {
        for (function, shown) in [
            ("app::pages::render", "pages::render"),
            ("pages::render", "pages::render"),
            ("main", "main"),
            ("<app::Page as app::Draw>::draw", "<app::Page as app::Draw>::draw"),
            ("src/main.rs:5", "src/main.rs:5"),
            ("", ""),
        ] {
            assert_eq!(short(function), shown);
        }
    }
}
