//! Whatever is under way when a runtime ends, and wherever it is ended: the end comes, for the
//! runtime and for each thread that waited in it.

use std::cell::RefCell;
use std::future::{Future, pending};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, mpsc, oneshot};
use wsrt::net::{TcpListener, TcpStream, lookup_host};
use wsrt::parallel;
use wsrt::process::Command;
use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::signal::unix::{SignalKind, signal};
use wsrt::task::{JoinSet, LocalSet, yield_now};
use wsrt::time::{interval, sleep, timeout};
use wsrt_tests::{LIMIT, panic_message, within_a_minute};

const HOUR: Duration = Duration::from_secs(3_600);

/// Lives in each future that is under way: the end has come when none is left.
type Token = Arc<()>;

/// An activity, started on a runtime, whose handle it gets, beside other activities. It reports its
/// beginning through the sender; the threads are those that have to end with the runtime.
type Activity = fn(&Handle, &Token, &Sender<()>) -> Vec<JoinHandle<()>>;

const ACTIVITIES: [(&str, Activity); 12] = [
    ("timers", timers),
    ("sockets", sockets),
    ("join sets", join_sets),
    ("local sets", local_sets),
    ("a drain", drain),
    ("parallel loops", parallel_loops),
    ("children", children),
    ("signals", signals),
    ("lookups", lookups),
    ("files", files),
    ("locks and channels", locks_and_channels),
    ("tasks that spin", spinning),
];

/// Ends a runtime; the end has begun, at the least, when it returns.
type End = Box<dyn FnOnce(Runtime) + Send>;

/// Makes ready to end a runtime, before anything else goes on there: a drain would refuse it later.
type Place = fn(&Handle) -> End;

const PLACES: [(&str, Place); 8] = [
    ("on a plain thread", |_| Box::new(drop)),
    ("in the background", |_| Box::new(Runtime::shutdown_background)),
    ("in an own task", in_an_own_task),
    ("in an own blocking job", in_an_own_job),
    ("in a nested block_on", in_a_nested_block_on),
    ("in a task of another", |_| Box::new(in_a_task_of_another)),
    ("in a thread-local destructor", |_| Box::new(in_a_thread_local)),
    ("while unwinding", |_| Box::new(while_unwinding)),
];

fn flavors() -> [(&'static str, Runtime); 3] {
    [
        ("two processors", Builder::new_multi_thread().worker_threads(2).build().expect("a runtime")),
        ("current thread", Builder::new_current_thread().build().expect("a runtime")),
        ("paused clock", Builder::new_current_thread().start_paused(true).build().expect("a runtime")),
    ]
}

/// Runs `future` in each way in which the runtime does not drop it: on a plain thread, in a
/// blocking job, and in a `block_on` inside a task. It has to end; its outcome does not matter.
fn waits_outside<F, T>(handle: &Handle, token: &Token, began: &Sender<()>, future: fn() -> F) -> Vec<JoinHandle<()>>
where
    F: Future<Output = T> + 'static,
{
    let (own, its_token, its_began) = (handle.clone(), Arc::clone(token), began.clone());
    let thread = thread::spawn(move || wait_for_it(&own, its_token, its_began, future));
    let (its_token, its_began) = (Arc::clone(token), began.clone());
    drop(handle.spawn_blocking(move || wait_for_it(&Handle::current(), its_token, its_began, future)));
    let (its_token, its_began) = (Arc::clone(token), began.clone());
    drop(handle.spawn(async move { wait_for_it(&Handle::current(), its_token, its_began, future) }));
    vec![thread]
}

fn wait_for_it<F, T>(handle: &Handle, token: Token, began: Sender<()>, future: fn() -> F)
where
    F: Future<Output = T>,
{
    let _ = catch_unwind(AssertUnwindSafe(|| {
        handle.block_on(async move {
            let _token = token;
            let _ = began.send(());
            let _ = future().await;
        });
    }));
}

/// Runs the future as a task, too.
fn task<F>(handle: &Handle, token: &Token, began: &Sender<()>, future: F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let (token, began) = (Arc::clone(token), began.clone());
    drop(handle.spawn(async move {
        let _token = token;
        let _ = began.send(());
        future.await;
    }));
}

fn timers(handle: &Handle, token: &Token, began: &Sender<()>) -> Vec<JoinHandle<()>> {
    async fn ticks() {
        let mut ticks = interval(Duration::from_millis(1));
        loop {
            let _ = timeout(HOUR, ticks.tick()).await;
            sleep(Duration::from_micros(100)).await;
        }
    }
    task(handle, token, began, ticks());
    task(handle, token, began, sleep(HOUR));
    waits_outside(handle, token, began, ticks)
}

fn sockets(handle: &Handle, token: &Token, began: &Sender<()>) -> Vec<JoinHandle<()>> {
    async fn accept() -> io::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let _near = TcpStream::connect(listener.local_addr()?).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.readable().await?;
        }
    }
    task(handle, token, began, async { drop(accept().await) });
    waits_outside(handle, token, began, accept)
}

