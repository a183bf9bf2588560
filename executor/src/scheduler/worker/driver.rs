//! The driver: the one place where the netpoller is turned and timers are fired, and where the
//! woken tasks are counted, shown, and collected into a batch, which is then spread over several
//! processors.
//!
//! Each thread that does so has its own driver: a machine, in its loop, while it helps and
//! while it blocks in the netpoller, and the watcher. The netpoller itself is shared: one thread at
//! a time turns it.
//!
//! A waker reaches its task by the task's vtable, and the task is placed one by one from there,
//! wherever it was woken. While a batch is collected on a thread, tasks woken on that thread go
//! into the batch instead, so that its owner can spread all of it over the idle processors.

use std::io;
use std::ops::RangeInclusive;
use std::task::Waker;
use std::time::Duration;

use wsrt_reactor::{Netpoller, Turn};

use crate::observe::counters::{ArrivalCounters, Count};
use crate::scheduler::block_on::external::is_sleepers;
use crate::scheduler::core::limits::{ACCEPTED_DELAY, CROWD};
use crate::scheduler::core::processor::{Processor, Shared};
use crate::scheduler::core::queue::HALF_RING;
use crate::scheduler::core::sleep::WakingSide;
use crate::scheduler::{Context, Scheduler};
use crate::task::{Runnable, TaskQueue};
use crate::util::backoff::Backoff;
use crate::util::unwind::wake_quietly;

/// One thread's collection from the netpoller and the timers.
pub(crate) struct Driver<'a> {
    context: &'a Context,
    /// The wakers that were found and not woken yet, the netpoller's first. Kept for its
    /// allocation.
    wakers: Vec<Waker>,
    /// How many of them are of the netpoller.
    from_network: usize,
}

impl<'a> Driver<'a> {
    pub(crate) fn new(context: &'a Context) -> Self {
        Self { context, wakers: Vec::new(), from_network: 0 }
    }

    fn scheduler(&self) -> &'a Scheduler {
        self.context.scheduler()
    }

    /// Turns the netpoller, without blocking, if anything is registered there, and fires up to
    /// `most` timers that are due, whichever processor they belong to. Counts both in `counts`,
    /// wakes all, and returns the tasks that were woken.
    pub(crate) fn collect(&mut self, counts: &ArrivalCounters<impl Count>, most: usize) -> WakeBatch {
        if !self.scheduler().netpoller.is_unused() {
            counts.count_turn(self.turn(Some(Duration::ZERO)));
        }
        self.fire_due(counts, most);
        self.wake()
    }

    /// Fires up to `most` timers that are due, whichever processor they belong to.
    pub(super) fn fire_due(&mut self, counts: &ArrivalCounters<impl Count>, most: usize) {
        let scheduler = self.scheduler();
        if most > 0 && scheduler.processors.earliest_deadline() != u64::MAX {
            self.fire(counts, scheduler.processors.iter(), scheduler.clock.timer_now(), most);
        }
    }

    /// Returns whether nothing was found but wakers of threads in `block_on`.
    pub(super) fn wakes_only_threads(&self) -> bool {
        self.wakers.iter().all(is_sleepers)
    }

    /// Fires up to `most` timers of `processors` that are due at the time `now`, and returns the
    /// tasks that this has woken.
    pub(crate) fn collect_timers<'p>(
        &mut self,
        counts: &ArrivalCounters<impl Count>,
        processors: impl Iterator<Item = &'p Shared>,
        now: u64,
        most: usize,
    ) -> WakeBatch {
        self.fire(counts, processors, now, most);
        self.wake()
    }

    /// Fires every timer that is due, wakes their tasks in the order of the deadlines, calls
    /// `then`, and returns the tasks that either has woken.
    pub(crate) fn collect_timers_and(&mut self, then: impl FnOnce()) -> WakeBatch {
        let scheduler = self.scheduler();
        let counts = &*scheduler.elsewhere;
        self.fire(counts, scheduler.processors.iter(), scheduler.clock.timer_now(), usize::MAX);
        WakeBatch::collect(self.context, || {
            self.wakers.drain(..).for_each(wake_quietly);
            then();
        })
    }

    fn fire<'p>(
        &mut self,
        counts: &ArrivalCounters<impl Count>,
        processors: impl Iterator<Item = &'p Shared>,
        now: u64,
        mut most: usize,
    ) {
        for processor in processors {
            let fired = processor.timers().fire_some_due(now, most, &mut self.wakers);
            counts.count_fired(fired);
            most -= fired.count;
            if most == 0 {
                return;
            }
        }
    }

    /// Wakes what was found, and returns the tasks that this has woken.
    pub(super) fn wake(&mut self) -> WakeBatch {
        let (scheduler, from_network) = (self.scheduler(), std::mem::take(&mut self.from_network));
        // An observed turn is ended by waking, also when no waker was found.
        if self.wakers.is_empty() && !scheduler.observer.is_on() {
            return WakeBatch::default();
        }
        WakeBatch::collect(self.context, || scheduler.observer.wake_all(&mut self.wakers, from_network))
    }

    /// Blocks in the netpoller until something comes from there or a timer is due. The caller is
    /// the poll owner, and [collects](Self::collect) the tasks found once it has left.
    ///
    /// `published` is the deadline that others rely on: a thread that arms a timer behind it does
    /// not interrupt.
    pub(crate) fn block(&mut self, published: u64) {
        let scheduler = self.scheduler();
        let mut backoff = Backoff::new();
        loop {
            let turn = match scheduler.end_of_block(published) {
                u64::MAX => self.turn(None),
                _ if scheduler.clock.is_stopped() => self.turn_without_time(),
                deadline => self.turn_until(deadline..=shared_wake(scheduler, deadline)),
            };
            scheduler.elsewhere.count_turn(turn);
            match turn {
                Turn::Polled { .. } => return,
                // Another machine polls without blocking, and is done in a microsecond.
                Turn::Busy | Turn::Kept => backoff.wait(),
            }
        }
    }

    /// A turn while the clock stands: there is nothing to wait for but the outside. If nothing has
    /// come from there, and no blocking job may yet bring something, the clock is moved on to the
    /// next timer.
    fn turn_without_time(&mut self) -> Turn {
        let scheduler = self.scheduler();
        let deadline = scheduler.processors.next_deadline();
        if deadline == u64::MAX || scheduler.blocking.is_at_work() {
            return self.turn(None);
        }
        let turn = self.turn(Some(Duration::ZERO));
        if matches!(turn, Turn::Polled { events: 0, .. }) && self.wakers.is_empty() {
            scheduler.clock.skip_to(scheduler.clock.instant(deadline));
        }
        turn
    }

    /// Turns the netpoller, for as long as `timeout` at most.
    pub(in crate::scheduler) fn turn(&mut self, timeout: Option<Duration>) -> Turn {
        let blocks = timeout != Some(Duration::ZERO);
        self.turn_by(blocks, |netpoller, wakers| netpoller.turn(timeout, wakers))
    }

    /// A turn that ends at one of `deadlines` if nothing happens: which, is for the netpoller to
    /// choose.
    fn turn_until(&mut self, deadlines: RangeInclusive<u64>) -> Turn {
        let scheduler = self.scheduler();
        let moment = |deadline| scheduler.clock.in_system_time(scheduler.clock.instant(deadline));
        let moments = moment(*deadlines.start())..=moment(*deadlines.end());
        self.turn_by(true, |netpoller, wakers| netpoller.turn_until_one_of(moments, wakers))
    }

    fn turn_by(&mut self, blocks: bool, turn: impl FnOnce(&Netpoller, &mut Vec<Waker>) -> io::Result<Turn>) -> Turn {
        let scheduler = self.scheduler();
        let turned = scheduler.observer.turn(blocks, || turn(&scheduler.netpoller, &mut self.wakers));
        self.from_network = self.wakers.len();
        turned.unwrap_or_else(|error| self.fail(&error))
    }

    /// A machine cannot continue without the poller. The watcher can: the machine that turns the
    /// netpoller next meets with the failure too, and reports it.
    #[cold]
    fn fail(&self, error: &io::Error) -> Turn {
        assert!(self.context.machine().is_none(), "wsrt: the operating system's poller failed: {error}");
        Turn::Busy
    }
}

