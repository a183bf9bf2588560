//! Cancellation at every await: one of some tasks is dropped after its first poll, after its
//! second, and so on, until it ends by itself. The others end all the same, and permits and values
//! balance.

mod executor;

use crate::executor::{Program, Task, explore, yield_now};
use std::sync::Arc;
use wsrt_sync::{Mutex, Notify, OnceCell, RwLock, Semaphore, SetOnce, broadcast, mpmc, mpsc, oneshot, watch};

#[test]
fn mutexes_are_free_after_a_cancelled_task() {
    explore(|| {
        let lock = Arc::new(Mutex::new(0));
        let task = |is_owned| {
            let lock = Arc::clone(&lock);
            Task::ends(async move {
                for _ in 0..3 {
                    if is_owned {
                        let mut guard = Arc::clone(&lock).lock_owned().await;
                        yield_now().await;
                        *guard += 1;
                    } else {
                        let mut guard = lock.lock().await;
                        yield_now().await;
                        *guard += 1;
                    }
                }
            })
        };
        let tasks = vec![task(false), task(true), task(false)];
        Program::new(tasks, move || {
            let count = *lock.try_lock().expect("it is free");
            assert!((6..=9).contains(&count), "{count}");
        })
    });
}

#[test]
fn rw_locks_are_free_after_a_cancelled_task() {
    explore(|| {
        let lock = Arc::new(RwLock::new(0));
        let reader = || {
            let lock = Arc::clone(&lock);
            Task::ends(async move {
                for _ in 0..3 {
                    let before = lock.read().await;
                    let seen = *before;
                    yield_now().await;
                    assert_eq!(*before, seen, "a writer came in");
                }
            })
        };
        let writer = || {
            let lock = Arc::clone(&lock);
            Task::ends(async move {
                for _ in 0..2 {
                    let mut guard = lock.write().await;
                    *guard += 1;
                    yield_now().await;
                    let reading = guard.downgrade();
                    yield_now().await;
                    drop(reading);
                }
            })
        };
        let tasks = vec![reader(), writer(), reader(), writer()];
        Program::new(tasks, move || assert!(lock.try_write().is_ok(), "it is free"))
    });
}

#[test]
fn semaphores_are_whole_after_a_cancelled_task() {
    explore(|| {
        let semaphore = Arc::new(Semaphore::new(3));
        let task = |wants: &'static [u32]| {
            let semaphore = Arc::clone(&semaphore);
            Task::ends(async move {
                for wants in wants {
                    let permit = semaphore.acquire_many(*wants).await.expect("it is open");
                    yield_now().await;
                    drop(permit);
                }
            })
        };
        let tasks = vec![task(&[1, 3]), task(&[2, 2]), task(&[3, 1]), task(&[1, 0])];
        Program::new(tasks, move || assert_eq!(semaphore.available_permits(), 3))
    });
}

/// Values that are counted: each is dropped once.
type Value = Arc<()>;

#[test]
fn bounded_channels_lose_no_room_and_no_value() {
    explore(|| {
        let value = Value::new(());
        let (sender, receiver) = mpsc::channel(2);
        let watcher = sender.downgrade();
        let tasks = vec![
            sends(sender.clone(), Arc::clone(&value)),
            reserves(sender.clone(), Arc::clone(&value)),
            reserves_owned(sender, Arc::clone(&value)),
            Task::ends(async move {
                let mut receiver = receiver;
                let mut some = Vec::new();
                while receiver.recv().await.is_some() && receiver.recv_many(&mut some, 3).await > 0 {
                    some.clear();
                }
                assert_eq!(receiver.capacity(), 2, "all room is free at the end");
            }),
        ];
        Program::new(tasks, move || {
            assert!(watcher.upgrade().is_none(), "all senders are gone");
            // A value that a permit sends to a receiver that is gone stays as long as the channel.
            drop(watcher);
            assert_eq!(Arc::strong_count(&value), 1);
        })
    });
}

