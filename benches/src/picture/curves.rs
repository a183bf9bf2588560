//! Curves: a panel for each case, a curve for each subject, the upward axis logarithmic.

use super::{Head, MARGIN, PANEL_WIDTH, escape, line, page, put};
use crate::measure::Summary;

/// Of a panel: its title, the legend under it, the plot and the numbers of its axis.
const PLOT_TOP: f64 = 48.0;
const PLOT_HEIGHT: f64 = 190.0;
const AXIS: f64 = 22.0;
const PLOT_LEFT: f64 = 58.0;
const PLOT_WIDTH: f64 = PANEL_WIDTH - PLOT_LEFT - 12.0;
const LEGEND_STEP: f64 = 100.0;

/// The subjects' colours, the first for ours; readers with red-green blindness can distinguish
/// them, too.
const COLOURS: [&str; 5] = ["#0b6bcb", "#c2410c", "#7b8794", "#0f766e", "#9333ea"];

/// One case.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    pub(crate) title: String,
    /// The numbers of the lower axis, from left to right, all above zero.
    pub(crate) ticks: Vec<f64>,
    pub(crate) across: Spacing,
    pub(crate) curves: Vec<Curve>,
}

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spacing {
    Linear,
    Logarithmic,
}

/// One subject.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    pub(crate) name: String,
    /// From left to right.
    pub(crate) points: Vec<Point>,
}

/// One figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) summary: Summary,
}

/// Draws `panels`, each on a scale of its own.
pub(crate) fn svg(head: Head<'_>, panels: &[Panel]) -> String {
    let drawn: Vec<_> = panels.iter().map(panel).collect();
    page(head, PLOT_TOP + PLOT_HEIGHT + AXIS + MARGIN, &drawn)
}

fn panel(panel: &Panel) -> String {
    let mut text = format!("<text class=\"panel\" x=\"0\" y=\"18\">{}</text>\n", escape(&panel.title));
    let figures = || panel.curves.iter().flat_map(|curve| &curve.points).map(|point| point.summary);
    let least = figures().map(|summary| summary.low_quartile).filter(|least| *least > 0.0).reduce(f64::min);
    let most = figures().map(|summary| summary.high_quartile).reduce(f64::max);
    let (Some(least), Some(most), Some(first), Some(last)) = (least, most, panel.ticks.first(), panel.ticks.last())
    else {
        put(&mut text, &format!("<text class=\"small\" x=\"{PLOT_LEFT}\" y=\"{PLOT_TOP}\">no figure</text>"));
        return text;
    };
    let decades = decades(least, most);
    let (left, right) = (PLOT_LEFT, PLOT_LEFT + PLOT_WIDTH);
    let across = Scale { spacing: panel.across, least: *first, most: *last, from: left, to: right };
    let up = Scale {
        spacing: Spacing::Logarithmic,
        least: decades[0],
        most: decades[decades.len() - 1],
        from: PLOT_TOP + PLOT_HEIGHT,
        to: PLOT_TOP,
    };
    let legend_step = LEGEND_STEP.min(PLOT_WIDTH / panel.curves.len() as f64);
    grid(&mut text, &panel.ticks, &decades, &across, &up);
    for (number, subject) in panel.curves.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let x = PLOT_LEFT + legend_step * number as f64;
        put(
            &mut text,
            &format!(
                "<text x=\"{x}\" y=\"38\" style=\"fill: {colour}; font-weight: 600\">{}</text>",
                escape(&subject.name)
            ),
        );
        curve(&mut text, subject, colour, &across, &up);
    }
    text
}

fn grid(text: &mut String, ticks: &[f64], decades: &[f64], across: &Scale, up: &Scale) {
    for tick in ticks {
        let x = across.place(*tick);
        line(text, "grid", x, up.from, x, up.to);
        put(
            text,
            &format!(
                "<text class=\"small\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>",
                up.from + 15.0
            ),
        );
    }
    for decade in decades {
        let y = up.place(*decade);
        line(text, "grid", across.from, y, across.to, y);
        let (x, y) = (across.from - 6.0, y + 4.0);
        put(text, &format!("<text class=\"small\" x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{decade}</text>"));
    }
}

