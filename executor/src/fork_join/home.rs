//! The threads that help in a region: a team's, or a runtime's.

use std::sync::Arc;

use crate::fork_join::TreeSlot;
use crate::fork_join::regions::Regions;
use crate::fork_join::team::{Team, with_member};
use crate::scheduler::{Context, Scheduler};

#[derive(Clone)]
pub(crate) enum Home {
    Team(Arc<Team>),
    Runtime(Arc<Scheduler>),
    /// No other thread.
    Alone,
}

impl Home {
    /// Returns the home of the region in which the calling thread has `slot`.
    pub(crate) fn of(slot: &TreeSlot<'_>) -> Self {
        let team = with_member(|member| {
            let member = member.filter(|member| member.team().id() == slot.region().team());
            member.map(|member| Arc::clone(member.team()))
        });
        let runtime = || Context::current_scheduler().map(Self::Runtime);
        team.map(Self::Team).or_else(runtime).unwrap_or(Self::Alone)
    }

    /// Makes a thread look at the open regions.
    pub(crate) fn summon(&self) {
        match self {
            Self::Team(team) => team.summon(),
            Self::Runtime(scheduler) => Regions::of(scheduler).summon(scheduler),
            Self::Alone => {}
        }
    }
}
