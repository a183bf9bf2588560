//! Which public types and futures may move between threads, be shared by them, and be moved while
//! they are polled.
//!
//! A table for the compiler: it fails to build when a type gains or loses one of the three. That a
//! trait is absent is shown by an ambiguity: both implementations of the helper trait would fit if
//! it were there.
//!
//! That no type and no async function is left out is a test of its own, which names what is
//! missing.

use std::cell::Cell;
use std::future::{Future, Ready};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;

use wsrt::fs::{DirBuilder, DirEntry, File, OpenOptions, ReadDir};
use wsrt::hyper::{ConnectInfo, NoHandshake, Serve, TokioIo, WsrtExecutor, WsrtTimer};
#[cfg(unix)]
use wsrt::io::unix::{AsyncFd, AsyncFdReadyGuard, AsyncFdReadyMutGuard, AsyncFdTryNewError, TryIoError};
use wsrt::io::{Interest, Ready as Readiness, Stderr, Stdin, Stdout};
use wsrt::net::tcp::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, WriteHalf};
#[cfg(unix)]
use wsrt::net::unix::UCred;
use wsrt::net::{TcpKeepalive, TcpListener, TcpSocket, TcpStream, UdpSocket};
#[cfg(unix)]
use wsrt::net::{UnixDatagram, UnixListener, UnixStream, unix, unix::pipe};
use wsrt::parallel::{CancelToken, Cancelled, Chunks, ChunksMut, Scope, Slice, SliceMut, Until};
use wsrt::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use wsrt::runtime::{
    Address, Arrivals, Builder, Drained, Dump, EnterGuard, FlightRecorder, Handle, LatencyHistogram, LeftTask, Metrics,
    MetricsExport, PollSources, ProcessorMetrics, Recording, Running, Runtime, SourceWait, Stall, Steals, TaskDump,
    TaskKind, TaskState, TaskStats, TimerWait, TraceSummary, TryCurrentError, WaitsOn,
};
use wsrt::signal::CtrlC;
use wsrt::signal::unix::{Signal, SignalKind};
use wsrt::task::coop::{Coop, RestoreOnPending, Unconstrained};
use wsrt::task::futures::TaskLocalFuture;
use wsrt::task::{
    AbortHandle, AccessError, Id, JoinError, JoinHandle, JoinSet, LocalEnterGuard, LocalKey, LocalSet, join_set,
};
use wsrt::time::error::Elapsed;
use wsrt::time::{Instant, Interval, MissedTickBehavior, Sleep, Timeout};
use wsrt_tests::{Item, items_below};

const fn is_send<T: ?Sized + Send>() {}
const fn is_sync<T: ?Sized + Sync>() {}
const fn is_unpin<T: ?Sized + Unpin>() {}

/// Fails to build if `$type` is `$trait`: then `check` is ambiguous.
macro_rules! is_not {
    ($type:ty: $trait:ident) => {
        const _: fn() = || {
            trait Ambiguous<A> {
                fn check() {}
            }
            impl<T: ?Sized> Ambiguous<()> for T {}
            struct Implemented;
            impl<T: ?Sized + $trait> Ambiguous<Implemented> for T {}
            <$type as Ambiguous<_>>::check();
        };
    };
}

macro_rules! check {
    ($type:ty: Send) => { const _: () = is_send::<$type>(); };
    ($type:ty: Sync) => { const _: () = is_sync::<$type>(); };
    ($type:ty: Unpin) => { const _: () = is_unpin::<$type>(); };
    ($type:ty: !Send) => { is_not!($type: Send); };
    ($type:ty: !Sync) => { is_not!($type: Sync); };
    ($type:ty: !Unpin) => { is_not!($type: Unpin); };
}

macro_rules! table {
    ($($type:ty: $(!$not:ident)? $($trait:ident)?, $(!$not2:ident)? $($trait2:ident)?, $(!$not3:ident)? $($trait3:ident)?;)*) => {
        $(
            check!($type: $(!$not)? $($trait)?);
            check!($type: $(!$not2)? $($trait2)?);
            check!($type: $(!$not3)? $($trait3)?);
        )*
    };
}

/// Neither Send nor Sync.
type Local = Rc<()>;
/// Send, not Sync.
type Movable = Cell<()>;

