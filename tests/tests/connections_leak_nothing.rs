//! Ten thousand connections that come and go leave no descriptor, no task and no memory behind.
//! Alone in its process: the counts are of the whole process.
#![cfg(target_os = "linux")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use wsrt::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use wsrt::runtime::Builder;
use wsrt::task::{JoinSet, yield_now};
use wsrt_tests::{Directory, LIMIT, within_a_minute};

/// Counts the bytes that are allocated.
struct Counting;

static LIVE: AtomicIsize = AtomicIsize::new(0);

// SAFETY: everything is left to the system's allocator; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as isize, Relaxed);
        // SAFETY: the caller keeps `alloc`'s contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as isize, Relaxed);
        // SAFETY: the caller keeps `dealloc`'s contract, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Connections made one after the other by one client, and how many clients do so at a time.
const EACH: usize = 625;
const CLIENTS: usize = 8;
const ROUNDS: usize = 2;

/// The memory that grown pools and vectors keep for later: less than fourteen bytes for each
/// connection. Beside busy programs more connections are open at a time, and pools grow by 80 kB.
const SLACK: isize = 14 * (CLIENTS * EACH * ROUNDS) as isize;

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("Linux lists a process's descriptors").count()
}

/// Waits until only `count` hold the token: every task that had a clone is gone.
async fn until_held_by(token: &Arc<()>, count: usize) {
    let deadline = Instant::now() + LIMIT / 2;
    while Arc::strong_count(token) > count {
        assert!(Instant::now() < deadline, "{} tasks have not ended", Arc::strong_count(token) - count);
        yield_now().await;
    }
}

/// Serves and makes `CLIENTS * EACH` connections, each of which carries a question and an answer.
async fn one_round(token: &Arc<()>, path: &Arc<PathBuf>) -> io::Result<()> {
    let tcp = TcpListener::bind("127.0.0.1:0").await?;
    let address = tcp.local_addr()?;
    let unix = UnixListener::bind(&**path)?;
    let (served, also) = (Arc::clone(token), Arc::clone(token));
    let serving_tcp = wsrt::spawn(async move {
        loop {
            let (mut stream, _) = tcp.accept().await?;
            let token = Arc::clone(&served);
            wsrt::spawn(async move {
                let _token = token;
                let mut question = [0; 4];
                stream.read_exact(&mut question).await?;
                stream.write_all(&question).await
            });
        }
        #[expect(unreachable_code, reason = "names the type of the error")]
        io::Result::Ok(())
    });
    let serving_unix = wsrt::spawn(async move {
        loop {
            let (stream, _) = unix.accept().await?;
            let token = Arc::clone(&also);
            wsrt::spawn(async move {
                let _token = token;
                let (mut read, mut write) = stream.into_split();
                let mut question = [0; 4];
                read.read_exact(&mut question).await?;
                write.write_all(&question).await
            });
        }
        #[expect(unreachable_code, reason = "names the type of the error")]
        io::Result::Ok(())
    });
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (token, path) = (Arc::clone(token), Arc::clone(path));
        let address = (client % 2 == 0).then_some(address);
        clients.spawn(async move {
            let _token = token;
            for _ in 0..EACH {
                ask_once(address, &path).await?;
            }
            io::Result::Ok(())
        });
    }
    for client in clients.join_all().await {
        client?;
    }
    serving_tcp.abort();
    serving_unix.abort();
    assert!(serving_tcp.await.is_err_and(|error| error.is_cancelled()));
    assert!(serving_unix.await.is_err_and(|error| error.is_cancelled()));
    std::fs::remove_file(&**path)
}

/// Asks the server at `address`, or else the one at `path`.
async fn ask_once(address: Option<SocketAddr>, path: &PathBuf) -> io::Result<()> {
    let mut answer = Vec::new();
    if let Some(address) = address {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(b"ping").await?;
        stream.read_to_end(&mut answer).await?;
    } else {
        let mut stream = connect_when_there_is_room(path).await?;
        stream.write_all(b"ping").await?;
        stream.read_to_end(&mut answer).await?;
    }
    assert_eq!(answer, b"ping");
    Ok(())
}

async fn connect_when_there_is_room(path: &PathBuf) -> io::Result<UnixStream> {
    loop {
        match UnixStream::connect(path).await {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => yield_now().await,
            outcome => return outcome,
        }
    }
}

/// Polls `future` until it is done, so that the test can see its remains from outside.
fn counted<F>(runtime: &wsrt::runtime::Runtime, future: F) -> (usize, isize)
where
    F: Future<Output = io::Result<()>>,
{
    runtime.block_on(future).expect("the network works");
    (open_descriptors(), LIVE.load(Relaxed))
}

#[test]
fn ten_thousand_connections_leave_nothing_behind() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let token = Arc::new(());
        let directory = Directory::new();
        let path = Arc::new(directory.path("socket"));
        let round = || async {
            one_round(&token, &path).await?;
            until_held_by(&token, 1).await;
            Ok(())
        };
        // The first round makes the things that are made once and kept.
        let (descriptors, bytes) = counted(&runtime, round());
        let began = Instant::now();
        let mut live = bytes;
        for _ in 0..ROUNDS {
            let now;
            (now, live) = counted(&runtime, round());
            assert_eq!(now, descriptors, "descriptors");
        }
        assert!(live - bytes < SLACK, "{} bytes more than before", live - bytes);
        let took = began.elapsed();
        println!("{} connections in {took:?}", CLIENTS * EACH * ROUNDS);
        assert!(took < Duration::from_secs(50));
    });
}
