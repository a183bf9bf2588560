//! Named points in a program at which a fault may occur.

use crate::scheduler::Context;

/// Returns `true` if the fault with the name `point` should occur at this call.
///
/// Outside simulations, this function returns `false`. In a simulation, the seed first determines
/// whether the point is armed, which it is in one run of four. A call at an armed point returns
/// `true` once in twenty calls. Therefore most runs contain few kinds of faults, but these occur
/// often enough to meet each other. The calls that return `true` are part of the run's
/// [`Plan`](super::Plan). A plan that is given to a run determines them.
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
