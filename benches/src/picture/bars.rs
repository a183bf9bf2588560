//! Bars: a panel for each case, a bar for each subject.

use super::{Head, MARGIN, escape, line, page, put};
use crate::measure::Summary;

/// Of a panel: its title, and the numbers of the axis.
const TITLE: f64 = 30.0;
const AXIS: f64 = 22.0;
const ROW: f64 = 21.0;
const BAR: f64 = 13.0;
/// Of a panel: where the bars begin and how long the axis is.
const BARS_AT: f64 = 140.0;
const AXIS_LENGTH: f64 = 262.0;
/// A bar that would be longer than this share of the axis is cut.
const LONGEST: f64 = 1.05;

/// The numbers under the bars, from 0 up; the last is the end of the axis.
pub(crate) type Ticks = [f64; 5];

/// One case.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) bars: Vec<Bar>,
    /// Where the dashed line stands.
    pub(crate) dashed: Option<f64>,
}

/// One subject.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) name: String,
    /// Whether it is the subject that the others are compared with.
    pub(crate) ours: bool,
    /// How long the bar is, from quartile to quartile, and the number beside it. `None` where there
    /// is no figure.
    pub(crate) figure: Option<(Summary, String)>,
}

/// Draws `panels`, which have the same subjects, on one scale.
pub(crate) fn svg(head: Head<'_>, ticks: Ticks, panels: &[Panel]) -> String {
    let rows = panels.iter().map(|panel| panel.bars.len()).max().unwrap_or(0);
    let height = TITLE + ROW * rows as f64 + AXIS + MARGIN;
    let drawn: Vec<_> = panels.iter().map(|each| panel(each, ticks)).collect();
    page(head, height, &drawn)
}

fn panel(panel: &Panel, ticks: Ticks) -> String {
    let unit = AXIS_LENGTH / ticks[ticks.len() - 1];
    let bottom = TITLE + ROW * panel.bars.len() as f64;
    let mut text = format!("<text class=\"panel\" x=\"0\" y=\"18\">{}</text>\n", escape(&panel.title));
    for tick in ticks {
        let x = BARS_AT + tick * unit;
        line(&mut text, "grid", x, TITLE, x, bottom);
        put(
            &mut text,
            &format!("<text class=\"small\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>", bottom + 15.0),
        );
    }
    for (row, subject) in panel.bars.iter().enumerate() {
        bar(&mut text, subject, TITLE + ROW * row as f64 + ROW / 2.0, unit);
    }
    if let Some(dashed) = panel.dashed {
        let x = BARS_AT + dashed * unit;
        line(&mut text, "asked", x, TITLE - 4.0, x, bottom);
        put(
            &mut text,
            &format!("<text class=\"note\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{dashed}</text>", TITLE - 8.0),
        );
    }
    text
}

fn bar(text: &mut String, bar: &Bar, y: f64, unit: f64) {
    let name_at = BARS_AT - 8.0;
    put(text, &format!("<text x=\"{name_at}\" y=\"{}\" text-anchor=\"end\">{}</text>", y + 4.5, escape(&bar.name)));
    let Some((summary, label)) = &bar.figure else {
        put(text, &format!("<text class=\"small\" x=\"{BARS_AT}\" y=\"{}\">no figure</text>", y + 4.5));
        return;
    };
    let length = |value: f64| (value * unit).clamp(0.0, LONGEST * AXIS_LENGTH);
    let class = if bar.ours { "ours" } else { "theirs" };
    let (width, top) = (length(summary.median), y - BAR / 2.0);
    put(text, &format!("<rect class=\"{class}\" x=\"{BARS_AT}\" y=\"{top}\" width=\"{width:.1}\" height=\"{BAR}\"/>"));
    line(text, "spread", BARS_AT + length(summary.low_quartile), y, BARS_AT + length(summary.high_quartile), y);
    let x = BARS_AT + LONGEST * AXIS_LENGTH + 6.0;
    put(text, &format!("<text class=\"small\" x=\"{x}\" y=\"{}\">{}</text>", y + 4.0, escape(label)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_beyond_the_scale_stays_in_its_panel() {
        let summary = Summary::of(&[40.0]).unwrap();
        let mut text = String::new();
        let far = Bar { name: "rayon".to_owned(), ours: false, figure: Some((summary, "40".to_owned())) };
        bar(&mut text, &far, 0.0, AXIS_LENGTH);
        assert!(text.contains(&format!("width=\"{:.1}\"", LONGEST * AXIS_LENGTH)), "{text}");
    }

    #[test]
    fn a_subject_without_a_figure_says_so() {
        let mut text = String::new();
        bar(&mut text, &Bar { name: "<go>".to_owned(), ours: false, figure: None }, 0.0, 1.0);
        assert!(text.contains("&lt;go>") && text.contains("no figure"), "{text}");
    }
}
