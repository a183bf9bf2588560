//! Guests: threads of a runtime that ask for the services of a team, which a runtime has not.
//!
//! A runtime's threads come and go, and each may work in regions. A rayon pool has a fixed number
//! of threads, with an index each, that also run spawned jobs. So a runtime has as many **numbers**
//! as processors, and lends one to a thread that asks for its index, until the thread leaves its
//! outermost region. Spawned jobs have threads of their own, **attendants**, as many as there are
//! numbers at most, so that no end of a runtime waits for them. An attendant is lent a number if
//! its job asks for one, until the job ends. Its regions are the runtime's: an attendant counts as
//! a thread that computes, and the runtime's idle processors help it.
//!
//! A broadcast has one job for each number. The thread that has the number runs it in its next
//! wait; for a number that no thread has, a thread is started.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::time::Duration;

use crate::fork_join::regions::Regions;
use crate::fork_join::{CurrentSlot, JobRef};
use crate::scheduler::context::Role;
use crate::scheduler::{Context, Scheduler};
use crate::util::sync::{self, Condvar, Mutex, thread, thread_local};

thread_local! {
    /// The number that this thread has been lent. It has no destructor, so that it may be asked at
    /// any time, by destructors that run while the thread ends too.
    static LENT: ManuallyDrop<RefCell<Option<LentNumber>>> = const { ManuallyDrop::new(RefCell::new(None)) };
}

thread_local! {
    /// Returns whether this thread runs a spawned job.
    static ATTENDS: Cell<bool> = const { Cell::new(false) };
}

thread_local! {
    /// The number that this thread has given back for a sleep.
    static PAUSED: Cell<Option<ManuallyDrop<Paused>>> = const { Cell::new(None) };
}

/// The guests whose number a thread has given back, and the number.
type Paused = (Arc<Guests>, usize);

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
    /// Threads that have given it back for a sleep.
    sleepers: usize,
    /// Threads that have woken from such a sleep, and wait for it.
    awaited_by: usize,
    /// Jobs for the thread that has this number, or for one that is started if no thread has it.
    mail: VecDeque<Job>,
}

/// Spawned jobs, and the threads for them.
struct SpawnedJobs {
    jobs: VecDeque<Job>,
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
        let queue = SpawnedJobs { jobs: VecDeque::new(), attendants: 0, idle: 0, is_over: false };
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

    /// Lends the calling thread one of the first `count` numbers. Waits while all are lent: so do
    /// calls to a pool whose threads are all busy.
    ///
    /// The number of a thread that sleeps comes last: that thread needs it as soon as it wakes, and
    /// may hold a lock that the caller will ask for.
    fn lend(self: &Arc<Self>, count: usize) -> LentNumber {
        let mut numbers = self.numbers.lock();
        make_room(&mut numbers, count);
        loop {
            let free = (0..count).filter(|number| !numbers[*number].is_lent && numbers[*number].awaited_by == 0);
            if let Some(number) = free.min_by_key(|number| numbers[*number].sleepers) {
                numbers[number].is_lent = true;
                return LentNumber { guests: Arc::clone(self), number };
            }
            self.returned.wait(&mut numbers);
        }
    }

    /// Lends the calling thread, which has slept, its `number` again, before others get it.
    fn lend_again(self: &Arc<Self>, number: usize) -> LentNumber {
        let mut numbers = self.numbers.lock();
        numbers[number].awaited_by += 1;
        self.returned.wait_while(&mut numbers, |numbers| numbers[number].is_lent);
        let lent = &mut numbers[number];
        lent.awaited_by -= 1;
        lent.sleepers -= 1;
        lent.is_lent = true;
        LentNumber { guests: Arc::clone(self), number }
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
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                // Without a number until the job asks for one: all may be lent to threads that
                // wait for the job.
                drop(run_as_guest(job, None));
                queue = self.queue.lock();
                continue;
            }
            queue.idle += 1;
            let timed_out = match sync::now().checked_add(keep_alive) {
                _ if queue.is_over => true,
                Some(deadline) => self.comes.wait_until(&mut queue, deadline).timed_out(),
                None => {
                    self.comes.wait(&mut queue);
                    false
                }
            };
            queue.idle -= 1;
            if (timed_out || queue.is_over) && queue.jobs.is_empty() {
                queue.attendants -= 1;
                return;
            }
        }
    }
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
        let lent = Guests::of(scheduler).lend(count_numbers(scheduler));
        let number = lent.number;
        drop(LENT.with(|place| place.replace(Some(lent))));
        number
    })
}

/// Gives the calling thread's number back while it sleeps in a wait: the job that it waits for may
/// ask for one.
pub(super) fn pause() {
    let Some(lent) = LENT.with(|lent| lent.take()) else { return };
    lent.guests.numbers.lock()[lent.number].sleepers += 1;
    PAUSED.with(|paused| paused.set(Some(ManuallyDrop::new((Arc::clone(&lent.guests), lent.number)))));
}

/// Lends the calling thread the number again that it has given back for the sleep.
pub(super) fn resume() {
    let Some(paused) = PAUSED.with(Cell::take) else { return };
    let (guests, number) = ManuallyDrop::into_inner(paused);
    let lent = guests.lend_again(number);
    drop(LENT.with(|place| place.replace(Some(lent))));
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
    if queue.jobs.len() <= queue.idle {
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
    let Some((root, _)) = job else { return false };
    let _outside = CurrentSlot::none();
    // SAFETY: it has just been taken out of its queue.
    unsafe { root.run() }
    true
}

/// Runs a job for the number that the calling thread has, if there is one. Returns whether it has.
pub(crate) fn run_mail() -> bool {
    let mail = LENT.with(|lent| lent.borrow().as_ref().and_then(LentNumber::take_mail));
    let Some((root, _)) = mail else { return false };
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

/// Starts a thread that has `number`, which is lent to no other, and runs its mail.
fn deliver(guests: &Arc<Guests>, number: usize) {
    let theirs = Arc::clone(guests);
    if start(move || run_all_mail(LentNumber { guests: theirs, number })).is_err() {
        run_all_mail(LentNumber { guests: Arc::clone(guests), number });
    }
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
