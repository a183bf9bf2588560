//! A timeline with events of every kind, recorded by the program itself.
//!
//! ```text
//! cargo run --release --example timeline -- /tmp/timeline.perfetto-trace
//! ```
//!
//! Open the file at <https://ui.perfetto.dev>. A server echoes, its clients pause; one task spawns
//! many, which other processors steal; one blocks its thread for a while, and is reported as a
//! stall; one starts a blocking job.

use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream};
use wsrt::task;
use wsrt::time::sleep;

#[wsrt::main]
async fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "timeline.perfetto-trace".into());
    let recording = wsrt::runtime::Handle::current().trace_for(Duration::from_millis(500), &path);

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = task::Builder::new().name("server").spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            task::Builder::new().name("connection").spawn(echo(stream));
        }
    });
    let clients: Vec<_> = (0..8).map(|_| wsrt::spawn(talk(address))).collect();

    task::Builder::new().name("crowd").spawn(crowd()).await?;
    task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(20))).await?;
    let stuck = task::Builder::new().name("stuck").spawn(async { std::thread::sleep(Duration::from_millis(150)) });
    stuck.await?;
    for client in clients {
        client.await??;
    }

    let summary = recording.await?;
    server.abort();
    println!("{path}: {} events, {} dropped, {} bytes", summary.events, summary.dropped, summary.bytes);
    Ok(())
}

async fn echo(mut stream: TcpStream) -> std::io::Result<()> {
    let mut buffer = [0; 1024];
    loop {
        let length = stream.read(&mut buffer).await?;
        if length == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..length]).await?;
    }
}

async fn talk(address: std::net::SocketAddr) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let mut buffer = [0; 64];
    for _ in 0..100 {
        stream.write_all(&buffer).await?;
        stream.read_exact(&mut buffer).await?;
        sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}

/// Spawns more tasks than one processor can run at once: the others steal some.
async fn crowd() {
    let work: Vec<_> = (0..600).map(|number| wsrt::spawn(spin(number))).collect();
    for piece in work {
        piece.await.expect("it does not panic");
    }
}

async fn spin(number: u64) {
    let sum = (0..20_000 + number).fold(number, |sum, next| std::hint::black_box(sum ^ next.wrapping_mul(0x9e37_79b9)));
    std::hint::black_box(sum);
    task::yield_now().await;
}
