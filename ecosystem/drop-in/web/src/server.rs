//! A running axum server.

use std::io;
use std::net::SocketAddr;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A running server: a router served by `axum::serve`, with the addresses of its clients available
/// to handlers.
#[derive(Debug)]
pub struct Server {
    /// The address on which the server listens.
    pub address: SocketAddr,
    end: oneshot::Sender<()>,
    ended: JoinHandle<io::Result<()>>,
}

impl Server {
    /// Starts serving `router` on a free port, on the caller's runtime.
    ///
    /// # Panics
    ///
    /// Panics if no port is free.
    pub async fn start(router: Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let (end, asked) = oneshot::channel::<()>();
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        let ended = tokio::spawn(async move {
            let asked = async { drop(asked.await) };
            axum::serve(listener, service).with_graceful_shutdown(asked).await
        });
        Self { address, end, ended }
    }

    /// Returns the URL of `path` on this server.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Asks the server to shut down gracefully, and returns the handle of the task that runs it.
    pub fn ask_to_end(self) -> JoinHandle<io::Result<()>> {
        drop(self.end);
        self.ended
    }

    /// Shuts the server down gracefully and waits until it has ended.
    ///
    /// # Panics
    ///
    /// Panics if the server fails.
    pub async fn end(self) {
        self.ask_to_end().await.expect("it does not panic").expect("it does not fail");
    }
}
