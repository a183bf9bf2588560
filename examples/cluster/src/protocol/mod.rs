//! The protocol: how bytes become messages, messages commands, and replies bytes again. Knows
//! nothing of stores and sockets.

mod fields;
mod framing;
mod refusal;
mod reply;
mod request;

pub use framing::{Frame, Framer, LONGEST_MESSAGE};
pub use refusal::{Refusal, RefusalKind};
pub use reply::{Named, Reply, WorkerReply, write_reply};
pub use request::{
    Command, LONGEST_LEASE_MS, LONGEST_SIMULATION_MS, MOST_JOBS, MOST_WORKERS, Request, RequestSender,
    SHORTEST_LEASE_MS,
};
