//! The watcher's work without the locks that others hold.

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::Watcher;
use crate::runtime::Builder;
use crate::scheduler::block_on::block_on;
use crate::scheduler::context::Role;
use crate::scheduler::{Context, shutdown};
use crate::task::SpawnOrigin;
use crate::util::thread_state::{current_thread_number, is_asleep};

/// More than any stall takes to be reported.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits until the thread sleeps that a poll names as it begins.
fn await_asleep(has_begun: &Receiver<u32>) -> u32 {
    let sleeper = has_begun.recv_timeout(PATIENCE).expect("it runs");
    while is_asleep(sleeper) == Some(false) {
        std::thread::yield_now();
    }
    sleeper
}

#[test]
fn a_stall_is_reported_while_the_task_registry_is_locked() {
    for name in [None, Some("stalled")] {
        let (stalled, stalls) = channel();
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(2).on_stall(move |stall| stalled.send(stall.clone()).expect("the test waits"));
        let scheduler = builder.scheduler().expect("a netpoller");
        crate::scheduler::worker::start::start_machines(&scheduler).expect("two threads");
        crate::sysmon::watcher::start(&scheduler).expect("its thread");
        let (began, has_begun) = channel();
        let (release, released) = channel::<()>();
        let origin = SpawnOrigin { spawned_at: Location::caller(), name };
        let stall = async move {
            began.send(()).expect("the test waits");
            released.recv().expect_err("it is dropped");
        };
        let task = scheduler.spawn(stall, origin);
        has_begun.recv_timeout(PATIENCE).expect("it runs");
        let stall =
            scheduler.tasks.with_all_locked(|| stalls.recv_timeout(PATIENCE).expect("the watcher needs no lock"));
        assert_eq!(stall.task_id, task.id().as_u64());
        assert_eq!(stall.task_name.as_deref(), name);
        assert!(std::ptr::eq(stall.spawned_at, origin.spawned_at));
        drop(release);
        block_on(&scheduler, task).expect("no panic");
        shutdown::begin(&scheduler);
        assert!(shutdown::wait(&scheduler, None));
    }
}

/// A machine that was woken has its processor before its thread has a core, and begins no poll.
#[test]
fn idle_between_two_looks_is_in_no_old_poll() {
    let scheduler = Builder::new_multi_thread().worker_threads(1).scheduler().expect("a netpoller");
    let entered = Context::enter(&scheduler, Role::Watching);
    let mut watcher = Watcher::new(&scheduler, &entered, None);
    let hold = || scheduler.idle.acquire().expect("it is idle");
    let give_up = |processor| scheduler.idle.give_up(processor, None);
    let mut is_stuck = || {
        watcher.tick();
        watcher.watched[0].stuck
    };
    let held = hold();
    assert!(!is_stuck() && is_stuck(), "it has begun nothing since");
    give_up(held);
    let held = hold();
    assert!(!is_stuck(), "it was idle");
    give_up(held);
    assert!(!is_stuck());
    let held = hold();
    assert!(!is_stuck(), "it was idle at the last look");
    give_up(held);
    drop(watcher);
    drop(entered);
    shutdown::begin(&scheduler);
    assert!(shutdown::wait(&scheduler, None));
}

#[test]
fn a_timer_behind_a_poll_brings_a_spare_soon() {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1);
    let scheduler = builder.scheduler().expect("a netpoller");
    crate::scheduler::worker::start::start_machines(&scheduler).expect("a thread");
    let (began, has_begun) = channel();
    let (release, released) = channel::<()>();
    let stall = async move {
        let mut waiting = std::pin::pin!(crate::time::sleep(PATIENCE));
        std::future::poll_fn(|cx| std::task::Poll::Ready(_ = waiting.as_mut().poll(cx))).await;
        began.send(current_thread_number()).expect("the test waits");
        released.recv().expect_err("it is dropped");
    };
    let task = scheduler.spawn(stall, Location::caller());
    let _ = await_asleep(&has_begun);
    let entered = Context::enter(&scheduler, Role::Watching);
    let mut watcher = Watcher::new(&scheduler, &entered, None);
    watcher.tick();
    assert_eq!(scheduler.processors.spares(), 0, "the poll may be over soon");
    watcher.tick();
    assert_eq!(scheduler.processors.spares(), 1);
    drop(watcher);
    drop(entered);
    drop(release);
    block_on(&scheduler, task).expect("no panic");
    shutdown::begin(&scheduler);
    assert!(shutdown::wait(&scheduler, None));
}

/// While it waits for a core, a spare would wait beside it; but that may be forever.
#[test]
fn a_starved_poll_denies_no_sleeper_its_spare() {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(3);
    let scheduler = builder.scheduler().expect("a netpoller");
    crate::scheduler::worker::start::start_machines(&scheduler).expect("three threads");
    let (began, has_begun) = channel();
    let (spins, sleeps) = (began.clone(), began);
    let (release, released) = channel::<()>();
    let is_over = Arc::new(AtomicBool::new(false));
    let ends = Arc::clone(&is_over);
    let spinning = async move {
        spins.send(current_thread_number()).expect("the test waits");
        while !ends.load(Relaxed) {}
    };
    let sleeping = async move {
        sleeps.send(current_thread_number()).expect("the test waits");
        released.recv().expect_err("it is dropped");
    };
    let spinning = scheduler.spawn(spinning, Location::caller());
    has_begun.recv_timeout(PATIENCE).expect("it runs");
    let sleeping = scheduler.spawn(sleeping, Location::caller());
    let sleeper = await_asleep(&has_begun);
    let entered = Context::enter(&scheduler, Role::Watching);
    let mut watcher = Watcher::new(&scheduler, &entered, None);
    watcher.tick();
    watcher.tick();
    let is_sleepers = |index: &usize| scheduler.processors.get(*index).watch().state().thread == sleeper;
    let index = (0..watcher.watched.len()).find(is_sleepers).expect("it is in a poll");
    // The one that spins has had no core for most of an hour.
    let later = scheduler.clock.elapsed() + 3_600_000_000_000;
    (0..2).for_each(|_| _ = watcher.compensate(index, later));
    assert_eq!(scheduler.processors.spares(), 1);
    drop(watcher);
    drop(entered);
    is_over.store(true, Relaxed);
    drop(release);
    block_on(&scheduler, spinning).expect("no panic");
    block_on(&scheduler, sleeping).expect("no panic");
    shutdown::begin(&scheduler);
    assert!(shutdown::wait(&scheduler, None));
}