table! {
    Runtime:             Send,  Sync,  Unpin;
    Handle:              Send,  Sync,  Unpin;
    Builder:             Send,  Sync,  Unpin;
    EnterGuard<'static>: !Send, !Sync, Unpin;
    TryCurrentError:     Send,  Sync,  Unpin;
    Stall:               Send,  Sync,  Unpin;
    Address:             Send,  Sync,  Unpin;
    Drained:             Send,  Sync,  Unpin;
    Dump:                Send,  Sync,  Unpin;
    Running:             Send,  Sync,  Unpin;
    SourceWait:          Send,  Sync,  Unpin;
    TaskDump:            Send,  Sync,  Unpin;
    TaskKind:            Send,  Sync,  Unpin;
    TaskState:           Send,  Sync,  Unpin;
    TaskStats:           Send,  Sync,  Unpin;
    TimerWait:           Send,  Sync,  Unpin;
    WaitsOn:             Send,  Sync,  Unpin;
    LeftTask:            Send,  Sync,  Unpin;
    Metrics:             Send,  Sync,  Unpin;
    ProcessorMetrics:    Send,  Sync,  Unpin;
    PollSources:         Send,  Sync,  Unpin;
    Steals:              Send,  Sync,  Unpin;
    Arrivals:            Send,  Sync,  Unpin;
    LatencyHistogram:    Send,  Sync,  Unpin;
    MetricsExport:       Send,  Sync,  Unpin;
    FlightRecorder:      Send,  Sync,  Unpin;
    Recording:           Send,  Sync,  Unpin;
    TraceSummary:        Send,  Sync,  Unpin;

    JoinHandle<()>:      Send,  Sync,  Unpin;
    JoinHandle<Movable>: Send,  Sync,  Unpin;
    JoinHandle<Local>:   !Send, !Sync, Unpin;
    JoinSet<()>:         Send,  Sync,  Unpin;
    JoinSet<Movable>:    Send,  Sync,  Unpin;
    JoinSet<Local>:      !Send, !Sync, Unpin;
    JoinError:           Send,  Sync,  Unpin;
    AbortHandle:         Send,  Sync,  Unpin;
    Id:                  Send,  Sync,  Unpin;
    wsrt::task::Builder<'static>:          Send,  Sync,  Unpin;
    join_set::Builder<'static, Movable>:   Send,  Sync,  Unpin;
    join_set::Builder<'static, Local>:     !Send, !Sync, Unpin;
    LocalSet:            !Send, !Sync, Unpin;
    LocalEnterGuard:     !Send, !Sync, Unpin;
    LocalKey<Local>:     Send,  Sync,  Unpin;
    AccessError:         Send,  Sync,  Unpin;
    TaskLocalFuture<(), Ready<()>>:        Send,  Sync,  !Unpin;
    TaskLocalFuture<Movable, Ready<()>>:   Send,  !Sync, !Unpin;
    TaskLocalFuture<(), Ready<Local>>:     !Send, !Sync, !Unpin;
    TaskLocalFuture<Local, Ready<()>>:     !Send, !Sync, !Unpin;

    Coop<Ready<()>>:          Send,  Sync,  Unpin;
    Coop<Ready<Movable>>:     Send,  !Sync, Unpin;
    Coop<Ready<Local>>:       !Send, !Sync, Unpin;
    Coop<Sleep>:              Send,  Sync,  !Unpin;
    Unconstrained<Ready<()>>:      Send,  Sync,  Unpin;
    Unconstrained<Ready<Movable>>: Send,  !Sync, Unpin;
    Unconstrained<Ready<Local>>:   !Send, !Sync, Unpin;
    Unconstrained<Sleep>:          Send,  Sync,  !Unpin;
    RestoreOnPending:         !Send, !Sync, Unpin;

    TcpListener:         Send,  Sync,  Unpin;
    TcpStream:           Send,  Sync,  Unpin;
    ReadHalf<'static>:   Send,  Sync,  Unpin;
    WriteHalf<'static>:  Send,  Sync,  Unpin;
    OwnedReadHalf:       Send,  Sync,  Unpin;
    OwnedWriteHalf:      Send,  Sync,  Unpin;
    ReuniteError:        Send,  Sync,  Unpin;
    TcpSocket:           Send,  Sync,  Unpin;
    TcpKeepalive:        Send,  Sync,  Unpin;
    UdpSocket:           Send,  Sync,  Unpin;

    Instant:             Send,  Sync,  Unpin;
    Sleep:               Send,  Sync,  !Unpin;
    Interval:            Send,  Sync,  Unpin;
    Timeout<Ready<()>>:      Send,  Sync,  Unpin;
    Timeout<Ready<Movable>>: Send,  !Sync, Unpin;
    Timeout<Ready<Local>>:   !Send, !Sync, Unpin;
    Timeout<Sleep>:          Send,  Sync,  !Unpin;
    Elapsed:             Send,  Sync,  Unpin;
    MissedTickBehavior:  Send,  Sync,  Unpin;

    CtrlC:      Send, Sync, Unpin;
    Signal:     Send, Sync, Unpin;
    SignalKind: Send, Sync, Unpin;

    File:                Send,  Sync,  Unpin;
    OpenOptions:         Send,  Sync,  Unpin;
    DirBuilder:          Send,  Sync,  Unpin;
    ReadDir:             Send,  Sync,  Unpin;
    DirEntry:            Send,  Sync,  Unpin;

    Stdin:               Send,  Sync,  Unpin;
    Stdout:              Send,  Sync,  Unpin;
    Stderr:              Send,  Sync,  Unpin;
    Interest:            Send,  Sync,  Unpin;
    wsrt::io::Ready:     Send,  Sync,  Unpin;

    Command:             Send,  Sync,  Unpin;
    Child:               Send,  Sync,  Unpin;
    ChildStdin:          Send,  Sync,  Unpin;
    ChildStdout:         Send,  Sync,  Unpin;
    ChildStderr:         Send,  Sync,  Unpin;

    TcpSocket:                      Send,  Sync,  Unpin;
    TcpKeepalive:                   Send,  Sync,  Unpin;
    UdpSocket:                      Send,  Sync,  Unpin;
    UnixListener:                   Send,  Sync,  Unpin;
    UnixStream:                     Send,  Sync,  Unpin;
    UnixDatagram:                   Send,  Sync,  Unpin;
    UCred:                          Send,  Sync,  Unpin;
    unix::ReadHalf<'static>:        Send,  Sync,  Unpin;
    unix::WriteHalf<'static>:       Send,  Sync,  Unpin;
    unix::OwnedReadHalf:            Send,  Sync,  Unpin;
    unix::OwnedWriteHalf:           Send,  Sync,  Unpin;
    unix::ReuniteError:             Send,  Sync,  Unpin;
    pipe::Sender:                   Send,  Sync,  Unpin;
    pipe::Receiver:                 Send,  Sync,  Unpin;
    pipe::OpenOptions:              Send,  Sync,  Unpin;

    CancelToken:                    Send,  Sync,  Unpin;
    Cancelled:                      Send,  Sync,  Unpin;
    Until<'static>:                 Send,  Sync,  Unpin;
    Scope<'static>:                 Send,  Sync,  Unpin;
    Slice<'static, Movable>:        !Send, !Sync, Unpin;
    Slice<'static, ()>:             Send,  Sync,  Unpin;
    Chunks<'static, Movable>:       !Send, !Sync, Unpin;
    Chunks<'static, ()>:            Send,  Sync,  Unpin;
    SliceMut<'static, Movable>:     Send,  Sync,  Unpin;
    SliceMut<'static, Local>:       !Send, !Sync, Unpin;
    ChunksMut<'static, Movable>:    Send,  Sync,  Unpin;
    ChunksMut<'static, Local>:      !Send, !Sync, Unpin;

    WsrtExecutor: Send, Sync, Unpin;
    WsrtTimer:    Send, Sync, Unpin;
    TokioIo<()>:      Send,  Sync,  Unpin;
    TokioIo<Movable>: Send,  !Sync, Unpin;
    TokioIo<Local>:   !Send, !Sync, Unpin;
    TokioIo<Sleep>:   Send,  Sync,  !Unpin;
    ConnectInfo<()>:  Send,  Sync,  Unpin;
    NoHandshake:      Send,  Sync,  Unpin;
    Serve<TcpListener, Movable>: Send, !Sync, Unpin;
}

