//! The sleeping protocol: how work that was published wakes a machine, and how a machine retires,
//! looks again, parks or becomes the poll owner, gets up, and leaves.
//!
//! Two sides race here. A *submitter* makes a task visible, and then reads the idle word, to wake a
//! machine if a processor is idle and no machine searches ([`WakingSide::wake_one`]). A *retiring*
//! machine raises the idle word, and then looks at everything that is visible
//! ([`SleepingSide::look_again`]). A full barrier (`fence(SeqCst)`, in `core/idle.rs`) lies between
//! the two steps of each. So at least one side sees the store of the other: the submitter finds the
//! processor idle, and wakes a machine for it, or the machine finds the task. A submitter that
//! wakes nobody, since a machine searches, relies on that machine, which looks at everything once
//! more when its search is over: here, or in `stop_searching`. No task is left beside a sleeper.
//! `docs/SLEEPING.md` has the steps by number, the races, and the loom models.
//!
//! These raise the barrier: `submit`, `retire`, `give_up`, `enlist` and `stop_searching`,
//! and `give_up_only` if a machine waits for the processor. `retire` and `give_up` also end the
//! search of the processor's holder, in the step that makes the processor idle. `wake_another`
//! needs none: it wakes a machine whether or not others search.
//!
//! The timers' race has the same form. The poll owner publishes its deadline, full barrier (in
//! `PollOwner::take_over`), and reads all timers again ([`WakingSide::end_of_block`], with which
//! each block in the netpoller begins). The other side arms a timer, or leaves timers behind, full
//! barrier (in `PollOwner::watch`), and reads that deadline. So the poll owner sees the timer, or
//! is interrupted: the interrupt stays for the next block if it comes too early, as an unpark does
//! for the next park.
//!
//! An event waits in the netpoller, and a timer that was left behind in its queue, for the next
//! machine that looks: no barrier is needed. The last machine up does not sleep without a look:
//! a poll owner that gets up collects what has come, and a machine that falls asleep becomes the
//! poll owner if there is none. If a machine that is up polls something long meanwhile, the watcher
//! looks at the netpoller, and fires these timers.
//!
//! A machine that sleeps or leaves also owes something to the timers of the processor that it gives
//! up, and to the netpoller. Nobody but the holder of a processor fires the timers in its queue:
//! once the processor is given up, the timers need the poll owner. And one machine has to be that,
//! and block in the netpoller. [`GivenUp`] names the ways to give a processor up, and
//! [`SleepingSide::give_up`] has what each owes.
//!
//! The machine's loop and the loom models run these steps: each has the two traits.

use crate::scheduler::core::idle::{Chosen, Idle, Resume};
use crate::scheduler::core::limits::MANY_PROCESSORS;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::parker::Unparked;
use crate::scheduler::core::poll_owner::{PollOwner, Watch};
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::processors::Processors;
use crate::util::sync::Arc;

/// The runtime's side: a machine is chosen for work that was published, and gets up wherever it
/// sleeps.
pub(crate) trait WakingSide {
    fn idle(&self) -> &Idle;
    fn poll_owner(&self) -> &PollOwner;
    fn processors(&self) -> &Processors;

    /// Returns whether a task waits where an idle processor could find it, or a timer is due.
    fn work_is_visible(&self) -> bool;

    /// Returns the earliest deadline of all timers, or `u64::MAX`.
    fn earliest_deadline(&self) -> u64;

    /// Returns whether the runtime shuts down: all work is dropped.
    fn is_ending(&self) -> bool;

    /// Returns whether a helper has looked at the netpoller lately, and will again.
    fn helpers_watch_network(&self) -> bool;

    /// Takes out the tasks of a processor that goes idle, for others to find, unless they stay with
    /// it.
    fn part_with(&self, processor: &mut Processor);

    /// Starts a machine for a processor that none of the idle machines can take, or
    /// [gives the processor back](Self::give_back).
    fn start_machine_with(&self, processor: Box<Processor>);

    /// Ends the poll owner's sleep, or the next one's.
    fn interrupt_netpoller(&self);

    /// A machine was unparked: for a simulation.
    fn note_roused(&self, machine: &Machine, unparked: Unparked);

