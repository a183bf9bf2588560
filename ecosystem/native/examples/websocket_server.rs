//! A WebSocket echo server on wsrt: tokio-tungstenite directly on TCP.
//! `cargo run --release --example websocket_server -- 127.0.0.1:9001`
//!
//! tokio-tungstenite needs nothing of tokio but its I/O traits, without its feature `connect`. No
//! HTTP server is below it, so that the limits are the program's own:
//!
//! | a client that | is met by | here |
//! |---|---|---|
//! | opens connections and no end | accepting no more; they wait in the OS's queue | `CONNECTIONS` |
//! | dawdles with the handshake | closing | 30 s, or `HANDSHAKE_SECONDS` |
//! | says nothing, or takes nothing | closing | 60 s, or `SILENCE_SECONDS` |
//! | sends long messages, or promises them | closing | `LONGEST` |
//! | sends without a pause | its task giving way | after each 128 frames |

use std::env;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::accept_async_with_config;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Result};
use wsrt::net::{TcpListener, TcpStream};
use wsrt::sync::Semaphore;
use wsrt::task::coop::consume_budget;
use wsrt::time::{sleep, timeout};

/// How many connections may be open.
const CONNECTIONS: usize = 10_000;
/// How long a message may be, in bytes, in one frame or in many.
const LONGEST: usize = 128 << 10;

#[derive(Clone, Copy)]
struct Limits {
    handshake: Duration,
    silence: Duration,
}

#[wsrt::main]
async fn main() -> io::Result<()> {
    let limits = Limits { handshake: seconds("HANDSHAKE_SECONDS", 30), silence: seconds("SILENCE_SECONDS", 60) };
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:9001".into());
    let listener = TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // No descriptor is left, as a rule: others close theirs meanwhile.
                println!("cannot accept: {error}");
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        wsrt::spawn(async move {
            let _place = place;
            match echo(stream, limits).await {
                Ok(count) => println!("{peer} said {count} things"),
                Err(error) => println!("{peer}: {error}"),
            }
        });
    }
}

fn seconds(variable: &str, default: u64) -> Duration {
    let set = env::var(variable).ok().and_then(|text| text.parse().ok());
    Duration::from_secs(set.unwrap_or(default))
}

async fn echo(stream: TcpStream, limits: Limits) -> Result<u64> {
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default().max_message_size(Some(LONGEST)).max_frame_size(Some(LONGEST));
    let too_slow = |_| Error::Io(ErrorKind::TimedOut.into());
    let shaking = accept_async_with_config(stream, Some(config));
    let mut socket = timeout(limits.handshake, shaking).await.map_err(too_slow)??;
    let mut count = 0;
    while let Some(message) = timeout(limits.silence, socket.next()).await.map_err(too_slow)?.transpose()? {
        if message.is_text() || message.is_binary() {
            timeout(limits.silence, socket.send(message)).await.map_err(too_slow)??;
            count += 1;
        }
        // One read may bring thousands of frames, for which nothing has to be waited for.
        consume_budget().await;
    }
    Ok(count)
}
