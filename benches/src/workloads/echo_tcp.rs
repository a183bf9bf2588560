//! An echo server over TCP on loopback, under a closed loop of clients in another process.
//!
//! The server's processor time and sleeps are taken for this process alone, between the clients'
//! warm-up and their end; so they hold the runtime, the system calls, and the kernel's work in them
//! (on loopback that includes handing the bytes to the other process), and nothing of the clients.
//!
//! Its buffers are larger than the messages, as those of real servers are. So a read that falls
//! short of its buffer shows that the socket is empty, and a runtime that makes use of it is spared
//! a system call.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc::{self, Sender};

use super::{About, Bare, Failure, Figures, Plan, Runtime, bare_echo};
use crate::load::{self, LoadPlan, Outcome};
use crate::metric::{Measurement, Metric};
use crate::usage::{Usage, allow_open_files};

pub(super) const NAME: &str = "echo_tcp";

/// Descriptors beside the connections: standard streams, pipes, the listener, the reactor's own.
const OTHER_FILES: u64 = 64;
/// The bytes of a server's buffers, where a message is not larger.
const LEAST_BUFFER: usize = 4096;

pub(super) const ABOUT: About = About {
    name: NAME,
    summary: "each connection (their number after the slash) sends 64 bytes, waits for the echo, and again; 20,000 requests",
    size: 5_000,
    rounds: 4,
    bare: Some(Bare::Whole(bare)),
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    allow_open_files(plan.connections as u64 + OTHER_FILES)?;
    let (tell_address, address) = mpsc::channel();
    let server = serve::<R>(plan.connections, buffer(plan), tell_address);
    let server = R::spawn_on(&runtime.handle(), server);
    let load = match address.recv() {
        Ok(address) => load_plan(address, plan),
        // The server ended before it listened, and says why.
        Err(_) => return Err(failed_start(runtime.block_on(server))),
    };
    let figures = measure(plan, &load)?;
    check(runtime.block_on(server)?, &load);
    Ok(figures)
}

/// Measures the echo without a runtime.
fn bare(plan: &Plan) -> Figures {
    allow_open_files(plan.connections as u64 + OTHER_FILES)?;
    let server = bare_echo::Server::start(plan.workers, plan.connections, buffer(plan))?;
    let load = load_plan(server.address, plan);
    let figures = measure(plan, &load)?;
    check(server.join()?, &load);
    Ok(figures)
}

/// Has the clients do `load`, and takes this process's own figures meanwhile.
fn measure(plan: &Plan, load: &LoadPlan) -> Figures {
    let mut clients = load::start(&plan.load_generator, load)?;
    let before = Usage::now()?;
    let outcome: Outcome = clients.go()?;
    let used = Usage::now()?.since(before);
    clients.finish()?;
    Ok(measurements(outcome, used))
}

fn check(echoed: u64, load: &LoadPlan) {
    assert_eq!(echoed, load.bytes_in_all(), "the bytes that the server echoed");
}

/// The bytes of a server's buffers.
fn buffer(plan: &Plan) -> usize {
    (plan.bytes + 1).max(LEAST_BUFFER)
}

fn load_plan(address: SocketAddr, plan: &Plan) -> LoadPlan {
    let rounds = plan.rounds(&ABOUT);
    let per_connection = plan.size(&ABOUT).div_ceil(plan.connections) as u64;
    LoadPlan {
        address,
        connections: plan.connections,
        bytes: plan.bytes,
        cores: plan.cores_of_clients().to_vec(),
        warm_up: u64::from(rounds.warm_up) * per_connection,
        requests: u64::from(rounds.measured) * per_connection,
    }
}

fn failed_start(outcome: io::Result<u64>) -> Failure {
    match outcome {
        Ok(_) => "the echo server ended before it listened".into(),
        Err(error) => format!("the echo server cannot listen: {error}").into(),
    }
}

fn measurements(outcome: Outcome, used: Usage) -> Vec<Measurement> {
    let requests = outcome.requests as f64;
    vec![
        Metric::REQUESTS_PER_SECOND.of(requests / outcome.elapsed.as_secs_f64()),
        Metric::CPU_MICROSECONDS_PER_REQUEST.of(used.cpu.as_secs_f64() * 1e6 / requests),
        Metric::SLEEPS_PER_REQUEST.of(used.sleeps as f64 / requests),
    ]
}

/// Accepts `connections`, echoes on each until its client ends it, and hands over how many bytes
/// went back.
async fn serve<R: Runtime>(connections: usize, buffer: usize, tell_address: Sender<SocketAddr>) -> io::Result<u64> {
    let listener = R::bind((Ipv4Addr::LOCALHOST, 0).into()).await?;
    // The other end waits for this.
    let _told = tell_address.send(R::local_addr(&listener)?);
    let mut echoes = Vec::with_capacity(connections);
    for _ in 0..connections {
        let stream = R::accept(&listener).await?;
        echoes.push(R::spawn(echo::<R>(stream, buffer)));
    }
    let mut echoed = 0;
    for echo in echoes {
        echoed += echo.await?;
    }
    Ok(echoed)
}

/// Sends back all bytes, in pieces of at most `buffer`, until the client ends the connection;
/// returns their number.
pub(crate) async fn echo<R: Runtime>(mut stream: R::Stream, buffer: usize) -> io::Result<u64> {
    let mut buffer = vec![0; buffer];
    let mut echoed = 0;
    loop {
        let read = R::read(&mut stream, &mut buffer).await?;
        if read == 0 {
            return Ok(echoed);
        }
        R::write_all(&mut stream, &buffer[..read]).await?;
        echoed += read as u64;
    }
}
