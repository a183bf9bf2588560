//! The futures of async functions have no names: they are made here, and not polled.

use super::*;

pub(super) fn future_is_send_and_sync<F: Future + Send + Sync>(_: impl FnOnce() -> F) {}

#[test]
fn futures_of_async_functions_may_move_and_be_shared() {
    fn buffer() -> &'static mut [u8] {
        unreachable!("the closures that call this are not called")
    }
    fn slices() -> &'static mut [std::io::IoSliceMut<'static>] {
        unreachable!("the closures that call this are not called")
    }
    future_is_send_and_sync(|| TcpListener::bind("localhost:80"));
    future_is_send_and_sync(|| lent::<TcpListener>().accept());
    future_is_send_and_sync(|| TcpStream::connect("localhost:80"));
    future_is_send_and_sync(|| lent::<TcpStream>().readable());
    future_is_send_and_sync(|| lent::<TcpStream>().writable());
    future_is_send_and_sync(|| lent::<TcpStream>().peek(buffer()));
    future_is_send_and_sync(|| lent::<TcpStream>().read(buffer()));
    future_is_send_and_sync(|| lent::<TcpStream>().read_exact(buffer()));
    future_is_send_and_sync(|| lent::<TcpStream>().read_vectored(slices()));
    future_is_send_and_sync(|| lent::<TcpStream>().read_to_end(lent::<Vec<u8>>()));
    future_is_send_and_sync(|| lent::<TcpStream>().read_to_string(lent::<String>()));
    future_is_send_and_sync(|| lent::<TcpStream>().write_vectored(&[]));
    future_is_send_and_sync(|| lent::<TcpStream>().ready(wsrt_reactor::Interest::READABLE));
    future_is_send_and_sync(|| lent::<TcpStream>().write(buffer()));
    future_is_send_and_sync(|| lent::<TcpStream>().write_all(buffer()));
    future_is_send_and_sync(|| lent::<TcpStream>().flush());
    future_is_send_and_sync(|| lent::<TcpStream>().shutdown());
    future_is_send_and_sync(|| wsrt::net::lookup_host("localhost:80"));
    future_is_send_and_sync(wsrt::task::yield_now);
    future_is_send_and_sync(|| lent::<JoinSet<()>>().join_next());
    future_is_send_and_sync(|| lent::<JoinSet<()>>().join_next_with_id());
    future_is_send_and_sync(|| lent::<JoinSet<()>>().shutdown());
    future_is_send_and_sync(|| JoinSet::<()>::new().join_all());
    future_is_send_and_sync(|| lent::<Option<wsrt::task::JoinHandle<()>>>().take().expect("a handle").cancel());
    future_is_send_and_sync(|| lent::<TaskGroup<(), ()>>().next());
    future_is_send_and_sync(|| lent::<TaskGroup<(), ()>>().room());
    future_is_send_and_sync(|| lent::<TaskGroup<(), ()>>().cancel());
    future_is_send_and_sync(|| TaskGroup::<(), ()>::new().join_all());
    future_is_send_and_sync(|| std::future::ready(()).until_cancelled(lent::<wsrt::sync::CancellationToken>()));
    future_is_send_and_sync(|| wsrt::task::scope_with((), async |scope, ()| scope.spawn(async {}).await));
    future_is_send_and_sync(|| lent::<JoinMap<u32, ()>>().join_next());
    future_is_send_and_sync(|| lent::<JoinMap<u32, ()>>().shutdown());
    future_is_send_and_sync(|| lent::<Interval>().tick());
    future_is_send_and_sync(|| lent::<Signal>().recv());
    future_is_send_and_sync(wsrt::task::consume_budget);
    future_is_send_and_sync(|| lent::<Handle>().drain(Instant::now()));
    // It borrows a value that may not be shared.
    future_is_local(|| lent::<LocalSet>().run_until(std::future::ready(())));
    future_is_send_and_sync(wsrt::signal::ctrl_c);
    // It has the caller's futures, which need not be.
    future_is_local(|| {
        wsrt::test::cancel_at_each_await(async || (), async |()| std::rc::Rc::new(()), async |(), _| ())
    });
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

/// For the closures, which are not called.
pub(super) fn lent<T>() -> &'static mut T {
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
    #[cfg(unix)]
    future_is_send_and_sync(|| lent::<File>().read_at(lent::<[u8; 1]>(), 0));
    #[cfg(unix)]
    future_is_send_and_sync(|| lent::<File>().write_at(&[], 0));
    future_is_send_and_sync(|| lent::<File>().try_clone());
    future_is_send_and_sync(|| lent::<File>().sync_all());
    future_is_send_and_sync(|| lent::<File>().sync_data());
    future_is_send_and_sync(|| lent::<File>().set_len(0));
    future_is_send_and_sync(|| lent::<File>().metadata());
    future_is_send_and_sync(|| lent::<File>().set_permissions(lent::<std::fs::Permissions>().clone()));
    future_is_send_and_sync(|| lent::<File>().set_times(wsrt::fs::FileTimes::new()));
    future_is_send_and_sync(|| lent::<File>().set_modified(std::time::SystemTime::UNIX_EPOCH));
}

#[test]
fn futures_of_processes_and_copying_are_send_and_sync() {
    future_is_send_and_sync(|| lent::<Child>().wait());
    future_is_send_and_sync(|| lent::<Child>().kill());
    future_is_send_and_sync(|| lent::<Option<Child>>().take().expect("a child").wait_with_output());
    future_is_send_and_sync(|| lent::<Command>().status());
    future_is_send_and_sync(|| lent::<Command>().output());
    future_is_send_and_sync(|| wsrt::io::copy_bidirectional(lent::<TcpStream>(), lent::<TcpStream>()));
    future_is_send_and_sync(|| wsrt::io::copy_bidirectional(lent::<File>(), lent::<DuplexStream>()));
    future_is_send_and_sync(|| wsrt::io::copy(lent::<File>(), lent::<DuplexStream>()));
    future_is_send_and_sync(|| lent::<wsrt::fs::File>().read(lent::<[u8; 1]>()));
    future_is_send_and_sync(|| lent::<wsrt::fs::File>().read_to_end(lent::<Vec<u8>>()));
    future_is_send_and_sync(|| lent::<wsrt::fs::File>().write_all(&[]));
    future_is_send_and_sync(|| lent::<wsrt::fs::File>().seek(std::io::SeekFrom::Start(0)));
    future_is_send_and_sync(|| wsrt::io::copy_buf(lent::<Empty>(), lent::<DuplexStream>()));
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
        future_is_send_and_sync(|| of::<UnixSocket>().connect(of::<&str>()));
        future_is_send_and_sync(|| of::<UnixSocket>().connect_addr(of()));
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