fn sends(sender: mpsc::Sender<Value>, value: Value) -> Task {
    Task::ends(async move {
        for _ in 0..4 {
            if sender.send(Arc::clone(&value)).await.is_err() {
                return sender.closed().await;
            }
        }
    })
}

fn reserves(sender: mpsc::Sender<Value>, value: Value) -> Task {
    Task::ends(async move {
        for _ in 0..2 {
            let Ok(permits) = sender.reserve_many(2).await else { return };
            yield_now().await;
            for permit in permits {
                permit.send(Arc::clone(&value));
            }
            let Ok(unused) = sender.reserve().await else { return };
            yield_now().await;
            drop(unused);
        }
    })
}

fn reserves_owned(mut sender: mpsc::Sender<Value>, value: Value) -> Task {
    Task::ends(async move {
        for at in 0..4 {
            let Ok(permit) = sender.reserve_owned().await else { return };
            yield_now().await;
            sender = if at % 2 == 0 { permit.send(Arc::clone(&value)) } else { permit.release() };
        }
    })
}

/// A receiver that is cancelled passes its wake-up on, and takes no value with it.
#[test]
fn channels_of_many_receivers_lose_no_value() {
    explore(|| {
        let (sender, receiver) = mpmc::channel(2);
        let received = Arc::new(std::sync::Mutex::new(Vec::new()));
        let receives = |takes: usize| {
            let (receiver, received) = (receiver.clone(), Arc::clone(&received));
            Task::ends(async move {
                if takes == 1 {
                    while let Some(value) = receiver.recv().await {
                        received.lock().unwrap().push(value);
                    }
                } else {
                    let mut some = Vec::new();
                    while receiver.recv_many(&mut some, takes).await > 0 {
                        received.lock().unwrap().append(&mut some);
                    }
                }
            })
        };
        let mut tasks = vec![receives(1), receives(2), receives(1)];
        let rest = receiver.clone();
        drop(receiver);
        for first in [0, 10] {
            let sender = sender.clone();
            tasks.push(Task::ends(async move {
                for value in first..first + 4 {
                    sender.send(value).await.expect("a receiver is there");
                }
            }));
        }
        drop(sender);
        Program::of_steady(tasks, &[3, 4], move || {
            assert_eq!((rest.len(), rest.capacity()), (0, 2), "all was received, and all room is free");
            let mut received = std::mem::take(&mut *received.lock().unwrap());
            received.sort_unstable();
            assert_eq!(received, [0, 1, 2, 3, 10, 11, 12, 13]);
        })
    });
}

#[test]
fn unbounded_channels_end_for_their_tasks() {
    explore(|| {
        let value = Value::new(());
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let (closing, sent) = (sender.clone(), Arc::clone(&value));
        let (leave, left) = oneshot::channel::<()>();
        let tasks = vec![
            Task::ends(async move {
                for _ in 0..5 {
                    let _ = sender.send(Arc::clone(&sent));
                    yield_now().await;
                }
                drop((leave, sent));
            }),
            Task::ends(async move {
                let _ = left.await;
                // It ends with the receiver, which has received three.
                closing.closed().await;
            }),
            Task::ends(async move {
                for _ in 0..3 {
                    if receiver.recv().await.is_none() {
                        return;
                    }
                }
            }),
        ];
        Program::of_steady(tasks, &[0], move || assert_eq!(Arc::strong_count(&value), 1))
    });
}

#[test]
fn oneshot_channels_end_for_both_ends() {
    explore(|| {
        let value = Value::new(());
        let (request, asked) = oneshot::channel();
        let (mut reply, answer) = oneshot::channel();
        let (one, other) = (Arc::clone(&value), Arc::clone(&value));
        let tasks = vec![
            Task::ends(async move {
                yield_now().await;
                let _ = request.send(one);
                let _ = answer.await;
            }),
            Task::ends(async move {
                if asked.await.is_ok() {
                    yield_now().await;
                    let _ = reply.send(other);
                } else {
                    reply.closed().await;
                }
            }),
        ];
        Program::new(tasks, move || assert_eq!(Arc::strong_count(&value), 1))
    });
}

