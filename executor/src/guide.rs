//! The guide, in the order of a program's life.
//!
//! | to | read |
//! |---|---|
//! | start a program, spawn tasks and wait for them | [`hello`] |
//! | serve connections | [`server`] |
//! | refuse what a server cannot serve in time | [`overload`] |
//! | limit times, race and cancel | [`timeouts`] |
//! | let tasks inherit a request's id and deadline | [`context`] |
//! | let tasks borrow | [`scopes`] |
//! | share state between tasks | [`sharing`] |
//! | know how a future that is not polled can block its own task | [`futurelock`] |
//! | compute on the processors that run the tasks | [`parallel`] |
//! | leave work to the time that nothing else wants | [`background`] |
//! | know what happens when a task blocks, and what is not promised | [`blocking`] |
//! | find out why a server is slow | [`seeing`] |
//! | publish the counts | [`metrics`] |
//! | end gracefully | [`shutdown`] |
//! | put it all together: JSON, a database, time limits, metrics, an end | [`service`] |
//! | test with a clock that jumps | [`testing`] |
//! | test that a future can be dropped wherever it waits | [`cancel_safety`] |
//! | test a distributed program, with faults that a number decides | [`simulating`] |
//! | choose threads and limits, or leave them alone | [`tuning`] |
//! | move a program from tokio | [`from_tokio`] |
//! | run a tokio program, and all its dependencies, without a change | [`drop_in`] |
//! | move a program from smol | [`from_smol`] |
//! | move computing from rayon | [`from_rayon`] |
//!
//! Each chapter has a program that the tests run. The pages are the files of `executor/docs/` in
//! the repository.

// Each page ends with the definitions of its links, for readers of the file. Those of `links!` come
// first here, and the first definition of a link counts.

/// Expands to the definitions of the pages' links: those of `links.md`, and those into the
/// repository, whose address only the manifest of the workspace knows.
macro_rules! links {
    () => {
        links! {
            "ARCHITECTURE.md" "blob" "docs/ARCHITECTURE.md",
            "BENCHMARKS.md" "blob" "docs/BENCHMARKS.md",
            "TIMELINE.md" "blob" "docs/TIMELINE.md",
            "rayon-core" "blob" "rayon-core/README.md",
            "tokio" "tree" "tokio",
            "tokio-readme" "blob" "tokio/README.md",
            "drop-in-tests" "tree" "ecosystem/drop-in",
            "debug-pages.png" "raw" "executor/docs/pictures/debug-pages.png",
            "flame-graph.png" "raw" "executor/docs/pictures/flame-graph.png",
            "slow-server.png" "raw" "executor/docs/pictures/slow-server.png",
            "slow-server-mended.png" "raw" "executor/docs/pictures/slow-server-mended.png",
            "clippy.toml" "blob" "executor/docs/clippy.toml",
            "console" "tree" "ecosystem/console",
            "ecosystem" "tree" "ecosystem",
            "service.rs" "blob" "executor/docs/service.rs",
        }
    };
    ($($label:literal $kind:literal $path:literal,)+) => {
        concat!(
            include_str!("../docs/links.md"),
            $("[", $label, "]: ", env!("CARGO_PKG_REPOSITORY"), "/", $kind, "/main/", $path, "\n",)+
        )
    };
}

#[doc = links!()]
#[doc = include_str!("../docs/HELLO.md")]
pub mod hello {}

#[doc = links!()]
#[doc = include_str!("../docs/SERVER.md")]
pub mod server {}

// The tests of wsrt-hyper compile its program, beside the crates that it names.
#[cfg(not(doctest))]
#[doc = links!()]
#[doc = include_str!("../docs/OVERLOAD.md")]
pub mod overload {}

#[doc = links!()]
#[doc = include_str!("../docs/TIMEOUTS.md")]
pub mod timeouts {}

#[doc = links!()]
#[doc = include_str!("../docs/CONTEXT.md")]
pub mod context {}

#[doc = links!()]
#[doc = include_str!("../docs/SCOPES.md")]
pub mod scopes {}

#[doc = links!()]
#[doc = include_str!("../docs/SHARING.md")]
pub mod sharing {}

#[doc = links!()]
#[doc = include_str!("../docs/FUTURELOCK.md")]
pub mod futurelock {}

#[doc = links!()]
#[doc = include_str!("../docs/PARALLEL.md")]
pub mod parallel {}

#[doc = links!()]
#[doc = include_str!("../docs/BACKGROUND.md")]
pub mod background {}

#[doc = links!()]
#[doc = include_str!("../docs/BLOCKING.md")]
pub mod blocking {}

#[doc = links!()]
#[doc = include_str!("../docs/SEEING.md")]
pub mod seeing {}

#[doc = links!()]
#[doc = include_str!("../docs/METRICS.md")]
pub mod metrics {}

#[doc = links!()]
#[doc = include_str!("../docs/SHUTDOWN.md")]
pub mod shutdown {}

// The tests of `ecosystem/` build its program, beside the crates that it names, and use it.
#[cfg(not(doctest))]
#[doc = links!()]
#[doc = include_str!("../docs/SERVICE.md")]
#[doc = "```rust"]
#[doc = include_str!("../docs/service.rs")]
#[doc = "```"]
pub mod service {}

#[doc = links!()]
#[doc = include_str!("../docs/TESTING.md")]
pub mod testing {}

#[doc = links!()]
#[doc = include_str!("../docs/CANCEL_SAFETY.md")]
pub mod cancel_safety {}

// Its program needs the feature.
#[cfg(any(not(doctest), feature = "sim"))]
#[doc = links!()]
#[doc = include_str!("../docs/SIMULATING.md")]
pub mod simulating {}

#[doc = links!()]
#[doc = include_str!("../docs/TUNING.md")]
pub mod tuning {}

// The tests of `ecosystem/` compile its programs, beside the crates that they name.
#[cfg(not(doctest))]
#[doc = links!()]
#[doc = include_str!("../docs/FROM_TOKIO.md")]
pub mod from_tokio {}

// The tests of `ecosystem/` compile its programs, beside the crates that they name.
#[cfg(not(doctest))]
#[doc = links!()]
#[doc = include_str!("../docs/DROP_IN.md")]
pub mod drop_in {}

#[doc = links!()]
#[doc = include_str!("../docs/FROM_SMOL.md")]
pub mod from_smol {}

#[doc = links!()]
#[doc = include_str!("../docs/FROM_RAYON.md")]
pub mod from_rayon {}
