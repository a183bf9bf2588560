//! A run in which nothing can go on says what each task waits for.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use wsrt::io::AsyncReadExt;
use wsrt::net::{TcpListener, TcpStream, UdpSocket};
#[cfg(unix)]
use wsrt::net::{UnixListener, UnixStream};
use wsrt::runtime::Handle;
use wsrt::sim;
use wsrt::sync::{Barrier, Mutex, Notify, RwLock, Semaphore, broadcast, mpsc, oneshot, watch};
use wsrt::task::{Builder, block_in_place};
use wsrt::time::sleep;

use crate::faults::message;

fn spawn(name: &str, future: impl Future<Output = ()> + Send + 'static) -> wsrt::task::JoinHandle<()> {
    Builder::new().name(name).spawn(future)
}

/// The line of the task with this name.
fn line<'a>(dump: &'a str, name: &str) -> &'a str {
    let quoted = format!("{name:?}, spawned at");
    dump.lines().find(|line| line.contains(&quoted)).unwrap_or_else(|| panic!("no {name} in {dump}"))
}

#[test]
fn waits_for_channels_and_locks_are_told_with_their_places() {
    let dump = message(|| {
        sim::run(5, |_| async {
            let (sender, mut bounded) = mpsc::channel::<u8>(1);
            let (full, _unread) = mpsc::channel(1);
            full.send(1).await.expect("there is room");
            let (_one, once) = oneshot::channel::<()>();
            let (_all, mut each) = broadcast::channel::<u8>(1);
            let (_newest, mut seen) = watch::channel(0);
            let (mutex, lock) = (Arc::new(Mutex::new(())), Arc::new(RwLock::new(())));
            let (semaphore, notify, barrier) = (Semaphore::new(0), Notify::new(), Barrier::new(2));
            let (locked, read) = (Arc::clone(&mutex), Arc::clone(&lock));
            let _held = (mutex.lock().await, lock.read().await);
            let tasks = [
                spawn("mpsc", async move { _ = bounded.recv().await }),
                spawn("full mpsc", async move { _ = full.send(2).await }),
                spawn("oneshot", async move { _ = once.await }),
                spawn("broadcast", async move { _ = each.recv().await }),
                spawn("watch", async move { _ = seen.changed().await }),
                spawn("mutex", async move { _ = locked.lock().await }),
                spawn("rwlock", async move { _ = read.write().await }),
                spawn("semaphore", async move { _ = semaphore.acquire().await }),
                spawn("notify", async move { notify.notified().await }),
                spawn("barrier", async move { _ = barrier.wait().await }),
            ];
            for task in tasks {
                task.await.expect("it never ends");
            }
            drop(sender);
        });
    });
    let names =
        ["mpsc", "full mpsc", "oneshot", "broadcast", "watch", "mutex", "rwlock", "semaphore", "notify", "barrier"];
    for name in names {
        let line = line(&dump, name);
        assert!(line.contains("idle, waits for ") && line.contains(" made at "), "{line}");
        assert!(line.contains("executor/tests/simulation/stuck.rs:"), "{line}");
    }
    assert!(dump.contains("nothing in this simulation can continue") && dump.contains("WSRT_SIM_SEED=5"), "{dump}");
}

#[test]
fn waits_for_sockets_and_tasks_are_told_with_their_addresses() {
    let dump = message(|| {
        sim::run(5, |sim| async move {
            sim.host("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await?;
                let (mut stream, _) = listener.accept().await?;
                spawn("reader", async move { _ = stream.read_u8().await });
                spawn("acceptor", async move { _ = listener.accept().await });
                let socket = UdpSocket::bind("0.0.0.0:53").await?;
                spawn("receiver", async move { _ = socket.recv_from(&mut [0; 8]).await });
                let socket = UdpSocket::bind("0.0.0.0:54").await?;
                socket.connect("127.0.0.1:53").await?;
                spawn("connected receiver", async move { _ = socket.recv(&mut [0; 8]).await });
                #[cfg(unix)]
                {
                    let listener = UnixListener::bind("/run/listener")?;
                    let (mut one, other) = UnixStream::pair()?;
                    spawn("unix acceptor", async move { _ = listener.accept().await });
                    spawn("unix reader", async move { _ = (one.read_u8().await, other) });
                }
                io::Result::Ok(())
            });
            let stream = loop {
                match TcpStream::connect("server:80").await {
                    Ok(stream) => break stream,
                    Err(_) => wsrt::task::yield_now().await,
                }
            };
            let never = spawn("never woken", pending());
            let joined = spawn("joiner", async move { _ = never.await });
            joined.await.expect("it never ends");
            drop(stream);
        });
    });
    // The test has the address before that of the first host.
    let expected = [
        ("reader", "waits for TcpStream at 10.0.0.2:80 with peer 10.0.0.1:"),
        ("acceptor", "waits for TcpListener at 0.0.0.0:80 (to read)"),
        ("receiver", "waits for UdpSocket at 0.0.0.0:53 (to read)"),
        ("connected receiver", "waits for UdpSocket at 127.0.0.1:54 with peer 127.0.0.1:53 (to read)"),
        #[cfg(unix)]
        ("unix acceptor", "waits for UnixListener at /run/listener (to read)"),
        #[cfg(unix)]
        ("unix reader", "waits for UnixStream (to read)"),
    ];
    for (task, wait) in expected {
        assert!(line(&dump, task).contains(wait), "{wait}: {dump}");
    }
    assert!(line(&dump, "joiner").contains("waits for the end of task"), "{dump}");
    assert!(line(&dump, "never woken").contains("no waker is left"), "{dump}");
}

#[test]
fn tasks_of_equal_hosts_are_told_apart() {
    let dump = message(|| {
        sim::run(5, |sim| async move {
            for name in ["alpha", "beta"] {
                sim.host(name, pending::<()>);
            }
            spawn("outside", pending()).await.expect("it never ends");
        });
    });
    for host in ["alpha", "beta"] {
        let lines = dump.lines().filter(|line| line.contains(&format!(", of the host `{host}`: orphan")));
        assert_eq!(lines.count(), 1, "{dump}");
    }
    assert!(!line(&dump, "outside").contains("of the host"), "{dump}");
}

#[test]
fn a_run_out_of_machines_says_so() {
    let dump = message(|| {
        sim::run(5, |_| async {
            let wait = || Handle::current().block_on(sleep(Duration::from_secs(1)));
            let tasks: Vec<_> = (0..600).map(|_| wsrt::spawn(async move { block_in_place(wait) })).collect();
            for task in tasks {
                task.await.expect("it never ends");
            }
        });
    });
    assert!(dump.contains("as many threads that run tasks as there may be"), "{dump}");
}
