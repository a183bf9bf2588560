//! Clients of the echo server.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use wsrt::net::TcpStream;

use crate::ledger::Kind;
use crate::soak::Soak;

/// Connects again and again, and checks some echoes each time.
pub(crate) async fn run(soak: Arc<Soak>) {
    while soak.turn(Duration::from_millis(5)).await {
        if let Err(error) = talk(&soak).await {
            soak.ledger.fault(format!("a client of the echo: {error}"));
        }
    }
}

async fn talk(soak: &Soak) -> io::Result<()> {
    let mut stream = TcpStream::connect(soak.echo).await?;
    for _ in 0..fastrand::u32(1..200) {
        if !soak.turn(Duration::ZERO).await {
            break;
        }
        let entry = soak.ledger.open(Kind::Echo);
        let sent = vec![entry.number as u8; fastrand::usize(1..8000)];
        let mut returned = vec![0; sent.len()];
        let (mut read, mut write) = stream.split();
        let (written, filled) = wsrt::join!(write.write_all(&sent), read.read_exact(&mut returned));
        written?;
        filled?;
        soak.ledger.check(returned == sent, || format!("echo {} differs", entry.number));
        entry.settle();
    }
    Ok(())
}
