//! By what a trouble is set: it lasts for as long as one of them has it.

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SetBy {
    Program,
    Fault,
}

impl SetBy {
    pub(super) const ALL: [Self; 2] = [Self::Program, Self::Fault];
}
