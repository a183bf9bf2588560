//! Points in a program at which a fault may happen.

use crate::scheduler::Context;

/// Returns `true` if the fault that `point` names should happen here and now.
///
/// Outside simulations it never is. In one, the seed decides first whether the point is armed in
/// this run, which it is in one of four; an armed point answers `true` one time in twenty. So most
/// runs have few kinds of faults, and those often enough to meet. The calls that answer `true` are
/// part of the run's [`Plan`](super::Plan), and a plan that is given to the run decides them.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// async fn commit() {
///     if wsrt::sim::maybe("slow commit") {
///         wsrt::time::sleep(Duration::from_secs(5)).await;
///     }
/// }
///
/// let slow = (0..200).filter(|&seed| {
///     wsrt::sim::run(seed, |sim| async move {
///         commit().await;
///         sim.record().elapsed() > Duration::from_secs(5)
///     })
/// });
/// assert!((1..20).contains(&slow.count()));
/// assert!(!wsrt::sim::maybe("slow commit"), "here is no simulation");
/// ```
#[must_use]
pub fn maybe(point: &str) -> bool {
    let Some(context) = Context::of_simulation() else { return false };
    let Some(simulation) = context.scheduler().simulation.as_ref() else { return false };
    simulation.world().fires(point)
}