#[cfg(unix)]
table! {
    UnixListener:               Send,  Sync,  Unpin;
    UnixStream:                 Send,  Sync,  Unpin;
    UnixDatagram:               Send,  Sync,  Unpin;
    unix::ReadHalf<'static>:    Send,  Sync,  Unpin;
    unix::WriteHalf<'static>:   Send,  Sync,  Unpin;
    unix::OwnedReadHalf:        Send,  Sync,  Unpin;
    unix::OwnedWriteHalf:       Send,  Sync,  Unpin;
    unix::ReuniteError:         Send,  Sync,  Unpin;
    unix::UCred:                Send,  Sync,  Unpin;
    pipe::Sender:               Send,  Sync,  Unpin;
    pipe::Receiver:             Send,  Sync,  Unpin;
    pipe::OpenOptions:          Send,  Sync,  Unpin;

    AsyncFd<Descriptor>:        Send,  Sync,  Unpin;
    AsyncFd<Rc<Descriptor>>:    !Send, !Sync, Unpin;
    AsyncFdReadyGuard<'static, Descriptor>:    Send, Sync, Unpin;
    AsyncFdReadyMutGuard<'static, Descriptor>: Send, Sync, Unpin;
    AsyncFdTryNewError<Descriptor>:            Send, Sync, Unpin;
    TryIoError:                 Send,  Sync,  Unpin;
    Readiness:                  Send,  Sync,  Unpin;
}

