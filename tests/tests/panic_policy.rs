//! The hook of `Builder::on_task_panic` sees each panic of a task, and decides what becomes of the
//! runtime.

use std::future::pending;
use std::sync::{Arc, Mutex};

use wsrt::runtime::{Builder, PanicAction, Runtime};
use wsrt::sync::oneshot;
use wsrt::task::{self, LocalSet, yield_now};
use wsrt_tests::{Roll, in_a_process_of_its_own, panic_message, within_a_minute};

/// The runtimes to try it on.
fn builders() -> [Builder; 2] {
    let mut two = Builder::new_multi_thread();
    two.worker_threads(2);
    [two, Builder::new_current_thread()]
}

fn with_action(mut builder: Builder, action: PanicAction) -> Runtime {
    builder.on_task_panic(move |_| action).build().expect("a runtime")
}

#[test]
fn the_hook_sees_each_panic_of_a_task() {
    within_a_minute(|| {
        for mut builder in builders() {
            let seen = Arc::new(Mutex::new(Vec::new()));
            let list = Arc::clone(&seen);
            let runtime = builder
                .on_task_panic(move |panic| {
                    let task = panic.task();
                    assert!(panic.to_string().starts_with(&format!("task {}", task.id())), "{panic}");
                    let message = panic.message().map(str::to_owned);
                    list.lock().expect("it does not panic").push((task.id(), message, task.has_join_handle()));
                    PanicAction::GoOn
                })
                .build()
                .expect("a runtime");
            struct PanicsWhenDropped;
            impl Drop for PanicsWhenDropped {
                fn drop(&mut self) {
                    panic!("in a drop");
                }
            }
            runtime.block_on(async {
                let boom = wsrt::spawn(async { panic!("boom {}", 1) });
                let id = boom.id();
                assert!(boom.await.expect_err("it panics").is_panic());
                let (polled, was_polled) = oneshot::channel();
                let dropped = wsrt::spawn(async move {
                    let _held = PanicsWhenDropped;
                    polled.send(()).expect("the test waits");
                    pending::<()>().await;
                });
                let aborted = dropped.id();
                was_polled.await.expect("it is polled");
                assert!(dropped.cancel().await.expect_err("its drop panics").is_panic());
                let seen = std::mem::take(&mut *seen.lock().expect("it does not panic"));
                let told = |id, message: &str| (id, Some(message.to_owned()), true);
                assert_eq!(seen, [told(id, "boom 1"), told(aborted, "in a drop")]);
            });
        }
    });
}

#[test]
fn the_hook_knows_whether_a_handle_is_left() {
    within_a_minute(|| {
        let (sender, receiver) = oneshot::channel();
        let sender = Mutex::new(Some(sender));
        let runtime = Builder::new_current_thread()
            .on_task_panic(move |panic| {
                let sender = sender.lock().expect("it does not panic").take().expect("one panics");
                sender.send(panic.task().has_join_handle()).expect("the test waits");
                PanicAction::GoOn
            })
            .build()
            .expect("a runtime");
        drop(runtime.spawn(async { panic!("unheard") }));
        assert_eq!(runtime.block_on(receiver), Ok(false));
    });
}

#[test]
fn a_runtime_goes_on_after_go_on() {
    within_a_minute(|| {
        for builder in builders() {
            let runtime = with_action(builder, PanicAction::GoOn);
            runtime.block_on(async {
                wsrt::spawn(async { panic!("boom") }).await.expect_err("it panics");
                assert_eq!(wsrt::spawn(async { 7 }).await.expect("the runtime lives"), 7);
            });
        }
    });
}

#[test]
fn a_panic_shuts_the_runtime_down_with_its_root() {
    within_a_minute(|| {
        for builder in builders() {
            let runtime = with_action(builder, PanicAction::ShutDown);
            let roll = Roll::new(2);
            let (waits, root) = (roll.entry(0), roll.entry(1));
            let message = panic_message(|| {
                runtime.run(async move {
                    let _root = root;
                    drop(wsrt::spawn(async move {
                        pending::<()>().await;
                        drop(waits);
                    }));
                    drop(task::Builder::new().name("loud").spawn(async {
                        yield_now().await;
                        panic!("boom")
                    }));
                    pending::<()>().await;
                });
            });
            let reason = "wsrt: the runtime was shut down by its hook of `on_task_panic`: task ";
            assert!(message.starts_with(reason), "{message}");
            assert!(message.contains("\"loud\" (spawned at ") && message.ends_with("panicked: boom"), "{message}");
            assert!(runtime.block_on(runtime.spawn(async {})).expect_err("it takes no more").is_cancelled());
            drop(runtime);
            roll.assert_each_dropped_once();
        }
    });
}

#[test]
fn the_handle_has_the_panic_that_shuts_down() {
    within_a_minute(|| {
        for builder in builders() {
            let runtime = with_action(builder, PanicAction::ShutDown);
            let error = runtime.block_on(runtime.spawn(async { panic!("boom") })).expect_err("it panics");
            assert!(error.is_panic(), "{error}");
        }
    });
}

#[test]
fn panics_elsewhere_are_not_asked_about() {
    within_a_minute(|| {
        let runtime = with_action(Builder::new_current_thread(), PanicAction::ShutDown);
        runtime.block_on(async {
            task::spawn_blocking(|| panic!("in a job")).await.expect_err("it panics");
            let set = LocalSet::new();
            let local = set.spawn_local(async { panic!("in a set") });
            set.run_until(local).await.expect_err("it panics");
            wsrt::spawn(async {}).await.expect("the runtime lives");
        });
    });
}

#[cfg(unix)]
#[test]
fn a_panic_aborts_the_process_if_it_is_to() {
    use std::os::unix::process::ExitStatusExt;

    let test = "a_panic_aborts_the_process_if_it_is_to";
    let output = in_a_process_of_its_own(test, &[], || {
        let runtime = with_action(Builder::new_current_thread(), PanicAction::Abort);
        let _ = runtime.block_on(runtime.spawn(async { panic!("boom") }));
    });
    assert_eq!(output.status.signal(), Some(6), "{}", String::from_utf8_lossy(&output.stderr));
}
