//! Connecting to several addresses: which one is tried when, and the sockets left behind.
#![cfg(target_os = "linux")]

use socket2::{Domain, Socket, Type};
use std::future::{Future, poll_fn};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener as StdListener, TcpStream as StdStream};
use std::pin::pin;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use wsrt_reactor::context::{Delay, Services};
use wsrt_reactor::net::TcpStream;
use wsrt_reactor_testing::{Alarm, Runtime, alarm};

/// An address that neither accepts nor refuses: its queue of connections is full, so that the
/// system drops further ones.
struct Silent {
    address: SocketAddr,
    _listener: Socket,
    _queued: StdStream,
}

impl Silent {
    fn new() -> Silent {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        listener.bind(&"127.0.0.1:0".parse::<SocketAddr>().unwrap().into()).unwrap();
        listener.listen(0).unwrap();
        let address = listener.local_addr().unwrap().as_socket().unwrap();
        let queued = StdStream::connect(address).unwrap();
        Silent { address, _listener: listener, _queued: queued }
    }
}

fn open() -> (StdListener, SocketAddr) {
    let listener = StdListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// On an address that no other test listens on: another test could get the port first.
fn closed() -> SocketAddr {
    StdListener::bind("127.0.77.1:0").unwrap().local_addr().unwrap()
}

/// Delays that the test ends.
struct ByHand(Mutex<mpsc::Sender<(Duration, Alarm)>>);

impl Services for ByHand {
    fn offload(&self, _: Box<dyn FnOnce() + Send>) {
        unreachable!("no names here");
    }

    fn delay(&self, duration: Duration) -> Delay {
        let (alarm, delay) = alarm();
        self.0.lock().unwrap().send((duration, alarm)).unwrap();
        delay
    }
}

fn by_hand() -> (Arc<ByHand>, mpsc::Receiver<(Duration, Alarm)>) {
    let (sender, alarms) = mpsc::channel();
    (Arc::new(ByHand(Mutex::new(sender))), alarms)
}

#[test]
fn a_silent_address_costs_a_quarter_of_a_second() {
    let runtime = Runtime::new().unwrap();
    let (services, alarms) = by_hand();
    let silent = Silent::new();
    let (listener, address) = open();
    listener.set_nonblocking(true).unwrap();
    runtime.block_on_with(services, async {
        let mut connecting = pin!(TcpStream::connect([silent.address, address]));
        let mut noop = Context::from_waker(Waker::noop());
        assert!(connecting.as_mut().poll(&mut noop).is_pending());
        let (duration, alarm) = alarms.recv().unwrap();
        assert_eq!(duration, Duration::from_millis(250));
        assert!(connecting.as_mut().poll(&mut noop).is_pending());
        assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "its turn has not come");

        alarm.ring();
        let stream = connecting.await.unwrap();
        assert_eq!(stream.peer_addr().unwrap(), address);
        assert!(alarms.try_recv().is_err(), "no address is left to try: there is nothing to wait for");
    });
}

#[test]
fn the_delay_wakes_whoever_connects() {
    let runtime = Runtime::new().unwrap();
    let (services, alarms) = by_hand();
    let silent = Silent::new();
    let (_listener, address) = open();
    let ringer = std::thread::spawn(move || alarms.recv().unwrap().1.ring());
    let stream = runtime.block_on_with(services, TcpStream::connect([silent.address, address])).unwrap();
    assert_eq!(stream.peer_addr().unwrap(), address);
    ringer.join().unwrap();
}

#[test]
fn a_failure_tries_the_next_address_at_once() {
    let runtime = Runtime::new().unwrap();
    // No alarm is ever rung: waiting for one would be forever.
    let (services, alarms) = by_hand();
    let (_listener, address) = open();
    let stream = runtime.block_on_with(services, TcpStream::connect([closed(), closed(), closed(), address])).unwrap();
    assert_eq!(stream.peer_addr().unwrap(), address);
    assert!(alarms.iter().all(|(_, alarm)| alarm.is_abandoned()));
}

#[test]
fn one_address_needs_no_timer() {
    let runtime = Runtime::new().unwrap();
    let (services, alarms) = by_hand();
    let (_listener, address) = open();
    runtime.block_on_with(services, TcpStream::connect(address)).unwrap();
    assert!(alarms.try_recv().is_err());
}

#[test]
fn those_under_way_go_on_when_the_last_one_fails() {
    let runtime = Runtime::new().unwrap();
    let (services, alarms) = by_hand();
    let silent = Silent::new();
    runtime.block_on_with(services, async {
        let mut connecting = pin!(TcpStream::connect([silent.address, closed()]));
        let pending = poll_fn(|cx| Poll::Ready(connecting.as_mut().poll(cx).is_pending())).await;
        assert!(pending);
        alarms.recv().unwrap().1.ring();
        let pending = poll_fn(|cx| Poll::Ready(connecting.as_mut().poll(cx).is_pending())).await;
        assert!(pending, "the second has failed, the first may yet answer");
    });
}

#[test]
fn a_connect_that_is_given_up_leaves_nothing_behind() {
    let runtime = Runtime::new().unwrap();
    let (services, alarms) = by_hand();
    let silent = [Silent::new(), Silent::new()];
    runtime.block_on_with(services, async {
        let mut noop = Context::from_waker(Waker::noop());
        let mut connecting = Box::pin(TcpStream::connect([silent[0].address, silent[1].address, closed()]));
        assert!(connecting.as_mut().poll(&mut noop).is_pending());
        alarms.recv().unwrap().1.ring();
        assert!(connecting.as_mut().poll(&mut noop).is_pending());
        assert!(!runtime.netpoller().is_unused(), "two attempts are under way");
        drop(connecting);
        assert!(runtime.netpoller().is_unused());
        assert!(alarms.recv().unwrap().1.is_abandoned());
    });
}