#[cfg(unix)]
type Descriptor = std::os::fd::OwnedFd;

/// What may be captured by, or lent to, a closure that panics and is caught, as with tokio's types.
const fn may_cross_a_caught_panic<T: UnwindSafe + RefUnwindSafe + ?Sized>() {}

const _: () = {
    may_cross_a_caught_panic::<Runtime>();
    may_cross_a_caught_panic::<Handle>();
    may_cross_a_caught_panic::<EnterGuard<'static>>();
    may_cross_a_caught_panic::<TryCurrentError>();
    may_cross_a_caught_panic::<JoinHandle<Local>>();
    may_cross_a_caught_panic::<AbortHandle>();
    may_cross_a_caught_panic::<JoinSet<Local>>();
    may_cross_a_caught_panic::<Id>();
    may_cross_a_caught_panic::<Sleep>();
    may_cross_a_caught_panic::<Interval>();
    may_cross_a_caught_panic::<Timeout<Ready<()>>>();
    may_cross_a_caught_panic::<TcpListener>();
    may_cross_a_caught_panic::<TcpSocket>();
    may_cross_a_caught_panic::<TcpStream>();
    may_cross_a_caught_panic::<UdpSocket>();
};

#[cfg(unix)]
const _: () = {
    may_cross_a_caught_panic::<UnixListener>();
    may_cross_a_caught_panic::<UnixStream>();
    may_cross_a_caught_panic::<UnixDatagram>();
};

fn future_is_send_and_sync<F: Future + Send + Sync>(_: impl FnOnce() -> F) {}

/// The futures of async functions have no names; they are made here, and not polled.
#[test]
fn futures_of_async_functions_may_move_and_be_shared() {
    fn stream() -> &'static mut TcpStream {
        unreachable!("the closures that call this are not called")
    }
    fn buffer() -> &'static mut [u8] {
        unreachable!("the closures that call this are not called")
    }
    fn listener() -> &'static TcpListener {
        unreachable!("the closures that call this are not called")
    }
    fn set() -> &'static mut JoinSet<()> {
        unreachable!("the closures that call this are not called")
    }
    fn slices() -> &'static mut [std::io::IoSliceMut<'static>] {
        unreachable!("the closures that call this are not called")
    }
    fn vec() -> &'static mut Vec<u8> {
        unreachable!("the closures that call this are not called")
    }
    fn string() -> &'static mut String {
        unreachable!("the closures that call this are not called")
    }
    fn interval() -> &'static mut Interval {
        unreachable!("the closures that call this are not called")
    }
    fn signal() -> &'static mut Signal {
        unreachable!("the closures that call this are not called")
    }
    fn handle() -> &'static Handle {
        unreachable!("the closures that call this are not called")
    }
    fn local_set() -> &'static LocalSet {
        unreachable!("the closures that call this are not called")
    }
    future_is_send_and_sync(|| TcpListener::bind("localhost:80"));
    future_is_send_and_sync(|| listener().accept());
    future_is_send_and_sync(|| TcpStream::connect("localhost:80"));
    future_is_send_and_sync(|| stream().readable());
    future_is_send_and_sync(|| stream().writable());
    future_is_send_and_sync(|| stream().peek(buffer()));
    future_is_send_and_sync(|| stream().read(buffer()));
    future_is_send_and_sync(|| stream().read_exact(buffer()));
    future_is_send_and_sync(|| stream().read_vectored(slices()));
    future_is_send_and_sync(|| stream().read_to_end(vec()));
    future_is_send_and_sync(|| stream().read_to_string(string()));
    future_is_send_and_sync(|| stream().write_vectored(&[]));
    future_is_send_and_sync(|| stream().ready(wsrt_reactor::Interest::READABLE));
    future_is_send_and_sync(|| stream().write(buffer()));
    future_is_send_and_sync(|| stream().write_all(buffer()));
    future_is_send_and_sync(|| stream().flush());
    future_is_send_and_sync(|| stream().shutdown());
    future_is_send_and_sync(|| wsrt::net::lookup_host("localhost:80"));
    future_is_send_and_sync(wsrt::task::yield_now);
    future_is_send_and_sync(|| set().join_next());
    future_is_send_and_sync(|| set().join_next_with_id());
    future_is_send_and_sync(|| set().shutdown());
    future_is_send_and_sync(|| JoinSet::<()>::new().join_all());
    future_is_send_and_sync(|| interval().tick());
    future_is_send_and_sync(|| signal().recv());
    future_is_send_and_sync(wsrt::task::consume_budget);
    future_is_send_and_sync(|| handle().drain(Instant::now()));
    // It borrows what may not be shared.
    future_is_local(|| local_set().run_until(std::future::ready(())));
    future_is_send_and_sync(wsrt::signal::ctrl_c);
}

