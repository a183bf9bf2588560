//! A source that is always ready does not keep its task's processor: after a budget of 128 the poll
//! ends, and other tasks have their turn.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc;
#[cfg(unix)]
use wsrt::io::unix::AsyncFd;
#[cfg(unix)]
use wsrt::net::UnixListener;
use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{JoinHandle, JoinSet, coop};
use wsrt::time::{sleep, timeout};
use wsrt_tests::{foreign_block_on, within_a_minute};

/// The operations that a poll may find ready before it ends, as documented, but for accepts.
const BUDGET: usize = 128;

fn single() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// How many turns another task has, on the one processor that there is, while `busy` runs as a
/// task.
fn turns_beside<F: Future<Output = ()> + 'static>(runtime: &Runtime, busy: impl FnOnce() -> F) -> usize {
    runtime.block_on(async {
        let turns = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&turns);
        let other = wsrt::spawn(async move {
            loop {
                counter.fetch_add(1, SeqCst);
                wsrt::task::yield_now().await;
            }
        });
        // The count is taken inside the task, before anything else has another turn.
        let (busy, end) = (busy(), Arc::clone(&turns));
        let counted = wsrt::task::spawn_local(async move {
            let before = end.load(SeqCst);
            busy.await;
            end.load(SeqCst) - before
        });
        let turns = counted.await.expect("no panic");
        other.abort();
        turns
    })
}

/// A turn for each full budget, and not many more.
#[track_caller]
fn assert_fair(turns: usize, operations: usize) {
    let expected = (operations - 1) / BUDGET;
    assert!(
        (expected..=expected + 2).contains(&turns),
        "{turns} turns beside {operations} operations that were ready; {expected} were expected"
    );
}

async fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let client = TcpStream::connect(listener.local_addr().expect("an address")).await.expect("connected");
    let (server, _) = listener.accept().await.expect("accepted");
    (client, server)
}

#[test]
fn a_socket_that_always_has_bytes_leaves_turns_to_others() {
    const BYTES: usize = 20_000;
    within_a_minute(|| {
        let runtime = single();
        let (mut reader, mut writer) = runtime.block_on(connection());
        runtime.block_on(async {
            writer.write_all(&[7; BYTES]).await.expect("written");
            // All of it has arrived: not one read will have to wait.
            let mut all = vec![0; BYTES];
            while reader.peek(&mut all).await.expect("peeked") < BYTES {}
        });
        let turns = turns_beside(&runtime, || async move {
            for _ in 0..BYTES {
                assert_eq!(reader.read(&mut [0]).await.expect("read"), 1);
            }
        });
        assert_fair(turns, BYTES);
    });
}

#[test]
fn poll_methods_of_a_socket_leave_turns_too() {
    const POLLS: usize = 10_000;
    within_a_minute(|| {
        let runtime = single();
        let (stream, _peer) = runtime.block_on(connection());
        runtime.block_on(stream.writable()).expect("not one poll will have to wait");
        let turns = turns_beside(&runtime, || async move {
            for _ in 0..POLLS {
                poll_fn(|cx| stream.poll_write_ready(cx)).await.expect("writable");
            }
        });
        assert_fair(turns, POLLS);
    });
}

#[cfg(unix)]
#[test]
fn an_always_ready_foreign_descriptor_leaves_turns_to_others() {
    within_a_minute(|| {
        let runtime = single();
        let (mut near, _far) = runtime.block_on(async {
            let (near, far) = std::os::unix::net::UnixStream::pair().expect("sockets are to be had");
            near.set_nonblocking(true).expect("it can be");
            let near = AsyncFd::new(near).expect("it can be polled");
            drop(near.writable().await.expect("the runtime lasts"));
            (near, far)
        });
        let turns = turns_beside(&runtime, || async move {
            for _ in 0..1000 {
                drop(near.writable().await.expect("the runtime lasts"));
                drop(near.writable_mut().await.expect("the runtime lasts"));
                drop(poll_fn(|cx| near.poll_write_ready(cx).map_ok(|_| ())).await);
                drop(poll_fn(|cx| near.poll_write_ready_mut(cx).map_ok(|_| ())).await);
            }
        });
        assert_fair(turns, 4000);
    });
}

#[test]
fn a_listener_with_a_full_queue_leaves_turns_to_others() {
    const CLIENTS: usize = 400;
    within_a_minute(|| {
        let runtime = single();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("bound");
        let address = listener.local_addr().expect("an address");
        let clients: Vec<_> = (0..CLIENTS).map(|_| std::net::TcpStream::connect(address).expect("connected")).collect();
        let turns = turns_beside(&runtime, || async move {
            for _ in 0..CLIENTS {
                listener.accept().await.expect("accepted");
            }
        });
        // A connection takes four units of the budget.
        assert_fair(turns, 4 * CLIENTS);
        drop(clients);
    });
}

