//! Which of several ready events comes first is drawn from the seed.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use wsrt::net::UdpSocket;
use wsrt::sim::{Link, Sim};
use wsrt::time::sleep;

use crate::with_processors;

const SECOND: Duration = Duration::from_secs(1);

/// The order in which three tasks of one processor learn of datagrams that come at one moment.
fn order(seed: u64) -> Vec<u16> {
    with_processors(seed, 1).block_on(async {
        let sim = Sim::current();
        sim.links(&Link::new().latency(SECOND / 100));
        let (tell, mut told) = wsrt::sync::mpsc::unbounded_channel();
        sim.host("receiver", move || {
            let tell = tell.clone();
            async move {
                for port in [1, 2, 3] {
                    let (socket, tell) = (UdpSocket::bind(("0.0.0.0", port)).await?, tell.clone());
                    wsrt::spawn(async move { socket.recv(&mut [0]).await.map(|_| tell.send(port)) });
                }
                io::Result::Ok(())
            }
        });
        sim.host("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await?;
            sleep(SECOND).await;
            let to = wsrt::net::lookup_host("receiver:0").await?.next().expect("a host").ip();
            // In one turn.
            for port in [1, 2, 3] {
                socket.try_send_to(b"x", (to, port).into())?;
            }
            io::Result::Ok(())
        });
        let mut order = Vec::new();
        for _ in 0..3 {
            order.push(told.recv().await.expect("it comes"));
        }
        order
    })
}

#[test]
fn events_of_one_moment_come_in_any_order() {
    let orders: Vec<_> = (0..100).map(order).collect();
    assert_eq!(orders, (0..100).map(order).collect::<Vec<_>>(), "one seed is one order");
    let first: BTreeSet<u16> = orders.iter().map(|order| order[0]).collect();
    assert_eq!(first, BTreeSet::from([1, 2, 3]), "each is the first by some seed");
    assert!(orders.iter().collect::<BTreeSet<_>>().len() > 3, "{orders:?}");
}
