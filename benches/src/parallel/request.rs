//! The request for one measurement in a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::Failure;
use crate::cores::Cores;
use crate::harness::{Arguments, Series, Words, collect, time_limit};

/// The measurement of one child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) section: String,
    pub(super) case: String,
    pub(super) subject: String,
    /// There are as many processors as measured cores.
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

    /// Writes the command line that [`take`](Self::take) reads.
    fn words(&self) -> Words {
        Words::begin("--child", &[&self.section, &self.case, &self.subject])
            .numbers("--cores", &self.cores.measured)
            .numbers("--other-cores", &self.cores.others)
            .value("--rivals", self.rivals.display())
            .value("--time-limit", self.time_limit.as_secs())
    }

    pub(super) fn take(section: String, arguments: &mut Arguments) -> Result<Self, Failure> {
        let measured = arguments.numbers("--cores")?.ok_or("--child needs --cores")?;
        let others = arguments.numbers("--other-cores")?.unwrap_or_default();
        let rivals = arguments.value("--rivals")?.map_or_else(PathBuf::new, Into::into);
        let time_limit = time_limit(arguments)?;
        let case = arguments.free().ok_or("--child SECTION needs the name of a case after it")?;
        let subject = arguments.free().ok_or("--child SECTION CASE needs the name of a subject after it")?;
        Ok(Self { section, case, subject, cores: Cores { measured, others }, rivals, time_limit })
    }

    /// Lets a child of `program` measure. The child's complaints go to standard error.
    pub(super) fn measure(&self, program: &Path) -> Result<Series, Failure> {
        collect(Command::new(program).args(self.words().into_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_understands_the_words_of_the_parent() {
        for others in [vec![], vec![2, 3]] {
            let request = Request {
                section: "echo".to_owned(),
                case: "64 bytes".to_owned(),
                subject: "tokio + rayon".to_owned(),
                cores: Cores { measured: vec![0, 1], others },
                rivals: "some where/rivals".into(),
                time_limit: Duration::from_secs(7),
            };
            assert_eq!(request.words().read(Request::take), request);
        }
    }
}