    /// The submitting side of the sleeping protocol: to be called after work was published. Wakes
    /// one machine, as a searcher, if a processor is idle and no machine searches.
    fn wake_one(&self) {
        if let Some(chosen) = self.idle().submit() {
            self.put_to_work(chosen);
        }
    }

    /// Wakes up to `count` machines at once, for a batch of tasks.
    fn wake_several(&self, count: usize) {
        (0..count).map_while(|_| self.idle().wake_another()).for_each(|chosen| self.put_to_work(chosen));
    }

    fn put_to_work(&self, Chosen { processor, machine }: Chosen) {
        match machine {
            Some(machine) => {
                machine.deliver(processor);
                self.excuse_from_search(&machine);
                self.rouse(&machine);
            }
            None => self.start_machine_with(processor),
        }
    }

    /// Sends another to search instead of a machine that was chosen while it is in a hook of the
    /// user's. It keeps the processor: the watcher sees that as it sees a long poll.
    fn excuse_from_search(&self, machine: &Machine) {
        if machine.excuse_from_search() && self.idle().stop_searching() && self.work_is_visible() {
            self.wake_one();
        }
    }

    /// Wakes a machine wherever it sleeps.
    fn rouse(&self, machine: &Machine) {
        let unparked = machine.parker().unpark();
        self.note_roused(machine, unparked);
        if unparked == Unparked::InNetpoller {
            self.interrupt_netpoller();
        }
    }

    /// The last searcher to find work wakes the next, if there is more: threads that submitted and
    /// saw it searching have woken nobody.
    ///
    /// Where processors are many, each wakes two, so that those awake double with each wake.
    #[cold]
    fn stop_searching(&self, processor: &mut Processor) {
        let (was_last, are_many) = (self.idle().stop_searching(), self.processors().regular() >= MANY_PROCESSORS);
        if (was_last || are_many) && self.work_is_visible() {
            if are_many { self.wake_several(2) } else { self.wake_one() }
        }
        // Last, for observers: the look above is part of the search.
        processor.set_searching(false);
    }

    /// Puts a processor that no machine can run back among the idle ones. A machine that came
    /// before that has found none there, and is woken now.
    fn give_back(&self, mut processor: Box<Processor>) {
        self.part_with(&mut processor);
        self.idle().give_up(processor, None);
        if !self.is_ending() && self.idle().count_machines() > 0 && self.work_is_visible() {
            self.wake_one();
        }
    }

    /// Takes a processor out of play that no machine holds. Returns whether it is idle instead,
    /// since the runtime has grown meanwhile.
    fn end_play(&self, processor: Box<Processor>) -> bool {
        let stays = self.processors().take_out_of_play(processor);
        stays.map(|stays| self.idle().add(stays)).is_some()
    }

    /// Notifies the poll owner of a timer for `deadline`, in a queue that no running machine looks
    /// at, so that it fires in time.
    ///
    /// If there is no poll owner, and no machine to wake either, a machine searches or all hold
    /// processors: the next one that falls asleep becomes the poll owner, up to that deadline.
    fn notify_poll_owner_of(&self, deadline: u64) {
        match self.poll_owner().watch(deadline) {
            Watch::InTime => {}
            Watch::TooLate => self.interrupt_netpoller(),
            // The woken machine finds nothing to do and becomes the poll owner, with the right
            // deadline.
            Watch::Unattended => self.wake_one(),
        }
    }

    /// Notifies the poll owner of the earliest timer: the timers of the processor that the caller
    /// has just given up are now the poll owner's to fire.
    fn notify_poll_owner(&self) {
        let deadline = self.earliest_deadline();
        if deadline != u64::MAX {
            self.notify_poll_owner_of(deadline);
        }
    }

    /// Returns until when the poll owner may block, once it has published a deadline on which
    /// others rely. The timers are read again: see `PollOwner`.
    fn end_of_block(&self, published: u64) -> u64 {
        self.earliest_deadline().min(published)
    }
}

/// The ways in which a machine gives its processor up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GivenUp {
    /// The machine has found no task. The processor is idle, and the machine goes to sleep.
    ToSleep,
    /// The processor goes out of play: a stuck poll that it replaced has returned, or the
    /// runtime has shrunk. The machine stays.
    OutOfPlay,
    /// The loop ends. The processor is idle, and the machine is no more.
    ToLeave {
        /// True if the runtime has no other processor: then work and timers stay with it while no
        /// thread is there.
        is_only: bool,
    },
}

