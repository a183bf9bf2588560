//! Feature `tokio-compat` keeps its promises: tokio is at hand on every thread of wsrt's and wsrt
//! on every thread of tokio's, each runtime has its own tokio runtime, and that ends last.

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use tokio::runtime::Handle;
use wsrt::runtime::{Builder, Runtime};
use wsrt_ecosystem_testing::LIMIT;

fn runtimes() -> [Runtime; 2] {
    [Builder::new_multi_thread(), Builder::new_current_thread()].map(|mut builder| builder.build().expect("a runtime"))
}

/// Proves that there is a tokio runtime: spawns a task of tokio's, woken by a timer of tokio's.
async fn tokio_works() -> bool {
    let spawned = tokio::spawn(async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        tokio::task::try_id().is_some()
    });
    tokio::time::sleep(Duration::from_millis(1)).await;
    spawned.await.expect("it does not panic")
}

#[test]
fn tokio_is_at_hand_on_every_kind_of_thread() {
    for runtime in runtimes() {
        assert!(runtime.block_on(tokio_works()), "in block_on");
        assert!(runtime.run(tokio_works()), "in a task");
        let job = runtime.spawn_blocking(|| Handle::current().block_on(tokio_works()));
        assert!(runtime.block_on(job).expect("it does not panic"), "in a blocking job");
        let nested = runtime.handle().clone();
        let job = runtime.spawn(async move { nested.block_on(tokio_works()) });
        assert!(runtime.block_on(job).expect("it does not panic"), "in block_on in a task");

        let guard = runtime.enter();
        let spawned = tokio::spawn(tokio_works());
        drop(guard);
        assert!(runtime.block_on(spawned).expect("it does not panic"), "under a guard");
    }
}

#[test]
fn without_a_runtime_of_wsrt_there_is_none_of_tokio() {
    let runtime = Runtime::new().expect("a runtime");
    assert!(Handle::try_current().is_err());
    runtime.block_on(async { assert!(Handle::try_current().is_ok()) });
    assert!(Handle::try_current().is_err());
    drop(runtime.enter());
    assert!(Handle::try_current().is_err());
}

#[test]
fn each_runtime_has_exactly_one_tokio_runtime() {
    let id = || Handle::current().id();
    let [one, other] = runtimes();
    let own = one.block_on(async { id() });
    assert_eq!(one.run(async move { id() }), own);
    assert_eq!(one.block_on(one.spawn_blocking(id)).ok(), Some(own));
    let inner = one.block_on(async { other.block_on(async { id() }) });
    assert_ne!(inner, own);
    assert_eq!(
        one.block_on(async {
            other.block_on(async {});
            id()
        }),
        own,
        "afterwards, the outer one again"
    );
}

#[test]
fn a_task_of_tokio_s_that_blocks_stops_no_other() {
    for runtime in runtimes() {
        runtime.block_on(async {
            let (began, begins) = tokio::sync::oneshot::channel();
            let (feed, food) = mpsc::channel();
            let blocked = tokio::spawn(async move {
                began.send(()).expect("the test waits");
                food.recv_timeout(LIMIT)
            });
            begins.await.expect("it begins");
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(1)).await;
                feed.send(()).expect("the other waits");
            });
            assert_eq!(blocked.await.expect("it does not panic"), Ok(()));
        });
    }
}

#[test]
fn the_builder_says_how_many_threads_tokio_has() {
    let workers = |builder: &mut Builder| {
        let runtime = builder.build().expect("a runtime");
        runtime.block_on(async { Handle::current().metrics().num_workers() })
    };
    assert_eq!(workers(&mut Builder::new_multi_thread()), 2);
    assert_eq!(workers(Builder::new_multi_thread().tokio_threads(5)), 5);
}

#[test]
fn a_tokio_runtime_that_is_lent_outlives_wsrts() {
    let tokio = tokio::runtime::Runtime::new().expect("a runtime");
    for mut builder in [Builder::new_multi_thread(), Builder::new_current_thread()] {
        let runtime = builder.tokio_handle(tokio.handle().clone()).build().expect("a runtime");
        assert_eq!(runtime.run(async { Handle::current().id() }), tokio.handle().id());
        assert!(runtime.block_on(tokio_works()), "in block_on");
        let (ask, asked) = tokio::sync::oneshot::channel();
        let mut answers = None;
        runtime.block_on(async { answers = Some(tokio::spawn(asked)) });
        drop(runtime);
        ask.send(7).expect("tokio's task is alive");
        let answers = answers.expect("it was spawned");
        assert_eq!(tokio.block_on(answers).expect("it does not panic"), Ok(7));
    }
}

