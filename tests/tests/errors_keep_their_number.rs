//! Errors that the operating system gave keep their number and kind: those of the standard library
//! for the same call.

use std::fmt::Debug;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::unix::net as std_unix;
use std::pin::Pin;

use wsrt::fs::{self, DirBuilder, File, OpenOptions};
use wsrt::net::unix::pipe;
use wsrt::net::{TcpListener, TcpSocket, TcpStream, UdpSocket, UnixDatagram, UnixListener, UnixStream, lookup_host};
use wsrt::process::Command;
use wsrt::runtime::Builder;
use wsrt::signal::unix::{SignalKind, signal};
use wsrt_tests::{Directory, in_a_process_with_files, text_of, within_a_minute};

/// The parts of an error that a program can compare.
type Told = (Option<i32>, io::ErrorKind);

fn told<T: Debug>(outcome: io::Result<T>) -> Told {
    let error = outcome.expect_err("it cannot be");
    (error.raw_os_error(), error.kind())
}

/// A call, the standard library's error for it, and wsrt's.
type Row = (&'static str, Told, Pin<Box<dyn Future<Output = Told> + Send>>);

fn row<S: Debug, W: Debug + Send + 'static>(
    call: &'static str,
    std: io::Result<S>,
    wsrt: impl Future<Output = io::Result<W>> + Send + 'static,
) -> Row {
    (call, told(std), Box::pin(async { told(wsrt.await) }))
}

/// Checks each row, in a runtime of either kind. `rows` is called inside it.
fn same_as_std(rows: impl Fn() -> Vec<Row> + Send + 'static) {
    within_a_minute(move || {
        for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
            builder.worker_threads(2).build().expect("a runtime").block_on(async {
                for (call, by_std, by_wsrt) in rows() {
                    assert_eq!(by_wsrt.await, by_std, "{call}");
                }
            });
        }
    });
}

/// An address without a listener, where no other test listens: one could be given the port
/// meanwhile.
fn closed() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.77.1:0").expect("a free port");
    listener.local_addr().expect("it is bound")
}

fn elsewhere() -> SocketAddr {
    // Reserved for documentation: no machine has it.
    "192.0.2.1:7".parse().expect("a literal")
}

#[test]
fn sockets_have_stds_errors() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = listener.local_addr().expect("it is bound");
    let (datagrams, closed) = (std::net::UdpSocket::bind("127.0.0.1:0").expect("a free port"), closed());
    same_as_std(move || {
        let bound_to_loopback = || std::net::UdpSocket::bind("127.0.0.1:0").expect("a free port");
        let v6: SocketAddr = "[::1]:7".parse().expect("a literal");
        let taken_for_datagrams = datagrams.local_addr().expect("it is bound");
        vec![
            row("TcpListener::bind, taken", std::net::TcpListener::bind(taken), TcpListener::bind(taken)),
            row(
                "TcpListener::bind, elsewhere",
                std::net::TcpListener::bind(elsewhere()),
                TcpListener::bind(elsewhere()),
            ),
            row(
                "TcpListener::bind, several",
                std::net::TcpListener::bind(&[elsewhere(), taken][..]),
                TcpListener::bind([elsewhere(), taken]),
            ),
            row("TcpStream::connect", std::net::TcpStream::connect(closed), TcpStream::connect(closed)),
            row("TcpSocket::bind", std::net::TcpListener::bind(elsewhere()), async {
                TcpSocket::new_v4()?.bind(elsewhere())
            }),
            row("TcpSocket::connect", std::net::TcpStream::connect(closed), async move {
                TcpSocket::new_v4()?.connect(closed).await
            }),
            row(
                "UdpSocket::bind",
                std::net::UdpSocket::bind(taken_for_datagrams),
                UdpSocket::bind(taken_for_datagrams),
            ),
            row("UdpSocket::connect", bound_to_loopback().connect(v6), async move {
                UdpSocket::bind("127.0.0.1:0").await?.connect(v6).await
            }),
        ]
    });
}

#[test]
fn of_several_addresses_the_last_ones_error_is_returned() {
    let refuses = closed();
    // A broadcast address refuses connections at once.
    let forbidden: SocketAddr = "255.255.255.255:7".parse().expect("a literal");
    same_as_std(move || {
        let (one, other) = ([refuses, forbidden], [forbidden, refuses]);
        assert_ne!(told(std::net::TcpStream::connect(&one[..])), told(std::net::TcpStream::connect(&other[..])));
        vec![
            row("connect, refused and forbidden", std::net::TcpStream::connect(&one[..]), TcpStream::connect(one)),
            row("connect, forbidden and refused", std::net::TcpStream::connect(&other[..]), TcpStream::connect(other)),
        ]
    });
}

