//! A server at rest: connections that nothing comes through, and tasks with heartbeats.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc::{self, Sender};
use std::time::Instant;

use super::timer_ticks::tick_all;
use super::{About, Figures, Plan, Runtime, echo, lateness};
use crate::load::{self, LoadPlan, Outcome};
use crate::metric::Metric;
use crate::usage::{Usage, allow_open_files};

/// Connections for each task that ticks.
const CONNECTIONS: usize = 10;
/// Descriptors beside the connections: standard streams, pipes, the listener, the reactor's own.
const OTHER_FILES: u64 = 64;
/// Bytes of the one request that each connection makes before and after the silence.
const BYTES: usize = 64;

pub(super) const ABOUT: About = About {
    name: "idle_server",
    summary: "10,000 connections are silent, and 1,000 tasks tick every 100 ms, each at its own phase, for three seconds",
    size: 1_000,
    rounds: 30,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let (size, rounds) = (plan.size(&ABOUT), plan.rounds(&ABOUT));
    let connections = size * CONNECTIONS;
    allow_open_files(connections as u64 + OTHER_FILES)?;
    let (tell_address, address) = mpsc::channel();
    let server = R::spawn_on(&runtime.handle(), serve::<R>(connections, tell_address));
    let mut clients = load::start(&plan.load_generator, &load_of(address.recv()?, connections, plan))?;

    let (before, start) = (Usage::now()?, Instant::now());
    let late = runtime.run(tick_all::<R>(size, rounds.measured));
    let (used, seconds) = (Usage::now()?.since(before), start.elapsed().as_secs_f64());

    clients.go::<Outcome>()?;
    clients.finish()?;
    let echoed = runtime.block_on(server)?;
    assert_eq!(echoed, 2 * (connections * BYTES) as u64, "the bytes that the server echoed");
    let mut figures = lateness::quantiles(&late)?;
    figures.push(Metric::CPU_MILLISECONDS_PER_SECOND.of(used.cpu.as_secs_f64() * 1e3 / seconds));
    figures.push(Metric::SLEEPS_PER_SECOND.of(used.sleeps as f64 / seconds));
    Ok(figures)
}

/// One request before the silence, and one after it: each connection is served.
fn load_of(address: SocketAddr, connections: usize, plan: &Plan) -> LoadPlan {
    let cores = plan.cores_of_clients().to_vec();
    LoadPlan { address, connections, bytes: BYTES, warm_up: 1, requests: 1, cores }
}

/// Echoes on each of the connections until its client ends it; returns how many bytes went back.
async fn serve<R: Runtime>(connections: usize, tell_address: Sender<SocketAddr>) -> io::Result<u64> {
    let listener = R::bind((Ipv4Addr::LOCALHOST, 0).into()).await?;
    // The other end waits for this.
    let _told = tell_address.send(R::local_addr(&listener)?);
    let mut echoes = Vec::with_capacity(connections);
    for _ in 0..connections {
        let stream = R::accept(&listener).await?;
        echoes.push(R::spawn(echo::<R>(stream, 2 * BYTES)));
    }
    let mut echoed = 0;
    for echo in echoes {
        echoed += echo.await?;
    }
    Ok(echoed)
}
