//! A dump reports of every task its state and the sources it waits for; it polls nothing, and
//! returns even if no task makes progress.

#[cfg(all(target_os = "linux", target_pointer_width = "64", any(target_arch = "aarch64", target_arch = "x86_64")))]
mod await_chains;
mod cycles;
mod futurelocks;
mod statistics;
mod sync_waits;

use std::collections::HashSet;
use std::future::{pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Dump, Handle, SourceWait, TaskDump, TaskKind, TaskState, WaitsOn};
use wsrt::task::{self, JoinHandle, LocalSet, spawn_local, yield_now};
use wsrt::time::{sleep, timeout};
use wsrt_tests::{Directory, Gate, LIMIT, Manner, two_processors, within_a_minute};

fn named(name: &str) -> task::Builder<'_> {
    task::Builder::new().name(name)
}

fn find<'a>(dump: &'a Dump, name: &str) -> Option<&'a TaskDump> {
    dump.tasks().iter().find(|task| task.name() == Some(name))
}

/// A dump in which `is_there` finds what has to come.
fn once(handle: &Handle, is_there: impl Fn(&Dump) -> bool) -> Dump {
    loop {
        let dump = handle.dump();
        if is_there(&dump) {
            return dump;
        }
        thread::yield_now();
    }
}

/// The task of this name, once `is_there` finds it as it has to become.
fn task_once(handle: &Handle, name: &str, is_there: impl Fn(&TaskDump) -> bool) -> TaskDump {
    loop {
        let dump = handle.dump();
        if let Some(task) = find(&dump, name).filter(|task| is_there(task)) {
            return task.clone();
        }
        thread::yield_now();
    }
}

fn waiting(handle: &Handle, name: &str) -> TaskDump {
    task_once(handle, name, |task| !task.waits_on().is_empty())
}

fn sources(task: &TaskDump) -> Vec<&SourceWait> {
    fn of_source(on: &WaitsOn) -> Option<&SourceWait> {
        match on {
            WaitsOn::Source(source) => Some(source),
            _ => None,
        }
    }
    task.waits_on().iter().filter_map(of_source).collect()
}

#[test]
fn it_names_the_awaited_socket_and_its_peer() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (addresses, _far) = runtime.run(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let at = listener.local_addr().expect("bound");
            let mut near = TcpStream::connect(at).await.expect("it listens");
            let (far, from) = listener.accept().await.expect("it was connected");
            named("reader").spawn(async move { near.read(&mut [0; 8]).await });
            named("accept").spawn(async move { listener.accept().await });
            ((at, from), far)
        });
        let reader = waiting(runtime.handle(), "reader");
        assert_eq!((reader.state(), reader.kind()), (TaskState::Idle, TaskKind::Task));
        assert!(reader.spawned_at().file() == file!());
        let &[socket] = &*sources(&reader) else { panic!("{reader}") };
        assert_eq!(socket.kind(), "TcpStream");
        assert!(socket.is_for_reading() && !socket.is_for_writing() && socket.descriptor().is_some());
        let shown = |address: Option<&wsrt::runtime::Address>| address.map(ToString::to_string);
        assert_eq!(shown(socket.peer_addr()), Some(addresses.0.to_string()));
        assert_eq!(shown(socket.local_addr()), Some(addresses.1.to_string()));
        let line = reader.to_string();
        assert!(line.contains(&format!("at {} with peer {} (to read)", addresses.1, addresses.0)), "{line}");

        let accept = waiting(runtime.handle(), "accept");
        let &[socket] = &*sources(&accept) else { panic!("{accept}") };
        assert_eq!((socket.kind(), shown(socket.local_addr())), ("TcpListener", Some(addresses.0.to_string())));
        assert_eq!(socket.peer_addr(), None);
    });
}

