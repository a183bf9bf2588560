//! The hooks around sleep: a thread that has something to do after the first does not sleep.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wsrt::runtime::{Builder, Handle};
use wsrt::sync::Notify;
use wsrt::task::JoinHandle;
use wsrt::time::sleep;
use wsrt_tests::within_a_minute;

/// Calls `act` in the first call of the hook before sleep, and waits for a notification that
/// nothing else gives.
fn awaits_what_the_hook_does(mut builder: Builder, act: fn(Arc<Notify>)) {
    within_a_minute(move || {
        let notify = Arc::new(Notify::new());
        let calls = AtomicU64::new(0);
        let noticed = Arc::clone(&notify);
        let hook = move || {
            if calls.fetch_add(1, SeqCst) == 0 {
                act(Arc::clone(&noticed));
            }
        };
        let runtime = builder.on_thread_park(hook).build().expect("a runtime");
        runtime.block_on(notify.notified());
    });
}

#[test]
fn a_wake_in_the_hook_is_not_slept_over() {
    awaits_what_the_hook_does(Builder::new_current_thread(), |notify| notify.notify_one());
    awaits_what_the_hook_does(Builder::new_multi_thread(), |notify| notify.notify_one());
}

#[test]
fn a_task_that_the_hook_spawns_is_run() {
    fn spawn(notify: Arc<Notify>) {
        drop(wsrt::spawn(async move { notify.notify_one() }));
    }
    awaits_what_the_hook_does(Builder::new_current_thread(), spawn);
    awaits_what_the_hook_does(Builder::new_multi_thread(), spawn);
}

#[test]
fn a_hook_that_blocks_on_a_task_sees_it_run() {
    fn wait(notify: Arc<Notify>) {
        let task = wsrt::spawn(async move { notify.notify_one() });
        Handle::current().block_on(task).expect("it does not panic");
    }
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2);
    awaits_what_the_hook_does(builder, wait);
}

/// The thread that sleeps in the netpoller has the task in hand when its hook is called.
#[test]
fn a_hook_that_waits_for_its_waker_sees_it_run() {
    within_a_minute(|| {
        let task = Arc::new(Mutex::new(None::<JoinHandle<()>>));
        let (theirs, (tell, told)) = (Arc::clone(&task), channel());
        let hook = move || {
            let Some(task) = theirs.lock().expect("no thread panics").take() else { return };
            Handle::current().block_on(task).expect("it does not panic");
            tell.send(()).expect("the test waits");
        };
        let runtime = Builder::new_multi_thread().worker_threads(1).on_thread_unpark(hook).build().expect("a runtime");
        let (polled, is_polled) = channel();
        let sleeps = runtime.spawn(async move {
            polled.send(()).expect("the test waits");
            sleep(Duration::from_millis(20)).await;
        });
        is_polled.recv().expect("it is polled");
        *task.lock().expect("no thread panics") = Some(sleeps);
        told.recv().expect("the hook returns");
    });
}

#[test]
fn each_sleep_has_one_call_of_either_hook() {
    within_a_minute(|| {
        let counts = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let (parks, unparks) = (Arc::clone(&counts), Arc::clone(&counts));
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .on_thread_park(move || _ = parks[0].fetch_add(1, SeqCst))
            .on_thread_unpark(move || _ = unparks[1].fetch_add(1, SeqCst))
            .build()
            .expect("a runtime");
        // They sleep between two tasks, sooner or later.
        while counts[0].load(SeqCst) < 2 {
            runtime.block_on(runtime.spawn(async {})).expect("it does not panic");
        }
        drop(runtime);
        let [parks, unparks] = counts.each_ref().map(|count| count.load(SeqCst));
        assert_eq!(parks, unparks);
    });
}

#[test]
fn a_hook_that_asks_for_its_runtime_frees_it() {
    within_a_minute(|| {
        let witness = Arc::new(());
        let (kept, (sender, receiver)) = (Arc::clone(&witness), channel());
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .on_thread_park(move || {
                let (_kept, sender) = (&kept, sender.clone());
                drop(Handle::current().spawn(async move { sender.send(()) }));
            })
            .build()
            .expect("a runtime");
        receiver.recv().expect("its task runs");
        drop(runtime);
        assert_eq!(Arc::strong_count(&witness), 1, "the hook is still there");
    });
}