#[test]
fn futures_of_other_sockets_may_move_and_be_shared() {
    fn buffer() -> &'static mut [u8] {
        unreachable!("the closures that call this are not called")
    }
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], 80));
    future_is_send_and_sync(|| lent::<Option<TcpSocket>>().take().expect("a socket").connect(address));
    future_is_send_and_sync(|| lent::<UdpSocket>().connect(address));
    future_is_send_and_sync(|| lent::<UdpSocket>().recv(buffer()));
    future_is_send_and_sync(|| lent::<UdpSocket>().recv_buf(lent::<Vec<u8>>()));
    future_is_send_and_sync(|| lent::<UdpSocket>().recv_from(buffer()));
    future_is_send_and_sync(|| lent::<UdpSocket>().recv_buf_from(lent::<Vec<u8>>()));
    future_is_send_and_sync(|| lent::<UdpSocket>().peek_from(buffer()));
    future_is_send_and_sync(|| lent::<UdpSocket>().peek_sender());
    future_is_send_and_sync(|| lent::<UdpSocket>().send(buffer()));
    future_is_send_and_sync(|| lent::<UdpSocket>().send_to(buffer(), address));
    future_is_send_and_sync(|| lent::<UdpSocket>().async_io(wsrt::io::Interest::READABLE, || std::io::Result::Ok(())));
    future_is_send_and_sync(|| UnixStream::connect("/tmp/socket"));
    future_is_send_and_sync(|| UnixStream::connect_addr(lent::<unix::SocketAddr>()));
    future_is_send_and_sync(|| lent::<UnixListener>().accept());
    future_is_send_and_sync(|| lent::<UnixDatagram>().recv_from(buffer()));
    future_is_send_and_sync(|| lent::<UnixDatagram>().send_to(buffer(), "/tmp/socket"));
    future_is_send_and_sync(|| lent::<UnixDatagram>().send_to_addr(buffer(), lent::<unix::SocketAddr>()));
    future_is_send_and_sync(|| lent::<pipe::Receiver>().readable());
    future_is_send_and_sync(|| lent::<pipe::Sender>().writable());
    future_is_send_and_sync(|| {
        wsrt::io::copy_bidirectional_with_sizes(lent::<TcpStream>(), lent::<UnixStream>(), 1, 1)
    });
    future_is_send_and_sync(|| wsrt::time::advance(std::time::Duration::ZERO));
}

/// For the closures above and below, which are not called.
fn lent<T>() -> &'static mut T {
    unreachable!("the closures that call this are not called")
}

