//! Which public types may move between threads, be shared by them, and be moved while they are polled.
//!
//! A table for the compiler: it fails to build when a type gains or loses one of the three. That a trait is absent is shown
//! by an ambiguity: both implementations of the helper trait would fit if it were there.

use std::cell::Cell;
use std::future::{Future, Ready};
use std::rc::Rc;

use wsrt::fs::{DirBuilder, DirEntry, File, OpenOptions, ReadDir};
use wsrt::hyper::{WsrtExecutor, WsrtTimer};
use wsrt::io::{Interest, Stderr, Stdin, Stdout};
use wsrt::net::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, TcpListener, TcpStream, WriteHalf};
use wsrt::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use wsrt::runtime::{Builder, EnterGuard, Handle, Runtime, TryCurrentError};
use wsrt::signal::CtrlC;
use wsrt::signal::unix::{Signal, SignalKind};
use wsrt::task::{AbortHandle, Id, JoinError, JoinHandle, JoinSet};
use wsrt::time::{Instant, Interval, Sleep, Timeout};

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

    JoinHandle<()>:      Send,  Sync,  Unpin;
    JoinHandle<Movable>: Send,  Sync,  Unpin;
    JoinHandle<Local>:   !Send, !Sync, Unpin;
    JoinSet<()>:         Send,  Sync,  Unpin;
    JoinSet<Movable>:    Send,  Sync,  Unpin;
    JoinSet<Local>:      !Send, !Sync, Unpin;
    JoinError:           Send,  Sync,  Unpin;
    AbortHandle:         Send,  Sync,  Unpin;
    Id:                  Send,  Sync,  Unpin;

    TcpListener:         Send,  Sync,  Unpin;
    TcpStream:           Send,  Sync,  Unpin;
    ReadHalf<'static>:   Send,  Sync,  Unpin;
    WriteHalf<'static>:  Send,  Sync,  Unpin;
    OwnedReadHalf:       Send,  Sync,  Unpin;
    OwnedWriteHalf:      Send,  Sync,  Unpin;
    ReuniteError:        Send,  Sync,  Unpin;

    Instant:             Send,  Sync,  Unpin;
    Sleep:               Send,  Sync,  !Unpin;
    Interval:            Send,  Sync,  Unpin;
    Timeout<Ready<()>>:      Send,  Sync,  Unpin;
    Timeout<Ready<Movable>>: Send,  !Sync, Unpin;
    Timeout<Ready<Local>>:   !Send, !Sync, Unpin;
    Timeout<Sleep>:          Send,  Sync,  !Unpin;

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

    CtrlC:               Send,  Sync,  Unpin;
    Signal:              Send,  Sync,  Unpin;
    SignalKind:          Send,  Sync,  Unpin;

    WsrtExecutor: Send, Sync, Unpin;
    WsrtTimer:    Send, Sync, Unpin;
}

fn future_is_send_and_sync<F: Future + Send + Sync>(_: impl FnOnce() -> F) {}
fn future_is_send<F: Future + Send>(_: impl FnOnce() -> F) {}

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
    future_is_send_and_sync(|| TcpListener::bind("localhost:80"));
    future_is_send_and_sync(|| listener().accept());
    future_is_send_and_sync(|| TcpStream::connect("localhost:80"));
    future_is_send_and_sync(|| stream().readable());
    future_is_send_and_sync(|| stream().writable());
    future_is_send_and_sync(|| stream().peek(buffer()));
    future_is_send_and_sync(|| stream().read(buffer()));
    future_is_send_and_sync(|| stream().read_exact(buffer()));
    future_is_send_and_sync(|| stream().write(buffer()));
    future_is_send_and_sync(|| stream().write_all(buffer()));
    future_is_send_and_sync(|| stream().flush());
    future_is_send_and_sync(|| stream().shutdown());
    future_is_send_and_sync(|| wsrt::net::lookup_host("localhost:80"));
    future_is_send_and_sync(wsrt::task::yield_now);
    future_is_send_and_sync(|| set().join_next());
    future_is_send_and_sync(|| set().shutdown());
    future_is_send(wsrt::signal::ctrl_c);
    future_is_send_and_sync(|| lent::<Signal>().recv());
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
fn futures_of_processes_and_of_copying_may_move_and_be_shared() {
    future_is_send_and_sync(|| lent::<Child>().wait());
    future_is_send_and_sync(|| lent::<Child>().kill());
    future_is_send_and_sync(|| lent::<Option<Child>>().take().expect("a child").wait_with_output());
    future_is_send_and_sync(|| lent::<Command>().status());
    future_is_send_and_sync(|| lent::<Command>().output());
    future_is_send_and_sync(|| wsrt::io::copy_bidirectional(lent::<TcpStream>(), lent::<TcpStream>()));
    future_is_send_and_sync(|| wsrt::io::copy_bidirectional(lent::<File>(), lent::<wsrt::io::DuplexStream>()));
}
