//! Tasks and their groups: results that were not returned stay, and what is aborted ends.

use std::cell::Cell;
use std::future::{Future, pending};
use std::rc::Rc;

use wsrt::future::shield;
use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::sync::{mpsc, oneshot};
use wsrt::task::coop::{cooperative, unconstrained};
use wsrt::task::{
    AbortOnDropHandle, JoinError, JoinHandle, JoinMap, JoinSet, LocalSet, ScopedJoinHandle, TaskGroup, consume_budget,
    yield_now,
};
use wsrt::test::cancel_at_each_await;
use wsrt::time::Instant;
use wsrt_tests::{LIMIT, Roll, RollEntry};

use crate::{later, run};

async fn seven() -> u32 {
    later().await;
    7
}

/// A future that never completes, and tells by the end of the channel that it was dropped.
fn endless() -> (impl Future<Output = u32> + Send + 'static, mpsc::Receiver<()>) {
    let (sender, ended) = mpsc::channel(1);
    let future = async move {
        let _sender = sender;
        pending().await
    };
    (future, ended)
}

/// Of `JoinHandle` and `AbortOnDropHandle`.
#[test]
fn a_result_waits_for_a_later_await() {
    async fn waits<H: Future<Output = Result<u32, JoinError>> + Unpin>(make: impl AsyncFn() -> H) {
        let check = async |handle: H, output: Option<Result<_, _>>| match output {
            Some(output) => assert_eq!(output.ok(), Some(7)),
            None => assert_eq!(handle.await.ok(), Some(7)),
        };
        cancel_at_each_await(make, async |handle: &mut H| handle.await, check).await;
    }
    run(async || {
        waits(async || wsrt::spawn(seven())).await;
        waits::<AbortOnDropHandle<_>>(async || wsrt::spawn(seven()).abort_on_drop()).await;
    });
}

