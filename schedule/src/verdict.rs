//! Verdicts of the runtime's own on a schedule.

use crate::state::{On, State, Status, Thread};
use crate::steps;

/// A thread that has gone on by so many steps, with no wait between them, is past what it was at:
/// no stretch of the runtime in which a wake is due has as many.
const FAR: u64 = 1_000;

/// Ends the schedule, as failed. Outside a schedule it does nothing.
pub fn fail(reason: std::fmt::Arguments<'_>) {
    if steps::current().is_some() {
        let locked = steps::lock();
        let Some(failure) = locked.as_ref().map(|state| state.failure(reason.to_string())) else { return };
        steps::stop(locked, failure);
    }
}

/// Lets the other threads of the schedule go on, until each has waited, given way, ended, or taken
/// a thousand steps. So none is where it was, a few steps short of something.
pub fn let_others_go_on() {
    let Some(seen) = steps::with_state(|state, _| progress(&state.threads)) else { return };
    let is_past = |state: &mut State, number: usize| {
        let all = state.threads.iter().zip(&seen).enumerate();
        all.filter(|&(other, _)| other != number).all(|(_, (thread, &(rests, steps)))| {
            let is_at_rest = !matches!(thread.status, Status::Ready | Status::Waiting { on: On::Lock(_), .. });
            is_at_rest || thread.rests != rests || thread.steps - steps > FAR
        })
    };
    while !steps::with_state(is_past).unwrap_or(true) {
        steps::give_way();
    }
}

/// How often each thread has rested, and how many steps it has taken.
fn progress(threads: &[Thread]) -> Vec<(u64, u64)> {
    threads.iter().map(|thread| (thread.rests, thread.steps)).collect()
}