#[test]
fn wsrt_polls_its_futures_though_tokio_wakes_them() {
    let runtime = Runtime::new().expect("a runtime");
    runtime.run(async {
        let id = wsrt::task::id();
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert_eq!(wsrt::task::try_id(), Some(id));
        assert_eq!(tokio::task::try_id(), None);
    });
}

#[test]
fn wsrt_is_at_hand_on_tokio_s_threads() {
    async fn wsrt_works() {
        wsrt::time::sleep(Duration::from_millis(1)).await;
        let listener = wsrt::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let server = wsrt::spawn(async move { listener.accept().await.map(|_| wsrt::task::try_id().is_some()) });
        wsrt::net::TcpStream::connect(address).await.expect("it listens");
        assert!(server.await.expect("it does not panic").expect("it accepts"));
    }
    for runtime in runtimes() {
        runtime.block_on(async {
            tokio::spawn(wsrt_works()).await.expect("it does not panic");
            let job = tokio::task::spawn_blocking(|| wsrt::spawn(async { 7 }));
            assert_eq!(job.await.expect("it does not panic").await.expect("it does not panic"), 7);
        });
    }
}

/// Waits forever, and spawns on tokio when it is dropped.
struct SpawnsAtTheEnd(mpsc::Sender<bool>);

impl Future for SpawnsAtTheEnd {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

impl Drop for SpawnsAtTheEnd {
    fn drop(&mut self) {
        let works = Handle::try_current().is_ok();
        drop(tokio::spawn(pending::<()>()));
        let _ = self.0.send(works);
    }
}

#[test]
fn futures_dropped_at_shutdown_have_tokio_at_hand() {
    for runtime in runtimes() {
        let (told, tells) = mpsc::channel();
        for _ in 0..10 {
            runtime.spawn(SpawnsAtTheEnd(told.clone()));
        }
        drop(runtime);
        drop(told);
        assert_eq!(tells.iter().collect::<Vec<_>>(), [true; 10]);
    }
}

/// Reports when it is dropped.
struct Tells(#[expect(dead_code, reason = "what counts is its drop")] mpsc::Sender<()>);

#[test]
fn tokio_s_tasks_are_dropped_when_the_runtime_has_been() {
    let endings: [fn(Runtime); 3] =
        [drop, |runtime| runtime.shutdown_timeout(LIMIT), |runtime| runtime.shutdown_background()];
    for end in endings {
        for runtime in runtimes() {
            let (told, tells) = mpsc::channel();
            runtime.block_on(async {
                let tells = Tells(told);
                tokio::spawn(async move {
                    let _tells = tells;
                    pending::<()>().await;
                });
            });
            end(runtime);
            assert_eq!(tells.recv_timeout(LIMIT), Err(mpsc::RecvTimeoutError::Disconnected));
        }
    }
}

#[test]
fn a_runtime_can_be_dropped_inside_of_any_tokio_runtime() {
    let runtime = Runtime::new().expect("a runtime");
    let inner = Runtime::new().expect("another");
    runtime.run(async move { drop(inner) });
    let inner = Runtime::new().expect("another");
    runtime.block_on(async { tokio::spawn(async move { drop(inner) }).await.expect("it does not panic") });

    let (told, tells) = mpsc::channel();
    runtime.block_on(async {
        let tells = Tells(told);
        tokio::spawn(async move {
            let _tells = tells;
            pending::<()>().await;
        });
    });
    // On its own tokio's thread.
    let tokio = runtime.block_on(async { Handle::current() });
    tokio.spawn(async move { drop(runtime) });
    assert_eq!(tells.recv_timeout(LIMIT), Err(mpsc::RecvTimeoutError::Disconnected));
}

#[test]
fn the_end_waits_for_tokios_blocking_jobs_by_default() {
    let runtime = Runtime::new().expect("a runtime");
    let (began, begins) = mpsc::channel();
    let (told, tells) = mpsc::channel();
    runtime.block_on(async {
        tokio::task::spawn_blocking(move || {
            began.send(()).expect("the test waits");
            thread::sleep(Duration::from_millis(50));
            told.send(()).expect("the test waits");
        });
    });
    begins.recv_timeout(LIMIT).expect("it begins");
    drop(runtime);
    assert_eq!(tells.try_recv(), Ok(()));

    let runtime = Runtime::new().expect("a runtime");
    let (release, released) = mpsc::channel::<()>();
    let guard = runtime.enter();
    tokio::task::spawn_blocking(move || released.recv());
    drop(guard);
    runtime.shutdown_timeout(Duration::from_millis(10));
    drop(release);
}
