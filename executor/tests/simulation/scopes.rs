//! Tasks of a scope are gone before what they borrow, however the simulated wait for them ends.

use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use wsrt::runtime::Handle;
use wsrt::sim;
use wsrt::task::{scope, scope_with, yield_now};
use wsrt::time::{Instant, sleep};

use crate::with_processors;

const SECOND: Duration = Duration::from_secs(1);

/// A value that children borrow, and whether it is gone.
#[derive(Default)]
struct Lent {
    gone: Arc<AtomicBool>,
    users: AtomicU32,
}

/// A child's use of the value.
struct User<'a>(&'a Lent);

impl Lent {
    fn user(&self) -> User<'_> {
        self.users.fetch_add(1, SeqCst);
        User(self)
    }
}

impl Drop for User<'_> {
    fn drop(&mut self) {
        assert!(!self.0.gone.load(SeqCst), "the value is there");
        self.0.users.fetch_sub(1, SeqCst);
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        assert_eq!(*self.users.get_mut(), 0, "the children are gone");
        self.gone.store(true, SeqCst);
    }
}

/// Lends a value to children that wait for ever: asleep, in a queue, in a nested wait.
fn wait_in_a_scope(gone: Arc<AtomicBool>) {
    let lent = Lent { gone, users: AtomicU32::new(0) };
    scope(|scope| {
        let lent = &lent;
        scope.spawn(async move {
            let _user = lent.user();
            pending::<()>().await;
        });
        scope.spawn(async move {
            let _user = lent.user();
            Handle::current().block_on(pending::<()>());
        });
        scope.spawn(async move {
            let _user = lent.user();
            loop {
                sleep(SECOND).await;
            }
        });
    });
}

#[test]
fn scopes_wait_by_the_simulated_clock() {
    for seed in 0..50 {
        for processors in [1, 3] {
            let (sum, waited) = with_processors(seed, processors).run(async {
                let (numbers, began) = ([1, 2, 3, 4], Instant::now());
                let mut doubled = [0; 4];
                scope(|scope| {
                    for (number, place) in numbers.iter().zip(&mut doubled) {
                        scope.spawn(async move {
                            sleep(SECOND).await;
                            scope.spawn(async move { *place = 2 * number });
                        });
                    }
                });
                (doubled.iter().sum::<i32>(), began.elapsed())
            });
            assert_eq!(sum, 20, "seed {seed}, {processors} processors");
            assert!(waited >= SECOND && waited < 2 * SECOND, "{waited:?}");
        }
    }
}

#[test]
fn a_crash_ends_children_before_what_they_borrow() {
    for seed in 0..50 {
        let gone = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&gone);
        sim::run(seed, |sim| async move {
            let seen = Arc::clone(&theirs);
            sim.host("node", move || {
                let gone = Arc::clone(&theirs);
                async move { wait_in_a_scope(gone) }
            });
            sleep(3 * SECOND).await;
            assert!(!seen.load(SeqCst), "the children wait");
            sim.crash("node");
            sleep(SECOND).await;
        });
        assert!(gone.load(SeqCst), "seed {seed}");
    }
}

#[test]
fn the_end_of_a_run_ends_scopes() {
    for seed in 0..50 {
        let gone = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&gone);
        let runtime = with_processors(seed, 2);
        runtime.block_on(async move {
            wsrt::spawn(async move { wait_in_a_scope(theirs) });
            sleep(3 * SECOND).await;
        });
        drop(runtime);
        assert!(gone.load(SeqCst), "seed {seed}");
    }
}

#[test]
fn a_run_that_is_stuck_says_so_and_leaves_nothing() {
    for seed in 0..20 {
        let lent = Lent::default();
        let run = catch_unwind(AssertUnwindSafe(|| {
            with_processors(seed, 2).block_on(async {
                scope(|scope| {
                    scope.spawn(async {
                        let _user = lent.user();
                        yield_now().await;
                        pending::<()>().await;
                    });
                });
            });
        }));
        let text = *run.expect_err("nothing can continue").downcast::<String>().expect("a text");
        assert!(text.contains("can continue") || text.contains("stuck"), "{text}");
        assert_eq!(lent.users.load(SeqCst), 0, "seed {seed}");
    }
}

#[test]
fn lent_resources_end_with_the_host() {
    for seed in 0..20 {
        let gone = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&gone);
        sim::run(seed, |sim| async move {
            sim.host("node", move || {
                let lent = Lent { gone: Arc::clone(&theirs), users: AtomicU32::new(0) };
                async move {
                    scope_with(lent, async |scope, lent| {
                        scope.spawn(async {
                            let _user = lent.user();
                            pending::<()>().await;
                        });
                        let _user = lent.user();
                        pending::<()>().await;
                    })
                    .await;
                }
            });
            sleep(SECOND).await;
            sim.crash("node");
            sleep(SECOND).await;
        });
        assert!(gone.load(SeqCst), "seed {seed}");
    }
}