/// Of `JoinHandle::cancel`: the task ends even if the future is dropped.
#[test]
fn a_cancelled_task_ends() {
    run(async || {
        let make = async || {
            let (future, ended) = endless();
            (Some(wsrt::spawn(future)), ended)
        };
        type State = (Option<JoinHandle<u32>>, mpsc::Receiver<()>);
        let operation = async |(handle, _): &mut State| {
            // Otherwise the task ends before its first poll, and there is nothing to wait for.
            yield_now().await;
            handle.take().expect("once").cancel().await
        };
        let check = async |(handle, mut ended): State, _| {
            if let Some(handle) = handle {
                handle.abort();
            }
            assert_eq!(ended.recv().await, None);
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `future/shield::shield` and `Shield`: once it has been polled, the work ends.
#[test]
fn shielded_work_ends() {
    run(async || {
        type State = (Option<oneshot::Sender<u32>>, oneshot::Receiver<u32>);
        let make = async || {
            let (sender, ended) = oneshot::channel();
            (Some(sender), ended)
        };
        let operation = async |(sender, _): &mut State| {
            let sender = sender.take().expect("once");
            shield(async move { sender.send(seven().await) }).await
        };
        let check = async |(_, ended): State, output: Option<Result<(), u32>>| {
            assert_eq!(ended.await, Ok(7));
            assert!(output.is_none_or(|output| output.is_ok()));
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

const OUTPUTS: [u32; 3] = [0, 1, 2];

/// A task that ends later than the tasks with lower numbers.
async fn output(number: u32) -> u32 {
    for _ in 0..=3 * number {
        yield_now().await;
    }
    number
}

/// Takes the results of three tasks, and continues after each cancellation.
async fn joins<S>(make: impl AsyncFn() -> S, next: impl AsyncFn(&mut S) -> Option<u32>) {
    let make = async || (make().await, Vec::new());
    let operation = async |(set, outputs): &mut (S, Vec<u32>)| {
        while let Some(output) = next(set).await {
            outputs.push(output);
        }
    };
    let check = async |(mut set, mut outputs): (S, Vec<u32>), _| {
        while let Some(output) = next(&mut set).await {
            outputs.push(output);
        }
        assert_eq!(outputs, OUTPUTS);
    };
    cancel_at_each_await(make, operation, check).await;
}

/// Of `JoinSet::join_next`, `JoinSet::join_next_with_id`, `JoinMap::join_next` and
/// `TaskGroup::next`.
#[test]
fn results_that_were_not_returned_stay() {
    run(async || {
        let set = async || OUTPUTS.into_iter().map(output).collect::<JoinSet<_>>();
        joins(set, async |set| Some(set.join_next().await?.expect("no panic"))).await;
        joins(set, async |set| Some(set.join_next_with_id().await?.expect("no panic").1)).await;
        let map = async || {
            let mut map = JoinMap::new();
            OUTPUTS.into_iter().for_each(|number| map.spawn(number, output(number)));
            map
        };
        joins(map, async |map: &mut JoinMap<u32, u32>| Some(map.join_next().await?.1.expect("no panic"))).await;
        let group = async || {
            let mut group = TaskGroup::<_, ()>::new();
            OUTPUTS.into_iter().for_each(|number| group.spawn(async move { Ok(output(number).await) }));
            group
        };
        joins(group, async |group| Some(group.next().await?.expect("no error"))).await;
    });
}

/// Of `JoinSet::shutdown`, `JoinMap::shutdown` and `TaskGroup::cancel`: the tasks end, whether or
/// not the future completes.
#[test]
fn tasks_that_were_aborted_end() {
    run(async || {
        type Of<S> = (S, mpsc::Receiver<()>);
        let make = async || {
            let (mut set, (future, ended)) = (JoinSet::new(), endless());
            set.spawn(future);
            later().await;
            (set, ended)
        };
        let check = async |(set, mut ended): Of<JoinSet<u32>>, output: Option<()>| {
            // The set is kept: it is not its drop that ends the task.
            assert_eq!(ended.recv().await, None);
            assert!(output.is_none() || set.is_empty());
        };
        let operation = async |(set, _): &mut Of<JoinSet<u32>>| set.shutdown().await;
        cancel_at_each_await(make, operation, check).await;

        let make = async || {
            let (mut map, (future, ended)) = (JoinMap::new(), endless());
            map.spawn((), future);
            later().await;
            (map, ended)
        };
        let check = async |(map, mut ended): Of<JoinMap<(), u32>>, _| {
            assert_eq!(ended.recv().await, None);
            drop(map);
        };
        let operation = async |(map, _): &mut Of<JoinMap<(), u32>>| map.shutdown().await;
        cancel_at_each_await(make, operation, check).await;

        let make = async || {
            let (mut group, (future, ended)) = (TaskGroup::new(), endless());
            group.spawn(async { Ok::<_, ()>(future.await) });
            later().await;
            (group, ended)
        };
        let check = async |(group, mut ended): Of<TaskGroup<u32, ()>>, _| {
            assert_eq!(ended.recv().await, None);
            assert!(group.is_cancelled());
        };
        let operation = async |(group, _): &mut Of<TaskGroup<u32, ()>>| group.cancel().await;
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `JoinSet::join_all` and `TaskGroup::join_all`: the outputs so far are lost, and the other
/// tasks end.
#[test]
fn a_dropped_join_of_all_ends_the_tasks() {
    /// A task that completes, and one that completes only if it is left alone for long.
    fn pair() -> [(impl Future<Output = u32> + Send + 'static, mpsc::Receiver<()>); 2] {
        [0, 1].map(|number| {
            let (sender, ended) = mpsc::channel(1);
            let future = async move {
                let _sender = sender;
                output(number).await
            };
            (future, ended)
        })
    }
    run(async || {
        let make = async || {
            let [(first, first_ended), (second, second_ended)] = pair();
            let mut set = JoinSet::new();
            set.spawn(first);
            set.spawn(second);
            (Some(set), [first_ended, second_ended])
        };
        type Of<S> = (Option<S>, [mpsc::Receiver<()>; 2]);
        let operation = async |(set, _): &mut Of<JoinSet<u32>>| set.take().expect("once").join_all().await;
        let check = async |(_, [mut first, mut second]): Of<JoinSet<u32>>, output: Option<Vec<u32>>| {
            assert_eq!((first.recv().await, second.recv().await), (None, None));
            assert!(output.is_none_or(|output| output == [0, 1]));
        };
        cancel_at_each_await(make, operation, check).await;
    });
    run(async || {
        let make = async || {
            let [(first, first_ended), (second, second_ended)] = pair();
            let mut group = TaskGroup::<u32, ()>::new();
            group.spawn(async { Ok(first.await) });
            group.spawn(async { Ok(second.await) });
            (Some(group), [first_ended, second_ended])
        };
        type State = (Option<TaskGroup<u32, ()>>, [mpsc::Receiver<()>; 2]);
        let operation = async |(group, _): &mut State| group.take().expect("once").join_all().await;
        let check = async |(_, [mut first, mut second]): State, output: Option<Result<Vec<u32>, ()>>| {
            assert_eq!((first.recv().await, second.recv().await), (None, None));
            assert!(output.is_none_or(|output| output == Ok(vec![0, 1])));
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `TaskGroup::room`, which reserves nothing.
#[test]
fn a_dropped_wait_for_room_reserves_none() {
    run(async || {
        let make = async || {
            let mut group = TaskGroup::<u32, ()>::with_limit(1);
            group.spawn(async { Ok(seven().await) });
            // The child takes the only place.
            yield_now().await;
            group
        };
        let operation = async |group: &mut TaskGroup<u32, ()>| group.room().await;
        let check = async |mut group: TaskGroup<u32, ()>, _| {
            group.room().await;
            group.spawn(async { Ok(8) });
            assert_eq!(group.join_all().await, Ok(vec![7, 8]));
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `LocalSet` and `LocalSet::run_until`: its tasks lose nothing.
#[test]
fn the_tasks_of_a_set_go_on_with_it() {
    run(async || {
        let make = async || {
            let (set, passed) = (LocalSet::new(), Rc::new(Cell::new(0)));
            let (sender, mut receiver) = mpsc::channel(1);
            let peer = async move {
                for _ in 0..3 {
                    later().await;
                    sender.send(()).await.expect("the receiver is there");
                }
            };
            wsrt::spawn(peer);
            let task = set.spawn_local(async move {
                while receiver.recv().await.is_some() {
                    passed.set(passed.get() + 1);
                }
                passed.get()
            });
            (set, task)
        };
        let check = async |(set, task): (LocalSet, JoinHandle<u32>), _| {
            assert_eq!(set.run_until(task).await.expect("it does not panic"), 3);
        };
        cancel_at_each_await(make, async |(set, _): &mut (LocalSet, JoinHandle<u32>)| set.await, check).await;
        let operation = async |(set, _): &mut (LocalSet, JoinHandle<u32>)| set.run_until(later()).await;
        cancel_at_each_await(make, operation, check).await;
    });
}

wsrt::task_local! {
    static NUMBER: u32;
}

/// Of `LocalKey::scope`, `task/coop::cooperative`, `task/coop::unconstrained`,
/// `task/coop::consume_budget` and `task/spawn::yield_now`, which are as cancel safe as what they
/// wrap: the future is dropped where it waits, once.
#[test]
fn wrappers_drop_what_they_wrap() {
    async fn drops<F: Future>(wrap: impl Fn(Guarded) -> F) {
        let operation = async |drops: &mut Roll| drop(wrap(guarded(drops.entry(0))).await);
        let check = async |drops: Roll, _| drops.assert_each_dropped_once();
        cancel_at_each_await(async || Roll::new(1), operation, check).await;
    }
    run(async || {
        drops(|future| NUMBER.scope(7, future)).await;
        drops(cooperative).await;
        drops(unconstrained).await;
        drops(|future| async move {
            // More than the budget of a poll.
            for _ in 0..300 {
                consume_budget().await;
            }
            future.await;
        })
        .await;
    });
}

type Guarded = std::pin::Pin<Box<dyn Future<Output = ()>>>;

/// A future that waits. Its entry counts the drop.
fn guarded(entry: RollEntry) -> Guarded {
    Box::pin(async move {
        later().await;
        drop(entry);
    })
}

/// Of `Handle::drain`: the runtime stays closed.
#[test]
fn a_drain_that_was_dropped_keeps_the_runtime_closed() {
    run(async || {
        let make = async || {
            let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
            let (sender, mut receiver) = mpsc::channel::<()>(1);
            drop(runtime.spawn(async move { receiver.recv().await }));
            let handle = runtime.handle().clone();
            (runtime, handle, Some(sender))
        };
        type State = (Runtime, Handle, Option<mpsc::Sender<()>>);
        let operation = async |(_, handle, sender): &mut State| {
            let mut drain = std::pin::pin!(handle.drain(Instant::now() + LIMIT));
            let mut polls = 0;
            std::future::poll_fn(|cx| {
                polls += 1;
                if polls > 1 {
                    drop(sender.take());
                }
                let poll = drain.as_mut().poll(cx).map(drop);
                if polls == 1 {
                    cx.waker().wake_by_ref();
                }
                poll
            })
            .await;
        };
        let check = async |(runtime, handle, _): State, _| {
            assert!(handle.shutdown_token().is_cancelled());
            assert!(handle.spawn(async {}).await.expect_err("it is closed").is_cancelled());
            runtime.shutdown_background();
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `scope/mod::scope_with` and `ScopeWith`: the resources are dropped, and the children with
/// them.
#[test]
fn a_dropped_scope_drops_its_resources() {
    run(async || {
        type State = (Option<mpsc::Sender<()>>, mpsc::Receiver<()>);
        let make = async || {
            let (sender, ended) = mpsc::channel(1);
            (Some(sender), ended)
        };
        let operation = async |(sender, _): &mut State| {
            let sender = sender.take().expect("once");
            let body = wsrt::task::scope_with(sender, async |scope, _| scope.spawn(seven()).await);
            drop(body.await);
        };
        let check = async |(_, mut ended): State, _| assert_eq!(ended.recv().await, None);
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `ScopedJoinHandle`, whose output stays for a later `await`.
#[test]
fn an_output_of_a_scope_waits_for_a_later_await() {
    run(async || {
        let body = wsrt::task::scope_with((), async |scope, ()| {
            let make = async || scope.spawn(seven());
            let check = async |handle: ScopedJoinHandle<'_, u32>, output: Option<Option<u32>>| {
                let output = match output {
                    Some(output) => output,
                    None => handle.await,
                };
                assert_eq!(output, Some(7));
            };
            cancel_at_each_await(make, async |handle: &mut ScopedJoinHandle<'_, u32>| handle.await, check).await
        });
        assert!(body.await.1 > 0);
    });
}
