//! TCP and Unix sockets by one name.

use std::io::{self, Read, Write};
use std::net::SocketAddr;

use mio::event::Source;
use mio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use mio::net::{UnixListener, UnixStream};
use mio::{Interest, Registry, Token};

use crate::address::Address;

#[derive(Debug)]
pub(super) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix {
        listener: UnixListener,
        /// Removed with the server.
        _file: unix::SocketFile,
    },
}

#[derive(Debug)]
pub(super) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Listener {
    pub(super) fn bind(address: &Address) -> io::Result<Self> {
        match address {
            Address::Ip(address) => TcpListener::bind(*address).map(Self::Tcp),
            #[cfg(unix)]
            Address::Path(path) => unix::bind(path).map(|(listener, _file)| Self::Unix { listener, _file }),
            #[cfg(not(unix))]
            Address::Path(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Returns the bound address of a TCP socket.
    pub(super) fn local_addr(&self) -> io::Result<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr(),
            #[cfg(unix)]
            Self::Unix { .. } => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    pub(super) fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                // Answers are written whole: to wait for more only delays their ends.
                let _ = stream.set_nodelay(true);
                Ok(Stream::Tcp(stream))
            }
            #[cfg(unix)]
            Self::Unix { listener, .. } => listener.accept().map(|(stream, _)| Stream::Unix(stream)),
        }
    }

    pub(super) fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        match self {
            Self::Tcp(listener) => registry.register(listener, token, Interest::READABLE),
            #[cfg(unix)]
            Self::Unix { listener, .. } => registry.register(listener, token, Interest::READABLE),
        }
    }
}

impl Stream {
    fn source(&mut self) -> &mut dyn Source {
        match self {
            Self::Tcp(stream) => stream,
            #[cfg(unix)]
            Self::Unix(stream) => stream,
        }
    }

    /// Has events of both directions reported under `token`.
    pub(super) fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        self.source().register(registry, token, Interest::READABLE | Interest::WRITABLE)
    }

    pub(super) fn deregister(&mut self, registry: &Registry) {
        // It goes with the descriptor anyway.
        let _ = self.source().deregister(registry);
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            #[cfg(unix)]
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(buffer),
            #[cfg(unix)]
            Self::Unix(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The file of a Unix socket.
#[cfg(unix)]
mod unix {
    use std::fs::{self, DirBuilder, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
    use std::path::{Path, PathBuf};
    use std::process;

    use mio::net::UnixListener;

    /// The socket's file, removed with the server unless another has taken its place.
    #[derive(Debug)]
    pub(in crate::server) struct SocketFile {
        path: PathBuf,
        inode: u64,
    }

    /// Binds a socket that only this user can open, from its first moment: it is made in a folder
    /// that only this user can enter, and moved to `path` when its mode is set.
    pub(super) fn bind(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
        refuse_taken(path)?;
        let mut folder = path.as_os_str().to_owned();
        folder.push(format!(".{}", process::id()));
        let folder = PathBuf::from(folder);
        DirBuilder::new().mode(0o700).create(&folder)?;
        let made = make(&folder.join("s"), path);
        let _ = fs::remove_dir(&folder);
        made
    }

    fn make(made: &Path, path: &Path) -> io::Result<(UnixListener, SocketFile)> {
        let listener = UnixListener::bind(made)?;
        let moved = fs::set_permissions(made, Permissions::from_mode(0o600)).and_then(|()| fs::rename(made, path));
        if let Err(error) = moved {
            let _ = fs::remove_file(made);
            return Err(error);
        }
        let inode = fs::metadata(path)?.ino();
        Ok((listener, SocketFile { path: path.to_owned(), inode }))
    }

    /// Returns an error if `path` is a file of another kind, or a socket that somebody listens on.
    fn refuse_taken(path: &Path) -> io::Result<()> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(found) if !found.file_type().is_socket() => {
                let message = format!("`{}` is a file, and no socket", path.display());
                Err(io::Error::new(io::ErrorKind::AlreadyExists, message))
            }
            Ok(_) => match std::os::unix::net::UnixStream::connect(path) {
                Ok(_) => Err(io::ErrorKind::AddrInUse.into()),
                Err(_) => Ok(()),
            },
        }
    }

    impl Drop for SocketFile {
        fn drop(&mut self) {
            if fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode) {
                let _ = fs::remove_file(&self.path);
            }
        }
    }
}
