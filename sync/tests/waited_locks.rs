//! A lock that tasks wait for is found, with its holder and its waiters as they are.
#![cfg(not(wsrt_loom))]

use std::future::Future;
use std::num::NonZeroU64;
use std::pin::Pin;
use std::ptr;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Instant;
use wsrt_sync::current_task::{self, LockOwner};
use wsrt_sync::wait::WaitKind;
use wsrt_sync::waited_locks::{ContendedLock, locks_with};
use wsrt_sync::{Mutex, RwLock, Semaphore};

/// A waker without a task, with its own address.
struct Nobody(#[expect(dead_code, reason = "for its size")] u8);

impl Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}

fn a_waker() -> Waker {
    Waker::from(Arc::new(Nobody(0)))
}

fn number(task: u64) -> NonZeroU64 {
    NonZeroU64::new(task).expect("not zero")
}

fn owner(task: u64) -> LockOwner {
    LockOwner::of_task(number(task))
}

fn as_task<T>(task: u64, act: impl FnOnce() -> T) -> T {
    let _current = current_task::enter(number(task));
    act()
}

fn poll<F: Future + ?Sized>(future: &mut Pin<Box<F>>, waker: &Waker) -> Poll<F::Output> {
    wsrt_sync::budget::refill();
    future.as_mut().poll(&mut Context::from_waker(waker))
}

/// Makes `task` wait for what `future` waits for.
fn wait<F: Future>(task: u64, future: F) -> Pin<Box<F>> {
    let mut future = Box::pin(future);
    assert!(as_task(task, || poll(&mut future, &a_waker())).is_pending());
    future
}

fn locks() -> Vec<ContendedLock> {
    locks_with(usize::MAX, |_, _| false).expect("no limit was given")
}

/// The lock that lies at this place, if tasks wait for it.
fn found<T>(lock: &T) -> Option<ContendedLock> {
    let at = ptr::from_ref(lock).addr();
    locks().into_iter().find(|found| (at..at + size_of::<T>()).contains(&found.address()))
}

fn waiters(lock: &ContendedLock) -> Vec<(LockOwner, WaitKind)> {
    lock.waiters().iter().map(|waiter| (waiter.owner, waiter.kind)).collect()
}

#[test]
fn holder_and_waiters_are_found_in_order() {
    let (mutex, line) = (Mutex::new(()), line!());
    assert!(found(&mutex).is_none());
    let guard = as_task(1, || mutex.try_lock().expect("free"));
    let second = wait(2, mutex.lock());
    let _third = wait(3, mutex.lock());
    let seen = found(&mutex).expect("two wait");
    assert_eq!((seen.place().file(), seen.place().line()), (file!(), line));
    assert_eq!((seen.holder(), seen.has_owned_guard()), (owner(1), false));
    assert_eq!(waiters(&seen), [(owner(2), WaitKind::Mutex), (owner(3), WaitKind::Mutex)]);
    assert!(seen.held_since().is_some_and(|since| since <= Instant::now()));
    assert!(seen.is_unchanged());
    drop(guard);
    assert!(!seen.is_unchanged());
    let seen = found(&mutex).expect("the third waits");
    assert_eq!(seen.holder(), owner(2));
    assert_eq!(waiters(&seen), [(owner(3), WaitKind::Mutex)]);
    assert_eq!(seen.held_since(), None);
    drop(second);
    assert!(found(&mutex).is_none(), "the third has it");
}

#[test]
fn the_time_is_read_for_each_sixteenth_waiter() {
    let mutex = Mutex::new(());
    let guard = mutex.try_lock().expect("free");
    let mut waiting = vec![wait(1, mutex.lock())];
    drop(guard);
    for task in 2..=16 {
        waiting.push(wait(task, mutex.lock()));
        assert_eq!(found(&mutex).expect("one waits").held_since(), None, "{task}");
    }
    waiting.push(wait(17, mutex.lock()));
    let read = found(&mutex).expect("some wait").held_since();
    assert!(read.is_some());
    for task in 18..=33 {
        waiting.push(wait(task, mutex.lock()));
    }
    assert_eq!(found(&mutex).expect("some wait").held_since(), read, "it is the same holder");
}