/// Until when to sleep at the latest if the first timer is due at `deadline`: a crowd of timers
/// shares a wake.
fn shared_wake(scheduler: &Scheduler, deadline: u64) -> u64 {
    let end = deadline.saturating_add(ACCEPTED_DELAY);
    let mut crowd = 0;
    for processor in scheduler.processors.iter() {
        crowd += processor.timers().count_until(end, CROWD - crowd);
        if crowd == CROWD {
            return end;
        }
    }
    deadline
}

/// Tasks that were woken and are in no queue yet. Dropping it cancels them.
#[derive(Default)]
#[must_use = "the tasks of a batch have to be placed"]
pub(crate) struct WakeBatch(TaskQueue);

impl WakeBatch {
    /// Runs `wake`, which does not panic, and collects the tasks that it wakes on this thread.
    pub(crate) fn collect(context: &Context, wake: impl FnOnce()) -> Self {
        let placing = context.open_batch();
        wake();
        Self(context.close_batch(placing))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Takes the first task out, for the caller to place.
    pub(crate) fn pop(&mut self) -> Option<Runnable> {
        self.0.next()
    }

    /// The tasks, for the caller to place.
    pub(crate) fn into_tasks(self) -> TaskQueue {
        self.0
    }

    /// Spreads the batch in its order: the first share to `processor`'s ring, the rest to the
    /// injector, with a machine woken at once for every doubling of the work, beside one that
    /// searches.
    pub(crate) fn spread(self, scheduler: &Scheduler, processor: &mut Processor) {
        let mut batch = self.into_tasks();
        if scheduler.config.keeps_order() {
            return scheduler.push_all_in_line(processor, batch);
        }
        let share = batch.len().div_ceil(scheduler.idle.count_idle() + 1).min(HALF_RING / 2);
        let placed = processor.push_own_batch(&mut batch.by_ref().take(share));
        scheduler.settle(processor.index(), placed);
        let left = batch.len();
        if left > 0 {
            scheduler.injector.push_all(batch);
            // They wake others in turn as they find work: waking all here would hold up the tasks
            // in hand.
            scheduler.wake_one();
            scheduler.wake_several(left.ilog2() as usize);
        }
    }
}
