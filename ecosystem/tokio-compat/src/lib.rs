//! Holds no code but a test: see `examples` and `tests`.

/// The program in `executor/docs/FROM_TOKIO.md`.
#[cfg(doctest)]
#[doc = include_str!("../../../executor/docs/FROM_TOKIO.md")]
pub struct FromTokio;
