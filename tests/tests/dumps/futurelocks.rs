//! A dump names a futurelock: a lock that was handed to a future which its task keeps and does not
//! poll, while the task waits for the same lock. A future that will yet be polled makes none.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use wsrt::runtime::{Dump, Handle, TaskState, WaitsOn};
use wsrt::sync::{Barrier, Mutex, Notify, RwLock, Semaphore, mpsc};
use wsrt::task::yield_now;
use wsrt::time::sleep;
use wsrt_tests::{two_processors, within_a_minute};

use crate::{find, named, once};

/// Polls each of the futures once, so that it waits in line, in their order.
async fn line_up<F: Future<Output = ()>>(futures: &mut [std::pin::Pin<&mut F>]) {
    poll_fn(|cx| {
        futures.iter_mut().for_each(|future| assert!(future.as_mut().poll(cx).is_pending()));
        Poll::Ready(())
    })
    .await;
}

fn has_futurelock(dump: &Dump) -> bool {
    dump.cycles().iter().any(wsrt::runtime::Cycle::is_futurelock)
}

/// Spawns a task that holds `lock` until `release` is notified.
fn hold(handle: &Handle, lock: &Arc<Mutex<()>>, release: &Arc<Notify>) {
    let (lock, release) = (Arc::clone(lock), Arc::clone(release));
    let guard = lock.try_lock_owned().expect("it is free");
    drop(handle.spawn(async move {
        release.notified().await;
        drop(guard);
    }));
}

async fn lock_and_unlock(lock: &Mutex<()>) {
    drop(lock.lock().await);
}

#[test]
fn a_lock_handed_to_an_unpolled_future_is_a_futurelock() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (lock, release) = (Arc::new(Mutex::new(())), Arc::new(Notify::new()));
        hold(runtime.handle(), &lock, &release);
        let (shared, go_on) = (Arc::clone(&lock), Arc::clone(&release));
        drop(named("impatient").spawn_on(
            async move {
                let mut first = pin!(lock_and_unlock(&shared));
                wsrt::select! {
                    () = &mut first => {}
                    () = sleep(Duration::from_millis(1)) => {
                        go_on.notify_one();
                        lock_and_unlock(&shared).await;
                    }
                }
            },
            runtime.handle(),
        ));
        let dump = once(runtime.handle(), |dump| !dump.cycles().is_empty());
        let [cycle] = dump.cycles() else { panic!("{dump}") };
        assert!(cycle.is_futurelock(), "{dump}");
        let [task] = cycle.tasks() else { panic!("{dump}") };
        let [WaitsOn::Sync(wait)] = task.waits_on() else { panic!("{task}") };
        assert!(wait.is_promised() && wait.holder() == Some(task.id()), "{task}");
        let (id, place) = (task.id(), wait.made_at());
        let text = cycle.to_string();
        let promise = format!(
            "waits for Mutex made at {place}, promised to a future of task {id}, which has not polled it since"
        );
        assert!(text.contains(&promise), "{text}");
        let cure = format!(
            "\n  futurelock: Mutex made at {place} was handed to a future that task {id} keeps and no longer polls. Drop"
        );
        assert!(text.contains(&cure), "{text}");
        assert!(dump.to_json().contains("\"promised\":true"), "{}", dump.to_json());
    });
}

#[test]
fn a_futurelock_may_lead_around_two_tasks() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (lock, release) = (Arc::new(Mutex::new(())), Arc::new(Notify::new()));
        let (other, both) = (Arc::new(RwLock::new(())), Arc::new(Barrier::new(2)));
        hold(runtime.handle(), &lock, &release);
        let (shared, its, at) = (Arc::clone(&lock), Arc::clone(&other), Arc::clone(&both));
        drop(named("keeps").spawn_on(
            async move {
                let mut first = pin!(lock_and_unlock(&shared));
                line_up(&mut [first.as_mut()]).await;
                at.wait().await;
                drop(its.write().await);
                first.await;
            },
            runtime.handle(),
        ));
        drop(named("holds").spawn_on(
            async move {
                let _guard = other.read().await;
                both.wait().await;
                release.notify_one();
                drop(lock.lock().await);
            },
            runtime.handle(),
        ));
        let dump = once(runtime.handle(), |dump| !dump.cycles().is_empty());
        let [cycle] = dump.cycles() else { panic!("{dump}") };
        assert!(cycle.is_futurelock() && cycle.tasks().len() == 2, "{dump}");
        assert_eq!(cycle.to_string().matches("\n  futurelock: ").count(), 1, "{dump}");
    });
}

/// The task's waker, for futures that have wakers of their own, as in `FuturesUnordered`.
#[derive(Default)]
struct Crowd(std::sync::Mutex<Option<Waker>>);

