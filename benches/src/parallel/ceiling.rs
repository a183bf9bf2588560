//! The best that can be reached. The machine's ceiling: a spin on each core at once, beside one
//! spin alone; no pool can do better than that, and a virtual machine may give less than it
//! promises. And that of each loop: the figure of a schedule that costs nothing on its tasks in
//! their order.

use std::sync::Barrier;
use std::thread;

use super::costs;
use super::request::Request;
use super::rhythm::Rhythm;
use super::spin::{Speed, nanos_of, spin};
use crate::Failure;
use crate::cores;
use crate::harness::Series;

/// The time that each core spins: about its part of the loop of 512 tasks.
const NANOS: u32 = 330_000;

pub(super) const SPINS: &str = "pinned spins";

pub(super) fn serve(request: &Request) -> Result<Series, Failure> {
    if request.case == SPINS {
        of_machine(&request.cores.measured)
    } else {
        of_loop(&request.case, request.processors())
    }
}

fn of_loop(name: &str, processors: usize) -> Result<Series, Failure> {
    let costs = costs::of(name)?;
    let mut series = Series::default();
    series.add("serial", [costs.iter().copied().map(f64::from).sum()]);
    series.add("parallel", [costs::in_order(&costs, processors)]);
    Ok(series)
}

fn of_machine(cores: &[usize]) -> Result<Series, Failure> {
    let steps = Speed::measure()?.steps(NANOS);
    let rhythm = Rhythm::hot(u64::from(NANOS) * cores.len() as u64);
    let alone = |times| (0..times).map(|_| nanos_of(|| cores.iter().for_each(|_| spin(steps)))).collect();
    Ok(rhythm.alternate(alone, |times| together(cores, times, steps)))
}

/// Runs one spin on each core, each in a thread that stays there. Returns how long the slowest took
/// of each time.
fn together(cores: &[usize], times: usize, steps: u32) -> Vec<f64> {
    let barrier = Barrier::new(cores.len());
    let barrier = &barrier;
    let spin_on = |core: usize| {
        move || {
            cores::stay_on(&[core]).expect("it is one of the cores of this process");
            let spin_once = |_| {
                barrier.wait();
                nanos_of(|| spin(steps))
            };
            (0..times).map(spin_once).collect::<Vec<f64>>()
        }
    };
    let of_each: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = cores.iter().map(|&core| scope.spawn(spin_on(core))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a spin does not panic")).collect()
    });
    (0..times).map(|time| of_each.iter().map(|nanos| nanos[time]).fold(0.0, f64::max)).collect()
}
