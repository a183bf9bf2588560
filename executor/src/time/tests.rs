//! The promises of sleeps, timeouts and intervals, on a runtime.

use std::cell::RefCell;
use std::future::{Future, pending, poll_fn, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use tokio_test::task::{Spawn, spawn};
use tokio_test::{assert_pending, assert_ready, assert_ready_eq, assert_ready_err};
use wsrt_sync::drop_in::SHUT_DOWN;

use super::{
    Duration, Instant, Interval, MissedTickBehavior, Sleep, Timeout, interval, interval_at, sleep, sleep_until, timeout,
};
use crate::runtime::{Builder, EnterGuard, Runtime};
use crate::scheduler;
use crate::task::{JoinSet, yield_now};
use crate::util::rng::FastRand;

const HOUR: Duration = Duration::from_secs(3_600);

/// Waits until `task` is woken, which it never will be if that takes this long.
async fn until_woken<T>(task: &Spawn<T>) {
    let began = Instant::now();
    while !task.is_woken() {
        assert!(began.elapsed() < Duration::from_secs(20), "no task was woken");
        yield_now().await;
    }
}

fn single() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime is to be had")
}

/// A runtime whose time stands while its tasks run, however long their thread is kept from a core.
fn paused() -> Runtime {
    Builder::new_current_thread().start_paused(true).build().expect("a runtime is to be had")
}

/// Timers held by the current runtime, with cancelled ones that are not yet removed.
fn timers() -> usize {
    scheduler::Context::with(|context| {
        let scheduler = context.expect("the tests ask inside a runtime").scheduler();
        scheduler.processors.iter().map(|processor| processor.timers().len()).sum()
    })
}

/// The message of `f`'s panic.
fn panic_message<R: std::fmt::Debug>(f: impl FnOnce() -> R) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("it has to panic");
    payload.downcast_ref::<String>().cloned().unwrap_or_else(|| String::from(*payload.downcast_ref::<&str>().unwrap()))
}

#[test]
fn waiting_futures_may_be_sent_and_shared() {
    fn sent_and_shared<T: Send + Sync>() {}
    fn moved<T: Unpin>() {}
    sent_and_shared::<Sleep>();
    sent_and_shared::<Timeout<std::future::Ready<()>>>();
    sent_and_shared::<Interval>();
    moved::<Interval>();
}

#[test]
#[cfg_attr(feature = "drop-in", ignore = "as in tokio, timers are made in a runtime")]
fn the_first_poll_outside_a_runtime_panics_with_advice() {
    let message = panic_message(|| spawn(sleep(HOUR)).poll());
    assert_eq!(
        message,
        "wsrt: a `Sleep` was polled outside a wsrt runtime: await it inside `#[wsrt::main]`, a spawned task or \
         `Runtime::block_on`"
    );
    let message = panic_message(|| spawn(timeout(HOUR, pending::<()>())).poll());
    assert!(message.starts_with("wsrt: a `Timeout` was polled outside a wsrt runtime"), "{message}");
    let message = panic_message(|| spawn(interval(HOUR).tick()).poll());
    assert!(message.starts_with("wsrt: an `Interval` was polled outside a wsrt runtime"), "{message}");
}

#[test]
fn a_wait_on_an_ended_runtime_panics() {
    let runtime = single();
    let handle = runtime.handle().clone();
    drop(runtime);
    let _entered = handle.enter();
    let message = panic_message(|| spawn(sleep(HOUR)).poll());
    let words = format!("wsrt: {SHUT_DOWN}a `Sleep` was polled after its runtime had been shut down");
    assert!(message.starts_with(&words), "{message}");
}

#[test]
#[cfg_attr(feature = "drop-in", ignore = "as in tokio, timers are made in a runtime")]
fn a_timeout_of_a_ready_future_needs_no_runtime() {
    assert_ready_eq!(spawn(timeout(HOUR, ready(7))).poll(), Ok(7));
    single().block_on(async {
        for _ in 0..100 {
            assert_eq!(timeout(HOUR, ready(7)).await, Ok(7));
        }
        assert_eq!(timers(), 0);
    });
}

#[test]
fn a_deadline_in_the_past_needs_no_timer() {
    single().block_on(async {
        // Ready without a turn of the loop, in which timers fire.
        assert_ready!(spawn(sleep_until(Instant::now())).poll());
        assert_ready!(spawn(sleep(Duration::ZERO)).poll());
        assert_ready_err!(spawn(timeout(Duration::ZERO, pending::<()>())).poll());
        assert_eq!(timers(), 0);
    });
}

#[test]
fn the_output_counts_even_when_the_time_is_over() {
    single().block_on(async {
        assert_eq!(timeout(Duration::ZERO, ready(7)).await, Ok(7));
    });
}

