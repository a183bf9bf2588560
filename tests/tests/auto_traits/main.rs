//! Which public types and futures may move between threads, be shared by them, and be moved while
//! they are polled.
//!
//! A table for the compiler: it fails to build when a type gains or loses one of the three. That a
//! trait is absent is shown by an ambiguity: both implementations of the helper trait would fit if
//! it were there.
//!
//! A test of its own checks that no type and no async function is left out, and names those
//! missing.

mod futures;
mod sync;

use std::cell::Cell;
use std::future::{Future, Ready};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;

use wsrt::fs::{DirBuilder, DirEntry, File, OpenOptions, ReadDir};
use wsrt::future::{FutureExt, Shield};
#[cfg(unix)]
use wsrt::io::unix::{AsyncFd, AsyncFdReadyGuard, AsyncFdReadyMutGuard, AsyncFdTryNewError, TryIoError};
use wsrt::io::{
    DuplexStream, Empty, Interest, Join, Ready as Readiness, Repeat, SimplexStream, Sink, Stderr, Stdin, Stdout,
    SyncIoBridge,
};
use wsrt::net::tcp::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, WriteHalf};
#[cfg(unix)]
use wsrt::net::unix::UCred;
use wsrt::net::{TcpKeepalive, TcpListener, TcpSocket, TcpStream, UdpSocket};
#[cfg(unix)]
use wsrt::net::{UnixDatagram, UnixListener, UnixSocket, UnixStream, unix, unix::pipe};
use wsrt::parallel::{Background, Cancelled, Chunks, ChunksMut, Scope, Slice, SliceMut, Until};
use wsrt::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use wsrt::runtime::__Recurring as Recurring;
use wsrt::runtime::__entry::{AnyRoot, Here, OnProcessor, Root};
use wsrt::runtime::{
    Address, Arrivals, Backtrace, Builder, Cycle, Drained, Dump, EnterGuard, FlightRecorder, Handle, LatencyHistogram,
    LeftTask, LocalOptions, LocalRuntime, Metrics, NamePolls, NewTask, PanicAction, PollSources, ProcessorMetrics,
    Recording, Report, ReportKind, Running, Runtime, RuntimeFlavor, RuntimeId, RuntimeMetrics, SitePolls, SourceWait,
    StackFrame, Stall, Steals, SyncWait, TaskDump, TaskKind, TaskMeta, TaskPanic, TaskState, TaskStats, TimerWait,
    TraceDirectory, TraceSummary, TryCurrentError, WaitKind, WaitsOn,
};
use wsrt::signal::unix::{Signal, SignalKind};
use wsrt::signal::{CtrlC, ShutdownSignal};
use wsrt::stream::{BroadcastStream, KeepAlive, WatchStream};
use wsrt::task::coop::{Coop, RestoreOnPending, Unconstrained};
use wsrt::task::futures::TaskLocalFuture;
use wsrt::task::{
    AbortHandle, AbortOnDropHandle, AccessError, BlockingGroup, CurrentTask, Id, JoinError, JoinHandle, JoinMap,
    JoinSet, LocalEnterGuard, LocalKey, LocalSet, PoolBusy, ScopeWith, ScopedJoinHandle, TaskGroup, TaskScope,
    join_set,
};
use wsrt::time::error::Elapsed;
use wsrt::time::{Instant, Interval, MissedTickBehavior, Sleep, Timeout};
use wsrt_hyper::tower::{self, AnswerFuture, TimeoutAnswer, TimeoutAnswerLayer, TimeoutFuture, TimeoutLayer};
use wsrt_hyper::{
    Carrying, ClientStream, ConnectInfo, Connector, MakeService, NoHandshake, RequestBody, Serve, TokioIo,
    WsrtExecutor, WsrtTimer,
};
use wsrt_metrics::__figures::{Figure, Kind, Value};
use wsrt_metrics::MetricsExport;
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
    RuntimeMetrics:      Send,  Sync,  Unpin;
    LocalRuntime:        !Send, !Sync, Unpin;
    LocalOptions:        !Send, !Sync, Unpin;
    RuntimeFlavor:       Send,  Sync,  Unpin;
    RuntimeId:           Send,  Sync,  Unpin;
    EnterGuard<'static>: !Send, Sync,  Unpin;
    TryCurrentError:     Send,  Sync,  Unpin;
    Stall:               Send,  Sync,  Unpin;
    Backtrace:           Send,  Sync,  Unpin;
    StackFrame:          Send,  Sync,  Unpin;
    Address:             Send,  Sync,  Unpin;
    Cycle:               Send,  Sync,  Unpin;
    Drained:             Send,  Sync,  Unpin;
    Dump:                Send,  Sync,  Unpin;
    Running:             Send,  Sync,  Unpin;
    SourceWait:          Send,  Sync,  Unpin;
    SyncWait:            Send,  Sync,  Unpin;
    TaskDump:            Send,  Sync,  Unpin;
    TaskKind:            Send,  Sync,  Unpin;
    TaskState:           Send,  Sync,  Unpin;
    TaskStats:           Send,  Sync,  Unpin;
    TimerWait:           Send,  Sync,  Unpin;
    WaitKind:            Send,  Sync,  Unpin;
    WaitsOn:             Send,  Sync,  Unpin;
    LeftTask:            Send,  Sync,  Unpin;
    Metrics:             Send,  Sync,  Unpin;
    ProcessorMetrics:    Send,  Sync,  Unpin;
    SitePolls:           Send,  Sync,  Unpin;
    NamePolls:           Send,  Sync,  Unpin;
    PollSources:         Send,  Sync,  Unpin;
    Steals:              Send,  Sync,  Unpin;
    Arrivals:            Send,  Sync,  Unpin;
    LatencyHistogram:    Send,  Sync,  Unpin;
    MetricsExport:       Send,  Sync,  Unpin;
    Figure:              Send,  Sync,  Unpin;
    Kind:                Send,  Sync,  Unpin;
    Value:               Send,  Sync,  Unpin;
    FlightRecorder:      Send,  Sync,  Unpin;
    Recurring:           Send,  Sync,  Unpin;
    Report:              Send,  Sync,  Unpin;
    ReportKind:          Send,  Sync,  Unpin;
    Recording:           Send,  Sync,  Unpin;
    TraceDirectory:      Send,  Sync,  Unpin;
    TraceSummary:        Send,  Sync,  Unpin;
    PanicAction:         Send,  Sync,  Unpin;
    TaskMeta<'static>:   !Send, !Sync, Unpin;
    NewTask<'static>:    Send,  Sync,  Unpin;
    TaskPanic<'static>:  !Send, !Sync, Unpin;
    Root<Local>:         Send,  Sync,  Unpin;
    AnyRoot<Local>:      Send,  Sync,  Unpin;
    OnProcessor:         Send,  Sync,  Unpin;
    Here:                Send,  Sync,  Unpin;

    JoinHandle<()>:      Send,  Sync,  Unpin;
    JoinHandle<Movable>: Send,  Sync,  Unpin;
    JoinHandle<Local>:   !Send, !Sync, Unpin;
    AbortOnDropHandle<Movable>: Send,  Sync,  Unpin;
    AbortOnDropHandle<Local>:   !Send, !Sync, Unpin;
    TaskGroup<(), ()>:          Send,  Sync,  Unpin;
    TaskGroup<Movable, ()>:     Send,  Sync,  Unpin;
    TaskGroup<Local, ()>:       !Send, !Sync, Unpin;
    TaskScope<'static, 'static>:        Send,  Sync,  Unpin;
    ScopeWith<(), Ready<()>>:           Send,  Sync,  Unpin;
    ScopeWith<(), Ready<Local>>:        !Send, !Sync, Unpin;
    Shield<Ready<()>>:                  Send,  Sync,  Unpin;
    Shield<Ready<Movable>>:             Send,  !Sync, Unpin;
    Shield<Ready<Local>>:               !Send, !Sync, Unpin;
    ScopedJoinHandle<'static, Movable>: Send,  Sync,  Unpin;
    ScopedJoinHandle<'static, Local>:   !Send, !Sync, Unpin;
    BlockingGroup:       Send,  Sync,  Unpin;
    PoolBusy<Movable>:   Send,  !Sync, Unpin;
    PoolBusy<Local>:     !Send, !Sync, Unpin;
    JoinSet<()>:         Send,  Sync,  Unpin;
    JoinSet<Movable>:    Send,  Sync,  Unpin;
    JoinSet<Local>:      !Send, !Sync, Unpin;
    JoinMap<u32, Movable>: Send,  Sync,  Unpin;
    JoinMap<u32, Local>:   !Send, !Sync, Unpin;
    JoinError:           Send,  Sync,  Unpin;
    AbortHandle:         Send,  Sync,  Unpin;
    Id:                  Send,  Sync,  Unpin;
    CurrentTask:         Send,  Sync,  Unpin;
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
    Timeout<Ready<()>>:      Send,  Sync,  !Unpin;
    Timeout<Ready<Movable>>: Send,  !Sync, !Unpin;
    Timeout<Ready<Local>>:   !Send, !Sync, !Unpin;
    Timeout<Sleep>:          Send,  Sync,  !Unpin;
    Elapsed:             Send,  Sync,  Unpin;
    MissedTickBehavior:  Send,  Sync,  Unpin;

    CtrlC:      Send, Sync, Unpin;
    ShutdownSignal: Send, Sync, Unpin;
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
    DuplexStream:        Send,  Sync,  Unpin;
    SyncIoBridge<Movable>: Send,  !Sync, Unpin;
    SyncIoBridge<Local>:   !Send, !Sync, Unpin;
    SimplexStream:       Send,  Sync,  Unpin;
    Empty:               Send,  Sync,  Unpin;
    Repeat:              Send,  Sync,  Unpin;
    Sink:                Send,  Sync,  Unpin;
    Join<Movable, ()>:   Send,  !Sync, Unpin;
    Join<Local, ()>:     !Send, !Sync, Unpin;

    Command:             Send,  Sync,  Unpin;
    Child:               Send,  Sync,  Unpin;
    ChildStdin:          Send,  Sync,  Unpin;
    ChildStdout:         Send,  Sync,  Unpin;
    ChildStderr:         Send,  Sync,  Unpin;

    TcpSocket:                      Send,  Sync,  Unpin;
    TcpKeepalive:                   Send,  Sync,  Unpin;
    UdpSocket:                      Send,  Sync,  Unpin;
    UnixListener:                   Send,  Sync,  Unpin;
    UnixSocket:                     Send,  Sync,  Unpin;
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

    Cancelled:                      Send,  Sync,  Unpin;
    Background:                     Send,  Sync,  Unpin;
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
    RequestBody: Send, Sync, Unpin;
    Carrying<NoHandshake, fn()>: Send, Sync, Unpin;
    MakeService<Movable>:        Send, !Sync, Unpin;
    Connector:    Send,  Sync,  Unpin;
    ClientStream: Send,  Sync,  Unpin;

    TimeoutLayer:                       Send,  Sync,  Unpin;
    tower::Timeout<Movable>:            Send,  !Sync, Unpin;
    TimeoutFuture<Ready<Movable>>:      Send,  !Sync, !Unpin;
    TimeoutAnswerLayer<Movable>:        Send,  !Sync, Unpin;
    TimeoutAnswer<(), Movable>:         Send,  !Sync, Unpin;
    AnswerFuture<Ready<()>, Local>:     !Send, !Sync, !Unpin;
    KeepAlive<Movable, ()>:             Send,  !Sync, !Unpin;
    WatchStream<()>:                    Send,  Sync,  Unpin;
    WatchStream<Local>:                 !Send, !Sync, Unpin;
    BroadcastStream<Movable>:           Send,  Sync,  Unpin;
    BroadcastStream<Local>:             !Send, !Sync, Unpin;
}