#[cfg(unix)]
#[test]
fn a_unix_listener_that_is_polled_leaves_turns_too() {
    // Fewer than some systems let wait.
    const CLIENTS: usize = 100;
    within_a_minute(|| {
        let runtime = single();
        let path = std::env::temp_dir().join(format!("wsrt-{}-turns", std::process::id()));
        let listener = runtime.block_on(async { UnixListener::bind(&path) }).expect("bound");
        let connect = |_| std::os::unix::net::UnixStream::connect(&path).expect("connected");
        let clients: Vec<_> = (0..CLIENTS).map(connect).collect();
        let turns = turns_beside(&runtime, || async move {
            for _ in 0..CLIENTS {
                poll_fn(|cx| listener.poll_accept(cx)).await.expect("accepted");
            }
        });
        assert_fair(turns, 4 * CLIENTS);
        drop(clients);
        std::fs::remove_file(path).expect("it is there");
    });
}

#[test]
fn timers_that_are_due_leave_turns_to_others() {
    const SLEEPS: usize = 10_000;
    within_a_minute(|| {
        let turns = turns_beside(&single(), || async {
            for _ in 0..SLEEPS {
                sleep(Duration::ZERO).await;
            }
        });
        assert_fair(turns, SLEEPS);
    });
}

#[test]
fn timeouts_that_are_over_at_once_leave_turns_to_others() {
    const TIMEOUTS: usize = 10_000;
    within_a_minute(|| {
        let turns = turns_beside(&single(), || async {
            for _ in 0..TIMEOUTS {
                timeout(Duration::ZERO, std::future::pending::<()>()).await.expect_err("over");
            }
        });
        assert_fair(turns, TIMEOUTS);
    });
}

#[test]
fn finished_tasks_that_are_joined_leave_turns_to_others() {
    const TASKS: usize = 5_000;
    within_a_minute(|| {
        let runtime = single();
        let finished = |runtime: &Runtime| -> Vec<JoinHandle<()>> {
            let handles: Vec<_> = (0..TASKS).map(|_| runtime.spawn(async {})).collect();
            runtime.block_on(async {
                while !handles.iter().all(JoinHandle::is_finished) {
                    wsrt::task::yield_now().await;
                }
            });
            handles
        };
        let handles = finished(&runtime);
        let turns = turns_beside(&runtime, || async move {
            for handle in handles {
                handle.await.expect("no panic");
            }
        });
        assert_fair(turns, TASKS);
    });
}

#[test]
fn a_join_set_of_finished_tasks_leaves_turns_to_others() {
    const TASKS: usize = 5_000;
    within_a_minute(|| {
        let runtime = single();
        let mut set = JoinSet::new();
        let aborts: Vec<_> = (0..TASKS).map(|_| set.spawn_on(async {}, runtime.handle())).collect();
        runtime.block_on(async {
            while !aborts.iter().all(wsrt::task::AbortHandle::is_finished) {
                wsrt::task::yield_now().await;
            }
        });
        let turns = turns_beside(&runtime, || async move { while set.join_next().await.is_some() {} });
        assert_fair(turns, TASKS);
    });
}

#[test]
fn a_foreign_channel_keeps_its_processor_unless_made_cooperative() {
    const MESSAGES: usize = 10_000;
    fn full_channel() -> mpsc::UnboundedReceiver<usize> {
        let (sender, receiver) = mpsc::unbounded_channel();
        (0..MESSAGES).for_each(|n| sender.send(n).expect("the receiver is here"));
        receiver
    }
    within_a_minute(|| {
        let mut receiver = full_channel();
        let turns = turns_beside(&single(), || async move { while receiver.recv().await.is_some() {} });
        assert_eq!(turns, 0, "tokio's channels know nothing of wsrt's budget");

        let mut receiver = full_channel();
        let turns =
            turns_beside(&single(), || async move { while coop::cooperative(receiver.recv()).await.is_some() {} });
        assert_fair(turns, MESSAGES);

        let mut receiver = full_channel();
        let turns = turns_beside(&single(), || async move {
            while receiver.recv().await.is_some() {
                coop::consume_budget().await;
            }
        });
        assert_fair(turns, MESSAGES);
    });
}

#[test]
fn what_is_unconstrained_keeps_its_processor() {
    within_a_minute(|| {
        let turns = turns_beside(&single(), || {
            coop::unconstrained(async {
                for _ in 0..10 * BUDGET {
                    assert!(coop::has_budget_remaining());
                    sleep(Duration::ZERO).await;
                }
            })
        });
        assert_eq!(turns, 0);
    });
}

