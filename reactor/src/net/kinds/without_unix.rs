//! Elsewhere: the twin of `unix.rs`, with nothing in its lists.

macro_rules! for_each_unix_pipe_receiver {
    ($face:ident) => {};
}

macro_rules! for_each_unix_pipe_sender {
    ($face:ident) => {};
}

macro_rules! for_each_unix_peeker {
    ($face:ident) => {};
}

macro_rules! for_each_unix_ending_writer {
    ($face:ident) => {};
}

macro_rules! for_each_unix_connected {
    ($face:ident) => {};
}

macro_rules! for_each_unix_stream_kind {
    ($face:ident) => {};
}

macro_rules! for_each_unix_datagram {
    ($face:ident) => {};
}

macro_rules! for_each_unix_datagram_socket {
    ($face:ident) => {};
}

macro_rules! for_each_unix_stream {
    ($face:ident) => {};
}

macro_rules! for_each_unix_listener {
    ($face:ident) => {};
}
