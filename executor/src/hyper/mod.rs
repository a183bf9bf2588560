//! hyper on wsrt: its executor, timer and I/O traits, and, with feature `serve`, a server for tower
//! services.
//!
//! | to | use |
//! |---|---|
//! | serve an axum router, a tonic service or any other tower service | [`serve`](serve()) (feature `serve`) |
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

mod executor;
#[cfg(feature = "serve")]
mod serve;
mod timer;
#[cfg(feature = "tokio-io")]
mod tokio_io;

pub use self::executor::WsrtExecutor;
#[cfg(feature = "serve")]
pub use self::serve::{BoxError, ConnectInfo, Handshake, HttpBuilder, Listener, NoHandshake, Serve, serve};
pub use self::timer::WsrtTimer;
#[cfg(feature = "tokio-io")]
pub use self::tokio_io::TokioIo;