#[test]
fn permission_costs_nothing_until_there_is_progress() {
    within_a_minute(|| {
        let turns = turns_beside(&single(), || {
            poll_fn(|cx| {
                for _ in 0..10 * BUDGET {
                    assert!(coop::poll_proceed(cx).is_ready());
                }
                for _ in 0..BUDGET {
                    let Poll::Ready(permission) = coop::poll_proceed(cx) else { panic!("something is left") };
                    permission.made_progress();
                    permission.made_progress();
                }
                assert!(!coop::has_budget_remaining());
                assert!(coop::poll_proceed(cx).is_pending());
                Poll::Ready(())
            })
        });
        assert_eq!(turns, 0);
    });
}

#[test]
fn each_poll_begins_with_a_full_budget() {
    within_a_minute(|| {
        let polls = Runtime::new().expect("a runtime").run(async {
            let mut polls = 0;
            poll_fn(|cx| {
                polls += 1;
                for _ in 0..BUDGET {
                    match coop::poll_proceed(cx) {
                        Poll::Ready(permission) => permission.made_progress(),
                        Poll::Pending => panic!("poll {polls} began with less"),
                    }
                }
                cx.waker().wake_by_ref();
                if polls == 100 { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            polls
        });
        assert_eq!(polls, 100);
    });
}

async fn many_units() {
    for _ in 0..100 * BUDGET {
        coop::consume_budget().await;
    }
}

#[test]
fn another_executor_inside_a_task_progresses_without_budget_refills() {
    within_a_minute(|| {
        Runtime::new().expect("a runtime").run(async { foreign_block_on(many_units()) });
    });
}

#[test]
fn where_no_task_runs_there_is_no_limit() {
    fn assert_unlimited() {
        let polls = AtomicUsize::new(0);
        foreign_block_on(async {
            let mut units = pin!(many_units());
            poll_fn(|cx| {
                polls.fetch_add(1, SeqCst);
                units.as_mut().poll(cx)
            })
            .await;
        });
        assert_eq!(polls.load(SeqCst), 1);
    }
    within_a_minute(|| {
        assert_unlimited();
        let runtime = single();
        runtime.block_on(many_units());
        assert_unlimited();
        let multi = Runtime::new().expect("a runtime");
        multi.block_on(many_units());
        assert_unlimited();
        multi.block_on(multi.spawn_blocking(assert_unlimited)).expect("no panic");
    });
}

#[test]
fn a_block_on_inside_a_task_leaves_its_budget() {
    within_a_minute(|| {
        for runtime in [single(), Runtime::new().expect("a runtime")] {
            let handle = runtime.handle().clone();
            runtime.run(poll_fn(move |cx| {
                for _ in 0..BUDGET {
                    let Poll::Ready(permission) = coop::poll_proceed(cx) else { panic!("something is left") };
                    permission.made_progress();
                }
                handle.block_on(many_units());
                assert!(!coop::has_budget_remaining(), "it was spent before");
                Poll::Ready(())
            }));
        }
    });
}

#[test]
fn a_timeout_ends_though_its_future_spends_every_budget() {
    within_a_minute(|| {
        single().block_on(async {
            let spender = async {
                loop {
                    coop::consume_budget().await;
                }
            };
            timeout(Duration::from_millis(5), spender).await.expect_err("it never ends by itself");
        });
    });
}

/// Is ready at once, and can be pinned and polled like a stream.
struct Numbers(usize);

impl Numbers {
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<usize> {
        let permission = std::task::ready!(coop::poll_proceed(cx));
        self.0 += 1;
        permission.made_progress();
        Poll::Ready(self.0)
    }
}

#[test]
fn a_stream_that_minds_the_budget_leaves_turns_to_others() {
    const ITEMS: usize = 10_000;
    within_a_minute(|| {
        let turns = turns_beside(&single(), || async {
            let mut numbers = Numbers(0);
            while poll_fn(|cx| Pin::new(&mut numbers).poll_next(cx)).await < ITEMS {}
        });
        assert_fair(turns, ITEMS);
    });
}

/// A thread that runs no task has no limit; a machine that helps may just have run one, and left
/// little of its budget.
#[test]
fn helpers_of_a_parallel_call_have_no_limit() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let spenders: Vec<_> = (0..20)
            .map(|_| {
                runtime.spawn(async {
                    for _ in 0..128 {
                        coop::consume_budget().await;
                    }
                    assert!(!coop::has_budget_remaining());
                    thread::sleep(Duration::from_millis(1));
                })
            })
            .collect();
        for spender in spenders {
            runtime.block_on(spender).expect("no panic");
        }
        let _inside = runtime.enter();
        let owner = thread::current().id();
        let helped = AtomicUsize::new(0);
        wsrt::parallel::for_each(0..2, |_| {
            if thread::current().id() != owner {
                assert!(coop::has_budget_remaining(), "the task has ended that had spent it");
                helped.fetch_add(1, SeqCst);
            }
            while helped.load(SeqCst) == 0 {
                thread::sleep(Duration::from_micros(100));
            }
        });
    });
}
