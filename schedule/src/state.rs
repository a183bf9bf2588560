//! The state of a schedule: the threads, what each waits for, and the time.

use std::sync::Arc;

use crate::failure::Failure;
use crate::gate::Gate;
use crate::random::Random;
use crate::strategy::Strategy;

/// A schedule that takes more steps does not end.
const MOST_STEPS: u64 = 3_000_000;
/// A thread that takes so many steps without a wait has to give way.
const LONGEST_RUN: u64 = 3_000;
/// A thread that could run, and has had no step in so many, gets the highest priority: beside two
/// of higher ones that wait by turns it would have none.
const LONGEST_WAIT: u64 = 50_000;
/// The priorities with which threads begin are below this.
const PRIORITIES: u64 = 1 << 32;
/// Threads that could run lose their cores for so many nanoseconds at most.
const LONGEST_LOSS: u64 = 20_000_000;

/// The event that a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum On {
    /// The condition variable at this address.
    Address(usize),
    /// The lock at this address.
    Lock(usize),
    /// `unpark`.
    Token,
    /// Nothing but time.
    Time,
    /// Events of descriptors.
    Events,
    /// The end of this thread.
    End(usize),
    /// The end of all other threads: of the program's own thread.
    AllEnds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Ready,
    Waiting { on: On, until: Option<u64> },
    Ended,
}

#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) name: String,
    pub(crate) status: Status,
    pub(crate) gate: Arc<Gate>,
    /// Whether its last wait ended for the time.
    pub(crate) timed_out: bool,
    /// Whether it was unparked.
    pub(crate) token: bool,
    /// Whether it looks for events because no other thread could run.
    looks: bool,
    /// Whether it has, and found none.
    has_looked: bool,
    pub(crate) priority: i64,
    pub(crate) steps: u64,
    /// Steps since it last waited or gave way.
    run: u64,
    /// Steps of others since it could run.
    passed_over: u64,
    /// How often it has, but for waits for a lock and looks at events, which are in the midst of
    /// something.
    pub(crate) rests: u64,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) seed: u64,
    pub(crate) random: Random,
    pub(crate) strategy: Strategy,
    pub(crate) threads: Vec<Thread>,
    pub(crate) running: usize,
    /// Nanoseconds.
    pub(crate) now: u64,
    /// Nanoseconds a step.
    pub(crate) grain: u64,
    /// At one step in so many, time jumps although threads could run: they lose their cores for so
    /// long.
    jump: Option<u64>,
    /// Nanoseconds for which no thread could run.
    pub(crate) idle: u64,
    pub(crate) steps: u64,
    /// The next priorities above and below all others.
    highest: i64,
    lowest: i64,
    /// A number that two schedules have in common only if they are the same.
    pub(crate) trace: u64,
    pub(crate) panics: Vec<String>,
    pub(crate) outcome: Option<Result<(), Failure>>,
}

