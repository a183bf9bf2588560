//! A member: a thread of a team, its loop, and its sleep.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::{mem, ptr};

use crate::fork_join::helping::CoreChange;
use crate::fork_join::open_regions::Indexed;
use crate::fork_join::team::{Inheritance, OfMember, Team};
use crate::fork_join::{JobRef, Participant};
use crate::scheduler::idle_work::Spinner;
use crate::util::sync;
use crate::util::sync::thread_local;
use crate::util::unwind::AbortOnUnwind;

thread_local! {
    /// The member that this thread is. Null, or valid: the loop that sets it resets it, or the
    /// member is leaked.
    static MEMBER: Cell<*const Member> = const { Cell::new(ptr::null()) };
}

/// Calls `f` with the member that the calling thread is, if it is one.
#[inline]
pub(crate) fn with_member<R>(f: impl FnOnce(Option<&Member>) -> R) -> R {
    let member = MEMBER.with(Cell::get);
    // SAFETY: the pointer is reset before the member is dropped, by a frame below this one, and `f`
    // cannot keep the reference.
    f(unsafe { member.as_ref() })
}

/// The place of one member, which a thread is to take.
#[derive(Debug)]
pub struct Place {
    team: Arc<Team>,
    index: usize,
}

impl Place {
    /// # Safety
    ///
    /// The caller makes one for each index of the team, and no second one.
    pub(super) unsafe fn new(team: &Arc<Team>, index: usize) -> Self {
        Self { team: Arc::clone(team), index }
    }

    /// Returns the member's index.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns a number that only this team has.
    pub fn team_id(&self) -> usize {
        self.team.id()
    }

    /// Works as the member, until the team has no user any more.
    ///
    /// # Panics
    ///
    /// Panics if the thread is a member of a team already.
    pub fn run(self) {
        assert!(!is_member(), "the current thread is a member of a thread pool already");
        // The team would wait for a member that is gone.
        let guard = AbortOnUnwind("a thread of a thread pool panicked outside any job, by a fault in wsrt; aborting");
        let member = Member::new(self);
        let here = MemberGuard::enter(&member);
        let (team, index) = (&member.team, member.index);
        team.note_begun();
        if let Some(start) = &team.hooks.start {
            team.run_detached(|| start(index));
        }
        member.work_until_over();
        if let Some(exit) = &team.hooks.exit {
            team.run_detached(|| exit(index));
        }
        drop(here);
        mem::forget(guard);
    }

    /// Makes the calling thread the member forever, though it continues with its own work: it does
    /// the team's in its waits. The member is leaked.
    ///
    /// # Errors
    ///
    /// Returns the place if the thread is a member of a team already.
    pub fn occupy(self) -> Result<(), Self> {
        if is_member() {
            return Err(self);
        }
        self.team.note_begun();
        let member = Box::leak(Box::new(Member::new(self)));
        MEMBER.with(|current| current.set(member));
        Ok(())
    }
}

/// Returns whether the calling thread is a member of a team.
pub(crate) fn is_member() -> bool {
    with_member(|member| member.is_some())
}

/// The member is the thread's until this guard is dropped.
struct MemberGuard;

impl MemberGuard {
    fn enter(member: &Member) -> Self {
        MEMBER.with(|current| current.set(member));
        Self
    }
}

impl Drop for MemberGuard {
    fn drop(&mut self) {
        MEMBER.with(|current| current.set(ptr::null()));
    }
}

/// A thread of a team, for itself.
pub(crate) struct Member {
    team: Arc<Team>,
    index: usize,
    spinner: RefCell<Spinner>,
    core_change: CoreChange,
    /// True from a search until it has found work.
    searches: Cell<bool>,
}

impl Member {
    fn new(place: Place) -> Self {
        let Place { team, index } = place;
        let (spinner, core_change) = (RefCell::new(Spinner::default()), CoreChange::new());
        Self { team, index, spinner, core_change, searches: Cell::new(false) }
    }

    pub(crate) fn team(&self) -> &Arc<Team> {
        &self.team
    }

    pub(crate) fn index(&self) -> usize {
        self.index
    }

    fn own(&self) -> &OfMember {
        &self.team.members[self.index]
    }

    /// Puts a root on the member's own stack.
    pub(super) fn spawn(&self, root: JobRef) {
        // SAFETY: this is the member's thread.
        unsafe { self.own().spawned.push(root) };
        self.team.summon();
    }