#[cfg(unix)]
table! {
    UnixListener:               Send,  Sync,  Unpin;
    UnixSocket:                 Send,  Sync,  Unpin;
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

/// The types that a closure whose panic is caught may capture or borrow, as with tokio's types.
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
    may_cross_a_caught_panic::<UnixSocket>();
    may_cross_a_caught_panic::<UnixStream>();
    may_cross_a_caught_panic::<UnixDatagram>();
    may_cross_a_caught_panic::<DuplexStream>();
    may_cross_a_caught_panic::<SimplexStream>();
    may_cross_a_caught_panic::<Empty>();
    may_cross_a_caught_panic::<Repeat>();
    may_cross_a_caught_panic::<Sink>();
};

/// Public in name only: parts of the sealed trait `ToSocketAddrs`.
const SEALED: [&str; 1] = ["LookupTarget"];
/// Checked where its feature is on: `executor/tests/simulation`.
const SIMULATED: [&str; 10] =
    ["Costs", "Disk", "Faults", "Latency", "Link", "Plan", "PlanError", "Record", "Sim", "Skew"];
/// Hidden rooms, which `rayon-core` hands on: checked in `rayon-core/tests/auto_traits.rs`.
const HANDED_ON: [&str; 2] = ["executor/src/fork_join/", "executor/src/team/"];
/// There with the feature `drop-in` only: compared with tokio's by `tokio/judge/interface`.
const OF_THE_DROP_IN: &str = "/drop_in.rs";

