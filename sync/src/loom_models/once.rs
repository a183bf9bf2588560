//! Models of barriers and cells, where a decision is made once.

use super::{explore, explore_with};
use crate::{Barrier, OnceCell, SetOnce};
use loom::future::block_on;
use loom::sync::Arc;
use loom::thread;

#[test]
fn one_of_two_at_a_barrier_leads() {
    explore(|| {
        let barrier = Arc::new(Barrier::new(2));
        let other = Arc::clone(&barrier);
        let thread = thread::spawn(move || block_on(other.wait()).is_leader());
        let leads = block_on(barrier.wait()).is_leader();
        assert_ne!(leads, thread.join().unwrap());
    });
}

#[test]
fn one_of_two_fills_a_cell() {
    explore_with(2, || {
        let cell = Arc::new(OnceCell::new());
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || *block_on(other.get_or_init(|| async { 1 })));
        let value = *block_on(cell.get_or_init(|| async { 2 }));
        assert_eq!(thread.join().unwrap(), value);
        assert_eq!(cell.get(), Some(&value));
    });
}

#[test]
fn the_next_in_line_fills_a_cell_after_a_failure() {
    explore_with(2, || {
        let cell = Arc::new(OnceCell::new());
        let failing = Arc::clone(&cell);
        let thread = thread::spawn(move || block_on(failing.get_or_try_init(|| async { Err(()) })).copied());
        assert_eq!(*block_on(cell.get_or_init(|| async { 2 })), 2);
        assert!(matches!(thread.join().unwrap(), Err(()) | Ok(2)));
    });
}

#[test]
fn a_value_that_is_set_ends_the_wait() {
    explore(|| {
        let cell = Arc::new(SetOnce::new());
        let setting = Arc::clone(&cell);
        let setter = thread::spawn(move || setting.set(7).is_ok());
        assert_eq!(*block_on(cell.wait()), 7);
        assert!(setter.join().unwrap());
    });
}
