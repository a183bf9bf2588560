//! Guests: threads of a runtime that ask for the services of a team, which a runtime has not.
//!
//! A runtime's threads come and go, and each may work in regions. A rayon pool has a fixed number
//! of threads, with an index each, that also run spawned jobs. So a runtime has as many **numbers**
//! as processors, and lends one to a thread that asks for its index, until the thread leaves its
//! outermost region. Spawned jobs have their own threads, **attendants**, as many as there are
//! numbers at most, so that no end of a runtime waits for them. An attendant is lent a number if
//! its job asks for one, until the job ends. Its regions are the runtime's: an attendant counts as
//! a thread that computes, and the runtime's idle processors help it.
//!
//! # The number of a thread that sleeps
//!
//! A thread that sleeps in a wait lends its number to one job at a time, if all others are lent:
//! the job that it waits for may ask for one. So a number plays the part of a thread of rayon's
//! pool. Such a thread runs a job of the pool in its wait, and returns from the wait when the job
//! has ended. That job may sleep, and lend the number to a third: the last lender gets it back
//! first, as on a stack. The thread without the number does not stand aside meanwhile: it looks for
//! jobs as ever, and these may be lent another number.
//!
//! A number is lent to jobs that rank above the job whose thread sleeps, so that no two jobs wait
//! for each other: whoever waits for a number, for a job, or for the job above it on a stack
//! waits for a higher rank. And the wait for a number ends: the highest-ranking job of a
//! region can always borrow the number of any thread that sleeps there.
//!
//! # In-place scopes
//!
//! Attendants also help in the trees of in-place scopes, whose functions may block until the jobs
//! of the scope have run: in rayon these run in the pool, beside the function. A job may block,
//! too, until another one has run. So as long as there are such trees, an attendant without a job
//! looks at them, unless there are as many attendants as numbers.
//!
//! # Broadcasts
//!
//! A broadcast has one job for each number. The thread that has the number runs it in its next
//! wait; for a number that no thread has, a thread is started.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::time::Duration;

use crate::fork_join::open_regions::{Indexed, TakeBack};
use crate::fork_join::parallel_call::HelpedCall;
use crate::fork_join::regions::Regions;
use crate::fork_join::{BoxedJob, CurrentSlot, JobRef, Region, TreeRegion, TreeSlot, with_slot};
use crate::scheduler::context::Role;
use crate::scheduler::core::limits::ACCEPTED_DELAY;
use crate::scheduler::{Context, Scheduler};
use crate::task::ScopesAside;
use crate::util::sync::{self, Condvar, Mutex, MutexGuard, thread, thread_local};

thread_local! {
    /// The number that this thread has been lent. It has no destructor, so that it may be asked at
    /// any time, by destructors that run while the thread ends too.
    static LENT: ManuallyDrop<RefCell<Option<LentNumber>>> = const { ManuallyDrop::new(RefCell::new(None)) };
}

thread_local! {
    /// Returns whether this thread runs a spawned job.
    static ATTENDS: Cell<bool> = const { Cell::new(false) };
}

/// A job, and the runtime that it is for.
type Job = (JobRef, Arc<Scheduler>);

/// The services of one runtime.
pub(crate) struct Guests {
    numbers: Mutex<Vec<Number>>,
    returned: Condvar,
    queue: Mutex<SpawnedJobs>,
    comes: Condvar,
}

#[derive(Default)]
struct Number {
    is_lent: bool,
    /// Jobs whose threads have given it back for a wait, each in a job that had it from the one
    /// before. No other region's threads get the number.
    sleepers: Vec<RankedJob>,
    /// While the last sleeper waits to get it back: how many sleepers there are. Else 0.
    awaited_at: usize,
    /// Jobs for the thread that has this number, or for one that is started if no thread has it.
    mail: VecDeque<Job>,
}

/// A job of a region.
#[derive(Clone, Copy)]
struct RankedJob {
    /// The region, by its address.
    region: usize,
    rank: u64,
}