#[test]
fn no_public_type_and_no_async_function_is_missing_here() {
    let mut items = items_below("executor/src");
    items.extend(items_below("hyper/src"));
    items.extend(items_below("metrics/src"));
    items.extend(items_below("reactor/src/net"));
    let here = concat!(include_str!("main.rs"), include_str!("futures.rs"));
    let words: std::collections::BTreeSet<_> =
        here.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let name = |item: &Item| {
        let keywords = ["struct", "enum", "async fn"];
        keywords.iter().find_map(|keyword| item.name_of(keyword)).map(str::to_owned)
    };
    let missing: Vec<_> = items
        .iter()
        .filter(|item| !item.place.contains(OF_THE_DROP_IN))
        .filter(|item| !HANDED_ON.iter().any(|room| item.place.starts_with(room)))
        .filter_map(|item| Some((name(item)?, item)))
        // Those without a name are made by a macro.
        .filter(|(name, _)| !name.is_empty() && !words.contains(name.as_str()))
        .filter(|(name, _)| !SEALED.contains(&name.as_str()) && !SIMULATED.contains(&name.as_str()))
        .map(|(_, item)| format!("{}: {}", item.place, item.head))
        .collect();
    assert!(items.len() > 100, "the sources were not understood");
    assert!(missing.is_empty(), "not in the table of tests/tests/auto_traits/:\n{}", missing.join("\n"));
}
