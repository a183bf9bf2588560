//! The plot: a panel for each case, a bar for each subject, drawn so that it can be read on a light page and on a dark one.
//!
//! It brings its own light ground along, since a page does not tell a picture what colour it has.

use std::fmt::Write;

use super::results::{Case, Results};
use super::sections::{Asked, Figure, Section};
use crate::measure::Summary;
use crate::runtimes::SUBJECT;

const COLUMNS: usize = 2;
const PANEL_WIDTH: f64 = 470.0;
const MARGIN: f64 = 24.0;
const HEAD: f64 = 96.0;
/// Of a panel: its title, and the numbers of the axis.
const TITLE: f64 = 30.0;
const AXIS: f64 = 22.0;
const ROW: f64 = 21.0;
const BAR: f64 = 13.0;
/// Of a panel: where the bars begin and how long one of 1.0 is.
const BARS_AT: f64 = 140.0;
const UNIT: f64 = 262.0;

const STYLE: &str = "\
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 19px; font-weight: 600 } .panel { font-size: 14px; font-weight: 600 } .small { font-size: 11px; fill: #57606a }
.ours { fill: #0b6bcb } .theirs { fill: #9aa7b4 } .grid { stroke: #d8dee4 } .asked { stroke: #c2410c; stroke-width: 1.5; stroke-dasharray: 4 3 }
.note { fill: #c2410c; font-size: 11px } .spread { stroke: #1f2328; stroke-width: 1.2 }";

/// Draws the first figure of `section`, which is a share of 1.
pub(super) fn svg(section: &Section, cases: &[Case], subjects: &[&'static str], results: &Results) -> String {
    let panel_height = TITLE + ROW * subjects.len() as f64 + AXIS + MARGIN;
    let width = MARGIN + COLUMNS as f64 * (PANEL_WIDTH + MARGIN);
    let height = HEAD + cases.len().div_ceil(COLUMNS) as f64 * panel_height;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"{title}\">\n<style>{STYLE}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d8dee4\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"40\">{title}</text>\n\
         <text x=\"{MARGIN}\" y=\"64\">Efficiency: serial time ÷ (processors × time). Longer is better, 1 is perfect; the \
         median, with a line from quartile to quartile.</text>\n\
         <text class=\"note\" x=\"{MARGIN}\" y=\"82\">dashed: what is asked of wsrt</text>\n",
        title = escape(section.title),
    );
    for (number, case) in cases.iter().enumerate() {
        let x = MARGIN + (number % COLUMNS) as f64 * (PANEL_WIDTH + MARGIN);
        let y = HEAD + (number / COLUMNS) as f64 * panel_height;
        let panel = panel(&section.figures[0], case, subjects, results);
        text.push_str(&format!("<g transform=\"translate({x} {y})\">\n{panel}</g>\n"));
    }
    text.push_str("</svg>\n");
    text
}

fn panel(figure: &Figure, case: &Case, subjects: &[&'static str], results: &Results) -> String {
    let bottom = TITLE + ROW * subjects.len() as f64;
    let mut text = format!("<text class=\"panel\" x=\"0\" y=\"18\">{}</text>\n", escape(case.name));
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let x = BARS_AT + tick * UNIT;
        line(&mut text, "grid", x, TITLE, x, bottom);
        put(
            &mut text,
            &format!("<text class=\"small\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>", bottom + 15.0),
        );
    }
    for (row, subject) in subjects.iter().enumerate() {
        let y = TITLE + ROW * row as f64 + ROW / 2.0;
        let name_at = BARS_AT - 8.0;
        put(
            &mut text,
            &format!("<text x=\"{name_at}\" y=\"{}\" text-anchor=\"end\">{}</text>", y + 4.5, escape(subject)),
        );
        match results.summary(case, figure, subject) {
            Some(summary) => bar(&mut text, subject, y, summary, figure.digits),
            None => {
                put(&mut text, &format!("<text class=\"small\" x=\"{BARS_AT}\" y=\"{}\">no figure</text>", y + 4.5))
            }
        }
    }
    if let Asked::AtLeast(least) = (figure.asked)(case.name) {
        let x = BARS_AT + least * UNIT;
        line(&mut text, "asked", x, TITLE - 4.0, x, bottom);
        put(
            &mut text,
            &format!("<text class=\"note\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{least}</text>", TITLE - 8.0),
        );
    }
    text
}

fn bar(text: &mut String, subject: &str, y: f64, summary: Summary, digits: usize) {
    let length = |value: f64| value.clamp(0.0, 1.05) * UNIT;
    let class = if subject == SUBJECT { "ours" } else { "theirs" };
    let (width, top) = (length(summary.median), y - BAR / 2.0);
    put(text, &format!("<rect class=\"{class}\" x=\"{BARS_AT}\" y=\"{top}\" width=\"{width:.1}\" height=\"{BAR}\"/>"));
    line(text, "spread", BARS_AT + length(summary.low_quartile), y, BARS_AT + length(summary.high_quartile), y);
    let x = BARS_AT + length(1.05) + 6.0;
    put(text, &format!("<text class=\"small\" x=\"{x}\" y=\"{}\">{:.digits$}</text>", y + 4.0, summary.median));
}

fn line(text: &mut String, class: &str, x1: f64, y1: f64, x2: f64, y2: f64) {
    put(text, &format!("<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"));
}

fn put(text: &mut String, element: &str) {
    writeln!(text, "{element}").expect("a string takes everything");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::sections;
    use crate::parallel::series::Series;

    #[test]
    fn every_subject_has_its_bar_and_every_case_its_demand() {
        let section = sections::find("loops").unwrap();
        let case = |name| Case { section: "loops", name, processors: 2 };
        let cases = [case("zipf_512"), case("uniform_512")];
        let mut series = Series::default();
        series.add("serial", [2000.0]);
        series.add("parallel", [1250.0]);
        let mut results = Results::default();
        for case in &cases {
            results.add(section, case, "wsrt", &series);
        }
        let drawing = svg(section, &cases, &["wsrt", "rayon"], &results);
        assert_eq!(drawing.matches("class=\"ours\"").count(), 2);
        assert_eq!(drawing.matches("no figure").count(), 2, "rayon was not measured");
        assert_eq!(drawing.matches("class=\"asked\"").count(), 2);
        assert!(drawing.contains(">0.800<"));
    }

    #[test]
    fn a_figure_beyond_the_scale_stays_in_its_panel() {
        let summary = Summary::of(&[40.0]).unwrap();
        let mut text = String::new();
        bar(&mut text, "rayon", 0.0, summary, 3);
        assert!(text.contains(&format!("width=\"{:.1}\"", 1.05 * UNIT)), "{text}");
    }
}
