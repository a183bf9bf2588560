//! What sleeps, timeouts and intervals promise, on a runtime.

use std::cell::RefCell;
use std::future::{Future, pending, poll_fn, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use super::{
    Duration, Instant, Interval, MissedTickBehavior, Sleep, Timeout, interval, interval_at, sleep, sleep_until, timeout,
};
use crate::base::rng::FastRand;
use crate::face::runtime::{Builder, EnterGuard, Runtime};
use crate::face::task::{JoinSet, yield_now};
use crate::policy;

const HOUR: Duration = Duration::from_secs(3_600);

/// Counts its wake-ups.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Bell {
    fn waker() -> (Arc<Self>, Waker) {
        let bell = Arc::<Self>::default();
        let waker = Waker::from(Arc::clone(&bell));
        (bell, waker)
    }

    fn rung(&self) -> usize {
        self.0.load(SeqCst)
    }

    /// Waits for the first wake-up, which is lost if it takes this long.
    async fn ring(&self) {
        let began = Instant::now();
        while self.rung() == 0 {
            assert!(began.elapsed() < Duration::from_secs(20), "nobody was woken");
            yield_now().await;
        }
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn single() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime is to be had")
}

/// Timers held by the current runtime, cancelled ones that were not thrown away yet included.
fn timers() -> usize {
    policy::Context::with(|context| {
        let scheduler = context.expect("the tests ask inside a runtime").scheduler();
        scheduler.processors.iter().map(|processor| processor.timers().len()).sum()
    })
}

fn poll_with<F: Future>(future: Pin<&mut F>, waker: &Waker) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(waker))
}

/// What `f` panics with.
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
    moved::<Timeout<std::future::Ready<()>>>();
    moved::<Interval>();
}

#[test]
fn the_first_poll_outside_a_runtime_panics_and_says_what_to_do() {
    let mut created_outside = pin!(sleep(HOUR));
    let message = panic_message(|| poll_with(created_outside.as_mut(), Waker::noop()));
    assert_eq!(
        message,
        "wsrt: a `Sleep` was polled outside of a wsrt runtime: await it inside `#[wsrt::main]`, a spawned task or \
         `Runtime::block_on`"
    );
    let message = panic_message(|| poll_with(pin!(timeout(HOUR, pending::<()>())), Waker::noop()));
    assert!(message.starts_with("wsrt: a `Timeout` was polled outside of a wsrt runtime"), "{message}");
    let message = panic_message(|| poll_with(pin!(interval(HOUR).tick()), Waker::noop()));
    assert!(message.starts_with("wsrt: an `Interval` was polled outside of a wsrt runtime"), "{message}");
}

#[test]
fn a_wait_on_a_runtime_that_is_gone_panics_rather_than_never_end() {
    let runtime = single();
    let handle = runtime.handle().clone();
    drop(runtime);
    let _entered = handle.enter();
    let message = panic_message(|| poll_with(pin!(sleep(HOUR)), Waker::noop()));
    assert!(message.starts_with("wsrt: a `Sleep` was polled after its runtime had been shut down"), "{message}");
}

#[test]
fn a_timeout_around_a_ready_future_needs_neither_timer_nor_runtime() {
    assert_eq!(poll_with(pin!(timeout(HOUR, ready(7))), Waker::noop()), Poll::Ready(Ok(7)));
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
        // Ready without a turn of the loop, which is what would fire a timer.
        assert!(poll_with(pin!(sleep_until(Instant::now())), Waker::noop()).is_ready());
        assert!(poll_with(pin!(sleep(Duration::ZERO)), Waker::noop()).is_ready());
        let over = poll_with(pin!(timeout(Duration::ZERO, pending::<()>())), Waker::noop());
        assert!(matches!(over, Poll::Ready(Err(_))), "{over:?}");
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
            assert!(poll_with(pin!(sleep(duration)), Waker::noop()).is_pending());
            assert!(poll_with(pin!(timeout(duration, pending::<()>())), Waker::noop()).is_pending());
            let mut clock = interval(duration);
            clock.tick().await;
            assert!(poll_with(pin!(clock.tick()), Waker::noop()).is_pending());
            clock.reset_after(duration);
            assert!(poll_with(pin!(clock.tick()), Waker::noop()).is_pending());
        }
    });
}

#[test]
fn dropping_a_sleep_lets_go_of_its_waker() {
    single().block_on(async {
        let (bell, waker) = Bell::waker();
        {
            let mut wait = pin!(sleep(HOUR));
            assert!(poll_with(wait.as_mut(), &waker).is_pending());
            assert_eq!(Arc::strong_count(&bell), 3);
        }
        assert_eq!(Arc::strong_count(&bell), 2);
    });
}

#[test]
fn a_million_timeouts_that_are_not_needed_leave_few_timers() {
    single().block_on(async {
        for _ in 0..1_000_000 {
            let unneeded = timeout(HOUR, pending::<()>());
            assert!(poll_with(pin!(unneeded), Waker::noop()).is_pending());
        }
        assert!(timers() < 1_000, "{} timers are left", timers());
    });
}

#[test]
fn a_sleep_that_is_over_stays_so_until_it_is_reset() {
    single().block_on(async {
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
            let (bell, waker) = Bell::waker();
            let mut wait = pin!(sleep(HOUR));
            assert!(poll_with(wait.as_mut(), &waker).is_pending());
            wait.as_mut().reset(Instant::now() + sooner);
            bell.ring().await;
            assert!(wait.is_elapsed());
            assert!(poll_with(wait.as_mut(), &waker).is_ready());
        }
    });
}