#[test]
fn no_sleep_is_early_on_any_processor() {
    let runtime = Builder::new_multi_thread().worker_threads(4).build().expect("a runtime is to be had");
    runtime.block_on(async {
        let mut rng = FastRand::from_seed(3);
        let mut sleepers: JoinSet<()> = (0..500)
            .map(|_| Duration::from_nanos(rng.below(20_000_000) as u64))
            .map(|duration| async move {
                let began = Instant::now();
                sleep(duration).await;
                assert!(began.elapsed() >= duration, "{duration:?} were over after {:?}", began.elapsed());
            })
            .collect();
        while let Some(slept) = sleepers.join_next().await {
            slept.expect("no sleep is early");
        }
    });
}

#[test]
fn durations_beyond_the_clock_wait() {
    single().block_on(async {
        for duration in [Duration::MAX, Duration::from_secs(u64::MAX / 2), Duration::from_secs(1 << 40)] {
            assert_pending!(spawn(sleep(duration)).poll());
            assert_pending!(spawn(timeout(duration, pending::<()>())).poll());
            let mut clock = interval(duration);
            clock.tick().await;
            assert_pending!(spawn(clock.tick()).poll());
            clock.reset_after(duration);
            assert_pending!(spawn(clock.tick()).poll());
        }
    });
}

#[test]
fn dropping_a_sleep_lets_go_of_its_waker() {
    single().block_on(async {
        let mut task = spawn(());
        {
            let mut wait = pin!(sleep(HOUR));
            assert_pending!(task.enter(|cx, _| wait.as_mut().poll(cx)));
            assert_eq!(task.waker_ref_count(), 2);
        }
        assert_eq!(task.waker_ref_count(), 1);
    });
}

#[test]
fn a_million_timeouts_that_are_not_needed_leave_few_timers() {
    single().block_on(async {
        for _ in 0..1_000_000 {
            let unneeded = timeout(HOUR, pending::<()>());
            assert_pending!(spawn(unneeded).poll());
        }
        assert!(timers() < 1_000, "{} timers are left", timers());
    });
}

#[test]
fn a_finished_sleep_stays_so_until_it_is_reset() {
    paused().block_on(async {
        let mut wait = pin!(sleep(Duration::from_millis(1)));
        assert!(!wait.is_elapsed());
        wait.as_mut().await;
        assert!(wait.is_elapsed());
        wait.as_mut().await;

        let deadline = Instant::now() + Duration::from_millis(1);
        wait.as_mut().reset(deadline);
        assert!(!wait.is_elapsed());
        assert_eq!(wait.deadline(), deadline);
        wait.await;
        assert!(Instant::now() >= deadline);
    });
}

#[test]
fn a_reset_wakes_a_task_that_waits_without_another_poll() {
    single().block_on(async {
        for sooner in [Duration::ZERO, Duration::from_millis(1)] {
            let mut wait = spawn(sleep(HOUR));
            assert_pending!(wait.poll());
            wait.enter(|_, sleep| sleep.reset(Instant::now() + sooner));
            until_woken(&wait).await;
            assert!(wait.enter(|_, sleep| sleep.is_elapsed()));
            assert_ready!(wait.poll());
        }
    });
}

#[test]
fn a_reset_to_a_later_deadline_silences_the_earlier_one() {
    paused().block_on(async {
        let mut wait = spawn(sleep(Duration::from_millis(1)));
        assert_pending!(wait.poll());
        wait.enter(|_, sleep| sleep.reset(Instant::now() + HOUR));
        sleep(Duration::from_millis(3)).await;
        assert!(!wait.is_woken());
        assert_pending!(wait.poll());
    });
}

/// Returns a wait for an hour that `runtime` has begun.
#[expect(clippy::async_yields_async, reason = "the caller awaits it")]
fn a_wait_in(runtime: &Runtime) -> Spawn<Sleep> {
    runtime.block_on(async {
        let mut wait = spawn(sleep(HOUR));
        assert_pending!(wait.poll());
        wait
    })
}

#[test]
fn a_reset_outside_a_runtime_wakes_the_waiter() {
    let runtime = single();
    let mut wait = a_wait_in(&runtime);

    let deadline = Instant::now() + HOUR / 2;
    thread::scope(|scope| {
        let reset = || wait.enter(|_, sleep| sleep.reset(deadline));
        scope.spawn(reset).join().expect("a reset needs no runtime");
    });

    runtime.block_on(async {
        until_woken(&wait).await;
        assert_pending!(wait.poll());
        let deadline = Instant::now() + Duration::from_millis(5);
        wait.enter(|_, sleep| sleep.reset(deadline));
        wait.await;
        assert!(Instant::now() >= deadline);
    });
}

#[test]
fn a_reset_in_another_runtime_leaves_the_timer_at_home() {
    let (home, other) = (single(), single());
    let mut wait = a_wait_in(&home);
    other.block_on(async {
        wait.enter(|_, sleep| sleep.reset(Instant::now() + HOUR / 2));
        assert_eq!((wait.is_woken(), timers()), (true, 0), "the task that waits is to arm it, at home");
    });
    drop(other);
    home.block_on(async {
        assert_pending!(wait.poll());
        assert!(timers() >= 1);
        wait.enter(|_, sleep| sleep.reset(Instant::now() + Duration::from_millis(5)));
        wait.await;
    });
}

