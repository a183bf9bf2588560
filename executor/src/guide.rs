//! The guide, in the order of a program's life.
//!
//! | to | read |
//! |---|---|
//! | start a program, spawn tasks and wait for them | [`hello`] |
//! | serve connections | [`server`] |
//! | limit times, race and cancel | [`timeouts`] |
//! | share state between tasks | [`sharing`] |
//! | compute on the processors that run the tasks | [`parallel`] |
//! | know what happens when a task blocks, and what is not promised | [`blocking`] |
//! | find out why a server is slow | [`seeing`] |
//! | publish the counts | [`metrics`] |
//! | end gracefully | [`shutdown`] |
//! | put it all together: JSON, a database, time limits, metrics, an end | [`service`] |
//! | test with a clock that jumps | [`testing`] |
//! | test a distributed program, with faults that a number decides | [`simulating`] |
//! | choose threads and limits, or leave them alone | [`tuning`] |
//! | move a program from tokio | [`from_tokio`] |
//! | run a tokio program, and all its dependencies, without a change | [`drop_in`] |
//! | move a program from smol | [`from_smol`] |
//! | move computing from rayon | [`from_rayon`] |
//!
//! Each chapter has a program that the tests run. The pages are the files of `executor/docs/` in
//! the repository.

// Each page ends with the definitions of its links, for readers of the file. Those of `links.md`
// come first here, and the first definition of a link counts.

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/HELLO.md")]
pub mod hello {}

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/SERVER.md")]
pub mod server {}

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/TIMEOUTS.md")]
pub mod timeouts {}

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/SHARING.md")]
pub mod sharing {}

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/PARALLEL.md")]
pub mod parallel {}

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
#[doc = include_str!("../docs/SHUTDOWN.md")]
pub mod shutdown {}

// The tests of `ecosystem/` build its program, beside the crates that it names, and use it.
#[cfg(not(doctest))]
#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/SERVICE.md")]
#[doc = "```rust"]
#[doc = include_str!("../docs/service.rs")]
#[doc = "```"]
pub mod service {}

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/TESTING.md")]
pub mod testing {}

// Its program needs the feature.
#[cfg(any(not(doctest), feature = "sim"))]
#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/SIMULATING.md")]
pub mod simulating {}

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/TUNING.md")]
pub mod tuning {}

// The tests of `ecosystem/` compile its programs, beside the crates that they name.
#[cfg(not(doctest))]
#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/FROM_TOKIO.md")]
pub mod from_tokio {}

// The tests of `ecosystem/` compile its programs, beside the crates that they name.
#[cfg(not(doctest))]
#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/DROP_IN.md")]
pub mod drop_in {}

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/FROM_SMOL.md")]
pub mod from_smol {}

#[doc = include_str!("../docs/links.md")]
#[doc = include_str!("../docs/FROM_RAYON.md")]
pub mod from_rayon {}