#[test]
fn futures_of_files_may_move_and_be_shared() {
    use std::path::Path;
    use wsrt::fs;

    fn path() -> &'static Path {
        unreachable!("the closures that call this are not called")
    }
    future_is_send_and_sync(|| fs::read(path()));
    future_is_send_and_sync(|| fs::read_to_string(path()));
    future_is_send_and_sync(|| fs::write(path(), path().as_os_str().as_encoded_bytes()));
    future_is_send_and_sync(|| fs::copy(path(), path()));
    future_is_send_and_sync(|| fs::create_dir(path()));
    future_is_send_and_sync(|| fs::create_dir_all(path()));
    future_is_send_and_sync(|| fs::remove_dir(path()));
    future_is_send_and_sync(|| fs::remove_dir_all(path()));
    future_is_send_and_sync(|| fs::remove_file(path()));
    future_is_send_and_sync(|| fs::rename(path(), path()));
    future_is_send_and_sync(|| fs::hard_link(path(), path()));
    future_is_send_and_sync(|| fs::symlink(path(), path()));
    future_is_send_and_sync(|| fs::read_link(path()));
    future_is_send_and_sync(|| fs::canonicalize(path()));
    future_is_send_and_sync(|| fs::metadata(path()));
    future_is_send_and_sync(|| fs::symlink_metadata(path()));
    future_is_send_and_sync(|| fs::set_permissions(path(), lent::<std::fs::Permissions>().clone()));
    future_is_send_and_sync(|| fs::try_exists(path()));
    future_is_send_and_sync(|| fs::read_dir(path()));
    future_is_send_and_sync(|| lent::<ReadDir>().next_entry());
    future_is_send_and_sync(|| lent::<DirEntry>().metadata());
    future_is_send_and_sync(|| lent::<DirEntry>().file_type());
    future_is_send_and_sync(|| lent::<DirBuilder>().create(path()));
    future_is_send_and_sync(|| lent::<OpenOptions>().open(path()));
    future_is_send_and_sync(|| File::open(path()));
    future_is_send_and_sync(|| File::create(path()));
    future_is_send_and_sync(|| File::create_new(path()));
    future_is_send_and_sync(|| lent::<Option<File>>().take().expect("a file").into_std());
    future_is_send_and_sync(|| lent::<File>().try_clone());
    future_is_send_and_sync(|| lent::<File>().sync_all());
    future_is_send_and_sync(|| lent::<File>().sync_data());
    future_is_send_and_sync(|| lent::<File>().set_len(0));
    future_is_send_and_sync(|| lent::<File>().metadata());
    future_is_send_and_sync(|| lent::<File>().set_permissions(lent::<std::fs::Permissions>().clone()));
}

#[test]
fn futures_of_processes_and_copying_are_send_and_sync() {
    future_is_send_and_sync(|| lent::<Child>().wait());
    future_is_send_and_sync(|| lent::<Child>().kill());
    future_is_send_and_sync(|| lent::<Option<Child>>().take().expect("a child").wait_with_output());
    future_is_send_and_sync(|| lent::<Command>().status());
    future_is_send_and_sync(|| lent::<Command>().output());
    future_is_send_and_sync(|| wsrt::io::copy_bidirectional(lent::<TcpStream>(), lent::<TcpStream>()));
    future_is_send_and_sync(|| wsrt::io::copy_bidirectional(lent::<File>(), lent::<wsrt::io::DuplexStream>()));
    future_is_send_and_sync(|| wsrt::io::copy_bidirectional_with_sizes(lent::<TcpStream>(), lent::<TcpStream>(), 1, 1));
}

