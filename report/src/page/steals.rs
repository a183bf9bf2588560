//! The section on stealing: which processors stole tasks, and from which processors.

use wsrt_trace::names;

use super::frame::Page;
use crate::numbers::{Count, Of};
use crate::reading::Report;

/// The maximum number of rows and columns of the matrix, for the processors with the most traffic.
const MOST: usize = 24;
/// The number of shades of a cell.
const SHADES: u64 = 5;

pub(crate) fn write(page: &mut Page, report: &Report) {
    let steals = &report.aggregate.steals;
    let how = "Each row is a thief, each column its victim, and the number is how many tasks were moved: the stronger the colour, the \
               more. An even pattern means that work spreads; a column that stands out is a processor on which more is spawned than \
               it can run.";
    page.section("steals", finding(report), how);
    let mut parties = steals.parties();
    let all = parties.len();
    parties.truncate(MOST);
    parties.sort_unstable();
    if !parties.is_empty() {
        matrix(page, report, &parties);
    }
    if all > MOST {
        page.put(format_args!("<p class=\"how\">The {MOST} of {all} processors that moved the most are shown.</p>\n"));
    }
    page.end_section();
}

fn finding(report: &Report) -> String {
    let total = report.aggregate.steals.total();
    let Some(((thief, victim), most)) = report.aggregate.steals.busiest() else {
        return "Nothing was stolen.".to_owned();
    };
    format!(
        "{} moved {}; the most, {}, went from {} to {}.",
        Of(total.steals, "steal"),
        Of(total.tasks, "task"),
        Count(most.tasks),
        names::processor(victim),
        names::processor(thief)
    )
}

fn matrix(page: &mut Page, report: &Report, parties: &[u32]) {
    let steals = &report.aggregate.steals;
    let pairs = parties.iter().flat_map(|thief| parties.iter().map(|victim| steals.between(*thief, *victim).tasks));
    let most = pairs.max().unwrap_or(0);
    page.put(format_args!(
        "<div class=\"scroll\" role=\"region\" aria-label=\"Tasks moved, by thief and victim\" tabindex=\"0\"><table class=\"matrix\" style=\"min-width:0\">\
         <thead><tr><td class=\"self\"></td>"
    ));
    for victim in parties {
        page.put(format_args!("<th scope=\"col\">from {}</th>", names::processor(victim)));
    }
    page.put(format_args!("</tr></thead><tbody>\n"));
    for thief in parties {
        page.put(format_args!("<tr><th scope=\"row\">to {}</th>", names::processor(thief)));
        for victim in parties {
            let moved = steals.between(*thief, *victim);
            if thief == victim && moved.tasks == 0 {
                page.put(format_args!("<td class=\"self\">·</td>"));
                continue;
            }
            let shade = shade(moved.tasks, most);
            let (tasks, count) = (Count(moved.tasks), Of(moved.steals, "steal"));
            page.put(format_args!(
                "<td class=\"h{shade}\" title=\"{} to {}: {tasks} in {count}\">{tasks}</td>",
                names::processor(victim),
                names::processor(thief)
            ));
        }
        page.put(format_args!("</tr>\n"));
    }
    page.end_table();
}

fn shade(tasks: u64, most: u64) -> u64 {
    (u128::from(tasks) * u128::from(SHADES)).div_ceil(u128::from(most.max(1))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_as_dark_as_it_is_much() {
        assert_eq!([0, 1, 20, 21, 100].map(|tasks| shade(tasks, 100)), [0, 1, 1, 2, 5]);
        assert_eq!((shade(0, 0), shade(u64::MAX, u64::MAX)), (0, 5));
    }
}