#[test]
fn a_guard_that_borrows_nothing_is_told_apart() {
    let mutex = Arc::new(Mutex::new(()));
    let guard = as_task(1, || Arc::clone(&mutex).try_lock_owned().expect("free"));
    let mut second = wait(2, Arc::clone(&mutex).lock_owned());
    let _third = wait(3, mutex.lock());
    let seen = found(&*mutex).expect("two wait");
    assert_eq!((seen.holder(), seen.has_owned_guard()), (owner(1), true));
    drop(guard);
    let seen = found(&*mutex).expect("one waits");
    assert_eq!((seen.holder(), seen.has_owned_guard()), (owner(2), false), "it has no guard yet");
    let guard = as_task(2, || poll(&mut second, &a_waker()));
    let seen = found(&*mutex).expect("one waits");
    assert_eq!((seen.holder(), seen.has_owned_guard()), (owner(2), true));
    drop(guard);
}

#[test]
fn a_waiter_is_found_by_its_waker() {
    let semaphore = Semaphore::new(0);
    let waker = a_waker();
    let mut waiting = Box::pin(semaphore.acquire());
    assert!(as_task(1, || poll(&mut waiting, &waker)).is_pending());
    let seen = found(&semaphore).expect("one waits");
    assert_eq!(seen.waiters()[0].waker, waker.data().addr());
    assert_eq!(seen.waiters()[0].vtable, ptr::from_ref(waker.clone().vtable()).addr());
}

#[test]
fn a_wait_that_moves_to_another_task_is_found_there() {
    let semaphore = Semaphore::new(0);
    let mut waiting = wait(1, semaphore.acquire());
    let seen = found(&semaphore).expect("one waits");
    assert!(as_task(1, || poll(&mut waiting, &a_waker())).is_pending());
    assert!(seen.is_unchanged());
    assert!(as_task(2, || poll(&mut waiting, &a_waker())).is_pending());
    assert!(!seen.is_unchanged());
    assert_eq!(waiters(&found(&semaphore).expect("one waits")), [(owner(2), WaitKind::Semaphore)]);
}

#[test]
fn waits_outside_of_tasks_are_left_out() {
    let lock = RwLock::new(());
    let guard = lock.try_write().expect("free");
    let mut outside = Box::pin(lock.read());
    assert!(poll(&mut outside, &a_waker()).is_pending());
    assert!(found(&lock).is_none());
    let _inside = wait(1, lock.write());
    let seen = found(&lock).expect("one waits");
    assert_eq!(seen.holder(), LockOwner::current(), "no task");
    assert_eq!(waiters(&seen), [(owner(1), WaitKind::RwLockWrite)]);
    drop(guard);
}

#[test]
fn a_future_that_a_thread_waits_for_is_no_task() {
    let root = LockOwner::of_root(number(7));
    assert!(root.is_root() && !owner(7).is_root());
    assert_eq!((root.task(), owner(7).task()), (None, Some(number(7))));
    let mutex = Mutex::new(());
    let current = current_task::put(root);
    let guard = mutex.try_lock().expect("free");
    as_task(8, || assert_eq!(current_task::get(), Some(number(8))));
    assert_eq!((LockOwner::current(), current_task::get()), (root, None));
    drop(current);
    let _waiting = wait(8, mutex.lock());
    assert_eq!(found(&mutex).expect("one waits").holder(), root);
    drop(guard);
}

#[test]
fn permits_that_are_forgotten_have_no_holder() {
    let semaphore = Arc::new(Semaphore::new(1));
    as_task(1, || semaphore.try_acquire().expect("free").forget());
    let waiting = wait(2, semaphore.acquire());
    assert_eq!(found(&*semaphore).expect("one waits").holder(), LockOwner::current());
    drop(waiting);
    semaphore.add_permits(1);
    as_task(1, || Arc::clone(&semaphore).try_acquire_owned().expect("free").forget());
    let _waiting = wait(2, semaphore.acquire());
    assert_eq!(found(&*semaphore).expect("one waits").holder(), LockOwner::current());
}

#[test]
fn a_lock_is_promised_until_its_future_is_polled() {
    let mutex = Mutex::new(());
    let guard = as_task(1, || mutex.try_lock().expect("free"));
    let mut second = wait(2, mutex.lock());
    let _third = wait(3, mutex.lock());
    let promised_to = || found(&mutex).expect("one waits").promised_to();
    assert_eq!(promised_to(), None);
    drop(guard);
    assert_eq!(promised_to(), Some(owner(2)));
    let guard = as_task(2, || poll(&mut second, &a_waker()));
    assert!(guard.is_ready());
    assert_eq!(promised_to(), None);
}

