//! HTTP on wsrt: an executor, a timer and I/O traits for hyper. Optional features add a server for
//! tower services (`serve`), a pooled client (`client`), and time limits for tower services
//! (`tower`).
//!
//! | To | use |
//! |---|---|
//! | serve an axum router, a tonic service or any other tower service | [`serve`](serve()) (feature `serve`) |
//! | serve with a separate service for each connection, for example for axum's `ConnectInfo` | [`serve_make_service`] (feature `serve`) |
//! | send requests over pooled connections | [`client`](client()) and its [`Connector`] (feature `client`) |
//! | limit how long a tower service may take | [`tower`] (feature `tower`) |
//! | use hyper's own builders | [`WsrtExecutor`], [`WsrtTimer`], and wsrt's streams as they are |
//! | convert a stream, such as a TLS stream, between hyper's I/O traits and tokio's | [`TokioIo`] |
//!
//! The streams in [`wsrt::net`] implement hyper's I/O traits, including vectored writes, and need
//! no wrapper. hyper therefore runs entirely on wsrt's processors, without a tokio runtime.
//!
//! # Features
//!
//! | Feature | adds |
//! |---|---|
//! | `serve` | the `serve` function, which serves axum routers and other tower services over HTTP/1.1 and HTTP/2 |
//! | `axum` | `ConnectInfo` as an argument of axum handlers; requires `serve` |
//! | `client` | the `client` function, which builds hyper-util's pooled client, and its connector |
//! | `tower` | the `tower` module, with layers that limit how long a service may take |
//!
//! No feature is enabled by default.
//!
//! # Examples
//!
//! ```
//! use hyper::rt::{Executor, Timer};
//! use std::time::Duration;
//! use wsrt_hyper::{WsrtExecutor, WsrtTimer};
//!
//! # let runtime = wsrt::runtime::Runtime::new().unwrap();
//! # runtime.block_on(async {
//! WsrtExecutor.execute(async { println!("a task of hyper's") });
//! WsrtTimer.sleep(Duration::from_millis(1)).await;
//! # });
//! ```
// The page names items of all features, and some builds have fewer.
#![cfg_attr(not(all(feature = "client", feature = "serve", feature = "tower")), allow(rustdoc::broken_intra_doc_links))]
#![cfg_attr(docsrs, feature(doc_cfg))]

/// The guide's page whose program needs this crate.
#[cfg(all(doctest, feature = "serve"))]
#[doc = include_str!("../../executor/docs/OVERLOAD.md")]
mod overload_of_the_guide {}

#[cfg(feature = "client")]
mod client;
mod executor;
#[cfg(feature = "serve")]
mod serve;
mod timer;
mod tokio_io;
#[cfg(feature = "tower")]
pub mod tower;

#[cfg(feature = "client")]
pub use self::client::{Client, ClientBuilder, ClientStream, Connector, client};
pub use self::executor::WsrtExecutor;
#[cfg(feature = "serve")]
pub use self::serve::{
    Carrying, ConnectInfo, Handshake, HttpBuilder, Listener, MakeService, NoHandshake, RequestBody, Serve, serve,
    serve_make_service,
};
pub use self::timer::WsrtTimer;
pub use self::tokio_io::TokioIo;

/// A boxed error of any type, into which the errors of services and bodies are converted.
#[cfg(any(feature = "serve", feature = "tower"))]
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