/// The outcome of a machine's way to sleep.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum FellAsleep {
    /// It has something to do after all.
    No,
    /// On its parker.
    Parked,
    /// In the netpoller, as the poll owner, up to this published deadline.
    InNetpoller { until: u64 },
    /// It has become the poll owner, and was woken just before it would have blocked: as after a
    /// sleep in the netpoller, it gets up.
    Woken,
}

/// The part of a machine's loop that the protocol keeps.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// True if the machine stands on the list of the idle, or was chosen from the list and has yet
    /// to collect its processor.
    pub(in crate::scheduler) listed: bool,
    /// The processor that the machine gave up last.
    pub(in crate::scheduler) given_up: usize,
}

/// The machine's side.
pub(crate) trait SleepingSide {
    type Runtime: WakingSide;

    fn runtime(&self) -> &Self::Runtime;
    fn machine(&self) -> &Arc<Machine>;
    fn listing(&mut self) -> &mut Listing;

    /// The machine holds `processor` from now on.
    fn take_up(&mut self, processor: Box<Processor>);

    /// The machine's hold of `processor` ends.
    fn put_down(&mut self, processor: &Processor);

    /// The machine is on the list, and is about to look again. `polled_nothing` says that it has
    /// polled no task since it took its processor up.
    fn pause_on_list(&mut self, polled_nothing: bool);

    /// Gives `processor` up, and sees to everything that relied on the machine to hold it.
    fn give_up(&mut self, mut processor: Box<Processor>, way: GivenUp) {
        let (given_up, polled_nothing) = (processor.index(), processor.has_polled_nothing());
        self.put_down(&processor);
        let runtime = self.runtime();
        match way {
            GivenUp::ToSleep => {
                // One step, and a full barrier behind it: from here on submitters see the processor
                // idle and this machine on the list. For a task that was made visible before, its
                // submitter may have woken nobody: `look_again` finds it.
                runtime.idle().retire(processor, self.machine());
                *self.listing() = Listing { listed: true, given_up };
                self.pause_on_list(polled_nothing);
                self.look_again();
                return;
            }
            GivenUp::OutOfPlay => {
                // Ends the search, and needs no barrier: the machine stays, enlists next, and looks
                // at everything then.
                runtime.part_with(&mut processor);
                runtime.idle().count_out_of_play(&mut processor);
                let _ = runtime.end_play(processor);
            }
            GivenUp::ToLeave { is_only } => {
                runtime.part_with(&mut processor);
                if is_only {
                    // Work and timers wait for the next thread to come, unless one is there. One
                    // step: a thread that enlists after it finds the processor idle.
                    if !runtime.idle().give_up_only(processor) {
                        return;
                    }
                } else {
                    runtime.idle().give_up(processor, None);
                }
            }
        }
        self.see_to_work_and_timers(way);
    }

    /// Wakes another machine for what this one would have found, and notifies the poll owner of the
    /// timers that this one would have fired.
    fn see_to_work_and_timers(&self, way: GivenUp) {
        let runtime = self.runtime();
        if runtime.is_ending() {
            // All of it is dropped.
            return;
        }
        // A machine that leaves may have been the last that would have blocked in the netpoller,
        // and is the poll owner no more: then another is woken for it. One that falls asleep later
        // sees that there is no poll owner. A machine that stays becomes the poll owner itself.
        let leaves_netpoller = matches!(way, GivenUp::ToLeave { .. }) && !runtime.poll_owner().is_present();
        if runtime.work_is_visible() || leaves_netpoller {
            runtime.wake_one();
        }
        // Not only if none was woken: a machine that was finds work, and may be busy with the work
        // for longer than until the timers are due. Nor is it left to the sleep of a machine that
        // stays, which may find another processor idle, and continue.
        runtime.notify_poll_owner();
    }

    /// Collects the processor that was left for the machine, if it was chosen.
    fn collect(&mut self) -> Option<Box<Processor>> {
        let delivered = self.machine().collect()?;
        self.come_back_with(&delivered);
        Some(delivered)
    }

