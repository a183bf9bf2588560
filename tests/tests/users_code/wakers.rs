//! Wakers that are not the runtime's own: what it wakes and drops is users' code.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use wsrt::runtime::PanicAction;
use wsrt::sync::oneshot;
use wsrt::task::yield_now;
use wsrt::time::{Sleep, sleep};

use crate::places::Place;
use crate::scene::{ActsOnDrop, Scene};

pub(crate) fn places() -> Vec<Place> {
    vec![
        Place::new("a waker that a timer wakes", woken),
        Place::new("a waker that a task's end wakes", woken_by_an_end),
        Place::new("a waker that a task wakes", woken_by_a_task),
        Place::new("a waker that a shutdown wakes", woken_by_a_shutdown)
            .prepared(|builder, _| _ = builder.on_task_panic(|_| PanicAction::ShutDown)),
        Place::new("a waker that a handle drops", dropped),
        Place::new("a waker that a timer drops", dropped_by_a_timer),
    ]
}

/// Acts when it is woken.
struct ActsOnWake(Scene);

impl Wake for ActsOnWake {
    fn wake(self: Arc<Self>) {
        self.0.act();
    }
}

/// Acts when it is dropped.
struct WakesNothing(#[expect(dead_code, reason = "it is dropped")] ActsOnDrop);

impl Wake for WakesNothing {
    fn wake(self: Arc<Self>) {}
}

/// Has a future wait whose waker is that of the user.
fn poll(future: &mut Pin<Box<impl Future + ?Sized>>, waker: &Waker) {
    assert!(future.as_mut().poll(&mut Context::from_waker(waker)).is_pending());
}

fn waker(scene: &Scene) -> Waker {
    Waker::from(Arc::new(ActsOnWake(scene.clone())))
}

/// A timer that is yet to fire, and whose waker is that of the user.
fn timer(scene: &Scene, waker: &Waker) -> Pin<Box<Sleep>> {
    let handle = scene.handle();
    let _entered = handle.enter();
    let mut after = Duration::from_millis(1);
    loop {
        let mut future = Box::pin(sleep(after));
        if future.as_mut().poll(&mut Context::from_waker(waker)).is_pending() {
            return future;
        }
        after *= 2;
    }
}

fn woken(scene: &Scene) {
    scene.arm();
    let _timer = timer(scene, &waker(scene));
    scene.await_action();
}

fn woken_by_an_end(scene: &Scene) {
    let (go, gone) = oneshot::channel::<()>();
    let mut task = Box::pin(scene.handle().spawn(gone));
    poll(&mut task, &waker(scene));
    scene.arm();
    drop(go);
    scene.await_action();
}

fn woken_by_a_task(scene: &Scene) {
    let (go, gone) = oneshot::channel::<()>();
    let mut gone = Box::pin(gone);
    poll(&mut gone, &waker(scene));
    scene.arm();
    drop(scene.handle().spawn(async move { drop(go) }));
    scene.await_action();
}

fn woken_by_a_shutdown(scene: &Scene) {
    let (handle, mut future) = (scene.handle(), Box::pin(sleep(Duration::from_secs(3_600))));
    let entered = handle.enter();
    poll(&mut future, &waker(scene));
    drop(entered);
    scene.arm();
    drop(handle.spawn(async { resume_unwind(Box::new("on purpose")) }));
    scene.await_action();
}

fn dropped(scene: &Scene) {
    let mut task = Box::pin(scene.handle().spawn(std::future::pending::<()>()));
    poll(&mut task, &Waker::from(Arc::new(WakesNothing(scene.on_drop()))));
    scene.block_on(yield_now());
    scene.arm();
    let _ = catch_unwind(AssertUnwindSafe(|| drop(task)));
}

fn dropped_by_a_timer(scene: &Scene) {
    let waker = Waker::from(Arc::new(WakesNothing(scene.on_drop())));
    let _timer = timer(scene, &waker);
    scene.arm();
    // The last, where the timer has fired already.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(waker)));
    scene.await_action();
}
