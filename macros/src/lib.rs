//! The attribute macros `#[wsrt::main]` and `#[wsrt::test]`, which turn an `async fn` into a plain
//! `fn` that runs it on a runtime, and the part of `select!` that a declarative macro cannot do.
//!
//! Use these macros through the crate `wsrt`, which re-exports them behind its feature `macros`.
//! This crate does not depend on the runtime, and only knows the names that the expansion uses:
//! `runtime::Builder::{new_multi_thread, new_current_thread, enable_all, worker_threads,
//! start_paused, build}`, `runtime::Runtime::block_on`, the hidden module `runtime::__entry`, and
//! the hidden macro `__run_with_seeds`.

mod entry;
mod errors;
mod expand;
mod function;
mod generate;
mod options;
mod pattern;
mod test_options;
#[cfg(test)]
mod test_support;

use proc_macro::TokenStream;

use crate::entry::Entry;

/// Turns an `async fn`, usually `main`, into a plain function that runs the body as the root future
/// of a new runtime.
///
/// The generated function has the same name, visibility and attributes. When called, it builds a
/// runtime, runs the body to completion, and drops the runtime. Dropping the runtime drops every
/// task that is still alive, so await all tasks that must finish.
///
/// # Options
///
/// | option | value | default |
/// |---|---|---|
/// | `flavor` | `"multi_thread"` or `"current_thread"` | `"multi_thread"` |
/// | `worker_threads` | a whole number of at least 1, as a literal; with `"multi_thread"` only | chosen by `runtime::Builder` |
/// | `start_paused` | `true` or `false`; `true` with `"current_thread"` only: the clock starts paused, as after `time::pause` | `false` |
/// | `configure` | a function from `&mut Builder` to `&mut Builder`, as a path or as a closure that captures nothing: any setting of `runtime::Builder` | none |
/// | `crate` | the path of the crate `wsrt` as a string, for when the crate is re-exported or renamed | `"::wsrt"` |
///
/// The root future need not be `Send`. With `"multi_thread"`, a root that is `Send` and has a
/// `Send` output runs on a worker, like any spawned task, and is as fast as a spawned task at
/// spawning and messaging. A root that is not `Send`, for example because it holds an `Rc` or a
/// guard of a standard library lock across an `.await`, runs on the thread that called the
/// function, outside the workers. Each message between the root and a task then crosses threads,
/// which costs some microseconds. The compiler chooses between the two. To find out which applies,
/// call `task::try_id`, which returns `None` on the calling thread. With `"current_thread"`, the
/// calling thread runs everything.
///
/// # Output
///
/// A function named `main` may return the same types as a plain `main`: `()`, `!`, `ExitCode`, a
/// `Result` of these whose error is `Debug`, or any other `Termination`. The root converts its
/// output to an `ExitCode` in the same way as the standard library: an error is printed to standard
/// error as `Error: {error:?}`, and the exit code is 1. The output therefore need not be `Send`
/// with either flavor. The generated `main` returns the `ExitCode`.
///
/// A function with any other name returns the type that it declares.
///
/// # Not guaranteed
///
/// - Which worker, and therefore which thread, runs a root that is `Send`. The worker may change at
///   each `.await`.
/// - Any order between the end of the root and the progress of tasks that the root did not await.
///
/// # Panics
///
/// A panic in the root future resumes on the calling thread after the root has been dropped, so
/// that a panic in `main` ends the program with exit code 101. A function that is not named `main`
/// also panics, with the message `wsrt: {error}`, if the runtime cannot be built.
///
/// # Errors
///
/// If the runtime cannot be built, because the operating system refuses to create a thread or a
/// poll instance or because an environment variable such as `WSRT_WORKER_THREADS` has an invalid
/// value, `main` prints `wsrt: {error}` to standard error and exits with code 1.
///
/// All other mistakes are reported as compile errors at the offending code: a function that is not
/// `async`, takes arguments, or is generic, `const`, `unsafe` or `extern`, and an option that is
/// unknown, given twice, of the wrong type, or out of range.
///
/// # Cancel safety
///
/// The root future is never cancelled. The generated function returns when the root has completed.
///
/// # Examples
///
/// Using all processors of the machine, and exiting with an error if one occurs:
///
/// ```text
/// #[wsrt::main]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let listener = wsrt::net::TcpListener::bind("127.0.0.1:8080").await?;
///     loop {
///         let (stream, _) = listener.accept().await?;
///         wsrt::spawn(serve(stream));
///     }
/// }
/// ```
///
/// Running a root that is not `Send` on the main thread, while spawned tasks run on the workers:
///
/// ```text
/// #[wsrt::main]
/// async fn main() {
///     let counter = std::rc::Rc::new(std::cell::Cell::new(0));
///     let task = wsrt::spawn(async { 7 });
///     counter.set(counter.get() + task.await.expect("it does not panic"));
/// }
/// ```
///
/// Setting what only a builder can set:
///
/// ```text
/// #[wsrt::main(configure = |builder| builder.max_machines(64).on_stall(|stall| eprintln!("{stall:?}")))]
/// async fn main() {}
/// ```
///
/// Running everything on a single thread:
///
/// ```text
/// #[wsrt::main(flavor = "current_thread")]
/// async fn main() {
///     let shared = std::rc::Rc::new(5);
///     let theirs = std::rc::Rc::clone(&shared);
///     wsrt::task::spawn_local(async move { println!("{theirs}") });
///     wsrt::task::yield_now().await;
/// }
/// ```
///
/// Without the macro, the first example would be written as follows:
///
/// ```text
/// fn main() -> std::process::ExitCode {
///     async fn root() -> Result<(), Box<dyn std::error::Error>> {
///         // the body
///     }
///     match wsrt::runtime::Builder::new_multi_thread().build() {
///         Ok(runtime) => runtime.run(async { std::process::Termination::report(root().await) }),
///         Err(error) => {
///             eprintln!("wsrt: {error}");
///             std::process::ExitCode::FAILURE
///         }
///     }
/// }
/// ```
#[proc_macro_attribute]
pub fn main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(Entry::Main, arguments.into(), item.into()).into()
}

