//! The faults of a run: planned faults, randomly drawn faults, and the record of both.
//!
//! Faults are due at moments of simulated time, and do not draw from the scheduler's random
//! numbers. A run that replays a recorded plan therefore takes the same steps as the run that
//! recorded it, and leaving one fault out changes only what comes after that fault.

use super::drawing::{Drawer, FaultBounds};
use super::network::{Network, SetBy};
use super::plan::{Fault, FaultEffect, FaultPlan};
use super::points::{self, Points};
use super::record::RecordedStep;
use super::world::{Inhabitants, World};
use std::collections::VecDeque;

/// An odd constant that separates the random numbers of faults from others of the same seed.
const OWN: u64 = 0xd6e8_feb8_6659_fd93;

pub(crate) struct FaultSchedule {
    seed: u64,
    /// The plan that determines all faults instead of the seed.
    given: Option<&'static FaultPlan>,
    coming: VecDeque<Fault>,
    points: Points,
    /// The fault points of plans that the program has added.
    planned_points: FaultPlan,
    drawers: Vec<Drawer>,
    drawn: u64,
    under_way: Vec<UnderWay>,
    record: FaultPlan,
}

struct UnderWay {
    until: u64,
    what: FaultEffect,
}

/// The next beginning or end of a fault.
enum FaultEvent {
    Begin(Fault),
    End(FaultEffect),
}

impl FaultSchedule {
    pub(super) fn new(seed: u64, given: Option<&'static FaultPlan>) -> Self {
        Self {
            seed,
            given,
            coming: given.map(|plan| plan.faults.clone().into()).unwrap_or_default(),
            points: Points::default(),
            planned_points: FaultPlan::default(),
            drawers: Vec::new(),
            drawn: 0,
            under_way: Vec::new(),
            record: FaultPlan::default(),
        }
    }

    fn draw_within(&mut self, bounds: FaultBounds, now: u64) {
        if self.given.is_none() {
            self.drawn += 1;
            self.drawers.push(Drawer::new((self.seed ^ self.drawn.rotate_left(40)).wrapping_mul(OWN), bounds, now));
        }
    }

    fn add(&mut self, plan: &FaultPlan, now: u64) {
        if self.given.is_none() {
            self.coming.extend(plan.faults.iter().map(|fault| Fault { at: fault.at.max(now), ..fault.clone() }));
            self.coming.make_contiguous().sort_by_key(|fault| fault.at);
            self.planned_points.points.extend(plan.points.iter().cloned());
        }
    }

    pub(super) fn fires(&mut self, point: &str) -> bool {
        let call = self.points.count(point);
        let fires = match self.given {
            Some(plan) => plan.fires(point, call),
            None => points::fires(self.seed, point, call) || self.planned_points.fires(point, call),
        };
        if fires {
            self.record.note_point(point, call);
        }
        fires
    }

    fn next_end(&self) -> Option<(u64, usize)> {
        let ends = self.under_way.iter().enumerate();
        ends.map(|(index, fault)| (fault.until, index)).filter(|&(until, _)| until < u64::MAX).min()
    }

    fn next_drawn(&self) -> Option<(u64, usize)> {
        let drawers = self.drawers.iter().enumerate();
        drawers.filter_map(|(index, drawer)| Some((drawer.next_at()?, index))).min()
    }

    fn next_at(&self) -> Option<u64> {
        let planned = self.coming.front().map(|fault| fault.at);
        let others = [self.next_end(), self.next_drawn()].map(|next| next.map(|(at, _)| at));
        others.into_iter().chain([planned]).flatten().min()
    }

    /// Removes and returns the next event. At the same moment, ends come before beginnings. Returns
    /// `None` if the hosts do not allow the event.
    fn take_next(&mut self, network: &Network) -> Option<FaultEvent> {
        let at = self.next_at()?;
        if let Some((_, index)) = self.next_end().filter(|&(until, _)| until == at) {
            return Some(FaultEvent::End(self.under_way.remove(index).what));
        }
        let fault = match self.coming.pop_front_if_at(at) {
            Some(fault) => fault,
            None => {
                let (_, index) = self.next_drawn()?;
                let down = self.under_way.iter().filter(|fault| matches!(fault.what, FaultEffect::Crash(_))).count();
                let fault = self.drawers[index].draw(network, down);
                self.drawers.retain(|drawer| drawer.next_at().is_some());
                fault?
            }
        };
        Some(FaultEvent::Begin(fault))
    }

    pub(super) fn under_way(&self) -> impl Iterator<Item = &FaultEffect> {
        self.under_way.iter().map(|fault| &fault.what)
    }

    /// Records a fault that has begun.
    fn note(&mut self, fault: Fault) {
        if !fault.what.is_instant() {
            let until = fault.lasting.map_or(u64::MAX, |lasting| fault.at.saturating_add(lasting));
            self.under_way.push(UnderWay { until, what: fault.what.clone() });
        }
        self.record.note_fault(fault);
    }
}

/// The faults of a plan, of which the first may be due.
trait Coming {
    fn pop_front_if_at(&mut self, at: u64) -> Option<Fault>;
}

