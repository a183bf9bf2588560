//! How many steps a request between two hosts takes. A simulation is as fast as its steps are few
//! and short: docs/SIMULATION.md has its speed by the clock, which a test cannot rely on.

use std::io;
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream};
use wsrt::sim;
use wsrt::task::JoinSet;
use wsrt::time::sleep;

const CLIENTS: u64 = 16;
const REQUESTS: u64 = 200;

/// It takes 9.66 to 9.69, as the seed decides: a step more for one request in seven fails.
const MOST: f64 = 9.8;
/// With fewer the test may not ask any more, or the bound above is to be lower.
const LEAST: f64 = 9.0;

async fn serve() -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        wsrt::spawn(async move {
            let mut request = [0; 64];
            while stream.read_exact(&mut request).await.is_ok() && stream.write_all(&request).await.is_ok() {}
        });
    }
}

async fn ask() -> io::Result<()> {
    let mut stream = TcpStream::connect("server:80").await?;
    let mut answer = [0; 64];
    for _ in 0..REQUESTS {
        stream.write_all(&[7; 64]).await?;
        stream.read_exact(&mut answer).await?;
    }
    Ok(())
}

fn steps(seed: u64) -> u64 {
    sim::run(seed, |sim| async move {
        sim.host("server", serve);
        let (done, mut is_done) = wsrt::sync::mpsc::channel(1);
        sim.host("clients", move || {
            let done = done.clone();
            async move {
                // The server may not listen yet.
                sleep(Duration::from_secs(1)).await;
                let mut clients: JoinSet<io::Result<()>> = (0..CLIENTS).map(|_| ask()).collect();
                while let Some(ended) = clients.join_next().await {
                    ended.expect("it does not panic").expect("there are no faults");
                }
                let _ = done.send(()).await;
            }
        });
        is_done.recv().await.expect("the host is up");
        sim.record().steps()
    })
}

#[test]
fn a_request_takes_no_more_steps_than_it_did() {
    for seed in 0..5 {
        let each = steps(seed) as f64 / (CLIENTS * REQUESTS) as f64;
        assert!((LEAST..MOST).contains(&each), "seed {seed}: {each:.2} steps a request, not {LEAST} to {MOST}");
    }
}
