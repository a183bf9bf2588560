//! The situations in which a wait is measured, and their names: `sleeps/timer/2`.

use std::fmt::{self, Display, Formatter};

use crate::Failure;

/// The reason why a poll does not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stuck {
    Sleeps,
    Computes,
}

/// The thing that becomes ready, and makes a task ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readied {
    /// A task that the poll itself has woken before it got stuck.
    Runnext,
    /// A task that a thread outside the runtime wakes.
    Outside,
    Timer,
    /// A socket, to which a thread outside the runtime writes.
    Socket,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Situation {
    pub(super) stuck: Stuck,
    pub(super) readied: Readied,
    pub(super) workers: usize,
}

impl Situation {
    /// Finds a situation by its name.
    pub(super) fn find(name: &str) -> Result<Self, Failure> {
        let found = all().find(|situation| situation.to_string() == name);
        found.ok_or_else(|| format!("no situation {name:?}; there are {}", names()).into())
    }

    /// Returns the name without the workers.
    pub(super) fn what(self) -> String {
        let stuck = match self.stuck {
            Stuck::Sleeps => "sleeps",
            Stuck::Computes => "computes",
        };
        let readied = match self.readied {
            Readied::Runnext => "runnext",
            Readied::Outside => "outside",
            Readied::Timer => "timer",
            Readied::Socket => "socket",
        };
        format!("{stuck}/{readied}")
    }
}

impl Display for Situation {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.what(), self.workers)
    }
}

/// Returns all situations, in the order of the table.
pub(super) fn all() -> impl Iterator<Item = Situation> {
    let readied = [Readied::Runnext, Readied::Outside, Readied::Timer, Readied::Socket];
    [Stuck::Sleeps, Stuck::Computes].into_iter().flat_map(move |stuck| {
        readied.into_iter().flat_map(move |readied| [1, 2].map(|workers| Situation { stuck, readied, workers }))
    })
}

pub(super) fn names() -> String {
    all().map(|situation| situation.to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_situation_is_found_by_its_name() {
        for situation in all() {
            assert_eq!(Situation::find(&situation.to_string()).unwrap(), situation);
        }
    }

    #[test]
    fn an_unknown_situation_is_answered_with_the_names() {
        let message = Situation::find("sleeps/timer/3").unwrap_err().to_string();
        assert!(message.contains("\"sleeps/timer/3\"") && message.contains("computes/socket/2"), "{message}");
    }
}
