//! Copies of cells are equal to them; parts of permits add up.
#![cfg(not(wsrt_loom))]

use std::sync::Arc;
use wsrt_sync::{Mutex, OnceCell, RwLock, Semaphore, SetOnce};

#[test]
fn a_copy_of_a_cell_has_its_value() {
    let (empty, full) = (OnceCell::new(), OnceCell::from(7));
    assert_eq!((empty.clone().get(), full.clone().get()), (None, Some(&7)));
    assert!(full == full.clone() && full != empty && full != OnceCell::from(8));
    let (empty, full) = (SetOnce::new(), SetOnce::from(7));
    assert_eq!((empty.clone().get(), full.clone().get()), (None, Some(&7)));
    assert!(full == full.clone() && full != empty && full != SetOnce::from(8));
}

#[test]
fn merged_permits_are_as_many_as_both() {
    let semaphore = Arc::new(Semaphore::new(9));
    let mut two = semaphore.try_acquire_many(2).expect("free");
    two.merge(semaphore.try_acquire_many(3).expect("free"));
    assert_eq!((two.num_permits(), semaphore.available_permits()), (5, 4));
    drop(two);
    let mut two = Arc::clone(&semaphore).try_acquire_many_owned(2).expect("free");
    two.merge(Arc::clone(&semaphore).try_acquire_many_owned(3).expect("free"));
    assert_eq!((two.num_permits(), semaphore.available_permits()), (5, 4));
    drop(two);
    assert_eq!(semaphore.available_permits(), 9);
}

#[test]
fn permits_split_off_are_those_that_are_missing() {
    let semaphore = Arc::new(Semaphore::new(9));
    let mut five = semaphore.try_acquire_many(5).expect("free");
    let two = five.split(2).expect("it has five");
    assert!(five.split(4).is_none());
    assert_eq!((five.num_permits(), two.num_permits(), semaphore.available_permits()), (3, 2, 4));
    drop(two);
    assert_eq!(semaphore.available_permits(), 6);
    drop(five);
    let mut five = Arc::clone(&semaphore).try_acquire_many_owned(5).expect("free");
    let two = five.split(2).expect("it has five");
    assert!(five.split(4).is_none());
    assert_eq!((five.num_permits(), two.num_permits(), semaphore.available_permits()), (3, 2, 4));
    drop((two, five));
    assert_eq!(semaphore.available_permits(), 9);
}

#[test]
fn guards_are_written_as_their_values() {
    let (mutex, lock) = (Mutex::new(7), RwLock::new("seven"));
    assert_eq!(mutex.try_lock().expect("free").to_string(), "7");
    assert_eq!(lock.try_read().expect("free").to_string(), "seven");
    assert_eq!(lock.try_write().expect("free").to_string(), "seven");
}
