//! Runtimes end, in any way and anywhere, and take their tasks with them.

mod drain;
mod foreign_wakers;
mod runtimes_end_anywhere;
mod runtimes_end_beside_anything;
mod shutdown_drops_everything;
mod shutdown_tokens;
mod sync_outlives_runtimes;
mod users_callbacks;
mod waits_end_with_the_runtime;
mod wakers_outlive_the_runtime;
