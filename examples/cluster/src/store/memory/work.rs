//! How long the walks of a step are, counted: no message of a client makes one long.

use std::cell::Cell;

use super::*;

thread_local! {
    /// The steps of this thread's walks through jobs and names.
    pub(super) static STEPS: Cell<usize> = const { Cell::new(0) };
}

fn block_on<F: Future>(future: F) -> F::Output {
    // The store in memory never waits.
    match std::pin::pin!(future).poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => panic!("it waits"),
    }
}

/// Runs a step of a store, and counts those of its walks.
fn steps_of<T>(step: impl Future<Output = T>) -> (usize, T) {
    let before = STEPS.get();
    let output = block_on(step);
    (STEPS.get() - before, output)
}

fn names(count: u64) -> Vec<String> {
    (0..count).map(|number| format!("w{number}")).collect()
}

#[test]
fn a_job_is_found_without_a_walk_through_deques() {
    let store = MemoryStore::new();
    block_on(store.init(&names(1000), 5000)).expect("it is empty");
    let (steps, place) = steps_of(store.find("job4999"));
    assert_eq!((steps, place), (1, Ok(Place::Queued("w999".to_owned()))));
    let (steps, place) = steps_of(store.find("nowhere"));
    assert_eq!((steps, place), (1, Err(StoreError::UnknownJob("nowhere".to_owned()))));
}

#[test]
fn the_starting_state_is_searched_by_worker() {
    let store = MemoryStore::new();
    let most = Limits::default().assumed_workers;
    assert_eq!(block_on(store.assume_starting_state("thief", &names(most - 1))), Ok(true));
    let (steps, place) = steps_of(store.find("nowhere"));
    assert_eq!((steps, place), (1 + most as usize, Err(StoreError::UnknownJob("nowhere".to_owned()))));
    // One more is one too many, and changes nothing.
    let full = Err(StoreError::Full(ASSUMED_WORKERS, most));
    assert_eq!(block_on(store.assume_starting_state("one-more", &[])), full);
    assert_eq!(block_on(store.assume_starting_state("thief", &["one-more".to_owned()])), full);
    assert_eq!(block_on(store.workers()).map(|workers| workers.len() as u64), Ok(most));
}

#[test]
fn the_starting_state_ends_by_one_look_at_each_job() {
    let store = MemoryStore::new();
    let most = Limits::default().assumed_workers;
    assert_eq!(block_on(store.assume_starting_state("thief", &names(most - 1))), Ok(true));
    let (steps, joined) = steps_of(store.join("program"));
    assert_eq!((steps, joined), ((STARTING_JOBS * (most - 1)) as usize, Ok(())));
}

#[test]
fn a_job_is_completed_by_a_walk_through_one_deque() {
    let store = MemoryStore::new();
    block_on(store.init(&names(10), 100)).expect("it is empty");
    let (steps, done) = steps_of(store.complete("w0", "job90", None, "7"));
    assert_eq!((steps, done), (10, Ok(true)));
    let (steps, done) = steps_of(store.complete("w0", "job91", None, "7"));
    let not_held = StoreError::NotHeld { job: "job91".to_owned(), worker: "w0".to_owned() };
    assert_eq!((steps, done), (0, Err(not_held)), "it is with another");
}