    /// Puts a root on the member's own stack, to be run in the order of these calls.
    pub(super) fn spawn_fifo(&self, root: JobRef) {
        // SAFETY: the team, which each spawned job uses, has these jobs.
        let marker = unsafe { self.own().spawned_fifo.put(root) };
        self.spawn(marker);
    }

    /// Returns whether jobs that it has spawned wait on its own stack.
    pub(crate) fn has_spawned(&self) -> bool {
        !self.own().spawned.is_empty()
    }

    fn work_until_over(&self) {
        loop {
            if self.run_root() || self.help() {
                continue;
            }
            if self.team.is_over() {
                return;
            }
            self.idle();
        }
    }

    /// Runs a root, if there is one, in the middle of whatever the thread does. Returns whether it
    /// has.
    pub(crate) fn run_root(&self) -> bool {
        if self.run_local() {
            return true;
        }
        let Some(root) = self.team.roots.take().or_else(|| self.steal()) else { return false };
        self.run(root);
        true
    }

    /// Runs a root of the member's own, or a job that is for it alone.
    pub(crate) fn run_local(&self) -> bool {
        let own = self.own();
        // SAFETY: this is the member's thread.
        let Some(root) = unsafe { own.spawned.pop() }.or_else(|| own.mailbox.take()) else { return false };
        self.run(root);
        true
    }

    fn run(&self, root: JobRef) {
        self.leave_search();
        let _root = Inheritance::NONE.enter();
        // SAFETY: it has just been taken out of its queue.
        unsafe { root.run() }
    }

    /// Wakes another member if work is left, as this one has found some: those who have published
    /// work while it was about to look have woken no other, and it may take one piece alone.
    fn leave_search(&self) {
        if self.searches.replace(false) {
            self.team.sleepers.wake_for_rest(|| self.team.has_work_for_any());
        }
    }

    fn steal(&self) -> Option<JobRef> {
        let members = &self.team.members;
        let others = (1..members.len()).map(|step| &members[(self.index + step) % members.len()]);
        others.into_iter().find_map(|other| other.spawned.steal())
    }

    /// Helps in an open region, if one has work.
    ///
    /// It works there until nothing is left to do, or a root waits.
    fn help(&self) -> bool {
        let Some(region) = self.team.regions.open.find() else { return false };
        self.searches.set(false);
        self.team.sleepers.wake_one();
        self.core_change.leave(region.owners_core());
        // SAFETY: it is used in the region's work alone, for which the frames of the lineage wait.
        let inheritance = unsafe { Inheritance::new(region.lineage().cast()) };
        let _root = inheritance.enter();
        region.help(self);
        true
    }

    /// Runs a job of an open region, if there is one, in the middle of whatever the thread does.
    /// Returns whether it has.
    pub(crate) fn help_once(&self) -> bool {
        let Some(region) = self.team.regions.open.find() else { return false };
        let _root = Inheritance::NONE.enter();
        region.help_once(self)
    }

    /// Spins for a while, then sleeps, until there may be work.
    fn idle(&self) {
        self.searches.set(true);
        let epoch = self.team.regions.open.epoch();
        let seen = epoch.read();
        if self.team.has_work(self.index) || self.spin_after(seen) {
            return;
        }
        let has_work = || epoch.read() != seen || self.team.has_work(self.index);
        self.spinner.borrow_mut().end();
        self.team.sleepers.sleep(self.index, has_work);
        self.spinner.borrow_mut().begin();
    }

    /// Returns `true` if there was a summons later than `seen`.
    fn spin_after(&self, seen: u64) -> bool {
        let (sleepers, epoch) = (&self.team.sleepers, self.team.regions.open.epoch());
        let until = sync::now() + self.spinner.borrow().spin_time();
        sleepers.begin_spin();
        while epoch.read() == seen && sync::now() < until {
            sync::spin_for_a_while();
        }
        sleepers.end_spin();
        // A summons that has woken no other member is seen here, or in the look before the sleep.
        let summoned = epoch.read() != seen;
        self.spinner.borrow_mut().adapt(summoned);
        summoned
    }
}

impl Participant for Member {
    fn must_leave(&self) -> bool {
        !self.team.roots.is_empty() || !self.own().mailbox.is_empty()
    }

    fn summon(&self) {
        self.team.summon();
    }

    fn thread(&self) -> &dyn Indexed {
        self
    }
}

impl Indexed for Member {
    fn run_own(&self) -> bool {
        let Some(job) = self.own().mailbox.take() else { return false };
        // The job is none of the region in whose wait it runs.
        let _root = Inheritance::NONE.enter();
        // SAFETY: it has just been taken out of its queue.
        unsafe { job.run() };
        true
    }
}
