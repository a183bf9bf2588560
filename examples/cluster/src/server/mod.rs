//! The server: clients on standard input or on a port, each in a task of its own.

mod conversation;
mod wire;

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream};
use wsrt::sync::Semaphore;
use wsrt::time::sleep;

use crate::node::Node;
use crate::protocol::{Refusal, RefusalKind, RequestSender, write_reply};
use crate::store::{FORGET_AFTER, Store};
use conversation::converse;
use wire::{Socket, Terminal};

/// How long to wait after a failed accept, for other connections to close their file descriptors.
const BACK_OFF: Duration = Duration::from_millis(50);
/// How many clients a node serves at a time. Others are refused.
const MOST_CLIENTS: usize = 500;
/// How often to look for jobs with expired leases.
const EXPIRY_PERIOD: Duration = Duration::from_millis(250);

/// Answers the messages on standard input until it ends.
///
/// # Errors
///
/// Returns the OS error if standard input or output fails.
pub async fn serve_terminal<S: Store>(node: Arc<Node<S>>) -> io::Result<()> {
    converse(&node, Terminal::default()).await
}

/// Accepts clients for ever, each in a task of its own.
pub async fn serve_clients<S: Store>(node: Arc<Node<S>>, listener: TcpListener) {
    let places = Arc::new(Semaphore::new(MOST_CLIENTS));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => match Arc::clone(&places).try_acquire_owned() {
                Ok(place) => {
                    let node = Arc::clone(&node);
                    wsrt::spawn(async move {
                        serve_client(node, stream).await;
                        drop(place);
                    });
                }
                // A new socket takes a line at once.
                Err(_) => _ = stream.try_write(&refusal()),
            },
            // One client that went away before it was accepted, or no file descriptors; the
            // listener stays ready, so that trying again at once might do nothing but burn the
            // processor.
            Err(error) => {
                let _ = writeln!(io::stderr(), "cluster: cannot accept: {error}");
                sleep(BACK_OFF).await;
            }
        }
    }
}

/// Returns the line for a client that is one too many.
fn refusal() -> Vec<u8> {
    let why = format!("the node has {MOST_CLIENTS} clients, and takes no more");
    let mut line = Vec::new();
    write_reply(&RequestSender::default(), &Refusal::new(RefusalKind::Full, why).into(), &mut line);
    line
}

async fn serve_client<S: Store>(node: Arc<Node<S>>, stream: TcpStream) {
    // Answers leave as soon as they are written. An error does not prevent serving the connection.
    let _ = stream.set_nodelay(true);
    // An error here is a client that is gone. Its request was carried out; no other client has a
    // use for the answer.
    let _ = converse(&node, Socket::new(stream)).await;
}

/// Gives back jobs with expired leases, for ever. While the store is away there is nothing to do.
pub async fn expire_leases<S: Store>(store: Arc<S>) {
    loop {
        sleep(EXPIRY_PERIOD).await;
        let _ = store.expire(FORGET_AFTER).await;
    }
}