#[test]
fn a_reset_after_the_end_moves_to_another_runtime() {
    let ending = single();
    let mut wait = a_wait_in(&ending);
    drop(ending);
    single().block_on(async {
        wait.enter(|_, sleep| sleep.reset(Instant::now() + Duration::from_millis(5)));
        wait.await;
    });
}

#[test]
fn a_delay_between_connects_is_over_when_the_runtime_is() {
    let runtime = single();
    let entered = runtime.enter();
    let services = wsrt_reactor::context::current().expect("it is entered");
    let mut delay = spawn(services.services().delay(HOUR));
    assert_pending!(delay.poll());
    drop(entered);
    drop(runtime);
    assert!(delay.is_woken());
    assert_ready!(delay.poll());
}

#[test]
fn ticks_come_at_once_and_then_a_period_apart() {
    single().block_on(async {
        let period = Duration::from_millis(2);
        let mut clock = interval(period);
        assert!(poll_fn(|cx| Poll::Ready(clock.poll_tick(cx).is_ready())).await);
        let second = clock.tick().await;
        assert!(Instant::now() >= second);
        assert_eq!(clock.tick().await - second, period);
    });
}

#[test]
fn a_tick_not_returned_is_returned_by_the_next_call() {
    paused().block_on(async {
        let start = Instant::now() + Duration::from_millis(2);
        let mut clock = interval_at(start, HOUR);
        for _ in 0..3 {
            assert_pending!(spawn(clock.tick()).poll());
        }
        assert_eq!(clock.tick().await, start);
    });
}

#[test]
fn past_ticks_are_made_up_for_as_configured() {
    single().block_on(async {
        let period = HOUR;
        let start = Instant::now().checked_sub(period * 3 - period / 2).expect("the clock goes back some hours");
        let ticks_at_once = async |behavior| {
            let mut clock = interval_at(start, period);
            clock.set_missed_tick_behavior(behavior);
            let mut ticks = Vec::new();
            while let Poll::Ready(tick) = spawn(clock.tick()).poll() {
                ticks.push(tick);
            }
            ticks
        };
        assert_eq!(
            ticks_at_once(MissedTickBehavior::Burst).await,
            [start, start + period, start + period * 2],
            "all that were missed"
        );
        assert_eq!(ticks_at_once(MissedTickBehavior::Delay).await, [start]);
        assert_eq!(ticks_at_once(MissedTickBehavior::Skip).await, [start]);
    });
}

#[test]
fn resets_move_the_next_tick() {
    single().block_on(async {
        let mut clock = interval(HOUR);
        clock.tick().await;
        let now = Instant::now();
        clock.reset_immediately();
        assert!(clock.tick().await >= now);
        clock.reset_after(Duration::from_millis(1));
        assert!(clock.tick().await >= now + Duration::from_millis(1));
        clock.reset_at(now);
        assert_eq!(clock.tick().await, now);
        clock.reset();
        assert_pending!(spawn(clock.tick()).poll());
    });
}

#[test]
#[should_panic(expected = "wsrt: `interval` needs a period longer than zero")]
fn a_period_of_zero_is_refused() {
    let _ = interval(Duration::ZERO);
}

#[test]
#[should_panic(expected = "wsrt: `interval_at` needs a period longer than zero")]
fn a_period_of_zero_is_always_refused() {
    let _ = interval_at(Instant::now(), Duration::ZERO);
}

#[test]
fn delays_of_the_reactor_follow_the_runtimes_clock() {
    Builder::new_current_thread().start_paused(true).build().expect("a runtime").block_on(async {
        super::advance(HOUR).await;
        super::resume();
        let began = std::time::Instant::now();
        let reactor = wsrt_reactor::context::current().expect("inside");
        reactor.services().delay(Duration::from_millis(20)).await;
        assert!(began.elapsed() >= Duration::from_millis(20), "an hour ahead or not");
    });
}

#[test]
fn a_waker_may_drop_the_guard_of_an_advanced_clock() {
    thread_local! {
        static GUARD: RefCell<Option<EnterGuard<'static>>> = const { RefCell::new(None) };
    }

    struct Leaver;

    impl Wake for Leaver {
        fn wake(self: Arc<Self>) {
            drop(GUARD.take());
        }
    }

    let runtime: &'static Runtime = Box::leak(Box::new(single()));
    GUARD.set(Some(runtime.enter()));
    super::pause();
    let mut sleep = pin!(sleep(HOUR));
    assert_pending!(sleep.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::new(Leaver)))));
    assert_pending!(spawn(super::advance(HOUR)).poll());
    assert!(GUARD.with_borrow(Option::is_none), "the waker was fired");
    assert!(sleep.is_elapsed());
}
