//! tokio-util unchanged: its collections of tasks, and its pool of threads with local tasks.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;
use tokio_util::task::{JoinMap, LocalPoolHandle, TaskTracker};
use wsrt_drop_in_here::assert_is_a_task_of_wsrt;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_cancels_tracked_tasks() {
    let (token, tracker) = (CancellationToken::new(), TaskTracker::new());
    let all_wait = Arc::new(Barrier::new(101));
    for _ in 0..100 {
        let (token, all_wait) = (token.child_token(), Arc::clone(&all_wait));
        tracker.spawn(async move {
            assert_is_a_task_of_wsrt();
            all_wait.wait().await;
            token.cancelled().await;
        });
    }
    all_wait.wait().await;
    assert_eq!(tracker.len(), 100);
    tracker.close();
    token.cancel();
    tracker.wait().await;
    assert!(tracker.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_join_map_names_what_ended() {
    let mut map = JoinMap::new();
    for n in 0..10_u32 {
        map.spawn(n, async move { n * n });
    }
    map.spawn(10, std::future::pending());
    map.abort(&10);
    let mut ended = HashSet::new();
    while let Some((n, result)) = map.join_next().await {
        match result {
            Ok(square) => assert_eq!(square, n * n),
            Err(error) => assert!(error.is_cancelled() && n == 10, "{n}: {error}"),
        }
        ended.insert(n);
    }
    assert_eq!(ended.len(), 11);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pinned_futures_stay_on_one_thread() {
    let pool = LocalPoolHandle::new(2);
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            pool.spawn_pinned(|| async {
                let (here, shared) = (thread::current().id(), Rc::new(1));
                let other = Rc::clone(&shared);
                let inner = tokio::task::spawn_local(async move { (thread::current().id(), *other) });
                tokio::time::sleep(Duration::from_millis(1)).await;
                assert_eq!(inner.await.expect("no panic"), (here, *shared));
                assert_eq!(thread::current().id(), here);
                here
            })
        })
        .collect();
    let mut threads = HashSet::new();
    for task in tasks {
        threads.insert(task.await.expect("no panic"));
    }
    assert!(threads.len() <= 2 && !threads.contains(&thread::current().id()), "{threads:?}");
}
