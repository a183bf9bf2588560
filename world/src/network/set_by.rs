//! By what a trouble is set: it lasts for as long as one of them has it.

/// The party that has set a state of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetBy {
    /// The program, by a call.
    Program,
    /// A fault of the run.
    Fault,
}

impl SetBy {
    pub(super) const ALL: [Self; 2] = [Self::Program, Self::Fault];
}
