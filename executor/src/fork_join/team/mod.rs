//! Teams: threads that compute and run no tasks (rayon: a registry and its workers; OpenMP: a
//! team).
//!
//! A **team** has a fixed number of **members**, threads that the caller of [`Team::new`] starts.
//! A member has an index, which never changes, and jobs that are for it alone. The regions of a
//! team work as a runtime's do: a member that opens a region is its owner, and members with
//! nothing else to do help.
//!
//! # The jobs of a team
//!
//! A **root** is a job that belongs to no region: a closure that another thread has handed over
//! ([`install()`]), or a spawned job that no thread waits for. A root opens a region at its first
//! `join`, `scope` or loop. So each outermost call has its own tree, and a thread that waits
//! in it runs jobs of this tree, and its part of a broadcast.
//!
//! | job | waits | is run by |
//! |---|---|---|
//! | of a tree | on the stack of a slot | the tree's participants |
//! | handed over, or spawned by a thread outside | in the team's queue | the first member that looks |
//! | spawned by a member | on a stack of the member's own | this member, or a member without work |
//! | of a broadcast | in the mailbox of each member | this member, in its waits too |
//!
//! # The end
//!
//! A team counts its **users**: the handles and the spawned jobs that have not run. The members
//! return when there is none.

mod install;
mod member;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crossbeam_utils::CachePadded;

pub(crate) use self::install::{Inheritance, Lineage, install};
pub use self::member::Place;
pub(crate) use self::member::{Member, is_member, with_member};
use crate::fork_join::job::{FifoJobs, JobStack, SharedJobs};
use crate::fork_join::regions::Regions;
use crate::fork_join::sleepers::Sleepers;
use crate::fork_join::slots::MOST_SLOTS;
use crate::fork_join::{BoxedJob, JobRef};
use crate::util::sync::atomic::AtomicUsize;
use crate::util::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::util::sync::{Condvar, Mutex};
use crate::util::unwind::caught;

/// Takes the index of a member, on its thread.
pub type MemberHook = Box<dyn Fn(usize) + Send + Sync>;

/// Takes the payload of a panic that no thread waits for.
pub type PanicHook = Box<dyn Fn(Box<dyn Any + Send>) + Send + Sync>;

/// The closures that a team calls.
#[derive(Default)]
pub struct Hooks {
    /// Called when a member begins.
    pub start: Option<MemberHook>,
    /// Called when a member ends.
    pub exit: Option<MemberHook>,
    /// Called with the panics of spawned jobs and of the other hooks. Without it they end the
    /// process.
    pub panic: Option<PanicHook>,
}

/// The order in which a member runs the jobs that it has spawned itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The newest first.
    Lifo,
    /// The oldest first.
    Fifo,
}

/// Threads that compute.
pub(crate) struct Team {
    regions: Regions,
    /// Roots that come from other threads. On its own cache line, as `users` is: threads
    /// outside write both, and members read the rest.
    roots: CachePadded<SharedJobs>,
    members: Box<[CachePadded<OfMember>]>,
    sleepers: Sleepers,
    /// Handles, and spawned jobs that have not run. The members return when there is none.
    users: CachePadded<AtomicUsize>,
    hooks: Hooks,
    begun: Mutex<usize>,
    begins: Condvar,
}

/// A member, as the other threads see it.
struct OfMember {
    /// Jobs that it has spawned.
    spawned: JobStack,
    spawned_fifo: FifoJobs,
    /// Jobs for it alone.
    mailbox: SharedJobs,
}

impl Team {
    /// Makes a team of `count` members with one user, and returns their places: the caller has a
    /// thread run each.
    pub(crate) fn new(count: usize, hooks: Hooks) -> (Arc<Self>, Vec<Place>) {
        let member = |_| {
            let (spawned, spawned_fifo, mailbox) = (JobStack::new(), FifoJobs::new(), SharedJobs::new());
            CachePadded::new(OfMember { spawned, spawned_fifo, mailbox })
        };
        let team = Arc::new(Self {
            regions: Regions::new(),
            roots: CachePadded::new(SharedJobs::new()),
            members: (0..count).map(member).collect(),
            sleepers: Sleepers::new(),
            users: CachePadded::new(AtomicUsize::new(1)),
            hooks,
            begun: Mutex::new(0),
            begins: Condvar::new(),
        });
        // SAFETY: it is the only one for this index of a new team.
        let place = |index| unsafe { Place::new(&team, index) };
        let places = (0..count).map(place).collect();
        (team, places)
    }

