//! Destructors of futures, outputs, payloads and thread-locals.

use std::cell::RefCell;
use std::future::{Future, pending};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, Barrier};
use std::task::{Context, Poll};

use wsrt::runtime::PanicAction;
use wsrt::task::{JoinSet, LocalSet, scope, scope_with, yield_now};
use wsrt::time::Instant;

use crate::places::Place;
use crate::scene::{ActsOnDrop, Bomb, Scene};

pub(crate) fn places() -> Vec<Place> {
    const OF_STD: &str = "thread local panicked on drop";
    let ends = |name, enact| {
        Place::new(name, enact).prepared(|builder, _| _ = builder.on_task_panic(|_| PanicAction::ShutDown))
    };
    vec![
        Place::new("the future that has returned", returned),
        Place::new("the future that was aborted", aborted),
        Place::new("the future that has panicked", panicked),
        Place::new("the output that nobody waits for", output),
        Place::new("the output in a dropped handle", kept_output),
        Place::new("the payload of a panic", payload),
        Place::new("the value that a task has inherited", inherited),
        Place::new("the tasks of a dropped JoinSet", joined),
        Place::new("the tasks of a dropped LocalSet", local),
        Place::new("a cancelled child of a scope", child_of_a_scope),
        Place::new("the resources lent to a dropped scope", lent),
        ends("the tasks that a panic's shutdown drops", shut_down),
        ends("the same, begun on another thread", shut_down_outside),
        Place::new("a thread-local of a pool thread", local_of_a_pool_thread).ends_the_process(OF_STD),
        Place::new("a thread-local of a machine", local_of_a_machine).ends_the_process(OF_STD).on_threads(),
    ]
}

fn returned(scene: &Scene) {
    scene.arm();
    let on_drop = scene.on_drop();
    drop(scene.handle().spawn(async move {
        let _on_drop = on_drop;
        yield_now().await;
    }));
    scene.await_action();
}

/// Waits for ever.
async fn waiting(on_drop: ActsOnDrop) {
    let _on_drop = on_drop;
    pending::<()>().await;
}

fn aborted(scene: &Scene) {
    let task = scene.handle().spawn(waiting(scene.on_drop()));
    scene.block_on(yield_now());
    scene.arm();
    task.abort();
    scene.await_action();
}

/// Its poll panics, and what it keeps is dropped with it.
struct Panics(#[expect(dead_code, reason = "it is dropped")] ActsOnDrop);

impl Future for Panics {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        resume_unwind(Box::new("on purpose"));
    }
}

fn panicked(scene: &Scene) {
    scene.arm();
    drop(scene.handle().spawn(Panics(scene.on_drop())));
    scene.await_action();
}

fn output(scene: &Scene) {
    scene.arm();
    let on_drop = scene.on_drop();
    drop(scene.handle().spawn(async move { on_drop }));
    scene.await_action();
}

fn kept_output(scene: &Scene) {
    let on_drop = scene.on_drop();
    let task = scene.handle().spawn(async move { on_drop });
    while !task.is_finished() {
        scene.block_on(yield_now());
    }
    scene.arm();
    let _ = catch_unwind(AssertUnwindSafe(|| drop(task)));
}

fn payload(scene: &Scene) {
    scene.arm();
    let on_drop = scene.on_drop();
    drop(scene.handle().spawn(async move { resume_unwind(Box::new(on_drop)) }));
    scene.await_action();
}

wsrt::task_local! {
    inherit static VALUE: ActsOnDrop;
}

fn inherited(scene: &Scene) {
    let task = VALUE.sync_scope(scene.on_drop(), || scene.handle().spawn(pending::<()>()));
    scene.block_on(yield_now());
    scene.arm();
    task.abort();
    drop(task);
    scene.await_action();
}

fn joined(scene: &Scene) {
    let mut set = JoinSet::new();
    set.spawn_on(waiting(scene.on_drop()), &scene.handle());
    scene.block_on(yield_now());
    scene.arm();
    drop(set);
    scene.await_action();
}

fn local(scene: &Scene) {
    let set = LocalSet::new();
    drop(set.spawn_local(waiting(scene.on_drop())));
    scene.block_on(set.run_until(yield_now()));
    scene.arm();
    let _ = scene.block_on(async move { drop(set) });
}

fn child_of_a_scope(scene: &Scene) {
    let _ = scene.block_on(async {
        scope(|scope| {
            scope.spawn(waiting(scene.on_drop()));
            scene.arm();
            scope.cancel();
        });
    });
}

/// The child is the last that has them.
fn lent(scene: &Scene) {
    scene.arm();
    let lent = scope_with(scene.on_drop(), async |scope, _| {
        scope.spawn(pending::<()>());
        pending::<()>().await;
    });
    let _ = scene.block_on(async {
        wsrt::select! {
            _ = lent => {}
            () = yield_now() => {}
        }
    });
    scene.await_action();
}

fn shut_down(scene: &Scene) {
    let handle = scene.handle();
    drop(handle.spawn(waiting(scene.on_drop())));
    scene.block_on(yield_now());
    scene.arm();
    let panics = handle.spawn(async { resume_unwind(Box::new("on purpose")) });
    let _: Option<Result<(), _>> = scene.block_on(panics);
    scene.await_action();
}

/// The future is refused, for the runtime is drained, and panics here.
fn shut_down_outside(scene: &Scene) {
    let handle = scene.handle();
    drop(handle.spawn(waiting(scene.on_drop())));
    let _ = scene.block_on(handle.drain(Instant::now()));
    scene.arm();
    let bomb = Bomb;
    drop(handle.spawn(async move { drop(bomb) }));
    scene.await_action();
}

thread_local! {
    static KEPT: RefCell<Vec<ActsOnDrop>> = const { RefCell::new(Vec::new()) };
}

fn keep(on_drop: ActsOnDrop) {
    KEPT.with_borrow_mut(|kept| kept.push(on_drop));
}

fn local_of_a_pool_thread(scene: &Scene) {
    scene.arm();
    let on_drop = scene.on_drop();
    drop(scene.handle().spawn_blocking(move || keep(on_drop)));
    scene.await_action();
}

/// Each machine has one; there is one machine too many then.
fn local_of_a_machine(scene: &Scene) {
    let both = Arc::new(Barrier::new(2));
    let tasks = [(); 2].map(|()| {
        let (on_drop, both) = (scene.on_drop(), Arc::clone(&both));
        scene.handle().spawn(async move {
            both.wait();
            keep(on_drop);
        })
    });
    for task in tasks {
        let _ = scene.block_on(task);
    }
    scene.arm();
    scene.handle().resize(1).expect("there is room for one");
    scene.await_action();
}
