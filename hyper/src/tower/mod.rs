//! tower on wsrt: layers that limit how long a service may take, using the runtime's timers.
//!
//! Requires the feature `tower`. Use these layers instead of the time limits in tower and
//! tower-http, which depend on tokio's timers.
//!
//! | To | use |
//! |---|---|
//! | fail with an error, as tower's own timeout layer does | [`TimeoutLayer`] |
//! | answer with a response of your own, for example in an axum router, whose services must not fail | [`TimeoutAnswerLayer`] |
//!
//! For limits on how slow a server's clients may be, see `wsrt_hyper::serve`.
//!
//! # Examples
//!
//! ```
//! use std::time::Duration;
//! use tower_layer::Layer;
//! use tower_service::Service;
//! use wsrt_hyper::tower::TimeoutLayer;
//!
//! # #[derive(Clone)] struct Endless;
//! # impl Service<()> for Endless {
//! #     type Response = ();
//! #     type Error = std::convert::Infallible;
//! #     type Future = std::future::Pending<Result<(), Self::Error>>;
//! #     fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
//! #         std::task::Poll::Ready(Ok(()))
//! #     }
//! #     fn call(&mut self, _: ()) -> Self::Future { std::future::pending() }
//! # }
//! # wsrt::runtime::Runtime::new()?.block_on(async {
//! // `Endless` is a service that never answers.
//! let mut limited = TimeoutLayer::new(Duration::from_millis(5)).layer(Endless);
//! let error = limited.call(()).await.unwrap_err();
//! assert!(error.is::<wsrt::time::error::Elapsed>());
//! # });
//! # std::io::Result::Ok(())
//! ```

mod answer;
mod timeout;

pub use self::answer::{AnswerFuture, TimeoutAnswer, TimeoutAnswerLayer};
pub use self::timeout::{Timeout, TimeoutFuture, TimeoutLayer};
