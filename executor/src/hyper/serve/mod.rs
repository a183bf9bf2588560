//! `serve`: a tower service, an axum router for one, behind a listener.
//!
//! | file | is about |
//! |---|---|
//! | `builder.rs` | what the user chooses, and the server's life from the first accept to the last answer |
//! | `listener.rs` | where connections come from |
//! | `accepting.rs` | going on when accepting fails |
//! | `handshake.rs` | what comes between a connection and its first byte of HTTP |
//! | `ending.rs` | how connections learn that the server ends, and it that they have |
//! | `connection.rs` | one connection, and when it is given up |

mod accepting;
mod builder;
mod connection;
mod ending;
mod handshake;
mod listener;
mod race;

pub use self::builder::{BoxError, HttpBuilder, Serve, serve};
pub use self::handshake::{Handshake, NoHandshake};
pub use self::listener::{ConnectInfo, Listener};
