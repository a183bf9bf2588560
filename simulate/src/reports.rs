//! Parses the reports that a run writes to the file that `WSRT_SIM_REPORT` names.

/// A failed simulation, as reported by the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) seed: u64,
    pub(crate) why: String,
    /// The faults that had happened before the failure.
    pub(crate) plan: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// The number of simulations that were created.
    pub(crate) simulations: usize,
    /// True if the run went through a range of seeds.
    pub(crate) has_range: bool,
    /// The failed seeds of the range.
    pub(crate) failed: Vec<u64>,
    failures: Vec<Failure>,
}

impl Report {
    /// Parses the report as far as the process has written it.
    pub(crate) fn parse(text: &str) -> Self {
        let mut report = Self::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            match line.split_once(' ') {
                Some(("simulation", _)) => report.simulations += 1,
                Some(("range", _)) => report.has_range = true,
                Some(("failed", seed)) => report.failed.extend(seed.parse::<u64>()),
                Some(("failure", rest)) => {
                    let Some(Ok(seed)) = rest.split(' ').next().map(str::parse) else { continue };
                    let why = lines.next().unwrap_or_default().to_owned();
                    let plan: Vec<&str> = lines.by_ref().take_while(|line| *line != "end of failure").collect();
                    report.failures.push(Failure { seed, why, plan: plan.join("\n") });
                }
                _ => {}
            }
        }
        report
    }

    /// Returns the last failure of a seed.
    pub(crate) fn failure_of(&self, seed: u64) -> Option<&Failure> {
        self.failures.iter().rfind(|failure| failure.seed == seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_have_their_seeds_and_plans() {
        let text = "range 3 5\nsimulation 3\nfailure 3 100 2500\nit broke\nat 1s crash a\nmaybe 2 b\nend of failure\nfailed 3\nsimulation 4\n";
        let report = Report::parse(text);
        assert_eq!((report.simulations, report.has_range, &report.failed[..]), (2, true, &[3][..]));
        let failure = report.failure_of(3).expect("it has failed");
        assert_eq!((failure.why.as_str(), failure.plan.as_str()), ("it broke", "at 1s crash a\nmaybe 2 b"));
        assert_eq!(report.failure_of(4), None);
    }

    #[test]
    fn a_report_that_breaks_off_is_read_to_there() {
        let text = "simulation 3\nfailure 3 100 2500\nit broke\nat 1s cra";
        assert_eq!(Report::parse(text).failure_of(3).map(|failure| failure.plan.as_str()), Some("at 1s cra"));
        assert_eq!(Report::parse("failure x"), Report::default());
        assert_eq!(Report::parse(""), Report::default());
    }
}
