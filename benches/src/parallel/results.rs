//! The figures of all children, by what they are figures of.

use std::collections::BTreeMap;

use super::sections::{Figure, Section};
use super::series::Series;
use crate::measure::Summary;

/// One case with so many processors: what some rows of a table are about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Case {
    pub(super) section: &'static str,
    pub(super) name: &'static str,
    pub(super) processors: usize,
}

#[derive(Debug, Default)]
pub(super) struct Results {
    /// By case, figure and subject; a figure for each repeat.
    figures: BTreeMap<(Case, &'static str, &'static str), Vec<f64>>,
    /// Why.
    failed: BTreeMap<(Case, &'static str), String>,
}

impl Results {
    /// Takes the figures of one child.
    pub(super) fn add(&mut self, section: &Section, case: &Case, subject: &'static str, series: &Series) {
        for figure in section.figures {
            let value = (figure.of)(series, case.processors);
            self.figures.entry((case.clone(), figure.name, subject)).or_default().push(value);
        }
    }

    /// Notes that `subject` cannot be measured.
    pub(super) fn fail(&mut self, case: &Case, subject: &'static str, why: &str) {
        self.failed.insert((case.clone(), subject), why.to_owned());
    }

    pub(super) fn has_failed(&self, case: &Case, subject: &'static str) -> bool {
        self.failed.contains_key(&(case.clone(), subject))
    }

    pub(super) fn failures(&self) -> usize {
        self.failed.len()
    }

    /// Says of each failure why, a paragraph each.
    pub(super) fn complaints(&self) -> String {
        let complaint = |((case, subject), why): (&(Case, &str), &String)| {
            format!("\n**FAILED**: {} {} on {subject}: {why}\n", case.section, case.name)
        };
        self.failed.iter().map(complaint).collect()
    }

    /// Sums up the repeats; `None` if there is no figure.
    pub(super) fn summary(&self, case: &Case, figure: &Figure, subject: &'static str) -> Option<Summary> {
        Summary::of(self.figures.get(&(case.clone(), figure.name, subject))?)
    }

    /// Writes all figures, one a line, under a line with the names of the columns.
    pub(super) fn csv(&self) -> String {
        let mut text = String::from("section,case,processors,figure,subject,repeat,value\n");
        for ((case, figure, subject), values) in &self.figures {
            for (repeat, value) in values.iter().enumerate() {
                let Case { section, name, processors } = case;
                text.push_str(&format!("{section},{name},{processors},\"{figure}\",{subject},{repeat},{value}\n"));
            }
        }
        text
    }
}
