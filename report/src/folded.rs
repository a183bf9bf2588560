//! CPU samples as text, one line for each stack: the input of tools that draw flame graphs.

use std::fmt::Write;

use crate::reading::Report;

/// The title of samples without a spawn site.
pub(crate) const OUTSIDE: &str = "outside of tasks";

/// Returns a line for each stack of each spawn site: `SITE;FUNCTION;FUNCTION COUNT`.
pub(crate) fn lines(report: &Report) -> String {
    let mut lines = String::new();
    // A semicolon separates functions, and a line break stacks.
    let plain = |text: &str| text.replace([';', '\n', '\r'], ",");
    for site in report.aggregate.samples.by_site() {
        let spawned_at = site.spawned_at.map_or(OUTSIDE, |name| report.names.text(name));
        for (stack, count) in site.stacks {
            lines.push_str(&plain(spawned_at));
            for &function in report.names.stack(stack) {
                lines.push(';');
                lines.push_str(&plain(report.names.text(function)));
            }
            writeln!(lines, " {count}").expect("a string takes everything");
        }
    }
    lines
}
