//! The signal that a runtime's tasks should end: given when it is drained or shuts down, or by its
//! user.

use std::panic::Location;

use wsrt_sync::SetOnce;

use crate::util::unwind::quietly;

/// The signal of one runtime. It outlives the runtime, for its listeners.
#[derive(Debug, Default)]
pub(crate) struct EndingSignal(SetOnce<()>);

impl EndingSignal {
    /// Gives the signal, unless it was given before.
    pub(crate) fn give(&self) {
        // It wakes the listeners, whose wakers may be foreign.
        quietly(|| _ = self.0.set(()));
    }

    pub(crate) fn is_given(&self) -> bool {
        self.0.initialized()
    }

    pub(crate) async fn wait(&self) {
        self.0.wait().await;
    }
}

/// Tells whether the value that is waited for, made at `place`, is the signal of a runtime.
pub(crate) fn is_made_at(place: &Location<'_>) -> bool {
    place.file() == file!()
}
