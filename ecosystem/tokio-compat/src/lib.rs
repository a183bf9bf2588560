//! Holds no code but a test: see `examples` and `tests`.

/// The programs of `executor/docs/FROM_TOKIO.md`, before and after.
#[cfg(doctest)]
#[doc = include_str!("../../../executor/docs/FROM_TOKIO.md")]
pub struct FromTokio;
