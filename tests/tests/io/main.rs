//! Sockets, files, streams and what stands on them.

mod fs;
mod fs_positions;
mod http_client;
mod io_cooperates;
mod io_in_memory;
mod net_streams;
mod sockets_of_every_kind;
mod streams;
mod sync_io_bridges;
mod tower_limits;
