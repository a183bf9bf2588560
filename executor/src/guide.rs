//! The guide: what to read, by what you want to do.
//!
//! | to | read |
//! |---|---|
//! | move a program from tokio | [`from_tokio`] |
//! | run a tokio program, and all its dependencies, without a change | [`drop_in`] |
//! | know what happens when a task blocks, and what is not promised | [`blocking`] |
//! | find out why a server is slow | [`seeing`], [`metrics`] |
//! | compute on the processors that run the tasks | [`parallel`](crate::parallel) |
//! | look a word up, beside those of Go, tokio and rayon | [`glossary`] |
//!
//! The pages are the files of `executor/docs/` in the repository.

// Each page ends with the definitions of its links, for readers of the file. Those of `links.md`
// come first here, and the first definition of a link counts.

// The tests of `ecosystem/` compile the programs of these two, beside the crates that they name.
#[cfg(not(doctest))]
#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/FROM_TOKIO.md")]
pub mod from_tokio {}

#[cfg(not(doctest))]
#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/DROP_IN.md")]
pub mod drop_in {}

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/BLOCKING.md")]
pub mod blocking {}

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/SEEING.md")]
pub mod seeing {}

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/METRICS.md")]
pub mod metrics {}

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/GLOSSARY.md")]
pub mod glossary {}
