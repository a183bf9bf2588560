//! `serve`: a tower service, such as an axum router, behind a listener.
//!
//! | file | is about |
//! |---|---|
//! | `builder.rs` | the user's settings, and the server from the first accept to the last answer |
//! | `listener.rs` | the source of connections |
//! | `accepting.rs` | accepting, and continuing when that fails |
//! | `handshake.rs` | the step between accepting and the first byte of HTTP |
//! | `ending.rs` | the signal for graceful shutdown, and waiting for the connections to end |
//! | `connection.rs` | one connection: handshake, requests, end |
//! | `places.rs` | how many connections may be open |
//! | `request_limit.rs` | the time limit of an answer |
//! | `guarded.rs` | the stream: a time limit for writes, a turn for other tasks between reads |

mod accepting;
mod builder;
mod connection;
mod ending;
mod guarded;
mod handshake;
mod listener;
mod places;
mod race;
mod request_limit;

pub use self::builder::{BoxError, HttpBuilder, Serve, serve};
pub use self::handshake::{Handshake, NoHandshake};
pub use self::listener::{ConnectInfo, Listener};
