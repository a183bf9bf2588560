//! An attack on each victim, and the checks during and after it.

use std::env;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};
use wsrt_tests::{LIMIT, within_a_minute};

use crate::others::Others;
use crate::victim::Victim;

/// Others' 99th percentile may be this much above twice that of the same clients of a twin, a
/// server that is not attacked, on the same cores at the same time: the twin shows how long a
/// thread waits for a core. The promise is 10 ms, which `HOSTILE_SLACK_MS` sets where nothing else
/// runs. By default only a server that keeps others waiting for good is found: on a machine that
/// does other work, the threads of one server wait longer than its twin's.
const SLACK: Duration = Duration::from_millis(250);
/// An attack is tried this often at most until others are within the bound: beside other tests, the
/// threads of one server may have to wait for a core that those of its twin get.
const TRIES: usize = 3;
/// The most memory that an attack may cost, in kB.
const MOST_MEMORY: u64 = 64 << 10;

/// One attack at a time, so that each is measured alone.
static ALONE: Mutex<()> = Mutex::new(());

/// The victim's address, and the end of the attack.
pub(crate) struct Scene {
    pub(crate) address: SocketAddr,
    until: Instant,
}

impl Scene {
    pub(crate) fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }

    /// Connects, again and again while the server's queue is full.
    pub(crate) fn connect(&self) -> Option<TcpStream> {
        self.connect_by(|| TcpStream::connect(self.address))
    }

    /// Connects as [`connect`](Self::connect) does, and takes a few kilobytes unread at most.
    pub(crate) fn connect_by_a_small_window(&self) -> Option<TcpStream> {
        self.connect_by(|| {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
            socket.set_recv_buffer_size(4096)?;
            socket.connect(&self.address.into())?;
            Ok(socket.into())
        })
    }

    fn connect_by(&self, connect: impl Fn() -> io::Result<TcpStream>) -> Option<TcpStream> {
        while self.goes_on() {
            if let Ok(stream) = connect() {
                // No attacker may hang in a write to a server that has stopped reading.
                stream.set_write_timeout(Some(Duration::from_millis(20))).expect("sockets have timeouts");
                stream.set_read_timeout(Some(Duration::from_millis(20))).expect("sockets have timeouts");
                return Some(stream);
            }
            thread::sleep(Duration::from_millis(1));
        }
        None
    }
}

fn length() -> Duration {
    number("HOSTILE_SECONDS").map_or(Duration::from_millis(300), Duration::from_secs_f64)
}

fn slack() -> Duration {
    number("HOSTILE_SLACK_MS").map_or(SLACK, |millis| Duration::from_secs_f64(millis / 1000.0))
}

fn number(variable: &str) -> Option<f64> {
    env::var(variable).ok().map(|text| text.parse().expect("the variable is a number"))
}

/// Lets `attack` loose on each victim, from two threads at once, and checks that others do not
/// suffer. `test` is the name of the calling test.
pub(crate) fn withstand(test: &'static str, attack: fn(&Scene)) {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let [victim, twin] = [(); 2].map(|()| Victim::serve(test));
    within_a_minute(move || attack_one(test, "serve", &victim, &twin, attack));
    let [victim, twin] = [(); 2].map(|()| Victim::example());
    within_a_minute(move || attack_one(test, "http_server", &victim, &twin, attack));
    let [victim, twin] = [(); 2].map(|()| Victim::debug(test));
    within_a_minute(move || attack_one(test, "wsrt-debug", &victim, &twin, attack));
    drop(alone);
}

fn attack_one(test: &str, name: &str, victim: &Victim, twin: &Victim, attack: fn(&Scene)) {
    let [others, of_twin] = [victim, twin].map(|server| Others::start(server.address));
    others.warm_up();
    of_twin.warm_up();
    let memory = victim.memory();
    let is_within = (0..TRIES).any(|_| {
        let (_, _) = (others.take_times(), of_twin.take_times());
        let most = attack_from_two_threads(victim, attack).max(memory) - memory;
        let (times, times_of_twin) = (others.take_times(), of_twin.take_times());
        await_descriptors(test, victim, twin);
        println!(
            "| {test} | {name} | {} | {:.1?} | {:.1?} | {:.1?} | {:.1} MB |",
            times.count(),
            times_of_twin.p99(),
            times.p99(),
            times.longest(),
            most as f64 / 1024.0
        );
        assert!(most <= MOST_MEMORY, "{test}: the attack costs {most} kB of memory");
        times.p99() <= times_of_twin.p99() * 2 + slack()
    });
    others.end();
    of_twin.end();
    await_descriptors(test, victim, twin);
    assert!(is_within, "{test}: one request in 100 of others takes too long, {TRIES} times");
}

/// Attacks for as long as the test lasts. Returns the most memory that the victim had, in kB.
fn attack_from_two_threads(victim: &Victim, attack: fn(&Scene)) -> u64 {
    let scene = Scene { address: victim.address, until: Instant::now() + length() };
    let mut most = 0;
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                take_what_is_left();
                attack(&scene);
            });
        }
        while scene.goes_on() {
            thread::sleep(Duration::from_millis(20));
            most = most.max(victim.memory());
        }
    });
    most
}

/// Gives this thread the lowest priority: an attacker's processor is its own in earnest, and here
/// it has only the time that the others leave.
fn take_what_is_left() {
    // SAFETY: it takes numbers and no pointer. 0 is the calling thread. If it fails, the priority
    // stays.
    let _ = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, 19) };
}

/// Waits until the victim has no more descriptors open than its twin: their clients do the same,
/// and both open some for themselves when they need them, the example those for ctrl-c after it
/// has reported its address. Counts its looks: while the machine stands still, nothing is used up.
fn await_descriptors(test: &str, victim: &Victim, twin: &Victim) {
    let pause = Duration::from_millis(5);
    for _ in 0..LIMIT.as_millis() / 4 / pause.as_millis() {
        if victim.descriptors() <= twin.descriptors() {
            return;
        }
        thread::sleep(pause);
    }
    panic!("{test}: these are open: {:#?}, and of its twin {:#?}", victim.open_files(), twin.open_files());
}
