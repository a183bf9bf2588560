//! Runs of a program under many seeds.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use crate::failure::Failure;
use crate::state::State;
use crate::steps;

/// A schedule without a step for so long is blocked in a call of the system that it knows nothing
/// of.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);
/// Panics that a failure shows: the last ones.
const MOST_PANICS: usize = 8;

/// Schedules run in turn.
static TURN: Mutex<()> = Mutex::new(());

/// Reports how a schedule went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explored {
    /// Steps taken.
    pub steps: u64,
    /// Threads that there were.
    pub threads: usize,
    /// A number that two schedules have in common only if they are the same.
    pub trace: u64,
}

/// Runs `program` under each of `seeds`, until it fails under one. Returns the sum of all, whose
/// `trace` is the last one's.
///
/// # Errors
///
/// Returns the first failure. Its threads are left as they are.
pub fn explore(
    seeds: impl IntoIterator<Item = u64>,
    program: impl Fn() + Send + Sync + 'static,
) -> Result<Explored, Failure> {
    let program = Arc::new(program);
    let mut sum = Explored { steps: 0, threads: 0, trace: 0 };
    for seed in seeds {
        let program = Arc::clone(&program);
        let one = replay(seed, move || program())?;
        sum = Explored { steps: sum.steps + one.steps, threads: sum.threads + one.threads, trace: one.trace };
    }
    Ok(sum)
}

/// Runs `program` under one seed.
///
/// # Errors
///
/// Returns its failure. Its threads are left as they are.
///
/// # Panics
///
/// Panics if the system refuses a thread for the program.
pub fn replay(seed: u64, program: impl FnOnce() + Send + 'static) -> Result<Explored, Failure> {
    static HOOK: Once = Once::new();
    HOOK.call_once(keep_panics);
    crate::time::origin();
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut state = State::new(seed);
    let number = state.add("program".into());
    let gate = Arc::clone(&state.threads[number].gate);
    gate.open();
    *steps::lock() = Some(state);
    let thread = std::thread::Builder::new().name("program".into()).spawn(move || {
        steps::enter(number, &gate);
        if catch_unwind(AssertUnwindSafe(program)).is_err() {
            fail("the program panicked");
        }
        steps::end_of_program();
    });
    let thread = thread.expect("the system starts a thread");
    let state = outcome();
    match state.outcome.clone() {
        Some(Ok(())) | None => {
            let _ = thread.join();
            Ok(Explored { steps: state.steps, threads: state.threads.len(), trace: state.trace })
        }
        Some(Err(failure)) => Err(failure),
    }
}

/// Ends the schedule of the calling thread.
fn fail(reason: &str) -> ! {
    let locked = steps::lock();
    let failure = locked.as_ref().expect("a schedule is under way").failure(reason);
    steps::stop(locked, failure)
}

/// Waits for the outcome of the schedule under way.
fn outcome() -> State {
    let mut seen = None;
    loop {
        let mut locked = steps::wait_for_outcome(steps::lock(), LONGEST_SILENCE);
        let state = locked.as_mut().expect("a schedule is under way");
        if state.outcome.is_none() && seen == Some(state.steps) {
            state.outcome = Some(Err(state.failure("the running thread is blocked outside the schedule")));
        }
        seen = Some(state.steps);
        if state.outcome.is_some() {
            return locked.take().expect("a schedule is under way");
        }
    }
}

/// Keeps the panics of schedules for the report, in place of printing them: programs panic on
/// purpose.
fn keep_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
        let kept = steps::with_state(|state, number| {
            let name = state.threads[number].name.clone();
            if state.panics.len() == MOST_PANICS {
                state.panics.remove(0);
            }
            state.panics.push(format!("{name:?}: {info}").replace('\n', " "));
        });
        if kept.is_none() {
            before(info);
        }
    }));
}
