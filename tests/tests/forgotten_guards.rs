//! A guard of `Handle::enter` that a task forgets, or keeps beyond its poll, affects that task
//! alone. So does the future of a scope that is forgotten.

use std::cell::RefCell;
use std::future::{Future, pending, poll_fn};
use std::mem;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::task::Poll;
use std::thread;

use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, EnterGuard, Handle, Runtime};
use wsrt::sync::mpsc;
use wsrt::task::{scope_with, spawn_blocking, yield_now};
use wsrt_tests::{in_a_process_of_its_own, panic_message, text_of, within_a_minute};

/// A runtime with one processor, whose threads bear its name.
fn one_processor(name: &str) -> Runtime {
    Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).thread_name(name).build().expect("a runtime")
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// The runtime that the current thread is in, by the name of the thread that runs its tasks.
async fn where_spawns_go() -> Option<String> {
    wsrt::spawn(async { thread::current().name().map(str::to_owned) }).await.expect("no panic")
}

#[track_caller]
fn assert_works(runtime: &Runtime) {
    assert_eq!(runtime.run(async { wsrt::spawn(async { 7 }).await.expect("no panic") }), 7);
}

#[test]
fn a_guard_forgotten_in_block_on_takes_no_processor() {
    within_a_minute(|| {
        let (own, other) = (one_processor("own"), one_processor("other"));
        let (handle, theirs) = (own.handle().clone(), other.handle().clone());
        let forgetting = own.spawn(async move {
            handle.block_on(async { mem::forget(theirs.enter()) });
        });
        let _ = own.block_on(forgetting);
        assert_works(&own);
        assert_works(&other);
        assert_eq!(own.run(where_spawns_go()).as_deref(), Some("own"));
    });
}

#[test]
fn a_guard_forgotten_in_block_in_place_takes_no_processor() {
    within_a_minute(|| {
        let (own, other) = (one_processor("own"), one_processor("other"));
        let theirs = other.handle().clone();
        own.run(async move {
            wsrt::task::block_in_place(|| mem::forget(theirs.enter()));
        });
        assert_works(&own);
        assert_works(&other);
        assert_eq!(own.run(where_spawns_go()).as_deref(), Some("own"));
    });
}

#[test]
fn a_guard_forgotten_in_a_task_holds_for_its_poll() {
    within_a_minute(|| {
        let other = one_processor("other");
        for own in [one_processor("own"), current_thread()] {
            let theirs = other.handle().clone();
            let forgetting = own.spawn(async move {
                mem::forget(theirs.enter());
                assert_eq!(where_spawns_go().await.as_deref(), Some("other"));
                yield_now().await;
                where_spawns_go().await
            });
            let here = own.block_on(own.spawn(where_spawns_go())).expect("no panic");
            assert_eq!(own.block_on(forgetting).expect("no panic"), here);
            assert_ne!(here.as_deref(), Some("other"));
        }
        assert_works(&other);
    });
}

#[test]
fn sockets_belong_to_their_own_runtime_after_a_forgotten_guard() {
    within_a_minute(|| {
        let (own, other) = (one_processor("own"), one_processor("other"));
        let theirs = other.handle().clone();
        own.run(async move { mem::forget(theirs.enter()) });
        // Its netpoller serves no task any more.
        other.shutdown_background();
        own.run(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let address = listener.local_addr().expect("it is bound");
            let client = wsrt::spawn(async move { TcpStream::connect(address).await.expect("it listens") });
            listener.accept().await.expect("it connects");
            client.await.expect("no panic");
        });
    });
}

#[test]
fn a_guard_forgotten_in_a_blocking_job_lasts_for_it() {
    within_a_minute(|| {
        let (own, other) = (one_processor("own"), one_processor("other"));
        let theirs = other.handle().clone();
        own.run(async move {
            spawn_blocking(move || mem::forget(theirs.enter())).await.expect("no panic");
            let here = spawn_blocking(|| wsrt::spawn(async { thread::current().name().map(str::to_owned) }));
            let here = here.await.expect("no panic").await.expect("no panic");
            assert_eq!(here.as_deref(), Some("own"));
        });
    });
}

#[test]
fn forgotten_guards_end_no_process() {
    let output = in_a_process_of_its_own("forgotten_guards_end_no_process", &[], || {
        let other = one_processor("other");
        let hook = other.handle().clone();
        let hooked = Builder::new_multi_thread()
            .worker_threads(1)
            .on_thread_start({
                let hook = hook.clone();
                move || mem::forget(hook.enter())
            })
            .on_thread_stop(move || mem::forget(hook.enter()))
            .build()
            .expect("a runtime");
        for own in [one_processor("own"), current_thread(), hooked] {
            let theirs = other.handle().clone();
            own.run(async move {
                let own_handle = Handle::current();
                mem::forget(theirs.enter());
                spawn_blocking(move || mem::forget(own_handle.enter())).await.expect("no panic");
            });
            drop(own);
        }
        drop(other);
    });
    text_of(&output);
}

