//! `client`: hyper-util's pooled client on wsrt's sockets, tasks and timers.
//!
//! | file | is about |
//! |---|---|
//! | `builder.rs` | the client's builder, with wsrt's executor and timers set |
//! | `connector.rs` | from a URI to a connection |
//! | `stream.rs` | the connection, under the trait that the pool asks for |

mod builder;
mod connector;
mod stream;

pub use self::builder::{Client, ClientBuilder, client};
pub use self::connector::Connector;
pub use self::stream::ClientStream;
