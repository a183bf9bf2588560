//! Which public types may move between threads, be shared by them, and be moved while they are polled.
//!
//! A table for the compiler: it fails to build when a type gains or loses one of the three. That a trait is absent is shown
//! by an ambiguity: both implementations of the helper trait would fit if it were there.

use std::cell::Cell;
use std::future::{Future, Ready};
use std::rc::Rc;

use wsrt::hyper::{WsrtExecutor, WsrtTimer};
use wsrt::net::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, TcpListener, TcpStream, WriteHalf};
use wsrt::runtime::{Builder, EnterGuard, Handle, Runtime, TryCurrentError};
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
    JoinSet<Movable>:    Send,  !Sync, Unpin;
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
}
