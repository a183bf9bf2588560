//! What a connection that is accepted takes from the budget of a poll.

use crate::budget;

/// A connection takes as long as several reads: a slow system call, an entry in the registry, and
/// mostly an option and a task. With one unit each, as in tokio, a poll that accepts 128
/// connections took 2.6 ms on a slow machine, and looked stuck; a newcomer beside thousands of busy
/// connections waits longer the fewer are accepted in a poll (`docs/DECISIONS.md`).
const UNITS: u32 = 4;

/// Takes what a connection costs beyond the one unit that the operation has taken.
pub(super) fn spend_for_connection() {
    budget::spend_units(UNITS - 1);
}