#[cfg(unix)]
#[test]
fn it_names_paths_pipes_and_signals_without_asking_foreign_descriptors() {
    use wsrt::net::{UnixListener, unix::pipe};
    use wsrt::runtime::Address;
    use wsrt::signal::unix::{SignalKind, signal};

    within_a_minute(|| {
        let runtime = two_processors();
        let directory = Directory::new();
        let path = directory.path("socket");
        let at = path.clone();
        let _sender = runtime.run(async move {
            let listener = UnixListener::bind(&at).expect("nobody else is there");
            named("listener").spawn(async move { listener.accept().await.map(|_| ()) });
            let (sender, mut receiver) = pipe::pipe().expect("a pipe");
            named("receiver").spawn(async move { receiver.read(&mut [0; 8]).await });
            let mut hangup = signal(SignalKind::hangup()).expect("it can be handled");
            named("hangup").spawn(async move { hangup.recv().await });
            sender
        });
        let what = |name| {
            let task = waiting(runtime.handle(), name);
            let &[source] = &*sources(&task) else { panic!("{task}") };
            assert_eq!(source.peer_addr(), None);
            (source.kind(), source.local_addr().cloned(), source.descriptor().is_some())
        };
        assert_eq!(what("listener"), ("UnixListener", Some(Address::Path(path.clone())), true));
        assert_eq!(what("receiver"), ("pipe::Receiver", None, true));
        assert_eq!(what("hangup"), ("signal", None, false));
    });
}

#[test]
fn it_names_timer_deadline_and_everything_one_task_awaits() {
    within_a_minute(|| {
        let runtime = two_processors();
        runtime.run(async {
            named("sleeper").spawn(sleep(Duration::from_secs(1_000)));
            let socket = wsrt::net::UdpSocket::bind("127.0.0.1:0").await.expect("a port");
            named("both").spawn(timeout(Duration::from_secs(100), async move { socket.recv(&mut [0; 8]).await }));
        });
        let due = |task: &TaskDump| {
            task.waits_on().iter().find_map(|on| match on {
                WaitsOn::Timer(timer) => Some(timer.due_in().as_secs()),
                _ => None,
            })
        };
        let sleeper = waiting(runtime.handle(), "sleeper");
        assert!(matches!(due(&sleeper), Some(900..1_000)), "{sleeper}");
        let both = task_once(runtime.handle(), "both", |task| task.waits_on().len() == 2);
        assert!(matches!(due(&both), Some(40..100)), "{both}");
        assert_eq!(sources(&both)[0].kind(), "UdpSocket");
    });
}

#[test]
fn it_names_the_task_and_blocking_job_awaited() {
    within_a_minute(|| {
        let runtime = two_processors();
        let gate = Gate::new();
        let hold = gate.hold();
        let (awaited, job) = runtime.run(async move {
            let awaited = wsrt::spawn(pending::<()>());
            let job = named("job").spawn_blocking(move || hold.wait(Manner::Asleep));
            let ids = (awaited.id(), job.id());
            named("joiner").spawn(awaited);
            named("client").spawn(job);
            ids
        });
        assert_eq!(waiting(runtime.handle(), "joiner").waits_on(), [WaitsOn::Task(awaited)]);
        assert_eq!(waiting(runtime.handle(), "client").waits_on(), [WaitsOn::BlockingJob(job)]);
        let runs = task_once(runtime.handle(), "job", |task| matches!(task.state(), TaskState::Running(_)));
        assert_eq!((runs.id(), runs.kind()), (job, TaskKind::BlockingJob));
        assert!(matches!(runs.state(), TaskState::Running(running) if running.processor().is_none()), "{runs}");
    });
}

#[test]
fn a_joiner_that_went_elsewhere_is_not_shown_waiting() {
    within_a_minute(|| {
        let runtime = two_processors();
        runtime.run(async {
            named("fickle").spawn(async {
                let mut handle = wsrt::spawn(pending::<()>());
                poll_fn(|cx| {
                    assert!(pin!(&mut handle).poll(cx).is_pending());
                    Poll::Ready(())
                })
                .await;
                drop(handle);
                sleep(LIMIT).await;
            });
        });
        let fickle = waiting(runtime.handle(), "fickle");
        assert!(matches!(fickle.waits_on(), [WaitsOn::Timer(_)]), "{fickle}");
    });
}

#[test]
fn a_foreign_wait_of_a_task_is_unknown() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (_sender, receiver) = tokio::sync::oneshot::channel::<()>();
        drop(named("foreign").spawn_on(receiver, runtime.handle()));
        let foreign = task_once(runtime.handle(), "foreign", |task| task.state() == TaskState::Idle);
        assert!(foreign.waits_on().is_empty());
        assert!(foreign.to_string().ends_with(": idle, waits for something unknown"), "{foreign}");
    });
}