impl RankedJob {
    fn of(slot: &TreeSlot<'_>) -> Self {
        Self { region: std::ptr::from_ref(slot.region()).addr(), rank: slot.rank() }
    }
}

impl Number {
    fn is_free_for(&self, job: Option<RankedJob>) -> bool {
        let Some(last) = self.sleepers.last() else { return !self.is_lent };
        let is_higher = job.is_some_and(|job| job.region == last.region && job.rank > last.rank);
        !self.is_lent && is_higher && self.awaited_at != self.sleepers.len()
    }
}

/// Spawned jobs, and the threads for them.
struct SpawnedJobs {
    jobs: VecDeque<Job>,
    /// Trees in which attendants help.
    attended: VecDeque<(Arc<TreeRegion>, Arc<Scheduler>)>,
    attendants: usize,
    /// Attendants without a job.
    idle: usize,
    /// True after the end of the runtime.
    is_over: bool,
}

/// A number that a thread has, until this is dropped.
struct LentNumber {
    guests: Arc<Guests>,
    number: usize,
    /// True if a thread that sleeps has given it back for a wait.
    is_sleepers: bool,
}

impl LentNumber {
    fn take_mail(&self) -> Option<Job> {
        self.guests.numbers.lock()[self.number].mail.pop_front()
    }
}

impl Drop for LentNumber {
    fn drop(&mut self) {
        let mut numbers = self.guests.numbers.lock();
        let number = &mut numbers[self.number];
        number.is_lent = !number.mail.is_empty();
        if number.is_lent {
            drop(numbers);
            return deliver(&self.guests, self.number);
        }
        drop(numbers);
        self.guests.returned.notify_all();
    }
}

impl Guests {
    pub(super) fn new() -> Arc<Self> {
        let (jobs, attended) = (VecDeque::new(), VecDeque::new());
        let queue = SpawnedJobs { jobs, attended, attendants: 0, idle: 0, is_over: false };
        Arc::new(Self {
            numbers: Mutex::new(Vec::new()),
            returned: Condvar::new(),
            queue: Mutex::new(queue),
            comes: Condvar::new(),
        })
    }

    /// Returns the services of the runtime whose scheduler this is.
    fn of(scheduler: &Scheduler) -> &Arc<Self> {
        &Regions::of(scheduler).guests
    }

    /// Lends the calling thread, which is in `job`, one of the first `count` numbers. Waits while
    /// all are lent: so do calls to a pool whose threads are all busy.
    ///
    /// The number of a thread that sleeps comes last, and only for its own region, whose jobs it
    /// waits for: that thread needs the number when its wait is over, and may hold a lock that
    /// another call will ask for.
    fn lend(self: &Arc<Self>, count: usize, job: Option<RankedJob>) -> LentNumber {
        let mut numbers = self.numbers.lock();
        make_room(&mut numbers, count);
        loop {
            let free = (0..count).filter(|number| numbers[*number].is_free_for(job));
            if let Some(number) = free.min_by_key(|number| numbers[*number].sleepers.len()) {
                return self.lend_number(&mut numbers, number);
            }
            self.returned.wait(&mut numbers);
        }
    }

    fn lend_number(self: &Arc<Self>, numbers: &mut [Number], number: usize) -> LentNumber {
        let lent = &mut numbers[number];
        lent.is_lent = true;
        LentNumber { guests: Arc::clone(self), number, is_sleepers: !lent.sleepers.is_empty() }
    }

    /// Takes the `number` of the calling thread back for a wait in `job`. Returns how many sleepers
    /// the number has now.
    fn put_to_sleep(&self, number: usize, job: RankedJob) -> usize {
        let sleepers = &mut self.numbers.lock()[number].sleepers;
        sleepers.push(job);
        sleepers.len()
    }

