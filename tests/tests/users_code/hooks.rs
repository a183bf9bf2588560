//! The hooks of `Builder`.

use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, PanicAction};
use wsrt::time::sleep;

use crate::places::Place;
use crate::scene::Scene;

pub(crate) fn places() -> Vec<Place> {
    /// The hook of this name, to be found in the work of `enact`.
    macro_rules! hook {
        ($name:ident, $enact:expr, [$($argument:pat_param)?] $answer:expr) => {
            Place::new(stringify!($name), $enact)
                .prepared(|builder, scene| {
                    let scene = scene.clone();
                    builder.$name(move |$($argument)?| {
                        scene.act();
                        $answer
                    });
                })
                .ends_the_process(concat!("`Builder::", stringify!($name), "` panicked"))
        };
    }
    vec![
        hook!(on_thread_start, with_a_job, []()),
        hook!(on_thread_stop, with_a_job, []()),
        hook!(on_thread_park, with_sleeps, []()),
        hook!(on_thread_unpark, with_sleeps, []()),
        hook!(on_task_spawn, with_a_task, [_]()),
        hook!(on_before_task_poll, with_a_task, [_]()),
        hook!(on_after_task_poll, with_a_task, [_]()),
        hook!(on_task_terminate, with_a_task, [_]()),
        hook!(on_task_panic, with_a_panic, [_] PanicAction::GoOn),
        hook!(on_stall, with_a_stall, [_]()).on_threads(),
        hook!(on_report, with_a_stall, [_]()).on_threads(),
        Place::new("thread_name_fn", with_a_job).prepared(name_threads),
    ]
}

/// No thread is made whose name cannot be.
fn name_threads(builder: &mut Builder, scene: &Scene) {
    let scene = scene.clone();
    builder.thread_name_fn(move || {
        scene.act();
        String::from("named")
    });
}

fn with_a_job(scene: &Scene) {
    scene.arm();
    drop(scene.handle().spawn_blocking(|| {}));
    scene.await_action();
}

fn with_a_task(scene: &Scene) {
    scene.arm();
    drop(scene.handle().spawn(sleep(Duration::from_millis(1))));
    scene.await_action();
}

/// One sleep may be over before the thread has parked.
fn with_sleeps(scene: &Scene) {
    scene.arm();
    let sleeps = async {
        loop {
            sleep(Duration::from_millis(1)).await;
        }
    };
    drop(scene.handle().spawn(sleeps));
    scene.await_action();
}

fn with_a_panic(scene: &Scene) {
    scene.arm();
    drop(scene.handle().spawn(async { resume_unwind(Box::new("on purpose")) }));
    scene.await_action();
}

fn with_a_stall(scene: &Scene) {
    scene.arm();
    drop(scene.handle().spawn(async { thread::sleep(Duration::from_millis(300)) }));
    scene.await_action();
}
