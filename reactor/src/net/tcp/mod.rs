//! TCP: the listener, the stream, and the stream's two halves.

mod bulk;
#[cfg(feature = "hyper")]
mod hyper_traits;
mod listener;
mod methods;
mod options;
mod owned;
mod split;
mod stream;
mod system;
mod tokio_traits;
mod transfer;

pub use self::listener::TcpListener;
pub use self::owned::{OwnedReadHalf, OwnedWriteHalf, ReuniteError};
pub use self::split::{ReadHalf, WriteHalf};
pub use self::stream::TcpStream;