#[test]
fn a_wait_beside_an_unpolled_future_is_told() {
    let mutex = Mutex::new(());
    let guard = as_task(1, || mutex.try_lock().expect("free"));
    let first = wait(2, mutex.lock());
    let mut second = wait(2, mutex.lock());
    let mut poll_as = |task| {
        assert!(as_task(task, || poll(&mut second, &a_waker())).is_pending());
        found(&mutex).expect("one waits").waiters().last().expect("it does").is_behind_unpolled
    };
    assert!(!poll_as(2), "another task holds the lock");
    drop(guard);
    assert_eq!([2, 2, 3, 2].map(&mut poll_as), [false, true, false, false]);
    drop(first);
}

#[test]
fn each_hand_over_to_another_future_counts_anew() {
    let permits = Semaphore::new(1);
    let held = as_task(1, || permits.try_acquire().expect("it is free"));
    let [mut first, second, mut last] = [(); 3].map(|()| wait(2, permits.acquire()));
    let mut is_behind_unpolled = || {
        assert!(as_task(2, || poll(&mut last, &a_waker())).is_pending());
        found(&permits).expect("one waits").waiters().last().expect("it does").is_behind_unpolled
    };
    drop(held);
    assert!(!is_behind_unpolled());
    assert!(as_task(2, || poll(&mut first, &a_waker())).is_ready(), "the permit is fetched, and given back");
    assert_eq!([(); 2].map(|()| is_behind_unpolled()), [false, true], "the second one has it");
    drop(second);
}

#[test]
fn a_future_polled_before_the_waiter_is_no_futurelock() {
    let permits = Semaphore::new(1);
    let held = as_task(1, || permits.try_acquire().expect("it is free"));
    let [mut first, mut last] = [(); 2].map(|()| wait(2, permits.acquire()));
    wsrt_sync::budget::refill();
    as_task(2, || {
        let waker = a_waker();
        let mut context = Context::from_waker(&waker);
        assert!(first.as_mut().poll(&mut context).is_pending());
        drop(held);
        assert!(last.as_mut().poll(&mut context).is_pending(), "the first one has it, and was polled before");
    });
    assert!(as_task(2, || poll(&mut last, &a_waker())).is_pending(), "in the next poll it comes before the first one");
    assert!(found(&permits).expect("one waits").waiters().iter().all(|waiter| !waiter.is_behind_unpolled));
    drop(first);
}

#[test]
fn a_wait_is_up_to_the_future_with_all_permits() {
    let permits = Semaphore::new(3);
    let held = [1, 2].map(|count| as_task(1, || permits.try_acquire_many(count).expect("they are free")));
    let [first, second] = [1, 2].map(|count| wait(2, permits.acquire_many(count)));
    let last = wait(2, permits.acquire());
    let is_up_to_blocker = || found(&permits).expect("one waits").is_up_to_blocker(WaitKind::Semaphore);
    let mut held = held.into_iter();
    drop(held.next());
    assert!(!is_up_to_blocker(), "another task has two permits");
    drop(held.next());
    assert!(is_up_to_blocker());
    drop(second);
    drop(last);
    let _many = wait(2, permits.acquire_many(3));
    assert!(is_up_to_blocker(), "the waiter has all that the future does not have");
    let _of_another = wait(3, permits.acquire());
    assert!(is_up_to_blocker());
    permits.add_permits(1);
    assert!(!is_up_to_blocker(), "more might be added");
    drop(first);
}

#[test]
fn the_list_is_read_only_if_it_is_short() {
    let semaphore = Semaphore::new(0);
    let _waiting = wait(1, semaphore.acquire());
    assert!(locks_with(0, |_, _| false).is_none());
    let few = locks_with(usize::MAX, |_, _| false).expect("so many are few");
    assert!(few.iter().any(|lock| lock.address() == found(&semaphore).expect("one waits").address()));
}

#[test]
fn a_dropped_lock_is_found_no_more() {
    let semaphore = Box::new(Semaphore::new(0));
    std::mem::forget(wait(1, {
        // Leaked, with its place in line: only the lock itself takes that away.
        let semaphore: *const Semaphore = &raw const *semaphore;
        // SAFETY: it is polled once, while the semaphore is there, and never dropped.
        unsafe { &*semaphore }.acquire()
    }));
    let seen = found(&*semaphore).expect("one waits");
    let (place, address) = (seen.place(), seen.address());
    drop(semaphore);
    assert!(!locks().iter().any(|lock| (lock.place(), lock.address()) == (place, address)));
}
