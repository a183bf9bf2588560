//! Whether the current thread drives a simulation.

use std::rc::Rc;

use super::Context;
use crate::scheduler::simulation::Simulation;

impl Context {
    /// The innermost context, if the machines of its runtime are simulated, and this is the thread
    /// that they run on.
    pub(crate) fn of_simulation() -> Option<Rc<Self>> {
        let drives = |context: &&Self| context.scheduler.simulation.as_ref().is_some_and(Simulation::is_driven_here);
        Self::with(|context| context.filter(drives).and_then(Self::keep))
    }
}
