//! Tasks that a runtime refuses which has ended: of which nothing is left but what the user's code
//! at the place may drop.

use std::cell::RefCell;
use std::future::{Future, pending};
use std::pin::Pin;
use std::task::{Context, Waker};

use wsrt::runtime::{Handle, PanicAction};
use wsrt::task::{self, JoinSet, TaskGroup};

use crate::places::Place;
use crate::scene::{ActsOnDrop, Bomb, Scene};

type Held = Pin<Box<dyn Future<Output = ()>>>;

thread_local! {
    /// Owns a handle, and the guard that borrows it.
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// Drops the guard and the last handle of the runtime that has ended. Writes over the freed memory.
pub(crate) fn leave() {
    if let Some(held) = HELD.take() {
        drop(held);
        assert!(Handle::try_current().is_err(), "it was left");
        drop((1..512_usize).map(|words| vec![u64::MAX; words * 2]).collect::<Vec<_>>());
    }
}

pub(crate) fn places() -> Vec<Place> {
    vec![
        Place::new("a future refused by spawn", |scene| refuse(scene, free)),
        Place::new("a future refused by task::Builder", |scene| refuse(scene, by_a_builder)),
        Place::new("a future refused by JoinSet", |scene| refuse(scene, in_a_set)),
        Place::new("a future refused by TaskGroup", |scene| refuse(scene, in_a_group)),
        Place::new("a refused job", |scene| refuse(scene, a_job)),
        Place::new("on_task_spawn of a refused task", |scene| refuse(scene, idle))
            .prepared(|builder, scene| {
                let scene = scene.clone();
                builder.on_task_spawn(move |_| scene.act());
            })
            .ends_the_process("`Builder::on_task_spawn` panicked"),
        Place::new("on_task_terminate of a refused task", |scene| refuse(scene, idle))
            .prepared(|builder, scene| {
                let scene = scene.clone();
                builder.on_task_terminate(move |_| scene.act());
            })
            .ends_the_process("`Builder::on_task_terminate` panicked"),
        Place::new("on_task_panic of a refused task", |scene| refuse(scene, panics))
            .prepared(|builder, scene| {
                let scene = scene.clone();
                builder.on_task_panic(move |_| {
                    scene.act();
                    PanicAction::ShutDown
                });
            })
            .ends_the_process("`Builder::on_task_panic` panicked"),
    ]
}

async fn keeps(on_drop: ActsOnDrop) {
    let _on_drop = on_drop;
}

fn free(scene: &Scene) {
    drop(wsrt::spawn(keeps(scene.on_drop())));
}

fn by_a_builder(scene: &Scene) {
    drop(task::Builder::new().spawn(keeps(scene.on_drop())));
}

fn in_a_set(scene: &Scene) {
    drop(JoinSet::new().spawn(keeps(scene.on_drop())));
}

fn in_a_group(scene: &Scene) {
    let on_drop = scene.on_drop();
    TaskGroup::<(), ()>::new().spawn(async move {
        keeps(on_drop).await;
        Ok(())
    });
}

fn a_job(scene: &Scene) {
    let on_drop = scene.on_drop();
    drop(task::spawn_blocking(move || drop(on_drop)));
}

/// For a hook to act.
fn idle(_: &Scene) {
    drop(wsrt::spawn(async {}));
}

/// Has a hook hear of a panic.
fn panics(_: &Scene) {
    let bomb = Bomb;
    drop(wsrt::spawn(async move { drop(bomb) }));
}

fn refuse(scene: &Scene, spawn: fn(&Scene)) {
    let handle = scene.handle();
    drop(scene.take_whole());
    let mut held: Held = Box::pin(async move {
        let _guard = handle.enter();
        pending::<()>().await;
    });
    assert!(held.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    HELD.set(Some(held));
    scene.arm();
    spawn(scene);
    leave();
}
