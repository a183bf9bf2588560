//! `serve`: a server that runs a tower service, such as an axum router, on a listener's
//! connections.
//!
//! | file | is about |
//! |---|---|
//! | `builder.rs` | the user's settings |
//! | `terms.rs` | the settings of a connection, and those that hold by default |
//! | `running.rs` | the server from the first accept to the last answer |
//! | `make_service.rs` | the source of a connection's service |
//! | `extract.rs` | the peer's address as an argument of axum's handlers |
//! | `listener.rs` | the source of connections |
//! | `accepting.rs` | accepting, and continuing when that fails |
//! | `handshake.rs` | the step between accepting and the first byte of HTTP |
//! | `carrying.rs` | the findings of that step, for the requests that follow |
//! | `shutdown.rs` | the signal for graceful shutdown, and waiting for the connections to end |
//! | `connection.rs` | one connection: handshake, requests, end |
//! | `connection_limit.rs` | how many connections may be open |
//! | `request_limit.rs` | the time limit of an answer |
//! | `request_body.rs` | a request's body, and its time limit |
//! | `answer_body.rs` | an answer's body, which tells whether the service or the client is awaited |
//! | `traffic.rs` | what a connection's requests tell its task |
//! | `time_limits.rs` | a connection's time limits, by what it waits for |
//! | `wait_allowance.rs` | how long a client may keep the server waiting, and what earns it more |
//! | `load_shedding.rs` | which requests and connections are refused since they have waited too long |
//! | `wake_times.rs` | how long a task has waited for its poll |
//! | `limited_io.rs` | the stream: a time limit for writes, turns for other tasks between reads and writes |

mod accepting;
mod answer_body;
mod builder;
mod carrying;
mod connection;
mod connection_limit;
#[cfg(feature = "axum")]
mod extract;
mod handshake;
mod limited_io;
mod listener;
mod load_shedding;
mod make_service;
mod race;
mod request_body;
mod request_limit;
mod running;
mod shutdown;
mod terms;
mod time_limits;
mod traffic;
mod wait_allowance;
mod wake_times;

pub use self::builder::{HttpBuilder, Serve, serve};
pub use self::carrying::Carrying;
pub use self::handshake::{Handshake, NoHandshake};
pub use self::listener::{ConnectInfo, Listener};
pub use self::make_service::{MakeService, serve_make_service};
pub use self::request_body::RequestBody;
