//! Unix: file descriptors.

/// Implements the traits that lend the descriptor of `$kind`, which has a method `socket`.
macro_rules! as_descriptor {
    ($kind:ty) => {
        impl std::os::fd::AsFd for $kind {
            fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
                std::os::fd::AsFd::as_fd(self.socket())
            }
        }

        impl std::os::fd::AsRawFd for $kind {
            fn as_raw_fd(&self) -> std::os::fd::RawFd {
                std::os::fd::AsRawFd::as_raw_fd(self.socket())
            }
        }
    };
}

pub(in crate::net) use as_descriptor;
