//! How long the clients of an echo server wait, without and beside an endless parallel loop on the
//! server's cores.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::sync::Arc;

use super::pacer::Pace;
use super::{Endless, Host};
use crate::Failure;
use crate::harness::{Series, collect};
use crate::parallel::request::Request;
use crate::parallel::spin::{Speed, spin};
use crate::runtimes::{Tokio, Wsrt};
use crate::workloads::echo;

/// The cost of each index of the loop.
const BODY_NANOS: u32 = 2_000;
/// The most bytes that the server takes at once.
const BUFFER: usize = 4_096;

pub(in crate::parallel) fn serve(request: &Request) -> Result<Series, Failure> {
    match &*request.subject {
        "wsrt" => measure::<Wsrt>(request),
        "tokio + rayon" => measure::<Tokio>(request),
        other => Err(format!("no runtime {other:?} for the echo").into()),
    }
}

fn measure<R: Host>(request: &Request) -> Result<Series, Failure> {
    let steps = Speed::measure()?.steps(BODY_NANOS);
    let runtime = R::build(request.processors())?;
    let loops = Arc::new(R::loops(request.processors())?);
    let address = listen(&runtime)?;

    let mut series = Series::default();
    take_quantiles(&mut series, "alone", address, request)?;
    let endless = Endless::start(&runtime, &loops, move || spin(steps));
    let outcome = take_quantiles(&mut series, "beside", address, request);
    endless.stop(&runtime);
    outcome.map(|()| series)
}

/// Starts the echo server. It ends with the runtime.
fn listen<R: Host>(runtime: &R) -> Result<SocketAddr, Failure> {
    let listener = runtime.block_on(R::bind((Ipv4Addr::LOCALHOST, 0).into()))?;
    let address = R::local_addr(&listener)?;
    let accept_all = R::spawn_on(&runtime.handle(), async move {
        while let Ok(stream) = R::accept(&listener).await {
            R::spawn_detached(async move {
                // A client that breaks off reports why itself.
                let _ = echo::<R>(stream, BUFFER).await;
            });
        }
    });
    // Dropping its handle detaches a task, with wsrt and with tokio.
    drop(accept_all);
    Ok(address)
}

fn take_quantiles(series: &mut Series, phase: &str, address: SocketAddr, request: &Request) -> Result<(), Failure> {
    let words = Pace::usual(address, &request.cores).words().into_vec();
    let waits = collect(Command::new(std::env::current_exe()?).args(words))?;
    for (name, q) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
        series.add(&format!("{phase}_{name}"), [waits.quantile(Pace::SERIES, q)]);
    }
    Ok(())
}
