//! The root future itself spawns many empty tasks and awaits them all.
//!
//! It differs from `spawn_inside` in the place: tokio and smol poll the root future on the thread
//! that called `block_on`, beside the workers, so that each spawn goes through the injector; wsrt
//! runs it on a processor.

use super::{About, Figures, Plan, Runtime, rounds, spawn_inside};

pub(super) const ABOUT: About = About {
    name: "root_spawn",
    summary: "the root future, where `main` runs it, spawns 10,000 empty tasks and awaits them all; per task",
    size: 10_000,
    rounds: 20,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let rounds = plan.rounds(&ABOUT);
    let size = plan.size(&ABOUT);
    let total = runtime.run_as_main(rounds::repeat(rounds, move || spawn_inside::round::<R>(size)));
    Ok(vec![total.per_operation()])
}