#[test]
fn targets_that_lead_nowhere_have_stds_errors() {
    same_as_std(|| {
        let none: [SocketAddr; 0] = [];
        vec![
            row("no address", std::net::TcpStream::connect(&none[..]), TcpStream::connect(none)),
            row("no port", "127.0.0.1".to_socket_addrs().map(drop), TcpStream::connect("127.0.0.1")),
            row("no such host", "no-such-host.invalid:80".to_socket_addrs().map(drop), async {
                lookup_host("no-such-host.invalid:80").await.map(drop)
            }),
        ]
    });
}

#[test]
fn unix_sockets_and_pipes_have_stds_errors() {
    let directory = Directory::new();
    let taken = directory.path("taken");
    let _listener = std_unix::UnixListener::bind(&taken).expect("it is free");
    let (missing, file, long) = (directory.path("missing"), directory.path("file"), directory.path(&"x".repeat(200)));
    std::fs::write(&file, "no socket").expect("it is written");
    let no_fifo = directory.path("fifo");
    let made = std::process::Command::new("mkfifo").arg(&no_fifo).status().expect("there is mkfifo");
    assert!(made.success());
    same_as_std(move || {
        let datagrams = || std_unix::UnixDatagram::unbound().expect("it needs no address");
        let std_sender = {
            use std::os::unix::fs::OpenOptionsExt;
            let nonblocking = 0o4000;
            std::fs::OpenOptions::new().write(true).custom_flags(nonblocking).open(&no_fifo)
        };
        let mut rows = vec![row("pipe, no reader", std_sender, {
            let path = no_fifo.clone();
            async move { pipe::OpenOptions::new().open_sender(path) }
        })];
        for path in [&taken, &directory.path("nowhere/socket"), &long] {
            let (one, other) = (path.clone(), path.clone());
            rows.push(row("UnixListener::bind", std_unix::UnixListener::bind(path), async { UnixListener::bind(one) }));
            rows.push(row("UnixDatagram::bind", std_unix::UnixDatagram::bind(path), async {
                UnixDatagram::bind(other)
            }));
        }
        for path in [&missing, &file, &long] {
            let (one, other) = (path.clone(), path.clone());
            rows.push(row("UnixStream::connect", std_unix::UnixStream::connect(path), UnixStream::connect(one)));
            rows.push(row("UnixDatagram::connect", datagrams().connect(path), async {
                UnixDatagram::unbound()?.connect(other)
            }));
        }
        let path = missing.clone();
        rows.push(row("pipe, missing", std::fs::File::open(&missing), async move {
            pipe::OpenOptions::new().open_receiver(path)
        }));
        rows
    });
}

#[test]
fn files_have_stds_errors() {
    let directory = Directory::new();
    let (missing, file, folder) = (directory.path("missing"), directory.path("file"), directory.path("folder"));
    std::fs::write(&file, b"\xff").expect("it is written");
    std::fs::create_dir_all(folder.join("inner")).expect("it is made");
    same_as_std(move || {
        let path = || missing.clone();
        let (file, folder, beyond) = (file.clone(), folder.clone(), missing.join("beyond"));
        let permissions = std::fs::metadata(&file).expect("it is there").permissions();
        let set = |permissions: &std::fs::Permissions| (permissions.clone(), permissions.clone());
        let (by_std, by_wsrt) = set(&permissions);
        vec![
            row("File::open", std::fs::File::open(path()), File::open(path())),
            row("File::create", std::fs::File::create(&beyond), File::create(beyond.clone())),
            row("File::create_new", std::fs::File::create_new(&file), File::create_new(file.clone())),
            row("File::open, through a file", std::fs::File::open(file.join("x")), File::open(file.join("x"))),
            row("OpenOptions, nothing set", std::fs::OpenOptions::new().open(&file), {
                let file = file.clone();
                async move { OpenOptions::new().open(file).await }
            }),
            row("OpenOptions, a folder", std::fs::OpenOptions::new().write(true).open(&folder), {
                let folder = folder.clone();
                async move { OpenOptions::new().write(true).open(folder).await }
            }),
            row("read", std::fs::read(path()), fs::read(path())),
            row("read a folder", std::fs::read(&folder), fs::read(folder.clone())),
            row("read_to_string", std::fs::read_to_string(path()), fs::read_to_string(path())),
            row("read_to_string, no text", std::fs::read_to_string(&file), fs::read_to_string(file.clone())),
            row("write", std::fs::write(&beyond, "x"), fs::write(beyond.clone(), "x")),
            row("copy", std::fs::copy(path(), &beyond), fs::copy(path(), beyond.clone())),
            row("rename", std::fs::rename(path(), &beyond), fs::rename(path(), beyond.clone())),
            row("rename onto", std::fs::rename(&file, &folder), fs::rename(file.clone(), folder.clone())),
            row("hard_link", std::fs::hard_link(path(), &beyond), fs::hard_link(path(), beyond.clone())),
            row("symlink", std::os::unix::fs::symlink("x", &file), fs::symlink("x", file.clone())),
            row("read_link", std::fs::read_link(&file), fs::read_link(file.clone())),
            row("canonicalize", std::fs::canonicalize(path()), fs::canonicalize(path())),
            row("remove_file", std::fs::remove_file(path()), fs::remove_file(path())),
            row("remove_dir", std::fs::remove_dir(&folder), fs::remove_dir(folder.clone())),
            row("remove_dir_all", std::fs::remove_dir_all(path()), fs::remove_dir_all(path())),
            row("create_dir", std::fs::create_dir(&folder), fs::create_dir(folder.clone())),
            row("create_dir_all", std::fs::create_dir_all(&file), fs::create_dir_all(file.clone())),
            row("DirBuilder::create", std::fs::DirBuilder::new().create(&file), {
                let file = file.clone();
                async move { DirBuilder::new().create(file).await }
            }),
            row("read_dir", std::fs::read_dir(&file).map(drop), {
                let file = file.clone();
                async move { fs::read_dir(file).await.map(drop) }
            }),
            row("metadata", std::fs::metadata(path()), fs::metadata(path())),
            row("symlink_metadata", std::fs::symlink_metadata(path()), fs::symlink_metadata(path())),
            row("try_exists", file.join("x").try_exists(), fs::try_exists(file.join("x"))),
            row("set_permissions", std::fs::set_permissions(path(), by_std), fs::set_permissions(path(), by_wsrt)),
        ]
    });
}