impl State {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let strategy = Strategy::of(seed, &mut random);
        let jump = [None, Some(2_000), Some(300), Some(60)][random.below(4) as usize];
        let grain = [50, 500, 5_000][random.below(3) as usize];
        Self {
            seed,
            random,
            strategy,
            threads: Vec::new(),
            running: 0,
            now: 1_000_000_000,
            grain,
            jump,
            idle: 0,
            steps: 0,
            highest: PRIORITIES as i64,
            lowest: -1,
            trace: seed,
            panics: Vec::new(),
            outcome: None,
        }
    }

    /// Lists a thread, which runs when it is chosen.
    pub(crate) fn add(&mut self, name: String) -> usize {
        let priority = self.random.below(PRIORITIES) as i64;
        self.threads.push(Thread {
            name,
            status: Status::Ready,
            gate: Arc::default(),
            timed_out: false,
            token: false,
            looks: false,
            has_looked: false,
            priority,
            steps: 0,
            run: 0,
            passed_over: 0,
            rests: 0,
        });
        self.threads.len() - 1
    }

    /// Counts a step of the running thread, and says which thread is next.
    pub(crate) fn after_step(&mut self) -> Result<usize, Failure> {
        self.count_step()?;
        if self.jump.is_some_and(|one_in| self.random.one_in(one_in)) {
            self.jump_to_next_moment(LONGEST_LOSS);
        }
        if self.random.one_in(256) {
            self.wake_all(On::Events);
        }
        if self.threads[self.running].run > LONGEST_RUN {
            return Ok(self.choose_other());
        }
        let (running, steps) = (self.running, self.steps);
        match &self.strategy {
            Strategy::Random { one_in } => {
                let one_in = *one_in;
                Ok(if self.random.one_in(one_in) { self.any_ready().unwrap_or(running) } else { running })
            }
            Strategy::Priorities { changes } => {
                if changes.contains(&steps) {
                    self.demote(running);
                }
                Ok(self.highest().unwrap_or(running))
            }
        }
    }

    fn count_step(&mut self) -> Result<(), Failure> {
        self.steps += 1;
        self.threads[self.running].steps += 1;
        self.threads[self.running].run += 1;
        self.now += self.grain;
        for (number, thread) in self.threads.iter_mut().enumerate() {
            let is_passed_over = number != self.running && thread.status == Status::Ready;
            thread.passed_over = if is_passed_over { thread.passed_over + 1 } else { 0 };
            if thread.passed_over == LONGEST_WAIT {
                thread.priority = self.highest;
                self.highest += 1;
            }
        }
        self.release_due();
        if self.steps > MOST_STEPS { Err(self.failure("the schedule does not end")) } else { Ok(()) }
    }

    /// The next thread when the running one lets the others go first.
    pub(crate) fn after_yield(&mut self) -> Result<usize, Failure> {
        self.threads[self.running].rests += 1;
        self.after_handing_on()
    }

    /// The next thread when the running one, in the midst of something, lets the others go first.
    pub(crate) fn after_handing_on(&mut self) -> Result<usize, Failure> {
        self.count_step()?;
        Ok(self.choose_other())
    }

    fn choose_other(&mut self) -> usize {
        let running = self.running;
        self.demote(running);
        self.threads[running].status = Status::Waiting { on: On::Time, until: None };
        let other = match self.strategy {
            Strategy::Random { .. } => self.any_ready(),
            Strategy::Priorities { .. } => self.highest(),
        };
        self.threads[running].status = Status::Ready;
        other.unwrap_or(running)
    }

    /// The next thread when the running one waits, or has ended.
    pub(crate) fn after_wait(&mut self) -> Result<usize, Failure> {
        self.count_step()?;
        loop {
            let next = match self.strategy {
                Strategy::Random { .. } => self.any_ready(),
                Strategy::Priorities { .. } => self.highest(),
            };
            if let Some(next) = next {
                return Ok(next);
            }
            if let Some(next) = self.one_to_look() {
                return Ok(next);
            }
            let before = self.now;
            let has_jumped = self.jump_to_next_moment(u64::MAX);
            self.idle += self.now - before;
            if !has_jumped {
                return Err(self.failure("deadlock: no thread can go on, and none waits for a moment"));
            }
        }
    }

    /// Notes that `next` runs from now on.
    pub(crate) fn switch_to(&mut self, next: usize) {
        self.trace = self.trace.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (self.steps << 8) ^ next as u64;
        self.running = next;
        if !self.threads[next].looks {
            self.threads.iter_mut().for_each(|thread| thread.has_looked = false);
        }
    }

    fn any_ready(&mut self) -> Option<usize> {
        let is_ready = |thread: &&Thread| thread.status == Status::Ready;
        let count = self.threads.iter().filter(is_ready).count() as u64;
        let nth = if count == 0 { return None } else { self.random.below(count) as usize };
        self.threads.iter().enumerate().filter(|(_, thread)| is_ready(thread)).nth(nth).map(|(number, _)| number)
    }

    fn highest(&self) -> Option<usize> {
        let ready = self.threads.iter().enumerate().filter(|(_, thread)| thread.status == Status::Ready);
        ready.max_by_key(|(_, thread)| thread.priority).map(|(number, _)| number)
    }

    fn demote(&mut self, number: usize) {
        self.threads[number].priority = self.lowest;
        self.threads[number].run = 0;
        self.lowest -= 1;
    }

    /// A thread that waits for events, and has not looked for any since another ran.
    fn one_to_look(&mut self) -> Option<usize> {
        let waits = |thread: &Thread| matches!(thread.status, Status::Waiting { on: On::Events, .. });
        let number = self.threads.iter().position(|thread| waits(thread) && !thread.has_looked)?;
        let thread = &mut self.threads[number];
        (thread.status, thread.timed_out, thread.looks) = (Status::Ready, false, true);
        Some(number)
    }

    /// The running thread begins to wait.
    pub(crate) fn begin_wait(&mut self, on: On, until: Option<u64>) {
        let thread = &mut self.threads[self.running];
        thread.has_looked = on == On::Events && thread.looks;
        (thread.looks, thread.timed_out, thread.run) = (false, false, 0);
        thread.rests += u64::from(!matches!(on, On::Lock(_)) && until.is_none_or(|until| until > self.now));
        thread.status = Status::Waiting { on, until };
        self.release_due();
    }

    fn wake(&mut self, number: usize, timed_out: bool) {
        let thread = &mut self.threads[number];
        (thread.status, thread.timed_out) = (Status::Ready, timed_out);
    }

    /// Wakes all that wait for `on`.
    pub(crate) fn wake_all(&mut self, on: On) {
        for number in self.waiting(on) {
            self.wake(number, false);
        }
    }

    /// Wakes one of those that wait for `on`, any one.
    pub(crate) fn wake_any(&mut self, on: On) {
        let waiting = self.waiting(on);
        if !waiting.is_empty() {
            let nth = self.random.below(waiting.len() as u64) as usize;
            self.wake(waiting[nth], false);
        }
    }

    fn waiting(&self, on: On) -> Vec<usize> {
        let waits = |thread: &Thread| matches!(thread.status, Status::Waiting { on: other, .. } if other == on);
        (0..self.threads.len()).filter(|&number| waits(&self.threads[number])).collect()
    }

    /// Marks the running thread as ended, and wakes those that wait for that.
    pub(crate) fn end_running(&mut self) {
        self.threads[self.running].status = Status::Ended;
        self.wake_all(On::End(self.running));
        self.wake_the_last();
    }

    /// Wakes the program's own thread if no other is left.
    pub(crate) fn wake_the_last(&mut self) {
        if self.threads.iter().skip(1).all(|thread| thread.status == Status::Ended) {
            self.wake_all(On::AllEnds);
        }
    }

    /// Wakes the threads whose moment has come.
    fn release_due(&mut self) {
        for number in 0..self.threads.len() {
            if matches!(self.threads[number].status, Status::Waiting { until: Some(until), .. } if until <= self.now) {
                self.wake(number, true);
            }
        }
    }

    /// Goes on to the next moment that a thread waits for. `false` if none does, or if that is
    /// further away than `most` nanoseconds.
    fn jump_to_next_moment(&mut self, most: u64) -> bool {
        let until = |thread: &Thread| match thread.status {
            Status::Waiting { until, .. } => until,
            _ => None,
        };
        let Some(moment) = self.threads.iter().filter_map(until).min() else { return false };
        if moment.saturating_sub(self.now) > most {
            return false;
        }
        self.now = self.now.max(moment);
        self.release_due();
        true
    }

    pub(crate) fn failure(&self, reason: impl Into<String>) -> Failure {
        Failure::new(self, reason.into())
    }
}
