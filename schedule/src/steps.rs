//! The steps of threads: where the running thread lets the schedule choose, waits, begins and ends.

use std::cell::Cell;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::failure::Failure;
use crate::gate::Gate;
use crate::state::{On, State};

/// The schedule under way: one at a time in a process.
static STATE: Mutex<Option<State>> = Mutex::new(None);
/// Its end is announced here.
static ON_OUTCOME: Condvar = Condvar::new();

/// Of a thread that is in no schedule.
const NONE: usize = usize::MAX;

thread_local! {
    /// The thread's number in the schedule. Needs no destructor, so destructors may take steps.
    static CURRENT: Cell<usize> = const { Cell::new(NONE) };
    /// Made first, and therefore dropped last: after every other thread-local value.
    static END: End = const { End };
}

struct End;

impl Drop for End {
    fn drop(&mut self) {
        if current().is_some() {
            leave();
        }
    }
}

type Locked = MutexGuard<'static, Option<State>>;

/// Locks the state for the thread that starts and watches schedules.
pub(crate) fn lock() -> Locked {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until the schedule has an outcome, for a while at most.
pub(crate) fn wait_for_outcome(state: Locked, timeout: std::time::Duration) -> Locked {
    let goes_on = |state: &mut Option<State>| state.as_ref().is_some_and(|state| state.outcome.is_none());
    ON_OUTCOME.wait_timeout_while(state, timeout, goes_on).unwrap_or_else(PoisonError::into_inner).0
}

/// The number of the calling thread in the schedule.
pub(crate) fn current() -> Option<usize> {
    let number = CURRENT.get();
    (number != NONE).then_some(number)
}

/// Shows the state to `f`, if the calling thread runs in a schedule; it is the one that runs.
pub(crate) fn with_state<R>(f: impl FnOnce(&mut State, usize) -> R) -> Option<R> {
    let number = current()?;
    lock().as_mut().map(|state| f(state, number))
}

/// One step: any thread may be next.
pub(crate) fn step() {
    if let Some(number) = current() {
        go_on(number, State::after_step);
    }
}

/// Lets other threads go first. `false` outside a schedule.
pub(crate) fn give_way() -> bool {
    let Some(number) = current() else { return false };
    go_on(number, State::after_yield);
    true
}

/// Lets other threads have the lock that was just given up, before this one goes on.
pub(crate) fn hand_on() {
    if let Some(number) = current() {
        go_on(number, State::after_handing_on);
    }
}

/// Waits until another thread wakes those that wait for `on`, or until that moment: then `false`.
/// In a schedule only.
pub(crate) fn wait(on: On, until: Option<u64>) -> bool {
    let Some(number) = current() else { return true };
    go_on(number, |state| {
        state.begin_wait(on, until);
        state.after_wait()
    });
    with_state(|state, number| !state.threads[number].timed_out).unwrap_or(true)
}

fn go_on(number: usize, choose: impl FnOnce(&mut State) -> Result<usize, Failure>) {
    let mut locked = lock();
    let Some(state) = locked.as_mut() else { return };
    let next = match choose(state) {
        Ok(next) => next,
        Err(failure) => stop(locked, failure),
    };
    if next == number {
        return;
    }
    state.switch_to(next);
    let (mine, theirs) = (Arc::clone(&state.threads[number].gate), Arc::clone(&state.threads[next].gate));
    drop(locked);
    theirs.open();
    mine.pass();
}

/// Ends the schedule with a failure. No thread of it runs again.
pub(crate) fn stop(mut locked: Locked, failure: Failure) -> ! {
    if let Some(state) = locked.as_mut() {
        state.outcome.get_or_insert(Err(failure));
    }
    drop(locked);
    ON_OUTCOME.notify_all();
    // The others wait at their gates, and what they hold is as they left it.
    loop {
        std::thread::park();
    }
}

/// The calling thread becomes the schedule's thread of this number, and waits for its first turn.
pub(crate) fn enter(number: usize, gate: &Gate) {
    CURRENT.set(number);
    END.with(|_| {});
    gate.pass();
}

/// The calling thread, whose program has ended, waits for the others to end. Announces the outcome.
pub(crate) fn end_of_program() {
    with_state(|state, _| {
        state.begin_wait(On::AllEnds, None);
        state.wake_the_last();
    });
    if let Some(number) = current() {
        go_on(number, |state| state.after_wait());
    }
}

/// The calling thread has ended, and the next one runs.
fn leave() {
    let mut locked = lock();
    let Some(state) = locked.as_mut() else { return };
    let is_last = CURRENT.replace(NONE) == 0;
    state.end_running();
    if is_last {
        state.outcome.get_or_insert(Ok(()));
        drop(locked);
        ON_OUTCOME.notify_all();
        return;
    }
    match state.after_wait() {
        Ok(next) => {
            state.switch_to(next);
            let gate = Arc::clone(&state.threads[next].gate);
            drop(locked);
            gate.open();
        }
        Err(failure) => stop(locked, failure),
    }
}