#[test]
fn programs_that_cannot_be_started_have_stds_errors() {
    same_as_std(|| {
        let std = |program: &str| std::process::Command::new(program).spawn();
        let in_no_directory = std::process::Command::new("true").current_dir("/no/such").spawn();
        vec![
            row("spawn, missing", std("no-such-program"), async { Command::new("no-such-program").spawn() }),
            row("spawn, missing path", std("/no/such"), async { Command::new("/no/such").spawn() }),
            row("spawn, a folder", std("/"), async { Command::new("/").spawn() }),
            row("status", std("/"), async { Command::new("/").status().await }),
            row("output", std("/"), async { Command::new("/").output().await }),
            row("spawn, nowhere", in_no_directory, async { Command::new("true").current_dir("/no/such").spawn() }),
        ]
    });
}

#[test]
fn a_signal_that_is_not_there_has_the_systems_error() {
    const EINVAL: i32 = 22;
    same_as_std(|| {
        let refused = Err::<(), _>(io::Error::from_raw_os_error(EINVAL));
        vec![row("signal", refused, async { signal(SignalKind::from_raw(12_345)) })]
    });
}

#[test]
fn when_descriptors_run_out_every_call_says_so() {
    const EMFILE: i32 = 24;
    let test = "when_descriptors_run_out_every_call_says_so";
    let output = in_a_process_with_files(test, "64", || {
        same_as_std(|| {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
            let address = listener.local_addr().expect("it is bound");
            // The descriptors that handlers open once for all signals are open by now.
            drop(signal(SignalKind::user_defined1()));
            let filler: Vec<_> = std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
            let full = || Err::<(), _>(io::Error::from_raw_os_error(EMFILE));
            vec![
                row("TcpListener::bind", full(), TcpListener::bind("127.0.0.1:0")),
                row("TcpStream::connect", full(), TcpStream::connect(address)),
                row("UdpSocket::bind", full(), UdpSocket::bind("127.0.0.1:0")),
                row("UnixStream::pair", full(), async { UnixStream::pair() }),
                row("UnixStream::connect", full(), UnixStream::connect("/no/such")),
                row("pipe", full(), async { pipe::pipe() }),
                row("File::open", full(), File::open("/dev/null")),
                row("spawn", full(), async { Command::new("true").stdin(std::process::Stdio::piped()).spawn() }),
                row("signal", full(), async { signal(SignalKind::user_defined2()) }),
                row("ctrl_c", full(), async { wsrt::signal::ctrl_c().await }),
                row("Builder::build", full(), async move {
                    let built = Builder::new_current_thread().build();
                    drop((filler, listener));
                    built.map(|runtime| runtime.shutdown_background())
                }),
            ]
        });
    });
    text_of(&output);
}

#[test]
fn a_runtime_whose_threads_are_refused_has_stds_error() {
    // A stack that no system has room for.
    let stack = 1 << 46;
    let by_std = told(std::thread::Builder::new().stack_size(stack).spawn(|| ()));
    let by_wsrt = told(Builder::new_multi_thread().worker_threads(2).thread_stack_size(stack).build());
    assert_eq!(by_wsrt, by_std);
    assert!(by_std.0.is_some(), "{by_std:?}");
}
