//! Holds no code but tests: see `tests`.
