//! The plot of a section: a panel for each case, a bar for each subject.

use super::results::{Case, Results};
use super::sections::{Asked, Figure, Section};
use crate::picture::Head;
use crate::picture::bars::{self, Bar, Panel};
use crate::runtimes::SUBJECT;

/// Draws the first figure of `section`, which is a share of 1.
pub(super) fn svg(section: &Section, cases: &[Case], subjects: &[&'static str], results: &Results) -> String {
    let head = Head {
        title: section.title,
        about: "Efficiency: serial time ÷ (processors × time). Longer is better, 1 is perfect; the median, with a line from \
                quartile to quartile.",
        note: "dashed: what is asked of wsrt",
    };
    let panels: Vec<_> = cases.iter().map(|case| panel(&section.figures[0], case, subjects, results)).collect();
    bars::svg(head, [0.0, 0.25, 0.5, 0.75, 1.0], &panels)
}

fn panel(figure: &Figure, case: &Case, subjects: &[&'static str], results: &Results) -> Panel {
    let bar = |subject: &&'static str| {
        let summary = results.summary(case, figure, subject);
        let digits = figure.digits;
        Bar {
            name: (*subject).to_owned(),
            ours: *subject == SUBJECT,
            figure: summary.map(|summary| (summary, format!("{:.digits$}", summary.median))),
        }
    };
    let dashed = match (figure.asked)(case.name) {
        Asked::AtLeast(least) => Some(least),
        _ => None,
    };
    Panel { title: case.name.to_owned(), bars: subjects.iter().map(bar).collect(), dashed }
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
}
