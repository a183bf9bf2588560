//! The parties that can set a condition of the network. A condition lasts until every party that
//! has set the condition has cleared it.

/// The party that has set a condition of the network, such as a cut link.
///
/// A condition that both parties have set ends only when both have cleared it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetBy {
    /// The program under test, with an explicit call.
    Program,
    /// A fault of the run.
    Fault,
}

impl SetBy {
    pub(super) const ALL: [Self; 2] = [Self::Program, Self::Fault];
}