fn join_sets(handle: &Handle, token: &Token, began: &Sender<()>) -> Vec<JoinHandle<()>> {
    async fn join() {
        let mut set = JoinSet::new();
        set.spawn(pending::<()>());
        set.spawn(sleep(HOUR));
        while set.join_next().await.is_some() {}
    }
    task(handle, token, began, join());
    waits_outside(handle, token, began, join)
}

fn local_sets(handle: &Handle, token: &Token, began: &Sender<()>) -> Vec<JoinHandle<()>> {
    async fn local() {
        let set = LocalSet::new();
        let elsewhere = wsrt::spawn(pending::<()>());
        let waits = [set.spawn_local(sleep(HOUR)), set.spawn_local(async { drop(elsewhere.await) })];
        set.run_until(async {
            for wait in waits {
                let _ = wait.await;
            }
        })
        .await;
    }
    waits_outside(handle, token, began, local)
}

fn drain(handle: &Handle, token: &Token, began: &Sender<()>) -> Vec<JoinHandle<()>> {
    async fn drain() {
        drop(Handle::current().drain(wsrt::time::Instant::now() + HOUR).await);
    }
    task(handle, token, began, pending::<()>());
    task(handle, token, began, drain());
    waits_outside(handle, token, began, drain)
}

fn parallel_loops(handle: &Handle, token: &Token, began: &Sender<()>) -> Vec<JoinHandle<()>> {
    async fn compute() {
        for _ in 0..20 {
            parallel::for_each(0..64_usize, |_| thread::sleep(Duration::from_micros(50)));
            yield_now().await;
        }
    }
    task(handle, token, began, compute());
    waits_outside(handle, token, began, compute)
}

fn children(handle: &Handle, token: &Token, began: &Sender<()>) -> Vec<JoinHandle<()>> {
    async fn wait() -> io::Result<()> {
        let mut child = Command::new("sleep").arg("3600").kill_on_drop(true).spawn()?;
        child.wait().await.map(drop)
    }
    task(handle, token, began, async { drop(wait().await) });
    waits_outside(handle, token, began, wait)
}

/// Waits in a task only: outside one the wait is for the signal, and for nothing of the
/// runtime's.
fn signals(handle: &Handle, token: &Token, began: &Sender<()>) -> Vec<JoinHandle<()>> {
    let (token, began) = (Arc::clone(token), began.clone());
    drop(handle.spawn(async move {
        let _token = token;
        let mut signals = signal(SignalKind::user_defined1()).expect("it may be listened for");
        let _ = began.send(());
        signals.recv().await;
    }));
    Vec::new()
}

fn lookups(handle: &Handle, token: &Token, began: &Sender<()>) -> Vec<JoinHandle<()>> {
    async fn lookup() -> io::Result<()> {
        loop {
            drop(lookup_host("localhost:80").await?);
        }
    }
    task(handle, token, began, async { drop(lookup().await) });
    waits_outside(handle, token, began, lookup)
}

fn files(handle: &Handle, token: &Token, began: &Sender<()>) -> Vec<JoinHandle<()>> {
    async fn read() -> io::Result<()> {
        loop {
            drop(wsrt::fs::read("/proc/self/stat").await?);
        }
    }
    task(handle, token, began, async { drop(read().await) });
    waits_outside(handle, token, began, read)
}

fn locks_and_channels(handle: &Handle, token: &Token, began: &Sender<()>) -> Vec<JoinHandle<()>> {
    async fn wait_for_a_task() {
        let lock = Arc::new(Mutex::new(()));
        let (sender, mut receiver) = mpsc::channel::<()>(1);
        let held = Arc::clone(&lock);
        let (holds, is_held) = oneshot::channel();
        let holder = wsrt::spawn(async move {
            let _sender = sender;
            let _guard = held.lock().await;
            let _ = holds.send(());
            pending::<()>().await;
        });
        let _ = is_held.await;
        drop(lock.lock().await);
        let _ = receiver.recv().await;
        let _ = holder.await;
    }
    task(handle, token, began, wait_for_a_task());
    waits_outside(handle, token, began, wait_for_a_task)
}

