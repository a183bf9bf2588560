//! The tool itself: it drops at each wait, at both moments, and tells of a vacuous test.

use std::cell::{Cell, RefCell};
use std::future::{Future, pending};
use std::pin::pin;
use std::task::{Context, Waker};

use wsrt::runtime::Builder;
use wsrt::sync::Notify;
use wsrt::task::yield_now;
use wsrt::test::cancel_at_each_await;
use wsrt_tests::panic_message;

use crate::run;

#[test]
fn each_wait_is_cancelled_at_both_moments() {
    run(async || {
        let reached = RefCell::new(Vec::new());
        let operation = async |passed: &mut u32| {
            for _ in 0..3 {
                yield_now().await;
                *passed += 1;
            }
            *passed
        };
        let check = async |passed, output| reached.borrow_mut().push((passed, output));
        assert_eq!(cancel_at_each_await(async || 0, operation, check).await, 3);
        let cancelled = [0, 0, 1, 1, 2, 2].map(|passed| (passed, None));
        assert_eq!(reached.into_inner(), [&cancelled[..], &[(3, Some(3))]].concat());
    });
}

#[test]
fn the_operation_is_dropped_first_and_peers_go_on() {
    run(async || {
        struct Drops<'a>(&'a Cell<u32>);
        impl Drop for Drops<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() + 1);
            }
        }
        let (runs, drops) = (Cell::new(0), Cell::new(0));
        let make = async || {
            runs.set(runs.get() + 1);
            let notify = std::sync::Arc::new(Notify::new());
            let notifying = std::sync::Arc::clone(&notify);
            (notify, wsrt::spawn(async move { notifying.notify_one() }))
        };
        let operation = async |(notify, _): &mut (std::sync::Arc<Notify>, _)| {
            let _drops = Drops(&drops);
            notify.notified().await;
        };
        let check = async |(_, peer): (_, wsrt::task::JoinHandle<()>), _| {
            assert_eq!(drops.get(), runs.get());
            peer.await.expect("it goes on");
        };
        assert_eq!(cancel_at_each_await(make, operation, check).await, 1);
        assert_eq!(runs.get(), 3);
    });
}

#[test]
fn an_operation_that_never_waits_is_refused() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let message = panic_message(|| {
        runtime.block_on(cancel_at_each_await(async || (), async |()| (), async |(), _| ()));
    });
    assert!(message.starts_with("wsrt: `cancel_at_each_await`: the operation completed without waiting"), "{message}");
}

#[test]
fn an_operation_that_never_completes_is_refused() {
    let message = panic_message(|| {
        let endless = async |(): &mut ()| pending::<()>().await;
        let mut tool = pin!(cancel_at_each_await(async || (), endless, async |(), _| ()));
        let mut context = Context::from_waker(Waker::noop());
        while tool.as_mut().poll(&mut context).is_pending() {}
    });
    assert!(message.contains("has waited 5,000 times, and has not completed. Let it complete"), "{message}");
}