/// Turns an `async fn` into a test that runs the function's body as the root future of a new
/// runtime.
///
/// The function becomes a `#[test]` with the same name. Other attributes of the function, such as
/// `#[should_panic]` and `#[ignore]`, keep their meaning.
///
/// # Options
///
/// A test accepts the same options as [`main`](macro@main), with a different default: `flavor` is
/// `"current_thread"`, so that tasks run in the same order each time. The option `worker_threads`
/// therefore requires `flavor = "multi_thread"`. The test need not be `Send` with either flavor.
///
/// A test has two options more:
///
/// | option | value | effect |
/// |---|---|---|
/// | `seeds` | a range of whole numbers, as literals: `0..1000` | the test runs in a simulation (`wsrt::sim`) with each seed |
/// | `longest_poll` | a duration of at least `"1ms"`, as a string: `"5ms"`, `"2s"` | the test fails if a poll takes longer |
///
/// With `seeds`, the test runs as with `sim::seeds` and `sim::run`, on all cores, and needs wsrt's
/// feature `sim`. If a seed fails, the message names the smallest failed seed, and the command that
/// runs the test with this seed alone: `WSRT_SIM_SEED=17 cargo test name`. The options
/// `worker_threads`, `configure` and `crate` can be set as well. The test returns `()`, or a
/// `Result` of `()` whose error is `Debug`.
///
/// With `longest_poll`, a thread watches the polls of the test's own future and of all tasks. The
/// message of a failure names the task, and the function and line where its thread was, if the
/// system and wsrt's feature `backtrace` allow. Polls that wait in `block_in_place` on a
/// multi-thread runtime, or compute in `wsrt::parallel`, do not count, and neither do blocking
/// jobs. No shorter poll fails the test; polls that take longer by less than a quarter may be
/// missed. A poll without a core for more than half of the time does not count, so that a busy
/// machine fails no test.
///
/// # Output
///
/// A test may return the same types as a plain `#[test]`, and an error fails the test. The root
/// future reports its own output, as described for [`main`](macro@main), so a `Result` whose error
/// is not `Send` is accepted with both flavors.
///
/// # Not guaranteed
///
/// The test harness may fail to capture the printed output of a `"multi_thread"` test that is
/// `Send`, because the root future runs on one of the runtime's threads.
///
/// # Panics
///
/// A panic in the root future resumes on the test's thread, where it fails the test or satisfies
/// `#[should_panic]`. A test without a return type also panics if the runtime cannot be built.
///
/// Panics if a poll takes longer than `longest_poll` allows, and if a seed fails.
///
/// Panics if the test leaves orphans: tasks that wait, and that nothing is left to wake or end. The
/// option `configure = |builder| builder.report_orphans(false)` allows orphans.
///
/// # Errors
///
/// If the runtime cannot be built, a test with a return type prints `wsrt: {error}` to standard
/// error and fails.
///
/// The mistakes that [`main`](macro@main) reports at compile time are compile errors here as well,
/// and so is a second test attribute on the same function.
///
/// # Cancel safety
///
/// The root future is never cancelled. The test ends when the root has completed, and tasks that
/// are still alive at that point are dropped.
///
/// # Examples
///
/// ```text
/// #[wsrt::test]
/// async fn a_spawned_task_hands_back_its_output() {
///     assert_eq!(wsrt::spawn(async { 6 * 7 }).await.unwrap(), 42);
/// }
///
/// #[wsrt::test(start_paused = true)]
/// async fn an_hour_passes_at_once() {
///     let began = wsrt::time::Instant::now();
///     wsrt::time::sleep(std::time::Duration::from_secs(3_600)).await;
///     assert_eq!(began.elapsed(), std::time::Duration::from_secs(3_600));
/// }
///
/// #[wsrt::test(seeds = 0..100)]
/// async fn each_order_of_two_senders_is_right() {
///     let (sender, mut receiver) = wsrt::sync::mpsc::channel(1);
///     for number in [1, 2] {
///         let sender = sender.clone();
///         wsrt::spawn(async move { sender.send(number).await });
///     }
///     assert_eq!(receiver.recv().await.unwrap() + receiver.recv().await.unwrap(), 3);
/// }
///
/// #[wsrt::test(longest_poll = "5ms")]
/// async fn no_poll_blocks() {
///     wsrt::fs::read_to_string("Cargo.toml").await.unwrap();
/// }
///
/// #[wsrt::test(flavor = "multi_thread", worker_threads = 2)]
/// async fn the_port_is_free() -> Result<(), Box<dyn std::error::Error>> {
///     wsrt::net::TcpListener::bind("127.0.0.1:0").await?;
///     Ok(())
/// }
/// ```
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(Entry::Test, arguments.into(), item.into()).into()
}

/// Removes `ref` and `mut` from a pattern, so that matching the pattern inspects a value without
/// moving out of it. Used by the expansion of `select!`. Not a public API.
#[doc(hidden)]
#[proc_macro]
pub fn without_bindings_by_move(pattern: TokenStream) -> TokenStream {
    pattern::borrowing(pattern.into()).into()
}