    /// Lends the calling thread its `number` again, which it has given back as the sleeper `at`,
    /// before others get it. Returns `None` if another job still holds it after a short
    /// while.
    fn lend_again(self: &Arc<Self>, number: usize, at: usize) -> Option<LentNumber> {
        let is_free = |number: &Number| !number.is_lent && number.sleepers.len() == at;
        let mut numbers = self.numbers.lock();
        if !is_free(&numbers[number]) {
            if numbers[number].sleepers.len() == at {
                numbers[number].awaited_at = at;
            }
            self.returned.wait_until(&mut numbers, sync::now() + Duration::from_nanos(ACCEPTED_DELAY));
            if numbers[number].awaited_at == at {
                numbers[number].awaited_at = 0;
            }
        }
        if !is_free(&numbers[number]) {
            return None;
        }
        numbers[number].sleepers.pop();
        Some(self.lend_number(&mut numbers, number))
    }

    /// Makes attendants without a job return, as the runtime ends. Each job keeps the runtime.
    pub(super) fn end(&self) {
        self.queue.lock().is_over = true;
        self.comes.notify_all();
    }

    /// Runs spawned jobs, until there was none for the time that the runtime keeps an idle thread.
    fn attend(self: &Arc<Self>, keep_alive: Duration) {
        let mut queue = self.queue.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front().or_else(|| queue.next_help()) {
                // A job may block until one in a tree has run, which another attendant will find.
                if queue.attended.is_empty() {
                    drop(queue);
                } else {
                    call_attendant(&job.1, queue);
                }
                // Without a number until the job asks for one: all may be lent to threads that
                // wait for the job.
                drop(run_as_guest(job, None));
                queue = self.queue.lock();
                continue;
            }
            queue.idle += 1;
            let attends_trees = !queue.attended.is_empty();
            let limit = if attends_trees { Duration::from_nanos(ACCEPTED_DELAY) } else { keep_alive };
            let timed_out = match sync::now().checked_add(limit) {
                _ if queue.is_over && !attends_trees => true,
                Some(deadline) => self.comes.wait_until(&mut queue, deadline).timed_out() && !attends_trees,
                None => {
                    self.comes.wait(&mut queue);
                    false
                }
            };
            queue.idle -= 1;
            if (timed_out || queue.is_over) && queue.is_empty() {
                queue.attendants -= 1;
                return;
            }
        }
    }
}

impl SpawnedJobs {
    fn is_empty(&self) -> bool {
        self.jobs.is_empty() && self.attended.is_empty()
    }

    /// Makes a job of the help in a tree that has jobs.
    fn next_help(&mut self) -> Option<Job> {
        let at = self.attended.iter().position(|(region, _)| region.has_job_for_one())?;
        let next = self.attended.remove(at)?;
        let (region, scheduler) = (Arc::clone(&next.0), Arc::clone(&next.1));
        // So that each tree gets help.
        self.attended.push_back(next);
        let help = move || _ = Context::current().map(|context| region.help_once(&HelpedCall::new(&context)));
        // SAFETY: it borrows nothing, and the caller runs it.
        Some((unsafe { BoxedJob::into_job_ref(help) }, scheduler))
    }
}

/// Attendants help in this tree until it is dropped.
pub(super) struct Attended<'a> {
    guests: &'a Guests,
    region: *const TreeRegion,
}

impl Drop for Attended<'_> {
    fn drop(&mut self) {
        let mut queue = self.guests.queue.lock();
        let ended = queue.attended.iter().position(|(region, _)| Arc::as_ptr(region) == self.region);
        let ended = ended.and_then(|at| queue.attended.remove(at));
        drop(queue);
        drop(ended);
    }
}

/// Makes attendants help in `region`, until the guard is dropped.
pub(super) fn attend<'a>(scheduler: &'a Arc<Scheduler>, region: &Arc<TreeRegion>) -> Attended<'a> {
    let guests = Guests::of(scheduler);
    let mut queue = guests.queue.lock();
    queue.attended.push_back((Arc::clone(region), Arc::clone(scheduler)));
    call_attendant(scheduler, queue);
    Attended { guests, region: Arc::as_ptr(region) }
}

fn make_room(numbers: &mut Vec<Number>, count: usize) {
    if numbers.len() < count {
        numbers.resize_with(count, Number::default);
    }
}

