//! Holds no code: the program is `executor/docs/service.rs`, and its test is in `tests`.