fn curve(text: &mut String, curve: &Curve, colour: &str, across: &Scale, up: &Scale) {
    let mut path = Vec::with_capacity(curve.points.len());
    for point in &curve.points {
        let (x, y) = (across.place(point.x), up.place(point.summary.median));
        line(text, "spread", x, up.place(point.summary.low_quartile), x, up.place(point.summary.high_quartile));
        put(text, &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"));
        path.push(format!("{x:.1},{y:.1}"));
    }
    let path = path.join(" ");
    put(text, &format!("<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>"));
}

/// One axis.
struct Scale {
    spacing: Spacing,
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Returns the place of `value`; a value off the scale is at its end.
    fn place(&self, value: f64) -> f64 {
        let beyond_least = |value: f64| match self.spacing {
            Spacing::Linear => value - self.least,
            Spacing::Logarithmic => (value / self.least).ln(),
        };
        let range = beyond_least(self.most);
        let share = if range > 0.0 { beyond_least(value.max(self.least)) / range } else { 0.5 };
        self.from + share.min(1.0) * (self.to - self.from)
    }
}

/// The powers of ten (with 2 and 5 of each where there would be few) from below `least` to above
/// `most`.
fn decades(least: f64, most: f64) -> Vec<f64> {
    let (low, high) = (least.log10().floor() as i32, most.log10().ceil() as i32);
    let parts: &[f64] = if high - low > 2 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let marks: Vec<f64> = (low..=high)
        .flat_map(|decade| {
            parts
                .iter()
                .map(move |part| if decade < 0 { part / 10f64.powi(-decade) } else { part * 10f64.powi(decade) })
        })
        .collect();
    let from = marks.iter().rposition(|mark| *mark <= least).unwrap_or(0);
    let to = marks.iter().position(|mark| *mark >= most).unwrap_or(marks.len() - 1);
    marks[from..=to.max(from)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, median: f64) -> Point {
        Point { x, summary: Summary::of(&[median]).unwrap() }
    }

    #[test]
    fn a_linear_axis_has_the_mean_in_its_middle() {
        let place = |spacing, value| Scale { spacing, least: 10.0, most: 1000.0, from: 0.0, to: 100.0 }.place(value);
        assert_eq!((place(Spacing::Linear, 505.0), place(Spacing::Linear, 2000.0)), (50.0, 100.0));
        assert_eq!(place(Spacing::Logarithmic, 100.0), 50.0);
    }

    #[test]
    fn each_subject_has_its_curve_through_its_points() {
        let curve = |name: &str, points| Curve { name: name.to_owned(), points };
        let ours = curve("wsrt", vec![point(1.0, 10.0), point(2.0, 20.0), point(4.0, 100.0)]);
        let panel = Panel {
            title: "token".to_owned(),
            ticks: vec![1.0, 2.0, 4.0],
            across: Spacing::Logarithmic,
            curves: vec![ours, curve("go", vec![point(1.0, 50.0)])],
        };
        let drawing = svg(Head { title: "t", about: "a", note: "" }, &[panel]);
        assert_eq!(drawing.matches("<circle").count(), 4);
        assert_eq!(drawing.matches("<polyline").count(), 2);
        let (left, right) = (PLOT_LEFT, PLOT_LEFT + PLOT_WIDTH);
        let (bottom, top) = (PLOT_TOP + PLOT_HEIGHT, PLOT_TOP);
        assert!(drawing.contains(&format!("points=\"{left:.1},{bottom:.1} ")), "{drawing}");
        assert!(drawing.contains(&format!(" {right:.1},{top:.1}\"")), "{drawing}");
    }

    #[test]
    fn a_panel_without_figures_says_so() {
        let (title, across) = ("token".to_owned(), Spacing::Logarithmic);
        let empty = Panel { title, ticks: vec![1.0], across, curves: Vec::new() };
        assert!(panel(&empty).contains("no figure"));
    }

    #[test]
    fn the_marks_enclose_all_figures() {
        assert_eq!(decades(30.0, 90.0), [20.0, 50.0, 100.0]);
        assert_eq!(decades(0.3, 2_000_000.0).first(), Some(&0.1));
        assert_eq!(decades(0.3, 2_000_000.0).last(), Some(&10_000_000.0));
        assert_eq!(decades(5.0, 5.0), [5.0]);
    }
}