struct Member(Arc<Crowd>);

impl Wake for Member {
    fn wake(self: Arc<Self>) {
        let task = self.0.0.lock().expect("no panic").take();
        task.into_iter().for_each(Waker::wake);
    }
}

#[test]
fn a_loop_over_a_crowd_can_be_in_a_futurelock() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (lock, release) = (Arc::new(Mutex::new(())), Arc::new(Notify::new()));
        hold(runtime.handle(), &lock, &release);
        drop(runtime.spawn(async move {
            let crowd = Arc::<Crowd>::default();
            let member = Waker::from(Arc::new(Member(Arc::clone(&crowd))));
            let mut first = pin!(lock_and_unlock(&lock));
            poll_fn(|cx| {
                *crowd.0.lock().expect("no panic") = Some(cx.waker().clone());
                assert!(first.as_mut().poll(&mut Context::from_waker(&member)).is_pending());
                Poll::Ready(())
            })
            .await;
            release.notify_one();
            lock_and_unlock(&lock).await;
        }));
        once(runtime.handle(), has_futurelock);
    });
}

/// The lock is promised for as long as the task waits for something else, which ends.
#[test]
fn a_future_that_is_polled_later_makes_no_futurelock() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (lock, release, go_on) = (Arc::new(Mutex::new(())), Arc::new(Notify::new()), Arc::new(Notify::new()));
        hold(runtime.handle(), &lock, &release);
        let paused = Arc::clone(&go_on);
        let late = named("late").spawn_on(
            async move {
                let mut first = pin!(lock_and_unlock(&lock));
                line_up(&mut [first.as_mut()]).await;
                let shared = Arc::clone(&lock);
                let next = named("next").spawn(async move { lock_and_unlock(&shared).await });
                release.notify_one();
                paused.notified().await;
                first.await;
                next.await.expect("no panic");
            },
            runtime.handle(),
        );
        let is_promised = |dump: &Dump| {
            find(dump, "next").is_some_and(|task| task.to_string().contains(", which has not polled it since"))
        };
        let dump = once(runtime.handle(), |dump| {
            is_promised(dump) && find(dump, "late").is_some_and(|late| late.state() == TaskState::Idle)
        });
        assert!(dump.cycles().is_empty(), "{dump}");
        go_on.notify_one();
        runtime.block_on(late).expect("no panic");
    });
}

#[test]
fn futures_that_take_turns_in_one_task_make_no_futurelock() {
    within_a_minute(|| {
        let runtime = two_processors();
        let lock = Arc::new(Mutex::new(()));
        let use_often = |lock: Arc<Mutex<()>>| async move {
            for _ in 0..500 {
                let _guard = lock.lock().await;
                yield_now().await;
            }
        };
        let (one, other) = (Arc::clone(&lock), Arc::clone(&lock));
        let mut tasks = vec![runtime.spawn(async move {
            wsrt::join!(use_often(one), use_often(other));
        })];
        for _ in 0..2 {
            tasks.push(runtime.spawn(use_often(Arc::clone(&lock))));
        }
        let shared = Arc::clone(&lock);
        tasks.push(runtime.spawn(async move {
            for _ in 0..200 {
                let mut first = pin!(lock_and_unlock(&shared));
                loop {
                    wsrt::select! {
                        () = &mut first => break,
                        () = yield_now() => {}
                    }
                }
            }
        }));
        while tasks.iter().any(|task| !task.is_finished()) {
            let dump = runtime.handle().dump();
            assert!(dump.cycles().is_empty(), "{dump}");
        }
        runtime.block_on(async {
            for task in tasks {
                task.await.expect("no panic");
            }
        });
    });
}

/// Spawns a task that holds the free permits, and one with a future that is first in line for
/// `wanted` permits: once it was given them, the task waits for as many in another future.
fn spawn_futurelock(handle: &Handle, semaphore: &Arc<Semaphore>, wanted: u32) {
    let release = Arc::new(Notify::new());
    let all = u32::try_from(semaphore.available_permits()).expect("some");
    let held = Arc::clone(semaphore).try_acquire_many_owned(all).expect("they are free");
    let (shared, go_on) = (Arc::clone(semaphore), Arc::clone(&release));
    drop(handle.spawn(async move {
        release.notified().await;
        drop(held);
    }));
    drop(named("impatient").spawn_on(
        async move {
            let acquire = || async { drop(shared.acquire_many(wanted).await) };
            let (mut first, mut second) = (pin!(acquire()), pin!(acquire()));
            line_up(&mut [first.as_mut()]).await;
            go_on.notify_one();
            second.as_mut().await;
            first.await;
        },
        handle,
    ));
}

