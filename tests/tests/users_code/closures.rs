//! Closures and futures that the runtime calls.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::thread;

use wsrt::task::{LocalSet, block_in_place, scope, spawn_local};
use wsrt::team::{self, Global, Handle, Hooks, Order};

use crate::places::Place;
use crate::scene::Scene;

pub(crate) fn places() -> Vec<Place> {
    vec![
        Place::new("the poll of a task", |scene| in_a_task(scene, Scene::act)),
        Place::new("the root of block_on", in_a_root),
        Place::new("a blocking job", in_a_job),
        Place::new("block_in_place in a task", |scene| in_a_task(scene, |scene| block_in_place(|| scene.act()))),
        Place::new("the poll of a local task", in_a_local_task),
        Place::new("a piece of a parallel loop", |scene| in_a_task(scene, in_a_piece)),
        Place::new("a job of a team", in_a_team),
        Place::new("a job that a guest has spawned", |scene| in_a_task(scene, spawn_as_guest)),
        Place::new("the closure of a scope", |scene| in_a_task(scene, |scene| scope(|_| scene.act()))),
        Place::new("under a guard", under_a_guard),
    ]
}

fn in_a_task(scene: &Scene, act: fn(&Scene)) {
    scene.arm();
    let theirs = scene.clone();
    drop(scene.handle().spawn(async move { act(&theirs) }));
    scene.await_action();
}

fn in_a_root(scene: &Scene) {
    scene.arm();
    let _ = scene.block_on(async { scene.act() });
}

fn in_a_job(scene: &Scene) {
    scene.arm();
    let theirs = scene.clone();
    drop(scene.handle().spawn_blocking(move || theirs.act()));
    scene.await_action();
}

fn in_a_local_task(scene: &Scene) {
    scene.arm();
    let (theirs, set) = (scene.clone(), LocalSet::new());
    let _ = scene.block_on(set.run_until(async move { spawn_local(async move { theirs.act() }).await }));
}

fn in_a_piece(scene: &Scene) {
    wsrt::parallel::for_each(0..64, |_| scene.act());
}

/// The team of the calls that no runtime takes.
static GLOBAL: Global = Global { team, takes_guests: || false, panic: drop };

fn team() -> &'static Handle {
    static TEAM: OnceLock<Handle> = OnceLock::new();
    TEAM.get_or_init(|| {
        let (team, places) = Handle::new(1, Hooks { panic: Some(Box::new(drop)), ..Hooks::default() });
        places.into_iter().for_each(|place| drop(thread::spawn(|| place.run())));
        team
    })
}

fn in_a_team(scene: &Scene) {
    scene.arm();
    let theirs = scene.clone();
    team().spawn(Order::Lifo, move || theirs.act());
    scene.await_action();
}

fn spawn_as_guest(scene: &Scene) {
    let theirs = scene.clone();
    team::spawn(&GLOBAL, Order::Lifo, move || theirs.act());
}

fn under_a_guard(scene: &Scene) {
    scene.arm();
    let handle = scene.handle();
    let _entered = handle.enter();
    let _ = catch_unwind(AssertUnwindSafe(|| scene.act()));
}
