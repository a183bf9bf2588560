//! Combines all faults that are currently active on a link, on a host's disk or on a host's clocks.

use super::clocks::ClockSkew;
use super::disk::Injected;
use super::network::SetBy;
use super::plan::{FaultEffect, WHOLE};
use super::world::{Inhabitants, World};

impl Injected {
    /// Returns the combination of two faults, which is the worse of both in each respect.
    fn and(self, other: Self) -> Self {
        Self {
            is_full: self.is_full || other.is_full,
            failing: self.failing.max(other.failing),
            slowness: self.slowness.max(other.slowness),
        }
    }
}

/// Returns the effect of a fault on a host's disk.
fn to_disk(what: &FaultEffect, host: &str) -> Injected {
    let whole = Injected::default();
    match what {
        FaultEffect::DiskFull(name) if name == host => Injected { is_full: true, ..whole },
        FaultEffect::DiskFailing(name, millionths) if name == host => {
            Injected { failing: f64::from(*millionths) / f64::from(WHOLE), ..whole }
        }
        FaultEffect::DiskSlow(name, factor) if name == host => Injected { slowness: *factor, ..whole },
        _ => whole,
    }
}

/// Returns the effect of a fault on a host's clocks.
fn to_clocks(what: &FaultEffect, host: &str) -> ClockSkew {
    let right = ClockSkew::default();
    match what {
        FaultEffect::ClockJump(name, ahead) if name == host => ClockSkew { ahead: *ahead, ..right },
        FaultEffect::ClockDrift(name, drift) if name == host => ClockSkew { drift: *drift, ..right },
        _ => right,
    }
}

/// Returns the factor by which a fault slows packets between two hosts down.
fn slowness(what: &FaultEffect, one: &str, other: &str) -> u32 {
    match what {
        FaultEffect::Slow(first, second, factor)
            if [(one, other), (other, one)].contains(&(first.as_str(), second.as_str())) =>
        {
            *factor
        }
        _ => 1,
    }
}

impl World {
    /// Updates a link, or a host's disk or clocks, to reflect all active faults of the same kind as
    /// `what`, after `what` has begun or ended.
    pub(super) fn settle(&self, inhabitants: &dyn Inhabitants, what: &FaultEffect, [host, other]: [usize; 2]) {
        let [name, other_name] = what.hosts();
        match what {
            FaultEffect::Slow(..) => {
                let of = |what: &FaultEffect| slowness(what, name, other_name);
                let worst = self.faults.lock().under_way().map(of).max();
                self.network().slow(host, other, worst.unwrap_or(1));
            }
            FaultEffect::BuffersFull(_) => {
                let are_full = self.faults.lock().under_way().any(|other| other == what);
                self.network().fill_buffers(host, SetBy::Fault, are_full);
            }
            FaultEffect::DiskFull(_) | FaultEffect::DiskFailing(..) | FaultEffect::DiskSlow(..) => {
                let none = Injected::default();
                let all = self.faults.lock().under_way().fold(none, |all, what| all.and(to_disk(what, name)));
                self.disks().inject(host, all);
            }
            FaultEffect::ClockJump(..) | FaultEffect::ClockDrift(..) => {
                let none = ClockSkew::default();
                let all = self.faults.lock().under_way().fold(none, |all, what| all.and(to_clocks(what, name)));
                self.clocks().inject(host, inhabitants.now(), all);
            }
            FaultEffect::Crash(_) | FaultEffect::Cut(..) | FaultEffect::CutOneWay(..) | FaultEffect::Reset(..) => {}
        }
    }
}