impl Coming for VecDeque<Fault> {
    fn pop_front_if_at(&mut self, at: u64) -> Option<Fault> {
        (self.front()?.at == at).then(|| self.pop_front())?
    }
}

/// Methods for the program under test.
impl World {
    /// Starts drawing random faults within `bounds`, from `now` (in nanoseconds) onwards. Has no
    /// effect if the run was given a plan.
    pub fn draw_faults(&self, bounds: FaultBounds, now: u64) {
        self.faults.lock().draw_within(bounds, now);
    }

    /// Adds the faults of `plan`, whose moments count from `now` (in nanoseconds). Has no effect if
    /// the run was given another plan.
    pub fn add_plan(&self, plan: &FaultPlan, now: u64) {
        self.faults.lock().add(plan, now);
    }

    /// Counts a call of the fault point with this name, and returns whether the fault happens at
    /// this call.
    pub fn fires(&self, point: &str) -> bool {
        self.faults.lock().fires(point)
    }

    /// Returns a plan of all faults that have happened so far.
    pub fn plan(&self) -> FaultPlan {
        self.faults.lock().record.clone()
    }
}

/// Methods for the simulated scheduler.
impl World {
    /// Returns when the next fault begins or ends, in nanoseconds, or `None` if no fault is due.
    pub fn next_fault_at(&self) -> Option<u64> {
        self.faults.lock().next_at()
    }

    /// Begins or ends the next fault, and returns the step for the record. Returns `None` if the
    /// fault had no effect, for example because the host was already down.
    ///
    /// # Errors
    ///
    /// Returns the reason as text if the plan names a host that does not exist.
    pub fn take_fault(&self, inhabitants: &dyn Inhabitants) -> Result<Option<RecordedStep>, String> {
        let Some(event) = self.faults.lock().take_next(self.network()) else { return Ok(None) };
        match event {
            FaultEvent::Begin(fault) => {
                let what = fault.what.clone();
                let hosts = self.hosts_of(&what)?;
                if !self.begin(inhabitants, &what, hosts) {
                    return Ok(None);
                }
                self.faults.lock().note(fault);
                self.settle(inhabitants, &what, hosts);
                Ok(Some(RecordedStep::Fault(true, hosts)))
            }
            FaultEvent::End(what) => {
                let hosts = self.hosts_of(&what)?;
                Ok(self.end(inhabitants, &what, hosts).then_some(RecordedStep::Fault(false, hosts)))
            }
        }
    }

    fn hosts_of(&self, what: &FaultEffect) -> Result<[usize; 2], String> {
        let find = |name: &str| {
            let found = self.network().find_host(name).filter(|_| !name.is_empty());
            found.ok_or_else(|| format!("the plan says `{what}`, and there is no host `{name}` at that moment"))
        };
        let [one, other] = what.hosts();
        Ok([find(one)?, find(other)?])
    }

    /// Begins a fault, and returns whether it had an effect. A host that is already down, for
    /// example, cannot crash.
    fn begin(&self, inhabitants: &dyn Inhabitants, what: &FaultEffect, [one, other]: [usize; 2]) -> bool {
        match what {
            FaultEffect::Crash(_) if !self.network().is_up(one) => return false,
            FaultEffect::Crash(_) => self.crash(inhabitants, one),
            FaultEffect::Cut(..) => {
                self.network().cut(one, other, SetBy::Fault);
                self.network().cut(other, one, SetBy::Fault);
            }
            FaultEffect::CutOneWay(..) => self.network().cut(one, other, SetBy::Fault),
            FaultEffect::Reset(..) => self.network().reset_between(one, other),
            // These are settled as soon as they are under way.
            FaultEffect::Slow(..)
            | FaultEffect::BuffersFull(_)
            | FaultEffect::DiskFull(_)
            | FaultEffect::DiskFailing(..)
            | FaultEffect::DiskSlow(..) => {}
            FaultEffect::ClockJump(..) | FaultEffect::ClockDrift(..) => {}
        }
        true
    }

    /// Ends a fault, and returns whether that had an effect. The program may already have restarted
    /// the host, and a link stays cut as long as any fault cuts it.
    fn end(&self, inhabitants: &dyn Inhabitants, what: &FaultEffect, [one, other]: [usize; 2]) -> bool {
        let goes_on =
            |does: &dyn Fn(&FaultEffect) -> bool| self.faults.lock().under_way.iter().any(|fault| does(&fault.what));
        match what {
            FaultEffect::Crash(_) if self.network().is_up(one) || goes_on(&|other| other == what) => return false,
            // It stays down for as long as the program has it.
            FaultEffect::Crash(_) if self.network().was_crashed_by_program(one) => return false,
            FaultEffect::Crash(_) => self.network().begin_life(one),
            FaultEffect::Cut(first, second) | FaultEffect::CutOneWay(first, second) => {
                for (from, to, names) in [(one, other, (first, second)), (other, one, (second, first))] {
                    if what.cuts(names.0, names.1) && !goes_on(&|other| other.cuts(names.0, names.1)) {
                        self.network().heal(from, to, SetBy::Fault);
                    }
                }
            }
            FaultEffect::Reset(..) => {}
            _ => self.settle(inhabitants, what, [one, other]),
        }
        true
    }
}
