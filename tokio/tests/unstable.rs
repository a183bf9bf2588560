//! Names, hooks and dumps of tasks, which are there with the flag `tokio_unstable`.
#![cfg(tokio_unstable)]

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use tokio::runtime::dump::{Tasks, Trace};
use tokio::runtime::{Builder, UnhandledPanic};

#[test]
fn the_hooks_are_called_with_the_task() {
    let (spawned, ended) = (Arc::new(Mutex::new(None)), Arc::new(Mutex::new(None)));
    let (note_spawned, note_ended) = (Arc::clone(&spawned), Arc::clone(&ended));
    let (before, after) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (count_before, count_after) = (Arc::clone(&before), Arc::clone(&after));
    let runtime = Builder::new_current_thread()
        .on_task_spawn(move |task| *note_spawned.lock().unwrap() = Some((task.id(), task.spawned_at().file())))
        .on_task_terminate(move |task| *note_ended.lock().unwrap() = Some(task.id()))
        .on_before_task_poll(move |_| _ = count_before.fetch_add(1, Relaxed))
        .on_after_task_poll(move |_| _ = count_after.fetch_add(1, Relaxed))
        .unhandled_panic(UnhandledPanic::Ignore)
        .build()
        .unwrap();
    let task = runtime.spawn(tokio::task::yield_now());
    let id = task.id();
    runtime.block_on(task).unwrap();
    assert_eq!(*spawned.lock().unwrap(), Some((id, file!())));
    assert_eq!(*ended.lock().unwrap(), Some(id));
    assert_eq!((before.load(Relaxed), after.load(Relaxed)), (2, 2));
}

#[test]
fn a_panic_shuts_the_runtime_down_where_it_should() {
    let runtime =
        Builder::new_current_thread().unhandled_panic(UnhandledPanic::ShutdownRuntime).enable_all().build().unwrap();
    let waits = runtime.spawn(std::future::pending::<()>());
    runtime.spawn(async { panic!("as it should") });
    assert!(runtime.block_on(waits).unwrap_err().is_cancelled());
}

#[test]
fn a_dump_is_awaited_and_has_traces_of_tasks() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let task = tokio::task::Builder::new().name("waits").spawn(std::future::pending::<()>()).unwrap();
        let dump = tokio::runtime::Handle::current().dump().await;
        let tasks: &Tasks = dump.tasks();
        let trace: &Trace = tasks.iter().find(|seen| seen.id() == task.id()).unwrap().trace();
        assert!(trace.to_string().contains(file!()), "{trace}");
    });
}
