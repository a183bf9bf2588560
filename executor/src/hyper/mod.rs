//! hyper on wsrt: its executor, timer and I/O traits; with feature `serve` a server for tower
//! services, with feature `client` a pooled client.
//!
//! | to | use |
//! |---|---|
//! | serve an axum router, a tonic service or any other tower service | [`serve`](serve()) (feature `serve`) |
//! | serve with a service for each connection, among them axum's `ConnectInfo` | [`serve_make_service`] (feature `serve`) |
//! | send requests over connections that are kept for the next | [`client`](client()) and its [`Connector`] (feature `client`) |
//! | run hyper's own builders | [`WsrtExecutor`], [`WsrtTimer`], and wsrt's streams as they are |
//! | convert a stream, such as TLS, between hyper's I/O traits and tokio's | [`TokioIo`] |
//!
//! The streams of [`net`](crate::net) implement hyper's I/O traits, vectored writes included, and
//! need no wrapper. With these hyper runs on wsrt's processors alone, without a tokio runtime.
//!
//! # Examples
//!
//! ```
//! use hyper::rt::{Executor, Timer};
//! use std::time::Duration;
//! use wsrt::hyper::{WsrtExecutor, WsrtTimer};
//!
//! # let runtime = wsrt::runtime::Runtime::new().unwrap();
//! # runtime.block_on(async {
//! WsrtExecutor.execute(async { println!("a task of hyper's") });
//! WsrtTimer.sleep(Duration::from_millis(1)).await;
//! # });
//! ```

#[cfg(feature = "client")]
mod client;
mod executor;
#[cfg(feature = "serve")]
mod serve;
mod timer;
#[cfg(feature = "tokio-io")]
mod tokio_io;

#[cfg(feature = "client")]
pub use self::client::{Client, ClientBuilder, ClientStream, Connector, client};
pub use self::executor::WsrtExecutor;
#[cfg(feature = "serve")]
pub use self::serve::{
    BoxError, Carrying, ConnectInfo, Handshake, HttpBuilder, Listener, MakeService, NoHandshake, RequestBody, Serve,
    serve, serve_make_service,
};
pub use self::timer::WsrtTimer;
#[cfg(feature = "tokio-io")]
pub use self::tokio_io::TokioIo;