/// Returns how many numbers the runtime lends.
pub(crate) fn count_numbers(scheduler: &Scheduler) -> usize {
    scheduler.processors.regular().max(1)
}

/// Returns the number of the calling thread, if it was lent one.
pub(crate) fn number() -> Option<usize> {
    LENT.with(|lent| lent.borrow().as_ref().map(|lent| lent.number))
}

/// Returns the number of the calling thread, which works in a region of `scheduler`'s runtime, and
/// is lent one if it has none.
pub(crate) fn number_in(scheduler: &Scheduler) -> usize {
    number().unwrap_or_else(|| {
        let job = with_slot(|slot| slot.map(RankedJob::of));
        let lent = Guests::of(scheduler).lend(count_numbers(scheduler), job);
        let number = lent.number;
        drop(LENT.with(|place| place.replace(Some(lent))));
        number
    })
}

/// A thread at work in a region, as a guest.
pub(super) struct Guest;

impl Indexed for Guest {
    fn run_own(&self) -> bool {
        run_mail()
    }

    /// The number of a thread that sleeps is lent until the end of the job that has asked for it.
    unsafe fn run(&self, job: JobRef) {
        let had_index = self.has_index();
        // SAFETY: as the caller promises.
        unsafe { job.run() };
        let is_sleepers = || LENT.with(|lent| lent.borrow().as_ref().is_some_and(|lent| lent.is_sleepers));
        if !had_index && is_sleepers() {
            self.drop_index();
        }
    }

    fn has_index(&self) -> bool {
        number().is_some()
    }

    fn lend_index(&self, slot: &TreeSlot<'_>) -> Option<TakeBack> {
        let lent = LENT.with(|lent| lent.take())?;
        let (guests, number) = (Arc::clone(&lent.guests), lent.number);
        let at = guests.put_to_sleep(number, RankedJob::of(slot));
        drop(lent);
        Some(Box::new(move || {
            let again = guests.lend_again(number, at);
            let is_back = again.is_some();
            drop(again.and_then(|lent| LENT.with(|place| place.replace(Some(lent)))));
            is_back
        }))
    }

    fn drop_index(&self) {
        drop(LENT.with(|lent| lent.take()));
    }
}

/// Takes back the number that the thread was lent since this was made.
pub(super) struct Visit {
    keeps_number: bool,
}

impl Visit {
    pub(super) fn begin() -> Self {
        Self { keeps_number: number().is_some() || attends() }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if !self.keeps_number {
            drop(LENT.with(|lent| lent.take()));
        }
    }
}

/// Makes an attendant run `root`, as the next one if `is_next`.
pub(crate) fn spawn(scheduler: &Arc<Scheduler>, root: JobRef, is_next: bool) {
    let guests = Guests::of(scheduler);
    let mut queue = guests.queue.lock();
    let job = (root, Arc::clone(scheduler));
    if is_next {
        queue.jobs.push_front(job);
    } else {
        queue.jobs.push_back(job);
    }
    call_attendant(scheduler, queue);
}

/// Makes an attendant look at the queue: one that waits, or a new one.
fn call_attendant(scheduler: &Arc<Scheduler>, mut queue: MutexGuard<'_, SpawnedJobs>) {
    let guests = Guests::of(scheduler);
    if queue.idle > 0 && queue.jobs.len() <= queue.idle {
        guests.comes.notify_one();
        return;
    }
    if queue.attendants >= count_numbers(scheduler) {
        return;
    }
    queue.attendants += 1;
    drop(queue);
    let (attended, keep_alive) = (Arc::clone(guests), scheduler.config.thread_keep_alive);
    if start(move || attended.attend(keep_alive)).is_err() {
        let mut queue = guests.queue.lock();
        queue.attendants -= 1;
        let is_left_alone = queue.attendants == 0;
        drop(queue);
        if is_left_alone {
            run_job(scheduler);
        }
    }
}

/// Returns whether the calling thread runs a spawned job.
pub(crate) fn attends() -> bool {
    ATTENDS.with(Cell::get)
}

