//! Crates that need what is unstable in tokio, unchanged, on wsrt: see `tests/`.