    /// The machine is off the list, and has a processor before it has slept: it had been chosen, or
    /// its own had been taken by another machine. If the processor is another one than the machine
    /// has given up, the poll owner is notified of the timers that are left there. A machine that
    /// sleeps does so in `become_poll_owner`, and one that has its processor back fires its timers
    /// itself.
    fn come_back_with(&mut self, processor: &Processor) {
        self.listing().listed = false;
        if processor.index() != self.listing().given_up {
            self.runtime().notify_poll_owner();
        }
    }

    /// Looks at all queues once more, now that the machine is on the list of the idle, and comes
    /// back from there, as a searcher, if there is work and a processor to do it with. `true` if it
    /// has one.
    ///
    /// If there is work and no processor, it stays: either a submitter has chosen this machine, and
    /// a processor is on its way to the mailbox, which ends the sleep; or other machines hold all
    /// processors, and each of them looks again before it sleeps.
    fn look_again(&mut self) -> bool {
        if !self.runtime().work_is_visible() {
            return false;
        }
        let Resume::With(processor) = self.runtime().idle().resume(self.machine()) else {
            return false;
        };
        self.come_back_with(&processor);
        self.take_up(processor);
        true
    }

    /// Goes to sleep, up to the sleep itself. The machine holds no processor. `is_wanted` is asked
    /// while the machine is on the list: if it returns `true`, it has taken the machine off.
    fn fall_asleep(&mut self, is_wanted: impl FnOnce(&mut Self) -> bool) -> FellAsleep {
        if !self.listing().listed {
            self.runtime().idle().enlist(self.machine());
            self.listing().listed = true;
            // Work that came while no machine was on the list has woken nobody, if none could be
            // started for it.
            if self.look_again() {
                return FellAsleep::No;
            }
        }
        // After the barrier of retiring or enlisting: a thread that wants this machine sees it on
        // the list, or is seen here.
        if is_wanted(self) {
            return FellAsleep::No;
        }
        let Some(until) = self.become_poll_owner() else { return FellAsleep::Parked };
        // One atomic step: it begins only if no unpark has come before.
        if self.machine().parker().begin_polling() { FellAsleep::InNetpoller { until } } else { FellAsleep::Woken }
    }

    /// Becomes the poll owner, if there is none and a processor is idle, and returns the deadline
    /// that is published. Where all are busy, their holders look at the netpoller.
    fn become_poll_owner(&self) -> Option<u64> {
        let runtime = self.runtime();
        if runtime.helpers_watch_network() {
            // They may stop, or come upon a long piece of work. Then the watcher sees to the
            // netpoller and to the timers: it is up from here on.
            runtime.idle().watcher().wake_if_resting();
            return None;
        }
        let published = (runtime.idle().count_idle() > 0).then(|| runtime.earliest_deadline());
        let published = published.filter(|&deadline| runtime.poll_owner().take_over(deadline));
        match published {
            Some(_) => runtime.idle().choose_last(self.machine()),
            None => runtime.notify_poll_owner(),
        }
        published
    }

    /// The poll owner is back from the netpoller, or was [woken](FellAsleep::Woken) before, and
    /// wakes what it has found: as the poll owner still if it `stays`. Then a thread that arms a
    /// timer meanwhile wakes no other machine for it.
    fn leave_poll_owner<T>(&mut self, stays: bool, wake: impl FnOnce(&mut Self) -> T) -> T {
        self.machine().parker().end_polling();
        if !stays {
            self.runtime().poll_owner().leave();
        }
        let woken = wake(self);
        if stays {
            self.runtime().poll_owner().leave();
        }
        woken
    }

    /// Takes the machine off the list of the idle. `Some` if the machine was chosen already: then
    /// it has a processor.
    fn leave_list(&mut self) -> Option<Box<Processor>> {
        if !std::mem::take(&mut self.listing().listed) {
            return None;
        }
        // A machine with a processor in its mailbox was chosen, so the list has it no more: it
        // need not look for itself there, among up to 1,000, under the lock that choosers want.
        if let Some(processor) = self.machine().collect() {
            return Some(processor);
        }
        if self.runtime().idle().delist(self.machine()) {
            return None;
        }
        Some(self.await_delivery())
    }

    /// Waits for the processor that is on its way, which takes the other side a few instructions.
    fn await_delivery(&self) -> Box<Processor> {
        loop {
            if let Some(processor) = self.machine().collect() {
                return processor;
            }
            self.machine().parker().park();
        }
    }
}
