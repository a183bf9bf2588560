//! A server of axum's, while it runs.

use std::io;
use std::net::SocketAddr;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A router, served by `axum::serve` with its clients' addresses at hand.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    end: oneshot::Sender<()>,
    ended: JoinHandle<io::Result<()>>,
}

impl Server {
    /// Starts it on a free port, on the caller's runtime.
    ///
    /// # Panics
    ///
    /// Panics if there is no free port.
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

    /// Returns the address of `path` on it.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Asks it to end gracefully, and returns the task that does.
    pub fn ask_to_end(self) -> JoinHandle<io::Result<()>> {
        drop(self.end);
        self.ended
    }

    /// Ends it gracefully.
    ///
    /// # Panics
    ///
    /// Panics if it fails.
    pub async fn end(self) {
        self.ask_to_end().await.expect("it does not panic").expect("it does not fail");
    }
}
