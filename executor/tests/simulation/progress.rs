//! A run in which nothing can go on ends with a report of what waits for what.

use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use wsrt::net::UdpSocket;
use wsrt::runtime::Runtime;
use wsrt::sim::{self, Sim};
use wsrt::sync::{Mutex, oneshot};
use wsrt::task::Builder as TaskBuilder;
use wsrt::time::sleep;

use crate::simulated;

/// The message of the panic of `f`.
fn message<T>(f: impl FnOnce() -> T) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).err().expect("it panics");
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => (*payload.downcast::<&str>().expect("a message")).to_owned(),
    }
}

#[test]
fn a_run_that_waits_for_ever_names_its_tasks() {
    let message = message(|| {
        simulated(5).block_on(async {
            TaskBuilder::new().name("never woken").spawn(pending::<()>());
            sleep(Duration::from_secs(1)).await;
            pending::<()>().await;
        });
    });
    assert!(message.contains("nothing in this simulation can continue"), "{message}");
    assert!(message.contains("never woken") && message.contains("seed 5"), "{message}");
}

#[test]
fn a_deadlock_shows_its_cycle() {
    let message = message(|| {
        simulated(9).run(async {
            let (one, other) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
            let in_order = |first: &Arc<Mutex<()>>, second: &Arc<Mutex<()>>| {
                let (first, second) = (Arc::clone(first), Arc::clone(second));
                async move {
                    let _first = first.lock().await;
                    sleep(Duration::from_millis(10)).await;
                    let _second = second.lock().await;
                }
            };
            let tasks = [wsrt::spawn(in_order(&one, &other)), wsrt::spawn(in_order(&other, &one))];
            for task in tasks {
                task.await.expect("it never ends");
            }
        });
    });
    assert!(message.contains("nothing in this simulation can continue") && message.contains("cycle"), "{message}");
}

#[test]
fn a_futurelock_is_named() {
    let message = message(|| {
        simulated(9).run(async {
            let lock = Arc::new(Mutex::new(()));
            let guard = Arc::clone(&lock).lock_owned().await;
            let task = wsrt::spawn(async move {
                let mut first = std::pin::pin!(lock.lock());
                wsrt::select! {
                    _ = &mut first => {}
                    () = sleep(Duration::from_millis(10)) => drop(lock.lock().await),
                }
            });
            sleep(Duration::from_millis(20)).await;
            drop(guard);
            task.await.expect("it never ends");
        });
    });
    assert!(message.contains("\n  futurelock: Mutex made at "), "{message}");
}

/// Only some seeds interleave two tasks in the way that fails.
#[test]
fn a_race_fails_for_some_seeds_each_time() {
    let fails = |seed| {
        let runtime = simulated(seed);
        runtime.run(async {
            let shared = Arc::new(std::sync::Mutex::new(0));
            let add = || {
                let shared = Arc::clone(&shared);
                wsrt::spawn(async move {
                    let read = *shared.lock().expect("no panic");
                    wsrt::task::yield_now().await;
                    *shared.lock().expect("no panic") = read + 1;
                })
            };
            let tasks = [add(), add()];
            for task in tasks {
                task.await.expect("no panic");
            }
            *shared.lock().expect("no panic") != 2
        })
    };
    let failed: Vec<bool> = (0..200).map(fails).collect();
    assert_eq!(failed, (0..200).map(fails).collect::<Vec<_>>());
    assert!(failed.contains(&true) && failed.contains(&false));
}

#[test]
fn a_foreign_thread_that_wakes_a_task_is_refused() {
    let message = message(|| {
        let runtime: Runtime = simulated(2);
        runtime.run(async {
            let (tell, told) = oneshot::channel();
            wsrt::spawn(told);
            wsrt::task::yield_now().await;
            let handle = wsrt::runtime::Handle::current();
            let thread = std::thread::spawn(move || drop(handle.spawn(async {})));
            thread.join().expect("it does not panic");
            wsrt::task::yield_now().await;
            let _ = tell.send(());
        });
    });
    assert!(message.contains("a thread that is no part of this simulation"), "{message}");
}

#[test]
fn a_foreign_thread_that_wakes_the_root_is_refused() {
    let message = message(|| {
        simulated(2).block_on(std::future::poll_fn(|cx| {
            let waker = cx.waker().clone();
            std::thread::spawn(move || waker.wake()).join().expect("it does not panic");
            std::task::Poll::<()>::Pending
        }));
    });
    assert!(message.contains("a thread that is no part of this simulation"), "{message}");
}

/// The message of a run in which another thread makes this call.
fn message_of_a_foreign_call<C: FnOnce() + Send + 'static>(call: impl AsyncFnOnce(Sim) -> C + Send) -> String {
    message(|| {
        sim::run(1, |sim| async move {
            let call = call(sim).await;
            std::thread::spawn(call).join().expect("it does not panic");
            wsrt::task::yield_now().await;
        });
    })
}

#[test]
fn a_foreign_thread_that_sends_is_refused() {
    let message = message_of_a_foreign_call(async |_| {
        let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a port is free");
        socket.send_to(b"ready", socket.local_addr().expect("it has one")).await.expect("there is room");
        move || drop(socket.try_send_to(b"sent", ([127, 0, 0, 1], 9).into()))
    });
    assert!(message.contains("a thread that is no part of this simulation"), "{message}");
}

#[test]
fn a_foreign_thread_that_sets_a_fault_is_refused() {
    let message = message_of_a_foreign_call(async |sim: Sim| {
        sim.host("node", pending::<()>);
        move || sim.crash("node")
    });
    assert!(message.contains("a thread that is no part of this simulation"), "{message}");
}

#[test]
fn a_foreign_thread_that_changes_a_disk_is_refused() {
    let message = message_of_a_foreign_call(async |sim: Sim| {
        sim.host("node", pending::<()>);
        let disk = sim.disk("node");
        move || disk.write("/file", "late").expect("there is room")
    });
    assert!(message.contains("a thread that is no part of this simulation"), "{message}");
}

#[test]
fn a_foreign_thread_may_look_at_the_record() {
    sim::run(1, |sim| async move {
        wsrt::task::yield_now().await;
        let steps = std::thread::spawn(move || sim.record().steps()).join().expect("it does not panic");
        wsrt::task::yield_now().await;
        assert!(steps > 0);
    });
}

#[test]
fn a_second_thread_may_not_drive() {
    let runtime = simulated(2);
    let handle = runtime.handle().clone();
    runtime.block_on(async {
        let thread = std::thread::spawn(move || message(|| handle.block_on(async {})));
        let message = thread.join().expect("its panic is caught");
        assert!(message.contains("a simulation runs on one thread"), "{message}");
    });
}