#[test]
fn blocking_jobs_that_wait_for_a_thread_are_scheduled() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().expect("a runtime");
        let gate = Gate::new();
        let hold = gate.hold();
        drop(runtime.spawn_blocking(move || hold.wait(Manner::Asleep)));
        drop(named("queued").spawn_blocking_on(|| (), runtime.handle()));
        let queued = task_once(runtime.handle(), "queued", |_| true);
        assert_eq!((queued.kind(), queued.state()), (TaskKind::BlockingJob, TaskState::Scheduled));
    });
}

#[test]
fn stuck_processors_do_not_hold_it_up() {
    within_a_minute(|| {
        for manner in Manner::ALL {
            // The limit is one machine for each processor: none stands in for those that are stuck.
            let runtime = Builder::new_multi_thread().worker_threads(2).max_machines(2).build().expect("a runtime");
            let gate = Gate::new();
            for name in ["one", "other"] {
                let hold = gate.hold();
                drop(named(name).spawn_on(async move { hold.wait(manner) }, runtime.handle()));
            }
            let is_seen = |task: &TaskDump| matches!(task.state(), TaskState::Running(running) if running.elapsed() > Some(Duration::from_millis(20)));
            let on = ["one", "other"].map(|name| {
                let task = task_once(runtime.handle(), name, is_seen);
                let TaskState::Running(running) = task.state() else { panic!("{task}") };
                assert!(!running.is_in_block_in_place());
                running.processor().expect("it is on one")
            });
            assert_ne!(on[0], on[1]);
            drop(named("behind").spawn_on(async {}, runtime.handle()));
            let quickest = (0..20).map(|_| runtime.handle().dump().took()).min();
            assert!(quickest < Some(Duration::from_millis(100)), "{quickest:?}");
            let behind = task_once(runtime.handle(), "behind", |_| true);
            assert_eq!(behind.state(), TaskState::Scheduled);
        }
    });
}

#[test]
fn a_task_in_block_in_place_says_so() {
    within_a_minute(|| {
        let runtime = two_processors();
        let gate = Gate::new();
        let hold = gate.hold();
        let blocked = async move { task::block_in_place(move || hold.wait(Manner::Asleep)) };
        drop(named("blocked").spawn_on(blocked, runtime.handle()));
        // No machine wants its processor, so it keeps it.
        let says_so =
            |task: &TaskDump| matches!(task.state(), TaskState::Running(running) if running.is_in_block_in_place());
        let blocked = task_once(runtime.handle(), "blocked", says_so);
        assert!(blocked.to_string().contains(", in block_in_place"), "{blocked}");
    });
}

#[test]
fn it_polls_nothing() {
    within_a_minute(|| {
        const TASKS: u64 = 500;
        let runtime = two_processors();
        let polls = Arc::new(AtomicU64::new(0));
        for _ in 0..TASKS {
            let polls = Arc::clone(&polls);
            drop(runtime.spawn(poll_fn(move |_| {
                polls.fetch_add(1, SeqCst);
                Poll::<()>::Pending
            })));
        }
        while polls.load(SeqCst) < TASKS {
            thread::yield_now();
        }
        for _ in 0..50 {
            assert_eq!(runtime.handle().dump().tasks().len() as u64, TASKS);
        }
        assert_eq!(polls.load(SeqCst), TASKS);
    });
}

#[test]
fn lasting_tasks_are_in_each_dump_once() {
    within_a_minute(|| {
        const STAYING: usize = 300;
        let runtime = Builder::new_multi_thread().worker_threads(3).build().expect("a runtime");
        for index in 0..STAYING {
            drop(named(&format!("staying {index}")).spawn_on(pending::<()>(), runtime.handle()));
            drop(runtime.spawn(churn()));
        }
        for _ in 0..100 {
            let dump = runtime.handle().dump();
            let mut ids = HashSet::new();
            for task in dump.tasks() {
                assert!(ids.insert(task.id()), "{task}, twice");
            }
            let staying = dump.tasks().iter().filter(|task| task.name().is_some()).count();
            assert_eq!(staying, STAYING);
        }
    });
}

