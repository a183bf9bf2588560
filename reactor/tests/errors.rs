//! Bad input: OS errors are passed on unchanged, and each error of wsrt and each panic names the
//! fault.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener as StdListener, TcpStream as StdStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use wsrt_reactor::context::{self, Delay, Services};
use wsrt_reactor::net::{TcpListener, TcpStream, lookup_host};
use wsrt_reactor_testing::{Runtime, block_on, run};

/// An address without a listener, where no other test listens: another test could get the port
/// first.
fn closed_address() -> SocketAddr {
    StdListener::bind("127.0.77.1:0").unwrap().local_addr().unwrap()
}

#[test]
fn connecting_to_a_closed_port_is_the_systems_error() {
    run(async {
        let address = closed_address();
        let error = TcpStream::connect(address).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
        let of_system = StdStream::connect(address).unwrap_err();
        assert!(of_system.raw_os_error().is_some(), "{of_system}");
        assert_eq!(error.raw_os_error(), of_system.raw_os_error());
    });
}

#[test]
fn binding_a_taken_port_is_the_systems_error() {
    run(async {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = taken.local_addr().unwrap();
        let error = TcpListener::bind(address).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AddrInUse);
        let of_system = StdListener::bind(address).unwrap_err();
        assert!(of_system.raw_os_error().is_some(), "{of_system}");
        assert_eq!(error.raw_os_error(), of_system.raw_os_error());
    });
}

#[test]
fn the_first_address_that_works_is_taken() {
    run(async {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let taken = taken.local_addr().unwrap();
        let free: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let listener = TcpListener::bind([taken, free].as_slice()).await.unwrap();
        let open = listener.local_addr().unwrap();
        let stream = TcpStream::connect(&[closed_address(), open][..]).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap(), open);
    });
}

#[test]
fn of_several_addresses_the_last_ones_error_is_returned() {
    run(async {
        // A broadcast address refuses connections: this one at once, the other after a moment.
        let (closed, forbidden) = (closed_address(), "255.255.255.255:7".parse().unwrap());
        for addresses in [[closed, forbidden], [forbidden, closed]] {
            let of_system = StdStream::connect(addresses[1]).unwrap_err();
            let error = TcpStream::connect(addresses).await.unwrap_err();
            assert_eq!((error.kind(), error.raw_os_error()), (of_system.kind(), of_system.raw_os_error()));
        }
    });
}

#[test]
fn an_empty_list_of_addresses_is_an_error() {
    run(async {
        let none: Vec<SocketAddr> = Vec::new();
        let error = TcpStream::connect(&none).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        let error = TcpListener::bind(none).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
    });
}

#[test]
fn a_name_is_resolved_for_bind_and_connect() {
    run(async {
        let listener = TcpListener::bind("localhost:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        TcpStream::connect(("localhost", port)).await.unwrap();
        TcpStream::connect(format!("localhost:{port}")).await.unwrap();
    });
}

#[test]
fn a_name_that_does_not_exist_is_in_the_error() {
    run(async {
        let error = TcpStream::connect("no-such-host.invalid:80").await.unwrap_err();
        assert!(error.to_string().contains("cannot resolve `no-such-host.invalid`"), "{error}");
    });
}

#[test]
fn an_address_in_numbers_needs_no_offload() {
    struct Never;
    impl Services for Never {
        fn delay(&self, _: Duration) -> Delay {
            unreachable!("one address at the most")
        }

        fn offload(&self, _: Box<dyn FnOnce() + Send>) {
            panic!("nothing to look up");
        }
    }
    let runtime = Runtime::new().unwrap();
    runtime.block_on_with(Arc::new(Never), async {
        let found: Vec<_> = lookup_host("[::1]:80").await.unwrap().collect();
        assert_eq!(found, ["[::1]:80".parse().unwrap()]);
        TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    });
}

#[test]
fn a_lookup_whose_job_is_lost_fails() {
    struct Loses;
    impl Services for Loses {
        fn delay(&self, _: Duration) -> Delay {
            unreachable!("one address at the most")
        }

        fn offload(&self, job: Box<dyn FnOnce() + Send>) {
            drop(job);
        }
    }
    let runtime = Runtime::new().unwrap();
    let error = runtime.block_on_with(Arc::new(Loses), TcpStream::connect("localhost:80")).unwrap_err();
    assert!(error.to_string().contains("cannot resolve `localhost`"), "{error}");
}

#[test]
fn a_lookup_whose_job_panics_fails_and_does_not_hang() {
    struct Panics;
    impl Services for Panics {
        fn delay(&self, _: Duration) -> Delay {
            unreachable!("one address at the most")
        }

        fn offload(&self, job: Box<dyn FnOnce() + Send>) {
            // A job that unwinds on a pool's thread is dropped on the way.
            let unwound = std::thread::spawn(move || {
                let _job = job;
                std::panic::resume_unwind(Box::new("the resolver broke"));
            });
            assert!(unwound.join().is_err());
        }
    }
    let runtime = Runtime::new().unwrap();
    let error = runtime.block_on_with(Arc::new(Panics), TcpStream::connect("localhost:80")).unwrap_err();
    assert!(error.to_string().contains("cannot resolve `localhost`"), "{error}");
}

#[test]
fn outside_a_runtime_the_panic_says_what_to_do() {
    let message = |make: &dyn Fn()| {
        let payload = catch_unwind(AssertUnwindSafe(make)).unwrap_err();
        payload.downcast_ref::<String>().expect("a message").clone()
    };
    let std = || StdListener::bind("127.0.0.1:0").unwrap();
    let listener = std();
    let bind = message(&|| drop(block_on(TcpListener::bind("127.0.0.1:0"))));
    assert_eq!(
        bind,
        "wsrt: `TcpListener::bind` needs a running wsrt runtime: call it inside `#[wsrt::main]`, a spawned task, \
         `Runtime::block_on`, or while a `Handle::enter` guard is held"
    );
    let connect = message(&|| drop(block_on(TcpStream::connect(listener.local_addr().unwrap()))));
    assert!(connect.contains("`TcpStream::connect`"), "{connect}");
    let from_std = message(&|| drop(TcpListener::from_std(std())));
    assert!(from_std.contains("`TcpListener::from_std`"), "{from_std}");
    let lookup = message(&|| block_on(async { drop(lookup_host("localhost:1").await) }));
    assert!(lookup.contains("`lookup_host`"), "{lookup}");
}

#[test]
fn contexts_nest_and_end() {
    let runtime = Runtime::new().unwrap();
    assert!(context::current().is_none());
    runtime.block_on(async {
        assert!(context::current().is_some());
        let hidden = context::enter(None);
        assert!(context::current().is_none());
        drop(hidden);
        assert!(context::current().is_some());
    });
    assert!(context::current().is_none());
}
