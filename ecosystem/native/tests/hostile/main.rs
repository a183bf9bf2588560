//! Hostile clients of TLS and of WebSockets harm themselves: while they attack, others are answered
//! in time, the server's memory is bounded, and its descriptors come back though the attackers hold
//! their ends.
//!
//! The victims are the examples `tls` and `websocket_server`, each its own process with two
//! workers. `docs/PROOF.md` has the figures of an optimized build.
#![cfg(target_os = "linux")]

mod handshakes;
mod scene;
mod websockets;
