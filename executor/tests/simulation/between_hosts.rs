//! Between hosts: the latency and loss of links, links of two hosts' own, and the ends of
//! partitions. Names of hosts that are not there are refused.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wsrt::net::UdpSocket;
use wsrt::sim::{self, Latency, Link, Sim, Skew};
use wsrt::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use wsrt::time::sleep;

use crate::faults::message;

const MILLI: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// Tells how long each datagram was under way that arrives at port 9.
async fn clock_in(tell: UnboundedSender<Duration>) -> io::Result<()> {
    let socket = UdpSocket::bind("0.0.0.0:9").await?;
    let mut sent = [0; 16];
    loop {
        let (count, _) = socket.recv_from(&mut sent).await?;
        assert_eq!(count, 16);
        let now = Sim::current().record().elapsed();
        let _ = tell.send(now - Duration::from_nanos(u128::from_le_bytes(sent) as u64));
    }
}

/// A host that clocks datagrams in.
fn receiver(sim: &Sim, name: &str) -> UnboundedReceiver<Duration> {
    let (tell, told) = unbounded_channel();
    sim.host(name, move || clock_in(tell.clone()));
    told
}

/// A host that sends datagrams, a millisecond apart, after a while.
fn sender(sim: &Sim, name: &str, count: usize, to: &'static str) {
    sim.host(name, move || async move {
        let socket = UdpSocket::bind("0.0.0.0:0").await?;
        sleep(10 * MILLI).await;
        for _ in 0..count {
            let now = Sim::current().record().elapsed().as_nanos();
            socket.send_to(&now.to_le_bytes(), to).await?;
            sleep(MILLI).await;
        }
        io::Result::Ok(())
    });
}

/// The times of all datagrams that have arrived.
fn arrived(told: &mut UnboundedReceiver<Duration>) -> Vec<Duration> {
    std::iter::from_fn(|| told.try_recv().ok()).collect()
}

/// The times of so many datagrams over this link.
fn times_over(seed: u64, link: &Link, count: usize) -> Vec<Duration> {
    sim::run(seed, |sim| async move {
        sim.links(link);
        let mut told = receiver(&sim, "receiver");
        sender(&sim, "sender", count, "receiver:9");
        sleep(3_600 * SECOND).await;
        arrived(&mut told)
    })
}

fn mean(times: &[Duration]) -> Duration {
    times.iter().sum::<Duration>() / times.len() as u32
}

const MANY: usize = 2_000;

#[test]
fn each_kind_of_latency_has_its_least_and_mean() {
    let (least, mean_time) = (5 * MILLI, 20 * MILLI);
    // By the kind: the mean, and the share of times beyond 50 ms.
    for (latency, expected, beyond) in [
        (Latency::from(least), 5.0, 0.0),
        (Latency::from(least..mean_time), 12.5, 0.0),
        (Latency::exponential(least, mean_time), 20.0, 0.05),
        (Latency::long_tail(least), 10.0, 0.01),
    ] {
        let times = times_over(7, &Link::new().latency(latency.clone()), MANY);
        assert_eq!(times.len(), MANY, "none is lost");
        assert!(times.iter().all(|&time| time >= least), "{latency:?}: {:?}", times.iter().min());
        let mean = mean(&times).as_secs_f64() * 1_000.0;
        assert!((mean / expected - 1.0).abs() < 0.3, "{latency:?}: {mean} ms in place of {expected}");
        let share = times.iter().filter(|&&time| time > 51 * MILLI).count() as f64 / MANY as f64;
        assert!((share - beyond).abs() <= beyond / 2.0, "{latency:?}: {share} in place of {beyond}");
    }
}

#[test]
fn a_link_without_settings_takes_up_to_a_millisecond() {
    let times = times_over(7, &Link::new(), MANY);
    assert_eq!(times.len(), MANY, "none is lost");
    assert!(times.iter().all(|&time| time >= MILLI / 5), "{:?}", times.iter().min());
    // The receiver's turn may come later than the datagram.
    let late = times.iter().filter(|&&time| time > MILLI + MILLI / 10).count();
    assert!(late < MANY / 20, "{late} of {MANY}");
    let mean = mean(&times);
    assert!((MILLI / 2..MILLI * 4 / 5).contains(&mean), "{mean:?}");
}

#[test]
fn a_link_loses_the_share_that_is_asked_for() {
    let lost = |share| MANY - times_over(7, &Link::new().loss(share), MANY).len();
    assert_eq!([0.0, -1.0].map(lost), [0, 0]);
    assert_eq!([1.0, 7.0].map(lost), [MANY, MANY]);
    let some = lost(0.1);
    assert!((MANY / 20..MANY / 5).contains(&some), "{some} of {MANY}");
}

#[test]
fn two_hosts_may_have_a_link_of_their_own() {
    sim::run(7, |sim| async move {
        let mut told = receiver(&sim, "receiver");
        for name in ["near", "far"] {
            sender(&sim, name, 100, "receiver:9");
        }
        sim.link("receiver", "far", &Link::new().latency(SECOND));
        // Of those that have none.
        sim.links(&Link::new().latency(10 * MILLI));
        sleep(10 * SECOND).await;
        let times = arrived(&mut told);
        let is_near = |time: &&Duration| (10 * MILLI..11 * MILLI).contains(*time);
        let is_far = |time: &&Duration| (SECOND..SECOND + MILLI).contains(*time);
        let counts = (times.iter().filter(is_near).count(), times.iter().filter(is_far).count());
        assert_eq!((counts, times.len()), ((100, 100), 200), "{times:?}");
    });
}

