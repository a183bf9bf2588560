//! Holds no code: see `examples` and `tests`.
