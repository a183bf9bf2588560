//! rayon's pools on wsrt's fork-join, for the package `rayon-core` of this repository.
//!
//! A call is made from one of three places:
//!
//! | the calling thread | where the call's jobs run |
//! |---|---|
//! | is a member of a team, or works in a region | there |
//! | belongs to a multi-thread runtime | on the runtime's processors, as those of [`parallel`](crate::parallel) do |
//! | neither | in the team that the caller's `outside` returns |

mod broadcast;
mod calls;
mod handle;
mod scope;

pub use self::broadcast::{BroadcastContext, broadcast, spawn_broadcast};
pub use self::calls::{
    Yield, current_num_threads, current_thread_has_pending_tasks, current_thread_index, join_context, spawn,
    yield_local, yield_now,
};
pub use self::handle::Handle;
pub use self::scope::{Scope, ScopeFifo, in_place_scope, in_place_scope_fifo, scope, scope_fifo};
pub use crate::fork_join::team::{Hooks, MemberHook, Order, PanicHook, Place};

use crate::blocking::in_place::block_in_place;
use crate::fork_join::team::is_member;
use crate::fork_join::{Latch, is_guest, with_slot};

/// The process-wide team.
#[derive(Debug)]
pub struct Global {
    /// Returns the team, and starts it at the first call.
    pub team: fn() -> &'static Handle,
    /// Whether the team also takes the calls of threads that belong to a runtime.
    pub takes_guests: fn() -> bool,
}

impl Global {
    /// Returns the team, if a call from the current thread has to go there.
    #[inline]
    fn outside(&self) -> Option<&'static Handle> {
        if with_slot(|slot| slot.is_some()) { None } else { self.outside_of_regions() }
    }

    fn outside_of_regions(&self) -> Option<&'static Handle> {
        let is_inside = is_member() || (is_guest() && !(self.takes_guests)());
        (!is_inside).then(self.team)
    }
}

/// Waits for `latch` on a thread that works in no region. A task may.
fn wait_outside(latch: &Latch) {
    if !latch.is_set() {
        block_in_place(|| latch.wait());
    }
}
