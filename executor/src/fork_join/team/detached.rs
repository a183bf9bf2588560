//! Detached jobs: spawned in a team, and waited for by no thread.

use std::sync::Arc;

use crate::fork_join::team::{Team, with_member};
use crate::fork_join::{BoxedJob, JobRef};

/// The order in which a member runs the jobs that it has spawned itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The newest first.
    Lifo,
    /// The oldest first.
    Fifo,
}

impl Team {
    /// Spawns `work`. The caller is, or has, a user of the team.
    pub(crate) fn spawn(self: &Arc<Self>, order: Order, work: impl FnOnce() + Send + 'static) {
        let root = self.make_detached(work);
        with_member(|member| match member.filter(|member| Arc::ptr_eq(member.team(), self)) {
            Some(member) if order == Order::Fifo => member.spawn_fifo(root),
            Some(member) => member.spawn(root),
            None => self.hand_over(root),
        });
    }

    /// Spawns one job for each member, which this member runs.
    pub(crate) fn spawn_broadcast(self: &Arc<Self>, work: impl Fn(usize) + Send + Sync + 'static) {
        let work = Arc::new(work);
        for index in 0..self.count() {
            let work = Arc::clone(&work);
            self.send(index, self.make_detached(move || work(index)));
        }
    }

    /// Makes a job that is a user of the team until it has run. The caller puts it in a queue.
    fn make_detached(self: &Arc<Self>, work: impl FnOnce() + Send + 'static) -> JobRef {
        self.retain();
        let team = Arc::clone(self);
        let run = move || {
            team.run_detached(work);
            team.release();
        };
        // SAFETY: it borrows nothing, and the team's members do not end before it has run.
        unsafe { BoxedJob::into_job_ref(run) }
    }
}
