//! The server: clients on standard input or on a port, each in a task of its own.

mod conversation;
mod wire;

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream};
use wsrt::time::sleep;

use crate::node::Node;
use crate::store::{FORGET_AFTER, Store};
use conversation::converse;
use wire::{Socket, Terminal};

/// How long to wait after a failed accept, for other connections to close their file descriptors.
const BACK_OFF: Duration = Duration::from_millis(50);
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
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                wsrt::spawn(serve_client(Arc::clone(&node), stream));
            }
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