#[test]
fn packets_within_a_host_are_quick_and_none_are_lost() {
    sim::run(7, |sim| async move {
        sim.links(&Link::new().latency(SECOND).loss(1.0).bandwidth(1));
        let (tell, mut told) = unbounded_channel();
        sim.host("node", move || {
            let tell = tell.clone();
            async move {
                wsrt::spawn(clock_in(tell));
                let socket = UdpSocket::bind("0.0.0.0:0").await?;
                sleep(MILLI).await;
                for _ in 0..100 {
                    let now = Sim::current().record().elapsed().as_nanos();
                    socket.send_to(&now.to_le_bytes(), "127.0.0.1:9").await?;
                    sleep(MILLI).await;
                }
                io::Result::Ok(())
            }
        });
        sleep(10 * SECOND).await;
        let times = arrived(&mut told);
        assert_eq!(times.len(), 100);
        assert!(times.iter().all(|&time| time < MILLI), "{:?}", times.iter().max());
    });
}

/// Sends to the two others all the time, and counts what comes from them.
async fn chatter(name: &'static str, heard: Arc<Mutex<BTreeSet<(u8, u8)>>>) -> io::Result<()> {
    let socket = Arc::new(UdpSocket::bind("0.0.0.0:9").await?);
    let (mut bytes, listening) = ([0], Arc::clone(&socket));
    wsrt::spawn(async move {
        while listening.recv_from(&mut bytes).await.is_ok() {
            heard.lock().expect("no panic").insert((bytes[0], name.as_bytes()[0]));
        }
    });
    loop {
        for to in ["a:9", "b:9", "c:9"].into_iter().filter(|to| !to.starts_with(name)) {
            socket.send_to(name.as_bytes(), to).await?;
        }
        sleep(MILLI).await;
    }
}

#[test]
fn partitions_are_ended_by_pair_or_all_at_once() {
    sim::run(7, |sim| async move {
        let heard = Arc::new(Mutex::new(BTreeSet::new()));
        for name in ["a", "b", "c"] {
            let heard = Arc::clone(&heard);
            sim.host(name, move || chatter(name, Arc::clone(&heard)));
        }
        let pairs = async || {
            sleep(10 * MILLI).await;
            heard.lock().expect("no panic").clear();
            sleep(SECOND).await;
            heard.lock().expect("no panic").iter().map(|&(from, to)| [from, to].map(char::from)).collect::<Vec<_>>()
        };
        sim.partition("a", "b");
        sim.partition("c", "a");
        assert_eq!(pairs().await, [['b', 'c'], ['c', 'b']]);
        sim.heal("b", "a");
        assert_eq!(pairs().await, [['a', 'b'], ['b', 'a'], ['b', 'c'], ['c', 'b']]);
        sim.partition_one_way("b", "a");
        sim.heal_all();
        assert_eq!(pairs().await.len(), 6);
    });
}

/// The text of the panic that ends a run.
fn failure_of(call: fn(&Sim)) -> String {
    message(|| {
        sim::run(7, |sim| async move {
            sim.host("here", || async {});
            call(&sim);
        });
    })
}

#[test]
fn calls_name_the_host_that_is_not_there() {
    let calls: [fn(&Sim); 16] = [
        |sim| sim.link("here", "gone", &Link::new()),
        |sim| sim.link("gone", "here", &Link::new()),
        |sim| sim.partition("here", "gone"),
        |sim| sim.partition("gone", "here"),
        |sim| sim.partition_one_way("here", "gone"),
        |sim| sim.partition_one_way("gone", "here"),
        |sim| sim.heal("here", "gone"),
        |sim| sim.reset_streams("gone", "here"),
        |sim| sim.reset_streams("here", "gone"),
        |sim| sim.fill_buffers("gone"),
        |sim| sim.free_buffers("gone"),
        |sim| sim.crash("gone"),
        |sim| sim.restart("gone"),
        |sim| assert!(sim.is_up("gone")),
        |sim| sim.disk("gone").wipe(),
        |sim| sim.skew("gone", Skew::new()),
    ];
    for call in calls {
        assert_eq!(failure_of(call), "wsrt: this simulation has no host `gone`");
    }
    // The test itself is no host that can be named.
    assert_eq!(failure_of(|sim| sim.crash("")), "wsrt: this simulation has no host ``");
}

#[test]
fn names_of_hosts_are_refused_that_would_be_ambiguous() {
    let again = failure_of(|sim| _ = sim.host("here", || async {}));
    assert_eq!(again, "wsrt: there is a host `here` already");
    for (call, name) in [
        ((|sim| _ = sim.host("", || async {})) as fn(&Sim), ""),
        (|sim| _ = sim.host("localhost", || async {}), "localhost"),
    ] {
        assert_eq!(failure_of(call), format!("wsrt: `{name}` cannot be the name of a host"));
    }
}
