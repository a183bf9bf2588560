//! The examples, as users run them.

mod graceful_shutdown;
mod http_server;
mod metrics;
mod parallel;
mod slow_server;
mod soak;