#[test]
fn a_semaphore_handed_to_an_unpolled_future_is_a_futurelock() {
    within_a_minute(|| {
        let runtime = two_processors();
        for (count, wanted) in [(1, 1), (3, 3), (3, 2)] {
            let semaphore = Arc::new(Semaphore::new(count));
            spawn_futurelock(runtime.handle(), &semaphore, wanted);
            let dump = once(runtime.handle(), |dump| !dump.cycles().is_empty());
            let text = dump.cycles()[0].to_string();
            assert!(dump.cycles()[0].is_futurelock(), "{dump}");
            assert!(text.contains("\n  futurelock: all permits of Semaphore made at tests/tests/dumps/"), "{text}");
            semaphore.close();
            once(runtime.handle(), |dump| dump.tasks().is_empty());
        }
    });
}

/// The task with the other permit may give it to the second future.
#[test]
fn a_semaphore_that_others_hold_makes_no_futurelock() {
    within_a_minute(|| {
        let runtime = two_processors();
        let semaphore = Arc::new(Semaphore::new(2));
        let elsewhere = semaphore.try_acquire().expect("it is free");
        spawn_futurelock(runtime.handle(), &semaphore, 1);
        let is_promised = |dump: &Dump| dump.to_string().contains(", promised to a future of task ");
        let dump = once(runtime.handle(), is_promised);
        assert!(dump.cycles().is_empty(), "{dump}");
        drop(elsewhere);
        once(runtime.handle(), |dump| dump.tasks().is_empty());
    });
}

/// Spawns a task whose first future is in line for room in a full channel, and which waits for room
/// in another future once the first value was received.
fn spawn_sender(handle: &Handle, sender: mpsc::Sender<u8>, release: &Arc<Notify>) {
    let go_on = Arc::clone(release);
    drop(named("sender").spawn_on(
        async move {
            let sender = &sender;
            let send = |value| async move { sender.send(value).await.expect("there is a receiver") };
            let [mut first, mut second] = [send(1), send(2)].map(Box::pin);
            line_up(&mut [first.as_mut()]).await;
            go_on.notify_one();
            second.as_mut().await;
            first.await;
        },
        handle,
    ));
}

#[test]
fn room_handed_to_an_unpolled_send_is_a_futurelock() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (sender, mut receiver) = mpsc::channel(1);
        sender.try_send(0).expect("there is room");
        let release = Arc::new(Notify::new());
        spawn_sender(runtime.handle(), sender, &release);
        runtime.run(async move {
            release.notified().await;
            assert_eq!(receiver.recv().await, Some(0));
            drop(named("receiver").spawn(async move { while receiver.recv().await.is_some() {} }));
        });
        let dump = once(runtime.handle(), |dump| !dump.cycles().is_empty());
        let text = dump.cycles()[0].to_string();
        assert!(dump.cycles()[0].is_futurelock(), "{dump}");
        assert!(text.contains("\n  futurelock: all room in the mpsc channel made at tests/tests/dumps/"), "{text}");
    });
}

/// The receiver may yet take out a value, and does.
#[test]
fn a_value_in_the_channel_makes_no_futurelock() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (sender, mut receiver) = mpsc::channel(2);
        (0..2).for_each(|_| sender.try_send(0).expect("there is room"));
        let release = Arc::new(Notify::new());
        spawn_sender(runtime.handle(), sender, &release);
        let mut receiver = runtime.run(async move {
            release.notified().await;
            assert_eq!(receiver.recv().await, Some(0));
            receiver
        });
        let is_promised = |dump: &Dump| dump.to_string().contains(", promised to a future of task ");
        let dump = once(runtime.handle(), is_promised);
        assert!(dump.cycles().is_empty(), "{dump}");
        let values = runtime.run(async move { [receiver.recv().await, receiver.recv().await, receiver.recv().await] });
        assert_eq!(values, [Some(0), Some(2), Some(1)]);
    });
}

/// A task that has added permits may add more: this is no cycle, but a dump says what is known.
#[test]
fn a_promise_of_a_semaphore_that_grows_is_no_cycle() {
    within_a_minute(|| {
        let runtime = two_processors();
        drop(named("waits").spawn_on(
            async {
                let semaphore = Semaphore::new(0);
                let acquire = || async { drop(semaphore.acquire().await) };
                let (mut first, mut second) = (pin!(acquire()), pin!(acquire()));
                line_up(&mut [first.as_mut()]).await;
                semaphore.add_permits(1);
                second.as_mut().await;
            },
            runtime.handle(),
        ));
        let dump = once(runtime.handle(), |dump| dump.to_string().contains(", promised to a future of task "));
        assert!(dump.cycles().is_empty(), "{dump}");
    });
}