/// Spawns a task that ends soon, again and again.
async fn churn() {
    loop {
        let sleeper = wsrt::spawn(sleep(Duration::from_micros(50)));
        yield_now().await;
        let _ = wsrt::spawn(async {}).await;
        let _ = sleeper.await;
    }
}

#[test]
fn dumps_at_the_same_time_are_each_complete() {
    within_a_minute(|| {
        let runtime = two_processors();
        for _ in 0..200 {
            drop(runtime.spawn(pending::<()>()));
        }
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..50).for_each(|_| assert_eq!(runtime.handle().dump().tasks().len(), 200)));
            }
        });
    });
}

#[test]
fn tasks_of_a_local_set_are_shown_with_waits() {
    within_a_minute(|| {
        let runtime = two_processors();
        let local = LocalSet::new();
        local.block_on(&runtime, async {
            spawn_local(sleep(Duration::from_secs(1_000)));
            yield_now().await;
            let dump = Handle::current().dump();
            let [sleeper] = dump.tasks() else { panic!("{dump}") };
            assert_eq!((sleeper.kind(), sleeper.state()), (TaskKind::Local, TaskState::Idle));
            assert!(matches!(sleeper.waits_on(), [WaitsOn::Timer(_)]), "{sleeper}");
        });
        drop(local);
        assert!(runtime.handle().dump().tasks().is_empty());
    });
}

#[test]
fn a_task_shows_itself_as_running() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (own, dump) = runtime.run(async { (task::id(), Handle::current().dump()) });
        let own = dump.tasks().iter().find(|task| task.id() == own).expect("it is live");
        assert!(matches!(own.state(), TaskState::Running(running) if running.processor().is_some()), "{own}");
    });
}

#[test]
fn json_parses_and_brings_back_every_name() {
    within_a_minute(|| {
        let names = [
            "plain",
            "with \"quotes\" and a \\ backslash",
            "line\nfeed, tab\t, return\r, nul\0, escape\x1b, delete\x7f",
            "ümläut, 漢字, 🦀, \u{2028}",
            "",
        ];
        let runtime = Builder::new_multi_thread().worker_threads(1).task_stats(true).build().expect("a runtime");
        let handles: Vec<JoinHandle<()>> =
            names.iter().map(|name| named(name).spawn_on(sleep(LIMIT * 10), runtime.handle())).collect();
        for name in names {
            waiting(runtime.handle(), name);
        }
        let dump = runtime.handle().dump();
        let json: Value = serde_json::from_str(&dump.to_json()).expect("it is JSON");
        let tasks = json["tasks"].as_array().expect("a list");
        assert_eq!(tasks.len(), names.len());
        for ((task, handle), name) in tasks.iter().zip(&handles).zip(names) {
            assert_eq!(task["name"], name);
            assert_eq!(task["id"].to_string(), handle.id().to_string());
            assert_eq!((&task["state"], &task["kind"]), (&"idle".into(), &"task".into()));
            assert_eq!(task["spawned_at"]["file"], file!());
            assert_eq!(task["waits_on"][0]["kind"], "timer");
            assert!(task["waits_on"][0]["due_in_us"].as_u64() > Some(1_000_000));
            assert_eq!(task["stats"]["polls"], 1);
        }
        let text = dump.to_string();
        assert_eq!(text.lines().count(), 1 + names.len(), "a line each, whatever their names:\n{text}");
    });
}

#[test]
fn a_runtime_that_is_gone_has_no_tasks() {
    within_a_minute(|| {
        let runtime = two_processors();
        let handle = runtime.handle().clone();
        drop(runtime.spawn(pending::<()>()));
        assert_eq!(handle.dump().tasks().len(), 1);
        drop(runtime);
        assert!(handle.dump().tasks().is_empty());
        assert!(handle.dump().to_string().starts_with("0 tasks, 0 blocking jobs: 0 running"));
    });
}

#[test]
fn it_may_be_asked_for_throughout_a_shutdown() {
    within_a_minute(|| {
        for _ in 0..20 {
            let runtime = two_processors();
            for _ in 0..200 {
                drop(runtime.spawn(churn()));
            }
            let handle = runtime.handle().clone();
            let looker = thread::spawn(move || while !handle.dump().tasks().is_empty() {});
            drop(runtime);
            looker.join().expect("no panic");
        }
    });
}
