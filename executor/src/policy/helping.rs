//! Helping: what an idle machine does while regions are open.

use std::time::{Duration, Instant};

use crate::policy::computing::{Counted, Seated};
use crate::policy::machine_loop::MachineLoop;
use crate::policy::{Context, Scheduler};
use crate::regions::{Crew, Seat};

impl MachineLoop<'_> {
    /// Helps with what stands on the board, if there is anything. The machine holds no processor, and is on the list of the
    /// idle; it is off it when this returns `true`.
    ///
    /// The netpoller comes first: if nobody blocks in it and somebody should, that is for this machine to do, and another
    /// is called to help.
    pub(crate) fn help(&mut self) -> bool {
        let board = &self.scheduler.computing.board;
        if board.is_empty() {
            return false;
        }
        if self.scheduler.needs_keeper() {
            self.scheduler.summon_other_than(Some(self.machine));
            return false;
        }
        // Before the list is left: a machine that goes back to sleep has to be on it while it looks.
        if board.find().is_none() {
            return false;
        }
        let Some(counted) = Counted::as_helper(self.context) else { return false };
        if let Some(mut processor) = self.stand_up() {
            processor.begin_hold(self.scheduler.now());
            self.context.put_processor(processor);
            return true;
        }
        self.work_and_linger();
        drop(counted);
        true
    }

    fn work_and_linger(&mut self) {
        let scheduler = self.scheduler;
        let crew = Helper(self.context);
        self.linger.arrive();
        while !crew.must_leave() {
            let seen = scheduler.computing.board.notices().read();
            match scheduler.computing.board.find() {
                Some(region) => {
                    // There may be work for more.
                    scheduler.summon_another();
                    region.help(&crew);
                }
                None if !self.linger_after(seen, &crew) => break,
                None => {}
            }
        }
        self.linger.leave();
    }

    /// Looks at the board for a while, in case a region is opened soon. `true` if there is a notice later than `seen`.
    fn linger_after(&mut self, seen: u64, crew: &Helper<'_>) -> bool {
        let computing = &self.scheduler.computing;
        let until = Instant::now() + self.linger.patience();
        computing.helpers.begin_linger();
        while computing.board.notices().read() == seen && Instant::now() < until && !crew.must_leave() {
            std::hint::spin_loop();
        }
        computing.helpers.end_linger();
        // After the fence: a notice that was given to nobody else is seen here.
        let noticed = computing.board.notices().read() != seen;
        self.linger.was_of_use(noticed);
        noticed
    }
}

impl Scheduler {
    /// Calls one more helper if the one that calls was the only one to look.
    fn summon_another(&self) {
        let helpers = &self.computing.helpers;
        if helpers.count() < self.places() {
            self.summon();
        }
    }
}

/// How long a machine looks at the board before it goes back to sleep: to wake it costs the owner of a region some
/// microseconds, and itself some tens. It is tuned by what it brings.
#[derive(Debug)]
pub(crate) struct Linger {
    patience: Duration,
    left: Option<Instant>,
}

impl Linger {
    const MOST: Duration = Duration::from_micros(50);
    const LEAST: Duration = Duration::from_micros(1);
    /// A machine that comes back within this time has left too early.
    const SOON: Duration = Duration::from_micros(200);

    pub(crate) fn new() -> Self {
        Self { patience: Self::MOST, left: None }
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    fn arrive(&mut self) {
        if self.left.is_some_and(|left| left.elapsed() < Self::SOON) {
            self.patience = Self::MOST;
        }
    }

    fn leave(&mut self) {
        self.left = Some(Instant::now());
    }

    fn was_of_use(&mut self, of_use: bool) {
        self.patience = if of_use { Self::MOST } else { (self.patience / 2).max(Self::LEAST) };
    }
}

/// A helper's view of the runtime.
struct Helper<'a>(&'a Context);

impl Crew for Helper<'_> {
    fn must_leave(&self) -> bool {
        let scheduler = self.0.scheduler();
        scheduler.computing.helpers.count() > scheduler.places() || scheduler.shutdown.has_begun()
    }

    fn summon(&self) {
        self.0.scheduler().summon();
    }

    fn with_seat(&self, seat: &Seat<'_>, work: &mut dyn FnMut()) {
        let _seated = Seated::enter(seat);
        work();
    }
}