#[test]
fn a_reset_to_a_later_deadline_silences_the_earlier_one() {
    single().block_on(async {
        let (bell, waker) = Bell::waker();
        let mut wait = pin!(sleep(Duration::from_millis(1)));
        assert!(poll_with(wait.as_mut(), &waker).is_pending());
        wait.as_mut().reset(Instant::now() + HOUR);
        sleep(Duration::from_millis(3)).await;
        assert_eq!(bell.rung(), 0);
        assert!(poll_with(wait.as_mut(), &waker).is_pending());
    });
}

#[test]
fn a_reset_outside_a_runtime_wakes_the_waiter_to_arm_anew() {
    let runtime = single();
    let (bell, waker) = Bell::waker();
    let mut wait = Box::pin(sleep(Duration::from_millis(5)));
    runtime.block_on(async { assert!(poll_with(wait.as_mut(), &waker).is_pending()) });

    let deadline = Instant::now() + Duration::from_millis(50);
    thread::scope(|scope| scope.spawn(|| wait.as_mut().reset(deadline)).join().expect("a reset needs no runtime"));

    runtime.block_on(async {
        bell.ring().await;
        assert!(Instant::now() >= deadline - Duration::from_millis(50));
        assert!(!wait.is_elapsed());
        wait.await;
        assert!(Instant::now() >= deadline);
    });
}

#[test]
fn a_reset_in_another_runtime_leaves_the_timer_at_home() {
    let (home, other) = (single(), single());
    let (bell, waker) = Bell::waker();
    let mut wait = Box::pin(sleep(HOUR));
    home.block_on(async { assert!(poll_with(wait.as_mut(), &waker).is_pending()) });
    other.block_on(async {
        wait.as_mut().reset(Instant::now() + Duration::from_millis(5));
        assert_eq!((bell.rung(), timers()), (1, 0), "the task that waits is to arm it, at home");
    });
    drop(other);
    home.block_on(async {
        assert!(poll_with(wait.as_mut(), &waker).is_pending());
        assert!(timers() >= 1);
        wait.await;
    });
}

#[test]
fn a_reset_after_the_end_gives_the_timer_to_another_runtime() {
    let ending = single();
    let mut wait = Box::pin(sleep(HOUR));
    ending.block_on(async { assert!(poll_with(wait.as_mut(), Waker::noop()).is_pending()) });
    drop(ending);
    single().block_on(async {
        wait.as_mut().reset(Instant::now() + Duration::from_millis(5));
        wait.await;
    });
}

#[test]
fn a_delay_between_connects_is_over_when_the_runtime_is() {
    let runtime = single();
    let entered = runtime.enter();
    let services = wsrt_reactor::context::current().expect("it is entered");
    let mut delay = services.services().delay(HOUR);
    let (bell, waker) = Bell::waker();
    assert!(poll_with(Pin::new(&mut delay), &waker).is_pending());
    drop(entered);
    drop(runtime);
    assert_eq!(bell.rung(), 1);
    assert!(poll_with(Pin::new(&mut delay), &waker).is_ready());
}

#[test]
fn the_first_tick_comes_at_once_and_the_others_a_period_apart() {
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
fn a_tick_that_was_not_returned_is_returned_by_the_next_call() {
    single().block_on(async {
        let start = Instant::now() + Duration::from_millis(2);
        let mut clock = interval_at(start, HOUR);
        for _ in 0..3 {
            assert!(poll_with(pin!(clock.tick()), Waker::noop()).is_pending());
        }
        assert_eq!(clock.tick().await, start);
    });
}

#[test]
fn ticks_in_the_past_are_made_up_for_as_it_was_asked() {
    single().block_on(async {
        let period = HOUR;
        let start = Instant::now().checked_sub(period * 3 - period / 2).expect("the clock goes back some hours");
        let ticks_at_once = async |behavior| {
            let mut clock = interval_at(start, period);
            clock.set_missed_tick_behavior(behavior);
            let mut ticks = Vec::new();
            while let Poll::Ready(tick) = poll_with(pin!(clock.tick()), Waker::noop()) {
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
        assert!(poll_with(pin!(clock.tick()), Waker::noop()).is_pending());
    });
}

#[test]
#[should_panic(expected = "wsrt: `interval` needs a period longer than zero")]
fn a_period_of_zero_is_refused() {
    let _ = interval(Duration::ZERO);
}

#[test]
#[should_panic(expected = "wsrt: `interval_at` needs a period longer than zero")]
fn a_period_of_zero_is_refused_for_a_later_start_too() {
    let _ = interval_at(Instant::now(), Duration::ZERO);
}

#[test]
fn delays_of_the_reactor_go_by_the_clock_of_its_runtime() {
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
fn a_waker_may_drop_the_guard_of_the_runtime_whose_clock_is_advanced() {
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
    assert!(poll_with(sleep.as_mut(), &Waker::from(Arc::new(Leaver))).is_pending());
    assert!(poll_with(pin!(super::advance(HOUR)), Waker::noop()).is_pending());
    assert!(GUARD.with_borrow(Option::is_none), "the waker was fired");
    assert!(sleep.is_elapsed());
}
