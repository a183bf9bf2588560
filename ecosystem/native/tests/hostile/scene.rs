//! An attack on a server, and the checks during and after it.

use std::env;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use wsrt_ecosystem_testing::{Asking, LIMIT, Patience, Running};

/// How long an attack lasts, but for `HOSTILE_SECONDS`.
const LENGTH: Duration = Duration::from_secs(1);
/// How many connections the attackers leave open, each with the server's buffers: they close the
/// later ones. Some systems let a process have a thousand descriptors.
const MOST_HELD: usize = 150;
/// How many answers warm the server up.
const WARM: usize = 50;
/// Others' 99th percentile may be this much above twice that of the same clients of a twin, a
/// server that is not attacked, on the same cores at the same time: the twin shows how long a
/// thread waits for a core. The promise is 10 ms, which `HOSTILE_SLACK_MS` sets where nothing else
/// runs.
const SLACK: Duration = Duration::from_millis(250);
/// An attack is tried this often at most until others are within the bound: beside other programs,
/// the threads of one server may have to wait for a core that those of its twin get.
const TRIES: usize = 3;
/// The most memory that an attack may cost, in kB.
const MOST_MEMORY: u64 = 64 << 10;

/// One attack at a time, so that each is measured alone.
static ALONE: Mutex<()> = Mutex::new(());

/// A server that is attacked.
pub(crate) struct Victim {
    process: Running,
    pub(crate) address: SocketAddr,
}

impl Victim {
    pub(crate) fn start(mut command: Command) -> Self {
        let seconds = LIMIT_OF_VICTIMS.as_secs().to_string();
        command.env("WSRT_WORKER_THREADS", "2").env("WSRT_STALL_MS", "0");
        command.env("HANDSHAKE_SECONDS", &seconds).env("SILENCE_SECONDS", &seconds);
        let mut process = Running::start(command);
        let address = process.line_after("listening on ").parse().expect("an address");
        Self { process, address }
    }

    fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.process.id())).expect("it runs").count()
    }

    /// Its resident memory, in kB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("Linux tells");
        line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
    }
}

/// How long the victims wait for a client.
const LIMIT_OF_VICTIMS: Duration = Duration::from_secs(5);

/// Makes a client of the server at an address. After an error it connects anew.
pub(crate) type Client = dyn Fn(SocketAddr) -> Box<dyn FnMut() -> io::Result<()> + Send>;

/// Attacks a server that `start` starts while clients ask it, and its twin: one each that `clients`
/// make. `attack` is called again and again, and returns the connections that it leaves open.
pub(crate) fn withstand(
    what: &str,
    start: impl Fn() -> Victim,
    clients: &[&Client],
    attack: impl Fn(SocketAddr) -> Vec<TcpStream> + Sync,
) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let [victim, twin] = [(); 2].map(|()| start());
    let [others, of_twin] = [&victim, &twin].map(|server| {
        let clients: Vec<_> =
            clients.iter().map(|client| Asking::start(LIMIT_OF_VICTIMS, client(server.address))).collect();
        clients.iter().for_each(|client| client.await_answers(WARM));
        clients
    });
    let memory = victim.memory();
    let slack = number("HOSTILE_SLACK_MS").map_or(SLACK, |millis| Duration::from_secs_f64(millis / 1000.0));
    let is_within = (0..TRIES).any(|_| {
        let (_, _) = (times(&others), times(&of_twin));
        let (held, most) = attack_for_a_while(&victim, &attack);
        let (ours, theirs) = (times(&others), times(&of_twin));
        await_descriptors(what, &victim, &twin);
        let most = most.max(memory) - memory;
        println!(
            "| {what} | {} | {} | {:.1?} | {:.1?} | {:.1?} | {:.1} MB |",
            held.len(),
            ours.len(),
            p99(&theirs),
            p99(&ours),
            ours.last().unwrap_or(&LIMIT),
            most as f64 / 1024.0
        );
        held.into_iter().for_each(|stream| assert_closed(what, stream));
        assert!(most <= MOST_MEMORY, "{what}: the attack costs {most} kB of memory");
        p99(&ours) <= p99(&theirs) * 2 + slack
    });
    others.into_iter().chain(of_twin).for_each(Asking::end);
    await_descriptors(what, &victim, &twin);
    assert!(is_within, "{what}: one request in 100 of others takes too long, {TRIES} times");
}

fn times(clients: &[Asking]) -> Vec<Duration> {
    let mut times: Vec<_> = clients.iter().flat_map(Asking::take_times).collect();
    times.sort_unstable();
    times
}

/// Longer than anything if there was none: on a busy machine that may be.
fn p99(sorted: &[Duration]) -> Duration {
    sorted.get(sorted.len() * 99 / 100).copied().unwrap_or(LIMIT)
}

/// Returns the connections that are left, and the most memory that the victim had, in kB.
fn attack_for_a_while(
    victim: &Victim,
    attack: &(impl Fn(SocketAddr) -> Vec<TcpStream> + Sync),
) -> (Vec<TcpStream>, u64) {
    let length = number("HOSTILE_SECONDS").map_or(LENGTH, Duration::from_secs_f64);
    let (until, address) = (Instant::now() + length, victim.address);
    let mut most = 0;
    let held = thread::scope(|scope| {
        let attacking = scope.spawn(|| {
            take_what_is_left();
            let mut held = attack(address);
            while Instant::now() < until {
                held.extend(attack(address));
                held.truncate(MOST_HELD);
            }
            held
        });
        while !attacking.is_finished() {
            thread::sleep(Duration::from_millis(20));
            most = most.max(victim.memory());
        }
        attacking.join().expect("no panic")
    });
    (held, most)
}

/// Gives this thread the lowest priority: an attacker's processor is its own in earnest, and here
/// it has only the time that the others leave. If that fails, the priority stays.
fn take_what_is_left() {
    let _ = rustix::process::setpriority_process(None, 19);
}

fn number(variable: &str) -> Option<f64> {
    env::var(variable).ok().map(|text| text.parse().expect("the variable is a number"))
}

/// Waits until the victim has no more descriptors open than its twin, though the attackers hold
/// their ends. Their clients do the same, and both open some for themselves when they need them.
fn await_descriptors(what: &str, victim: &Victim, twin: &Victim) {
    let are_back = Patience::default().wait_until(|| victim.descriptors() <= twin.descriptors());
    assert!(are_back, "{what}: {} descriptors, and its twin {}", victim.descriptors(), twin.descriptors());
}

fn assert_closed(what: &str, mut stream: TcpStream) {
    stream.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
    if let Err(error) = stream.read_to_end(&mut Vec::new()) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{what}");
    }
}

/// Calls `shake_hands` until it succeeds. It may fail, once or twice, only when it has taken so
/// long that a victim gives up: the system may have held the attacker up.
pub(crate) fn insist<T>(mut shake_hands: impl FnMut() -> io::Result<T>) -> T {
    for _ in 0..TRIES {
        let began = Instant::now();
        match shake_hands() {
            Ok(shaken) => return shaken,
            Err(error) => assert!(began.elapsed() >= LIMIT_OF_VICTIMS, "{error}"),
        }
    }
    panic!("no handshake, {TRIES} times");
}

/// Connects; no attacker hangs in a call to a server that does not read.
pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_nodelay(true).expect("sockets have options");
    stream.set_write_timeout(Some(Duration::from_millis(20))).expect("sockets have timeouts");
    stream
}
