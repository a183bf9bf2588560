//! The past of a machine's loop: what it keeps from one of its turns to the next where it is not on
//! its thread's stack between them.

use super::MachineLoop;
use crate::scheduler::Context;
use crate::scheduler::idle_work::Spinner;
use crate::scheduler::spin_time::SpinTime;
use crate::scheduler::stalled::Suspect;
use crate::util::backoff::Backoff;

/// The fields of a [`MachineLoop`] that borrow nothing.
pub(crate) struct Past {
    listed: bool,
    light: bool,
    surplus: bool,
    spinner: Spinner,
    spin_time: SpinTime,
    retired: (usize, u64),
    gap: Backoff,
    suspect: Suspect,
}

impl Past {
    /// The past of a machine that the runtime has just started: see [`MachineLoop::started`].
    pub(crate) fn of_a_new_machine() -> Self {
        Self {
            listed: true,
            light: false,
            surplus: false,
            spinner: Spinner::new(),
            spin_time: SpinTime::default(),
            retired: (0, 0),
            gap: Backoff::new(),
            suspect: Suspect::default(),
        }
    }
}

impl<'a> MachineLoop<'a> {
    /// A loop for the current thread, which goes on where the one with this past was.
    pub(crate) fn continued(context: &'a Context, past: Past) -> Self {
        Self {
            listed: past.listed,
            light: past.light,
            surplus: past.surplus,
            spinner: past.spinner,
            spin_time: past.spin_time,
            retired: past.retired,
            gap: past.gap,
            suspect: past.suspect,
            ..Self::new(context)
        }
    }

    /// Ends this loop, for another that goes on.
    pub(crate) fn into_past(self) -> Past {
        Past {
            listed: self.listed,
            light: self.light,
            surplus: self.surplus,
            spinner: self.spinner,
            spin_time: self.spin_time,
            retired: self.retired,
            gap: self.gap,
            suspect: self.suspect,
        }
    }
}