/// A runtime that lives for ever, and a place for a guard that does not end with its poll.
static FOREVER: OnceLock<Runtime> = OnceLock::new();

thread_local! {
    static KEPT: RefCell<Vec<EnterGuard<'static>>> = const { RefCell::new(Vec::new()) };
}

fn keep_a_guard() {
    let runtime = FOREVER.get_or_init(|| one_processor("other"));
    KEPT.with_borrow_mut(|kept| kept.push(runtime.enter()));
}

#[test]
fn a_guard_kept_beyond_its_poll_is_dropped_quietly() {
    within_a_minute(|| {
        for own in [one_processor("own"), current_thread()] {
            own.run(async {
                wsrt::spawn(async {
                    keep_a_guard();
                    keep_a_guard();
                })
                .await
                .expect("no panic");
                let later = wsrt::spawn(async { KEPT.take().into_iter().for_each(drop) });
                later.await.expect("no panic");
                assert_ne!(where_spawns_go().await.as_deref(), Some("other"));
            });
            assert_works(&own);
        }
    });
}

#[test]
fn a_guard_kept_until_its_thread_ends_ends_no_process() {
    let output = in_a_process_of_its_own("a_guard_kept_until_its_thread_ends_ends_no_process", &[], || {
        let own = one_processor("own");
        own.run(async {
            keep_a_guard();
            spawn_blocking(keep_a_guard).await.expect("no panic");
        });
        drop(own);
        let visiting = thread::spawn(|| current_thread().block_on(async { keep_a_guard() }));
        visiting.join().expect("no panic");
    });
    text_of(&output);
}

/// Unlike a task, the root of `block_on` has its thread to itself between its polls.
#[test]
fn the_root_of_block_on_may_hold_a_guard() {
    within_a_minute(|| {
        let other = one_processor("other");
        for own in [one_processor("own"), current_thread()] {
            let here = own.block_on(own.spawn(where_spawns_go())).expect("no panic");
            own.block_on(async {
                let beside = own.spawn(async {
                    yield_now().await;
                    where_spawns_go().await
                });
                let guard = other.enter();
                assert_eq!(where_spawns_go().await.as_deref(), Some("other"));
                assert_eq!(beside.await.expect("no panic"), here);
                assert_eq!(where_spawns_go().await.as_deref(), Some("other"));
                drop(guard);
                assert_eq!(where_spawns_go().await, here);
            });
            assert_works(&own);
        }
    });
}

#[test]
fn a_panicking_root_with_a_guard_leaves_the_thread_clean() {
    within_a_minute(|| {
        let other = one_processor("other");
        for own in [one_processor("own"), current_thread()] {
            let theirs = other.handle().clone();
            let root = async {
                mem::forget(theirs.enter());
                own.spawn(yield_now()).await.expect("no panic");
                panic!("with a guard forgotten");
            };
            assert_eq!(panic_message(|| own.block_on(root)), "with a guard forgotten");
            assert!(Handle::try_current().is_err());
            drop(own.spawn(pending::<()>()));
            assert_works(&own);
        }
    });
}

/// Counts the children that use it. Has to outlive them.
#[derive(Default)]
struct Lent(AtomicUsize);

struct User<'a>(&'a Lent);

impl Lent {
    fn user(&self) -> User<'_> {
        self.0.fetch_add(1, SeqCst);
        User(self)
    }
}

impl Drop for User<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, SeqCst);
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        panic!("the forgotten future has a share of this");
    }
}

#[test]
fn a_forgotten_scope_keeps_what_its_children_use() {
    within_a_minute(|| {
        let runtime = one_processor("scope");
        let (counts, counted) = channel();
        let (end, mut ends) = mpsc::channel(1);
        runtime.block_on(async {
            let mut lent = Box::pin(scope_with(Lent::default(), async |scope, lent| {
                let _user = lent.user();
                scope.spawn(async move {
                    let _user = lent.user();
                    counts.send(lent.0.load(SeqCst)).expect("the test waits");
                    ends.recv().await.expect("it is sent");
                    counts.send(lent.0.load(SeqCst)).expect("the test waits");
                    pending::<()>().await;
                });
                pending::<()>().await;
            }));
            assert!(poll_fn(|cx| Poll::Ready(lent.as_mut().poll(cx))).await.is_pending());
            mem::forget(lent);
        });
        assert_eq!(counted.recv(), Ok(2), "the closure and the child");
        runtime.block_on(end.send(())).expect("the child continues");
        assert_eq!(counted.recv(), Ok(2));
        drop(runtime);
    });
}
