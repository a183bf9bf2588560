//! Nothing: see `examples` and `tests`.
