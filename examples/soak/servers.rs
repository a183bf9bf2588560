//! The two servers that all rounds use: HTTP and an echo.

use std::convert::Infallible;
use std::future::{Future, IntoFuture};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Request, Response, StatusCode};
use wsrt::net::{TcpListener, TcpStream};
use wsrt_hyper::RequestBody;

use crate::ledger::{Kind, Ledger};

/// The server's time limits: so long that a process that is stopped for some minutes, with its
/// clients, cuts none of them off.
const PATIENCE: Duration = Duration::from_secs(3600);
/// The tasks that accept.
pub(crate) const TASKS: usize = 2;

/// Serves HTTP on a free port: a request for `/N` is entry N of the ledger, and is answered with
/// its own body; `/0` is no entry.
pub(crate) async fn serve_http(ledger: Arc<Ledger>) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let serving = wsrt_hyper::serve(listener, Answers(ledger))
        .with_first_request_timeout(PATIENCE)
        .with_body_timeout(PATIENCE)
        .with_write_timeout(PATIENCE)
        .with_idle_timeout(PATIENCE)
        .configure_http(|http| {
            http.http1().header_read_timeout(PATIENCE);
            http.http2().keep_alive_interval(PATIENCE);
        });
    wsrt::spawn(serving.into_future());
    Ok(address)
}

#[derive(Clone)]
struct Answers(Arc<Ledger>);

impl tower_service::Service<Request<RequestBody>> for Answers {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        let ledger = Arc::clone(&self.0);
        Box::pin(async move { Ok(answer(&ledger, request).await) })
    }
}

async fn answer(ledger: &Ledger, request: Request<RequestBody>) -> Response<Full<Bytes>> {
    let number: u64 = request.uri().path()[1..].parse().unwrap_or(0);
    // An error means that the client has left in the midst of its request.
    let body = request.into_body().collect().await.map(|body| body.to_bytes());
    if number % 16 == 1 {
        wsrt::time::sleep(Duration::from_millis(1)).await;
    }
    if number != 0 {
        ledger.answer(Kind::Request, number);
    }
    let mut response = Response::new(Full::new(body.unwrap_or_default()));
    if number == 0 {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}

/// Returns to each client the bytes that it sends, on a free port.
pub(crate) async fn serve_echo() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    wsrt::spawn(async move {
        loop {
            // The tests have servers that run out of descriptors; this one has to continue, too.
            let Ok((stream, _)) = listener.accept().await else {
                wsrt::time::sleep(Duration::from_millis(10)).await;
                continue;
            };
            wsrt::spawn(echo(stream));
        }
    });
    Ok(address)
}

async fn echo(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; 16 << 10];
    loop {
        match stream.read(&mut buffer).await? {
            0 => return Ok(()),
            count => stream.write_all(&buffer[..count]).await?,
        }
    }
}