#[test]
fn watchers_see_the_last_value_beside_a_cancelled_one() {
    explore(|| {
        let (sender, receiver) = watch::channel(0);
        let watcher = |wants| {
            let mut receiver = receiver.clone();
            Task::ends(async move {
                assert!(wants == 0 || *receiver.wait_for(|value| *value >= wants).await.expect("it comes") >= wants);
                while receiver.changed().await.is_ok() {}
                assert_eq!(*receiver.borrow(), 4);
            })
        };
        let mut tasks = vec![watcher(0), watcher(2), watcher(4)];
        drop(receiver);
        tasks.push(Task::ends(async move {
            for value in 1..=4 {
                sender.send_replace(value);
                yield_now().await;
            }
        }));
        Program::of_steady(tasks, &[3], || {})
    });
}

#[test]
fn readers_get_each_value_beside_a_cancelled_one() {
    explore(|| {
        let value = Value::new(());
        let (sender, first) = broadcast::channel(8);
        let readers = [first, sender.subscribe(), sender.subscribe()];
        let mut tasks: Vec<_> = readers
            .into_iter()
            .map(|mut reader| {
                Task::ends(async move {
                    for _ in 0..4 {
                        reader.recv().await.expect("it has not lagged");
                    }
                    assert_eq!(reader.recv().await, Err(broadcast::error::RecvError::Closed));
                })
            })
            .collect();
        let sent = Arc::clone(&value);
        tasks.push(Task::ends(async move {
            for _ in 0..4 {
                let _ = sender.send(Arc::clone(&sent));
                yield_now().await;
            }
        }));
        Program::of_steady(tasks, &[3], move || assert_eq!(Arc::strong_count(&value), 1))
    });
}

/// A consumer that is cancelled passes its wake-up on: no value stays while another one waits.
#[test]
fn notifications_of_a_cancelled_task_go_on() {
    explore(|| {
        let shared = Arc::new((Notify::new(), std::sync::Mutex::new(Vec::new())));
        let consumer = || {
            let shared = Arc::clone(&shared);
            Task::waits(async move {
                loop {
                    shared.0.notified().await;
                    // One notification may stand for several values.
                    shared.1.lock().unwrap().clear();
                }
            })
        };
        let tasks = vec![consumer(), consumer()];
        let producing = Arc::clone(&shared);
        let producer = Task::ends(async move {
            for value in 0..3 {
                producing.1.lock().unwrap().push(value);
                producing.0.notify_one();
                yield_now().await;
            }
        });
        let all = tasks.into_iter().chain([producer]).collect();
        Program::of_steady(all, &[2], move || assert!(shared.1.lock().unwrap().is_empty(), "a wake-up was lost"))
    });
}

#[test]
fn cells_are_written_beside_a_cancelled_task() {
    explore(|| {
        let cell = Arc::new(OnceCell::new());
        let task = |value| {
            let cell = Arc::clone(&cell);
            Task::ends(async move {
                let compute = || async {
                    yield_now().await;
                    yield_now().await;
                    value
                };
                let found = *cell.get_or_init(compute).await;
                assert_eq!(cell.get(), Some(&found));
            })
        };
        let tasks = vec![task(1), task(2), task(3)];
        Program::new(tasks, move || assert!(cell.initialized()))
    });
}

#[test]
fn waits_for_a_cell_end_beside_a_cancelled_one() {
    explore(|| {
        let cell = Arc::new(SetOnce::new());
        let waiter = || {
            let cell = Arc::clone(&cell);
            Task::ends(async move { assert_eq!(*cell.wait().await, 7) })
        };
        let mut tasks = vec![waiter(), waiter()];
        tasks.push(Task::ends(async move {
            yield_now().await;
            cell.set(7).expect("it is empty");
        }));
        Program::of_steady(tasks, &[2], || {})
    });
}
