//! rayon's thread pools, implemented with wsrt's fork-join, for the package `rayon-core`.
//!
//! Where the jobs of a call run depends on the calling thread:
//!
//! | the calling thread | where the jobs run |
//! |---|---|
//! | is a member of a team, or works in a parallel call | in the same team or call |
//! | belongs to a multi-thread runtime | on the runtime's processors, like the jobs of [`parallel`](crate::parallel) |
//! | neither | in the process-wide team |

mod broadcast;
mod calls;
mod handle;
mod scope;

use std::any::Any;
use std::sync::Arc;

pub use self::broadcast::{BroadcastContext, broadcast, spawn_broadcast};
pub use self::calls::{
    Yield, current_num_threads, current_thread_has_pending_tasks, current_thread_index, install, join_context, spawn,
    yield_local, yield_now,
};
pub use self::handle::Handle;
pub use self::scope::{Scope, ScopeFifo, in_place_scope, in_place_scope_fifo, scope, scope_fifo};
pub use crate::fork_join::team::{Hooks, MemberHook, Order, PanicHook, Place, abort_for_lost_panic};

use crate::blocking::in_place::block_in_place;
use crate::fork_join::team::{Team, is_member, with_member};
use crate::fork_join::{Latch, hosts_scheduler, with_slot};
use crate::scheduler::Scheduler;
use crate::util::unwind::caught;

/// The process-wide team and its settings.
#[derive(Debug)]
pub struct Global {
    /// Returns the process-wide team. The first call starts the team.
    pub team: fn() -> &'static Handle,
    /// Returns `true` if the process-wide team also runs the calls of a runtime's threads.
    pub takes_guests: fn() -> bool,
    /// Handles the panics of jobs spawned by a runtime's threads that no thread waits for.
    pub panic: fn(Box<dyn Any + Send>),
}

impl Global {
    fn run_detached(&self, work: impl FnOnce()) {
        if let Err(payload) = caught(work) {
            (self.panic)(payload);
        }
    }

    /// Returns the team, if a call from the current thread has to go there.
    #[inline]
    fn outside(&self) -> Option<&'static Handle> {
        if with_slot(|slot| slot.is_some()) { None } else { self.outside_of_regions() }
    }

    fn outside_of_regions(&self) -> Option<&'static Handle> {
        let is_inside = is_member() || (hosts_scheduler().is_some() && !(self.takes_guests)());
        (!is_inside).then(self.team)
    }
}

/// The threads for which a spawned job or a broadcast of the calling thread is.
enum Crowd {
    /// The team of which the thread is a member.
    Team(Arc<Team>),
    /// The runtime that the thread belongs to.
    Guests(Arc<Scheduler>),
    Global(&'static Handle),
}

impl Crowd {
    fn here(global: &'static Global) -> Self {
        let team = with_member(|member| member.map(|member| Arc::clone(member.team())));
        let guests = || hosts_scheduler().filter(|_| !(global.takes_guests)()).map(Self::Guests);
        team.map(Self::Team).or_else(guests).unwrap_or_else(|| Self::Global((global.team)()))
    }
}

/// Waits for `latch` on a thread that works in no region. A task may.
fn wait_outside(latch: &Latch) {
    if !latch.is_set_soon() {
        block_in_place(|| latch.wait());
    }
}
