//! The past of a machine's loop: what it keeps from one of its turns to the next where it is not on
//! its thread's stack between them.

#[cfg(feature = "sim")]
use super::MachineLoop;
use crate::scheduler::idle_work::Spinner;
use crate::scheduler::spin_time::SpinTime;
use crate::scheduler::stalled::Suspect;
use crate::util::backoff::Backoff;

/// The fields of a [`super::MachineLoop`] that borrow nothing.
pub(crate) struct Past {
    pub(super) listed: bool,
    pub(super) light: bool,
    pub(super) surplus: bool,
    pub(super) spinner: Spinner,
    pub(super) spin_time: SpinTime,
    pub(super) retired: (usize, u64),
    pub(super) gap: Backoff,
    pub(super) suspect: Suspect,
}

impl Past {
    /// The past of a machine that has looked for nothing yet.
    pub(super) fn new() -> Self {
        Self {
            listed: false,
            light: false,
            surplus: false,
            spinner: Spinner::new(),
            spin_time: SpinTime::default(),
            retired: (0, 0),
            gap: Backoff::new(),
            suspect: Suspect::default(),
        }
    }

    /// The past of a machine that the runtime has started: it stands on the list of the idle, or
    /// was chosen from it, or never was on it and has a processor in its mailbox.
    pub(crate) fn of_a_started_machine() -> Self {
        Self { listed: true, ..Self::new() }
    }
}

#[cfg(feature = "sim")]
impl MachineLoop<'_> {
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
