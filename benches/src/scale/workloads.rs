//! The workloads. Each grows with the processors, and says how long its tasks waited: from when
//! they were readied until they ran, in virtual nanoseconds.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wsrt::net::UdpSocket;
use wsrt::sim::{Sim, compute};
use wsrt::time::{Instant, sleep_until};

/// A workload, run on so many processors.
pub(super) struct Workload {
    pub(super) name: &'static str,
    pub(super) run: fn(usize, Waits) -> Running,
}

type Running = Pin<Box<dyn Future<Output = Ideal> + Send>>;

/// The least time that the workload could take, with a scheduler that costs nothing.
pub(super) type Ideal = Duration;

pub(super) static WORKLOADS: [Workload; 4] = [
    Workload { name: "fork_join", run: |processors, waits| Box::pin(fork_join(processors, waits)) },
    Workload { name: "server", run: |processors, waits| Box::pin(server(processors, waits)) },
    Workload { name: "bursts", run: |processors, waits| Box::pin(bursts(processors, waits)) },
    Workload { name: "storm", run: |processors, waits| Box::pin(storm(processors, waits)) },
];

/// The waits of all tasks so far.
#[derive(Clone, Default)]
pub(super) struct Waits(Arc<Mutex<Vec<u64>>>);

impl Waits {
    /// A task that was readied at this moment runs now.
    fn end(&self, readied: Instant) {
        self.0.lock().unwrap().push(nanos(readied.elapsed()));
    }

    /// Returns them in order.
    pub(super) fn sorted(&self) -> Vec<u64> {
        let mut waits = self.0.lock().unwrap().clone();
        waits.sort_unstable();
        waits
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("a run is short")
}

const LEAF: Duration = Duration::from_micros(20);
const NODE: Duration = Duration::from_micros(1);

/// A tree with 32 to 64 leaves for each processor: a node computes for 1 µs, spawns two others and
/// waits for them, a leaf computes for 20 µs.
async fn fork_join(processors: usize, waits: Waits) -> Ideal {
    let depth = (64 * processors).ilog2();
    tree(depth, waits, Instant::now()).await;
    let leaves = 1_u32 << depth;
    (leaves * LEAF + leaves * NODE) / processors as u32
}

fn tree(depth: u32, waits: Waits, readied: Instant) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        waits.end(readied);
        if depth == 0 {
            return compute(LEAF).await;
        }
        compute(NODE).await;
        let children = [(); 2].map(|()| wsrt::spawn(tree(depth - 1, waits.clone(), Instant::now())));
        for child in children {
            child.await.unwrap();
        }
    })
}

const REQUEST: Duration = Duration::from_micros(20);
const RECEIVE: Duration = Duration::from_nanos(500);
const CONNECTIONS_A_PROCESSOR: usize = 2;

/// How many sockets a workload has on so many processors.
pub(super) fn sockets(processors: usize) -> usize {
    CONNECTIONS_A_PROCESSOR * processors
}

/// Half of what the processors could do, over connections of which the first are much busier than
/// the last: the request of number n is as frequent as n^-0.8. Each is handled by a task of its
/// own, for 20 µs.
async fn server(processors: usize, waits: Waits) -> Ideal {
    let sockets = bind(sockets(processors)).await;
    let requests = (60 * processors).max(20_000);
    let gap = 2.0 * REQUEST.as_secs_f64() / processors as f64;
    let sim = Sim::current();
    let (begin, mut dice) = (Instant::now() + Duration::from_millis(1), Dice(11));
    let shares = shares(sockets.len());
    for number in 0..requests {
        let due = begin + Duration::from_secs_f64(gap * (number as f64 + dice.fraction()));
        let at = dice.fraction() * shares.last().unwrap();
        let to = sockets[shares.partition_point(|share| *share < at)].1;
        deliver(&sim, due, to);
    }
    for (socket, _) in sockets {
        wsrt::spawn(connection(socket, waits.clone()));
    }
    sleep_until(begin + Duration::from_secs_f64(gap * requests as f64)).await;
    REQUEST * requests as u32 / processors as u32
}

async fn connection(socket: UdpSocket, waits: Waits) {
    loop {
        let readied = receive(&socket).await;
        compute(RECEIVE).await;
        let waits = waits.clone();
        wsrt::spawn(async move {
            waits.end(readied);
            compute(REQUEST).await;
        });
    }
}

const EVENT: Duration = Duration::from_micros(50);
const BURSTS: u32 = 10;
const PERIOD: Duration = Duration::from_millis(2);

/// Every 2 ms each of twice as many connections as there are processors has something to be
/// handled for 50 µs.
async fn bursts(processors: usize, waits: Waits) -> Ideal {
    let sockets = bind(sockets(processors)).await;
    let (sim, begin) = (Sim::current(), Instant::now() + PERIOD);
    for burst in 0..BURSTS {
        sockets.iter().for_each(|(_, address)| deliver(&sim, begin + burst * PERIOD, *address));
    }
    for (socket, _) in sockets {
        let waits = waits.clone();
        wsrt::spawn(async move {
            loop {
                waits.end(receive(&socket).await);
                compute(EVENT).await;
            }
        });
    }
    sleep_until(begin + BURSTS * PERIOD).await;
    BURSTS * EVENT * CONNECTIONS_A_PROCESSOR as u32
}

const SPAWN: Duration = Duration::from_nanos(100);
const SPAWNED: Duration = Duration::from_micros(100);

/// One task spawns twenty for each processor, one every 100 ns, and each computes for 100 µs.
async fn storm(processors: usize, waits: Waits) -> Ideal {
    let count = 20 * processors as u32;
    let mut tasks = Vec::new();
    for _ in 0..count {
        compute(SPAWN).await;
        let (readied, waits) = (Instant::now(), waits.clone());
        tasks.push(wsrt::spawn(async move {
            waits.end(readied);
            compute(SPAWNED).await;
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    (SPAWN * count + SPAWNED).max((SPAWN + SPAWNED) * count / processors as u32)
}

async fn bind(count: usize) -> Vec<(UdpSocket, SocketAddr)> {
    let mut sockets = Vec::new();
    for _ in 0..count {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("enough descriptors were asked for");
        let address = socket.local_addr().unwrap();
        sockets.push((socket, address));
    }
    sockets
}

/// Has a request arrive at the moment `due`, which it carries.
fn deliver(sim: &Sim, due: Instant, to: SocketAddr) {
    let after = due.saturating_duration_since(Instant::now());
    let since = nanos(sim.record().elapsed() + after);
    sim.datagram_from_outside(after, to, &since.to_le_bytes()).expect("it is of this simulation");
}

/// Returns when the next request of this connection has arrived.
async fn receive(socket: &UdpSocket) -> Instant {
    let mut due = [0; 8];
    socket.recv(&mut due).await.unwrap();
    let passed = nanos(Sim::current().record().elapsed()).saturating_sub(u64::from_le_bytes(due));
    Instant::now() - Duration::from_nanos(passed)
}

/// The shares of the connections, added up.
fn shares(connections: usize) -> Vec<f64> {
    let share = |number: usize| (number as f64).powf(-0.8);
    let add = |sum: &mut f64, number| {
        *sum += share(number);
        Some(*sum)
    };
    (1..=connections).scan(0.0, add).collect()
}

/// Numbers by a seed.
struct Dice(u64);

impl Dice {
    /// Returns a number from 0 to 1.
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
