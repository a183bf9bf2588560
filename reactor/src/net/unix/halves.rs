//! The two directions of a Unix stream.

use super::stream::UnixStream;
use crate::net::stream::halves::halves;

halves!(UnixStream, mio::net::UnixStream, "Unix");
