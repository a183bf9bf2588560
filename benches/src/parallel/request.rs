//! One measurement in a process of its own: what it is told on its command line.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::series::Series;
use crate::Failure;
use crate::cores::Cores;

/// What a child is to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) section: String,
    pub(super) case: String,
    pub(super) subject: String,
    /// As many processors as measured ones of these.
    pub(super) cores: Cores,
    /// Where the programs of the C++ rivals are.
    pub(super) rivals: PathBuf,
    /// The process ends itself after this long.
    pub(super) time_limit: Duration,
}

impl Request {
    pub(super) fn processors(&self) -> usize {
        self.cores.measured.len()
    }

    /// Writes the command line that `cli` reads.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut words = vec!["--child".to_owned(), self.section.clone(), self.case.clone(), self.subject.clone()];
        let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
        add("--cores", list(&self.cores.measured));
        if !self.cores.others.is_empty() {
            add("--other-cores", list(&self.cores.others));
        }
        add("--rivals", self.rivals.display().to_string());
        add("--time-limit", self.time_limit.as_secs().to_string());
        words
    }

    /// Has a child of `program` measure it. What the child complains about goes to standard error.
    ///
    /// # Errors
    ///
    /// Returns an error if the child cannot be started, fails, takes too long or has no figures.
    pub(super) fn measure(&self, program: &Path) -> Result<Series, Failure> {
        let output = Command::new(program)
            .args(self.arguments())
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        if !output.status.success() {
            return Err(format!("the child failed ({})", output.status).into());
        }
        let series = Series::parse(&String::from_utf8_lossy(&output.stdout));
        if series.is_empty() {
            return Err("the child printed no figures".into());
        }
        Ok(series)
    }
}

/// Writes numbers with commas between them.
pub(super) fn list(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}