fn spinning(handle: &Handle, token: &Token, began: &Sender<()>) -> Vec<JoinHandle<()>> {
    for _ in 0..3 {
        task(handle, token, began, async {
            loop {
                yield_now().await;
            }
        });
    }
    Vec::new()
}

fn end_and_tell(runtime: Runtime, done: &Sender<()>) {
    let message = panic_message(|| drop(runtime));
    assert!(message.starts_with("wsrt: a runtime was dropped inside one of its own"), "{message}");
    done.send(()).expect("the test waits");
}

/// Gives the runtime away, and waits until its end is reported.
fn give_it_to<T: Send + 'static>(giver: oneshot::Sender<Runtime>, is_done: Receiver<T>) -> End {
    Box::new(move |runtime| {
        assert!(giver.send(runtime).is_ok(), "it is waited for");
        is_done.recv_timeout(LIMIT).expect("the call that ends it returns");
    })
}

fn in_an_own_task(handle: &Handle) -> End {
    let ((give, given), (done, is_done)) = (oneshot::channel(), channel());
    drop(handle.spawn(async move { end_and_tell(given.await.expect("it is given"), &done) }));
    give_it_to(give, is_done)
}

fn in_an_own_job(handle: &Handle) -> End {
    let ((give, given), (done, is_done)) = (oneshot::channel(), channel());
    let end = move || end_and_tell(given.blocking_recv().expect("it is given"), &done);
    drop(handle.spawn_blocking(end));
    give_it_to(give, is_done)
}

fn in_a_nested_block_on(handle: &Handle) -> End {
    let ((give, given), (done, is_done)) = (oneshot::channel(), channel());
    let own = handle.clone();
    drop(handle.spawn(async move {
        let runtime = given.await.expect("it is given");
        own.block_on(async { end_and_tell(runtime, &done) });
    }));
    give_it_to(give, is_done)
}

fn in_a_task_of_another(runtime: Runtime) {
    let other = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    other.run(async move { drop(runtime) });
}

fn in_a_thread_local(runtime: Runtime) {
    thread_local! {
        static OWNER: RefCell<Option<Runtime>> = const { RefCell::new(None) };
    }
    thread::spawn(move || OWNER.set(Some(runtime))).join().expect("no panic");
}

fn while_unwinding(runtime: Runtime) {
    let unwinding = catch_unwind(AssertUnwindSafe(move || {
        let _runtime = runtime;
        resume_unwind(Box::new("on purpose"));
    }));
    assert!(unwinding.is_err());
}

/// One thing under way, and one place to end it.
fn end_beside(flavor: &str, runtime: Runtime, activity: Activity, place: Place) {
    let (token, (began, has_begun)) = (Token::default(), channel());
    // A current-thread runtime runs its tasks only while it is driven.
    let driver = (flavor != "two processors").then(|| {
        let handle = runtime.handle().clone();
        let until_the_end = handle.spawn(pending::<()>());
        thread::spawn(move || drop(handle.block_on(until_the_end)))
    });
    let end = place(runtime.handle());
    let threads = activity(runtime.handle(), &token, &began);
    drop(began);
    await_first(&has_begun);
    end(runtime);
    let since = Instant::now();
    while Arc::strong_count(&token) > 1 {
        assert!(since.elapsed() < LIMIT / 2, "{} futures are left", Arc::strong_count(&token) - 1);
        thread::sleep(Duration::from_millis(1));
    }
    for thread in threads.into_iter().chain(driver) {
        thread.join().expect("the thread ends well");
    }
}

/// One is under way, and the others are about to be.
fn await_first(has_begun: &Receiver<()>) {
    has_begun.recv_timeout(LIMIT).expect("it begins");
    thread::sleep(Duration::from_millis(2));
}

fn end_everywhere_beside(activities: &'static [(&'static str, Activity)]) {
    for (what, activity) in activities {
        for (place_name, place) in PLACES {
            for (flavor, runtime) in flavors() {
                eprintln!("{what}, {place_name}, {flavor}");
                within_a_minute(move || end_beside(flavor, runtime, *activity, place));
            }
        }
    }
}

#[test]
fn runtimes_end_beside_timers_sockets_and_joins() {
    end_everywhere_beside(&ACTIVITIES[..3]);
}

#[test]
fn runtimes_end_beside_local_sets_drains_and_loops() {
    end_everywhere_beside(&ACTIVITIES[3..6]);
}

#[test]
fn runtimes_end_beside_children_signals_and_lookups() {
    end_everywhere_beside(&ACTIVITIES[6..9]);
}

#[test]
fn runtimes_end_beside_files_channels_and_spinning_tasks() {
    end_everywhere_beside(&ACTIVITIES[9..]);
}
