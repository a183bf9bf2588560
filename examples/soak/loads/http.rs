//! Clients of the HTTP server: patient ones, several requests at once, and ones that leave.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::{http1, http2};
use wsrt::net::TcpStream;
use wsrt_hyper::WsrtExecutor;

use crate::ledger::{Entry, Kind};
use crate::soak::Soak;

type BoxError = Box<dyn Error + Send + Sync>;

/// Connects again and again, and sends some requests one after the other each time.
pub(crate) async fn clients_of_http1(soak: Arc<Soak>) {
    while soak.turn(Duration::from_millis(5)).await {
        if let Err(error) = client_of_http1(&soak).await {
            soak.ledger.fault(format!("a client of HTTP/1.1: {error}"));
        }
    }
}

async fn client_of_http1(soak: &Soak) -> Result<(), BoxError> {
    let (mut sender, connection) = http1::handshake(connect(soak.http).await?).await?;
    let connection = soak.spawn(connection);
    for _ in 0..fastrand::u32(1..200) {
        if !soak.turn(Duration::ZERO).await {
            break;
        }
        let (entry, request, body) = request(soak);
        sender.ready().await?;
        check(soak, entry, sender.send_request(request).await?.into_body(), &body).await?;
    }
    drop(sender);
    connection.await??;
    Ok(())
}

/// Connects again and again, and sends many requests at once each time.
pub(crate) async fn clients_of_http2(soak: Arc<Soak>) {
    while soak.turn(Duration::from_millis(5)).await {
        if let Err(error) = client_of_http2(&soak).await {
            soak.ledger.fault(format!("a client of HTTP/2: {error}"));
        }
    }
}

async fn client_of_http2(soak: &Arc<Soak>) -> Result<(), BoxError> {
    let (sender, connection) = http2::handshake(WsrtExecutor, connect(soak.http).await?).await?;
    let connection = soak.spawn(connection);
    for _ in 0..fastrand::u32(1..20) {
        if !soak.turn(Duration::ZERO).await {
            break;
        }
        let together: Vec<_> = (0..fastrand::u32(1..20))
            .map(|_| {
                let (soak_of_task, mut sender) = (Arc::clone(soak), sender.clone());
                soak.spawn(async move {
                    let (entry, request, body) = request(&soak_of_task);
                    let answer = sender.send_request(request).await?;
                    check(&soak_of_task, entry, answer.into_body(), &body).await
                })
            })
            .collect();
        for asking in together {
            asking.await??;
        }
    }
    drop(sender);
    connection.await??;
    Ok(())
}

/// Clients that leave in the midst of a request, some of them by a reset.
pub(crate) async fn quitters(soak: Arc<Soak>) {
    const REQUEST: &[u8] = b"POST /0 HTTP/1.1\r\nHost: soak\r\nContent-Length: 100\r\n\r\nthe first of the body";
    while soak.turn(Duration::from_millis(10)).await {
        let entry = soak.ledger.open(Kind::Task);
        match TcpStream::connect(soak.http).await {
            Ok(mut stream) => {
                if fastrand::bool() {
                    let _ = stream.set_zero_linger();
                }
                let _ = stream.write_all(&REQUEST[..fastrand::usize(..REQUEST.len())]).await;
            }
            Err(error) => soak.ledger.fault(format!("a client that leaves: {error}")),
        }
        drop(entry);
    }
}

async fn connect(address: SocketAddr) -> Result<TcpStream, BoxError> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A request that is entered in the ledger, with the body that its answer has to have.
fn request(soak: &Soak) -> (Entry, Request<Full<Bytes>>, Bytes) {
    let entry = soak.ledger.open(Kind::Request);
    let length = if fastrand::u8(..) == 0 { fastrand::usize(..200_000) } else { fastrand::usize(..500) };
    let body = Bytes::from(vec![entry.number as u8; length]);
    let request = Request::post(format!("http://soak/{}", entry.number)).header("host", "soak");
    let request = request.body(Full::new(body.clone())).expect("a good request");
    (entry, request, body)
}

async fn check(soak: &Soak, entry: Entry, answer: Incoming, expected: &Bytes) -> Result<(), BoxError> {
    let answer = answer.collect().await?.to_bytes();
    soak.ledger.check(answer == expected, || format!("the answer to request {} is not its own", entry.number));
    entry.settle();
    Ok(())
}