    /// Returns the number of its members.
    pub(crate) fn count(&self) -> usize {
        self.members.len()
    }

    /// Returns whether the calling thread is a member.
    pub(crate) fn is_here(self: &Arc<Self>) -> bool {
        with_member(|member| member.is_some_and(|member| Arc::ptr_eq(member.team(), self)))
    }

    /// Returns a number that no other team has meanwhile.
    pub(crate) fn id(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    pub(in crate::fork_join) fn regions(&self) -> &Regions {
        &self.regions
    }

    /// Returns how many slots a region needs: one for each member, and one for an owner that is
    /// none.
    pub(in crate::fork_join) fn slots(&self) -> usize {
        (self.count() + 1).min(MOST_SLOTS)
    }

    /// Adds a user, for a caller that is one, or has one.
    pub(crate) fn retain(&self) {
        self.users.fetch_add(1, Relaxed);
    }

    /// Takes a user away. The last one ends the team.
    pub(crate) fn release(&self) {
        // AcqRel pairs with itself and with the Acquire in `is_over`: a member that returns has
        // seen all that users did before they went.
        if self.users.fetch_sub(1, AcqRel) == 1 {
            self.regions.open.epoch().advance();
            self.sleepers.wake_all();
        }
    }

    fn is_over(&self) -> bool {
        // Acquire pairs with the release in `release`.
        self.users.load(Acquire) == 0
    }

    /// Makes a member look for work that the caller has just published.
    pub(crate) fn summon(&self) {
        self.regions.open.epoch().advance();
        self.sleepers.wake_one();
    }

    /// Queues a root for the first member that looks.
    pub(super) fn hand_over(&self, root: JobRef) {
        self.roots.put(root);
        self.summon();
    }

    /// Queues a job that the member `index` alone may run.
    pub(crate) fn send(&self, index: usize, job: JobRef) {
        self.members[index].mailbox.put(job);
        self.regions.open.epoch().advance();
        self.sleepers.wake(index);
    }

    /// Returns whether the member `index` would find something to do.
    fn has_work(&self, index: usize) -> bool {
        self.has_work_for_any() || !self.members[index].mailbox.is_empty() || self.is_over()
    }

    /// Returns whether there is work that any member may do.
    fn has_work_for_any(&self) -> bool {
        !self.roots.is_empty()
            || self.regions.open.find().is_some()
            || self.members.iter().any(|member| !member.spawned.is_empty())
    }

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

    /// Calls a closure whose panic no thread waits for.
    pub(crate) fn run_detached(&self, work: impl FnOnce()) {
        let Err(payload) = caught(work) else { return };
        let handled = self.hooks.panic.as_ref().map(|handle| caught(|| handle(payload)));
        match handled {
            Some(Ok(())) => {}
            Some(Err(_)) => abort("the panic handler of a thread pool has panicked"),
            None => abort_for_lost_panic(),
        }
    }

    /// Waits until all members have begun.
    pub(crate) fn wait_until_begun(&self) {
        self.begins.wait_while(&mut self.begun.lock(), |begun| *begun < self.count());
    }

    fn note_begun(&self) {
        *self.begun.lock() += 1;
        self.begins.notify_all();
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("count", &self.count()).finish_non_exhaustive()
    }
}

/// Ends the process, as for a panic that no thread waits for and no handler takes.
pub fn abort_for_lost_panic() -> ! {
    abort("a job that no thread waits for has panicked, and the thread pool has no panic handler")
}

fn abort(reason: &str) -> ! {
    crate::util::report::report(format_args!("{reason}: the process ends"));
    std::process::abort()
}