#[test]
fn futures_of_sockets_may_move_and_be_shared() {
    fn buffer() -> &'static mut [u8] {
        unreachable!("the closures that call this are not called")
    }
    fn of<T>() -> T {
        unreachable!("the closures that call this are not called")
    }
    future_is_send_and_sync(|| of::<TcpSocket>().connect(of()));
    future_is_send_and_sync(|| of::<&mut TcpStream>().ready(of()));
    future_is_send_and_sync(|| of::<&mut TcpStream>().async_io(of(), || Ok(())));
    future_is_send_and_sync(|| of::<&mut TcpStream>().read_to_end(of::<&mut Vec<u8>>()));
    future_is_send_and_sync(|| of::<&mut TcpStream>().read_to_string(of::<&mut String>()));
    future_is_send_and_sync(|| of::<&mut TcpStream>().read_vectored(of::<&mut [std::io::IoSliceMut<'static>]>()));
    future_is_send_and_sync(|| of::<&mut TcpStream>().write_vectored(of::<&[std::io::IoSlice<'static>]>()));
    future_is_send_and_sync(|| UdpSocket::bind("localhost:80"));
    future_is_send_and_sync(|| of::<&UdpSocket>().connect("localhost:80"));
    future_is_send_and_sync(|| of::<&UdpSocket>().send(buffer()));
    future_is_send_and_sync(|| of::<&UdpSocket>().send_to(buffer(), "localhost:80"));
    future_is_send_and_sync(|| of::<&UdpSocket>().recv(buffer()));
    future_is_send_and_sync(|| of::<&UdpSocket>().recv_from(buffer()));
    future_is_send_and_sync(|| of::<&UdpSocket>().recv_buf(of::<&mut Vec<u8>>()));
    future_is_send_and_sync(|| of::<&UdpSocket>().recv_buf_from(of::<&mut Vec<u8>>()));
    future_is_send_and_sync(|| of::<&UdpSocket>().peek(buffer()));
    future_is_send_and_sync(|| of::<&UdpSocket>().peek_from(buffer()));
    future_is_send_and_sync(|| of::<&UdpSocket>().peek_sender());
    future_is_send_and_sync(|| of::<&UdpSocket>().readable());
    future_is_send_and_sync(|| of::<&UdpSocket>().writable());
    #[cfg(unix)]
    {
        future_is_send_and_sync(|| UnixStream::connect("path"));
        future_is_send_and_sync(|| UnixStream::connect_addr(of()));
        future_is_send_and_sync(|| of::<&UnixListener>().accept());
        future_is_send_and_sync(|| of::<&mut UnixStream>().read(buffer()));
        future_is_send_and_sync(|| of::<&mut UnixStream>().write_all(buffer()));
        future_is_send_and_sync(|| of::<&mut UnixStream>().shutdown());
        future_is_send_and_sync(|| of::<&UnixDatagram>().send_to(buffer(), "path"));
        future_is_send_and_sync(|| of::<&UnixDatagram>().send_to_addr(buffer(), of()));
        future_is_send_and_sync(|| of::<&UnixDatagram>().recv_from(buffer()));
        future_is_send_and_sync(|| of::<&AsyncFd<Descriptor>>().readable());
        future_is_send_and_sync(|| of::<&mut AsyncFd<Descriptor>>().readable_mut());
        future_is_send_and_sync(|| of::<&AsyncFd<Descriptor>>().writable());
        future_is_send_and_sync(|| of::<&mut AsyncFd<Descriptor>>().writable_mut());
        future_is_send_and_sync(|| of::<&AsyncFd<Descriptor>>().ready(of()));
        future_is_send_and_sync(|| of::<&mut AsyncFd<Descriptor>>().ready_mut(of()));
        future_is_send_and_sync(|| of::<&AsyncFd<Descriptor>>().async_io(of(), |_| Ok(())));
        future_is_send_and_sync(|| of::<&mut AsyncFd<Descriptor>>().async_io_mut(of(), |_| Ok(())));
        future_is_send_and_sync(|| of::<&mut pipe::Receiver>().read(buffer()));
        future_is_send_and_sync(|| of::<&mut pipe::Sender>().write_all(buffer()));
    }
}

fn future_is_local<F: Future>(_: impl FnOnce() -> F) {}

/// Public in name only: what the sealed trait `ToSocketAddrs` is made of.
const SEALED: [&str; 1] = ["Target"];

#[test]
fn no_public_type_and_no_async_function_is_missing_here() {
    let mut items = items_below("executor/src");
    items.extend(items_below("reactor/src/net"));
    let here = include_str!("auto_traits.rs");
    let words: std::collections::BTreeSet<_> =
        here.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let name = |item: &Item| {
        let keywords = ["struct", "enum", "async fn"];
        keywords.iter().find_map(|keyword| item.name_of(keyword)).map(str::to_owned)
    };
    let missing: Vec<_> = items
        .iter()
        .filter_map(|item| Some((name(item)?, item)))
        // Those without a name are made by a macro.
        .filter(|(name, _)| !name.is_empty() && !words.contains(name.as_str()) && !SEALED.contains(&name.as_str()))
        .map(|(_, item)| format!("{}: {}", item.place, item.head))
        .collect();
    assert!(items.len() > 100, "the sources were not understood");
    assert!(missing.is_empty(), "not in the table of tests/tests/auto_traits.rs:\n{}", missing.join("\n"));
}