/// Runs a spawned job of the runtime in the middle of whatever the calling thread does, if there is
/// one. Returns whether it has.
pub(crate) fn run_job(scheduler: &Scheduler) -> bool {
    let job = Guests::of(scheduler).queue.lock().jobs.pop_front();
    run_taken(job)
}

/// Runs a job for the number that the calling thread has, if there is one. Returns whether it has.
pub(crate) fn run_mail() -> bool {
    run_taken(LENT.with(|lent| lent.borrow().as_ref().and_then(LentNumber::take_mail)))
}

/// Runs a job, if there is one, which is none of the region in whose wait it runs.
fn run_taken(job: Option<Job>) -> bool {
    let Some((root, _)) = job else { return false };
    let _outside = (CurrentSlot::none(), ScopesAside::take());
    // SAFETY: it has just been taken out of its queue.
    unsafe { root.run() }
    true
}

/// Makes the thread with that `number` run `root`, or a new thread if none has it.
pub(crate) fn send(scheduler: &Arc<Scheduler>, number: usize, root: JobRef) {
    let guests = Guests::of(scheduler);
    let mut numbers = guests.numbers.lock();
    make_room(&mut numbers, number + 1);
    numbers[number].mail.push_back((root, Arc::clone(scheduler)));
    let was_lent = std::mem::replace(&mut numbers[number].is_lent, true);
    drop(numbers);
    if !was_lent {
        deliver(guests, number);
    }
}

/// Starts a thread that has `number`, which is lent to no other, and runs its mail. In a
/// simulation, which has no threads, the calling thread runs the mail.
fn deliver(guests: &Arc<Guests>, number: usize) {
    let lent = move |guests| LentNumber { guests, number, is_sleepers: false };
    let theirs = Arc::clone(guests);
    let is_simulated = guests.numbers.lock()[number].mail.iter().any(|(_, scheduler)| is_simulated(scheduler));
    if is_simulated || start(move || run_all_mail(lent(theirs))).is_err() {
        run_all_mail(lent(Arc::clone(guests)));
    }
}

/// Returns whether the runtime is a simulated one, whose machines have no turn while another is in
/// its own.
pub(crate) fn is_simulated(scheduler: &Scheduler) -> bool {
    scheduler.config.simulation.is_some()
}

fn run_all_mail(mut lent: LentNumber) {
    while let Some(job) = lent.take_mail() {
        let Some(again) = run_as_guest(job, Some(lent)) else { return };
        lent = again;
    }
}

fn start(run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().name("wsrt-attendant".into()).spawn(run).map(drop)
}

/// Runs a job on a thread that belongs to no runtime otherwise. Returns the number that the thread
/// has then.
fn run_as_guest((root, scheduler): Job, lent: Option<LentNumber>) -> Option<LentNumber> {
    let context = Context::enter(&scheduler, Role::External);
    let before = LENT.with(|place| place.replace(lent));
    let attended = ATTENDS.with(|attends| attends.replace(true));
    // SAFETY: it has just been taken out of its queue.
    unsafe { root.run() }
    ATTENDS.with(|attends| attends.set(attended));
    let lent = LENT.with(|place| place.replace(before));
    drop(context);
    lent
}

#[cfg(test)]
mod tests {
    use super::{Number, RankedJob};

    #[test]
    fn a_sleepers_number_is_for_higher_ranks_of_its_region() {
        let job = |region, rank| RankedJob { region, rank };
        let mut number = Number { sleepers: vec![job(1, 2), job(1, 4)], ..Number::default() };
        assert!(number.is_free_for(Some(job(1, 5))));
        let others = [None, Some(job(1, 4)), Some(job(1, 3)), Some(job(2, 5))];
        assert!(!others.iter().any(|other| number.is_free_for(*other)));
        number.awaited_at = 1;
        assert!(number.is_free_for(Some(job(1, 5))), "the sleeper that waits is not the last");
        number.awaited_at = 2;
        assert!(!number.is_free_for(Some(job(1, 5))), "the last sleeper is next");
        assert!(Number::default().is_free_for(None));
    }
}
